package d3d9

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// texts are files that include each other, by name.
type texts map[string]string

func (f texts) open(from, name string) (string, []byte, error) {
	if text, ok := f[name]; ok {
		return name, []byte(text), nil
	}
	return "", nil, errors.New("no such file")
}

// TestMacrosStay checks that a program keeps its text if all directives precede the version.
func TestMacrosStay(t *testing.T) {
	p := parse(t, "#line 1 \"a.vsh\"\n# define BASE 4 + \\\r\n 2 // six\n#define DEST r0.xyz\n#define SET mov DEST, c[BASE]\n"+
		"#define SELF SELF\n#define NONE\n#define SUM(a, b) add DEST, a, b\nvs_1_1\nSET NONE\nSUM(r1, c[BASE + 1]) // sum\nmov r1, c[BASE]")
	if got, want := canonical(p), "mov r0.xyz, c6\nadd r0.xyz, r1, c7\nmov r1, c6\n"; got != want {
		t.Errorf("the program means\n%swant\n%s", got, want)
	}
	if got := p.Insts[0].Text + "; " + p.Insts[1].Text; got != "SET; SUM(r1, c[BASE + 1])" {
		t.Errorf("the statements are spelt %q", got)
	}
}

// TestPreprocessed checks the expansion of directives between statements.
func TestPreprocessed(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"conditions", "#define A 2\n#define B\nps_2_0\n#if A == 2 && !defined C\nnop // kept\n#else\nfoo\n#endif\n#ifdef C\nfoo\n#elif defined(B)\nmov r0, r1\n#endif\n#ifndef A\n/*\n#endif */ bar\n#endif\nmov r1, c[A]",
			"ps_2_0\nnop // kept\nmov r0, r1\nmov r1, c2"},
		{"nested conditions", "vs_1_1\n#if 0\n#if 1\nfoo\n#else\nfoo\n#endif\n#elif 1\n#if 0\n#else\nnop\n#endif\n#else\nfoo\n#endif\n", "vs_1_1\nnop\n"},
		{"arguments", "#define M3(d, s, n) dp3 d.x, s, c[n] \\\n dp3 d.y, s, c[n + 1] \\\n dp3 d.z, s, c[n+2]\nvs.1.1\nM3(r0, v0, 4)\nM3(r1, r0, 4 + 3)\n",
			"vs.1.1\ndp3 r0.x, v0, c4\ndp3 r0.y, v0, c5\ndp3 r0.z, v0, c6\ndp3 r1.x, r0, c7\ndp3 r1.y, r0, c8\ndp3 r1.z, r0, c9\n"},
		{"joined", "#define R(n, m) r##n.m\n#define N 1\nvs_1_1\n#define X\nmov R(N, xy), R(2,zw)",
			"vs_1_1\nmov r1.xy, r2.zwww"},
		{"calls in arguments", "#define TWICE(x) x + x\n#define C(i) c[i]\nvs_1_1\n#define X\nmov r0, C(TWICE(TWICE(1)))",
			"vs_1_1\nmov r0, c4"},
		{"names of calls", "#define F(x) c[x]\n#define G F\nvs_1_1\n#define X\nmov r0, G(3)\nmov F, r0\n", ""},
		{"a word of the language", "#define r0 r5\nvs_1_1\nmov r0, c0\n", "vs_1_1\nmov r5, c0\n"},
		{"no parameters", "#define TWO() nop nop\nvs_1_1\nTWO()", "vs_1_1\nnop\nnop"},
		{"a directive in a statement", "vs_1_1\nmov r0,\n#define SRC r1\nSRC", "vs_1_1\nmov r0, r1"},
		{"include", "#include <defs.h>\nvs_1_1\nmov r0, BASE\n  #include \"body.h\"\n#include \"body.h\"\nmov r2, v0 // end\n",
			"// defs\nvs_1_1\nmov r0, c7\n  mov r1, v0 // body\nmov r1, v0 // body\nmov r2, v0 // end\n"},
		{"include of what an old editor wrote", "vs_1_1\n#include \"dos.h\"\nmov r0, r1\n\x1a",
			"vs_1_1\nnop\nmov r0, r1\n\x1a"},
		{"include of the version", "#include \"defs.h\"\n#include \"all.h\"", "// defs\nvs_1_1 nop\n"},
		{"guarded include", "#include \"guard.h\"\n#include \"guard.h\"\nvs_1_1 mov r0, G", "vs_1_1 mov r0, c1"},
		{"after else", "vs_1_1\n#if 1\n#else\n#include \"missing.h\"\n#error no\n#endif\nnop", "vs_1_1\nnop"},
		{"a version by a macro", "#define MODEL(m) vs_##m // m\n/* a */MODEL(1_1) nop", "/* a */vs_1_1 nop"},
		{"a version with points", "#define MODEL vs.1.1 dcl_position v0\nMODEL\nnop", "vs.1.1\ndcl_position v0\nnop"},
		{"no version by a macro", "#define MODEL mov\nMODEL\nnop", ""},
		{"a comment in a directive", "#define A 1 /* one\n#define A 2 */ + 1 // two /*\nvs_1_1\n#ifdef /* a */ A /*\n*/\nmov r0, c[A]\n#endif", "vs_1_1\nmov r0, c2\n"},
	} {
		f := texts{"dos.h": "nop\n\x1a", "defs.h": "// defs\n#define BASE c7\n", "body.h": "mov r1, v0 // body",
			"all.h": "vs_1_1 nop", "guard.h": "#ifndef GUARD\n#define GUARD\n#define G c1\n#endif\n"}
		p, err := parseWith("main.vsh", []byte(c.src), f.open)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: must be refused", c.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := string(Print(p))
		if text != c.want {
			t.Errorf("%s: the text is\n%q\nwant\n%q", c.name, text, c.want)
		}
		q, err := Parse("again.vsh", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sameProgram(t, c.name, q, p)
	}
}

// TestConditions checks that conditions compute with unsigned words.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		condition string
		want      bool
	}{
		{"1", true}, {"0", false}, {"UNKNOWN", false}, {"-1 > 0", true}, {"0x10 == 16 && 010 == 8",
			true}, {"1 + 2 * 3 == 7", true},
		{"(1 + 2) * 3 == 9u", true}, {"!1 || 2 >= 2", true}, {"6 / 0 == 6", true}, {"1 ? 0 : 2", false}, {"0 ? 0 : 2", true},
		{"(5 & 6 | 8 ^ 4) == 12", true}, {"defined N && !defined(M)", true}, {"N < 4 && N <= 3 && N != 2",
			true}, {"SQUARE(N) == 9", true},
	} {
		src := "#define N 3\n#define SQUARE(x) ((x) * (x))\nvs_1_1\n#if " + c.condition + "\nnop\n#endif\n"
		p, err := Parse("", []byte(src))
		if err != nil || len(p.Insts) == 1 != c.want {
			t.Errorf("#if %s: %v, want %v", c.condition, err, c.want)
		}
	}
	deep := strings.Repeat("(", 1<<14) + "1" + strings.Repeat(")", 1<<14)
	for _, wrong := range []string{"", "1 +", "(1", "1 1", "1.5", "1 ? 2", "\"x\"", deep,
		strings.Repeat("!", 1<<14) + "1"} {
		if got := codes(t, "vs_1_1\n#if "+wrong+"\n#endif"); got != "2:1 condition" {
			t.Errorf("#if %.20s gives %s", wrong, got)
		}
	}
}

// TestPlaces checks that diagnostics point to the erroneous text in its file. For a macro they name
// the place of use and of definition.
func TestPlaces(t *testing.T) {
	f := texts{
		"a.h": "// a\n#define BAD q3\n#include \"b.h\"\n  mov r0, q1\n", "b.h": "\n\nmov r0, q2\n", "open.h": "#if 1\nnop\n",
		"self.h": "nop\n#include \"self.h\"\n", "two.h": "#include \"two.h\"\n#include \"two.h\"\n", "call.h": "M(\n",
	}
	for _, c := range []struct{ src, want string }{
		{"vs_1_1\n#include \"a.h\"\n mov r0, BAD\nmov r1, BAD2", `b.h:3:9: unknown register "q2" [unknown-register]
a.h:4:11: unknown register "q1" [unknown-register]
main:3:10: unknown register "q3" (in macro BAD of a.h:2:1) [unknown-register]
main:4:9: unknown register "BAD2" [unknown-register]`},
		{"#define M(x) mov r0, x\nvs_1_1\n#define X\nM(\n  q7)\nM(q8)", `main:5:3: unknown register "q7" [unknown-register]
main:6:3: unknown register "q8" [unknown-register]`},
		{"vs_1_1\n#include \"open.h\"\nnop", `open.h:1:1: this has no #endif [condition]`},
		{"vs_1_1\n#include \"none.h\"\n#include x\n#include \"\"\nfoo",
			`main:2:1: "none.h" cannot be included: no such file [include]
main:3:1: #include needs a name in quotes or angle brackets [include]
main:4:1: #include needs a name in quotes or angle brackets [include]
main:5:1: unknown instruction "foo" [unknown-opcode]`},
		{"vs_1_1\n#include \"self.h\"", `self.h:2:1: files include each other more than 32 deep [include]`},
		{"vs_1_1\n#include \"two.h\"", `two.h:1:1: files include each other more than 32 deep [include]`},
		{"vs_1_1\n#error  so it is\n#else\n#endif\n#if 1\n#else\n#elif 1\n#endif",
			`main:2:1: #error so it is [error-directive]
main:3:1: #else without #if [condition]
main:4:1: #endif without #if [condition]
main:7:1: #elif after #else [condition]`},
		{"#define M(x, x) x\n#define N(1) x\n#define O(x\n#define P(a b)\nvs_1_1",
			`main:1:1: the parameters of a macro must be different names, separated by commas, in parentheses [macro]
main:2:1: the parameters of a macro must be different names, separated by commas, in parentheses [macro]
main:3:1: the parameters of a macro must be different names, separated by commas, in parentheses [macro]
main:4:1: the parameters of a macro must be different names, separated by commas, in parentheses [macro]`},
		{"#define M(x, y) mov x, y\nvs_1_1\nM(r0)\n",
			"main:3:1: macro M has 2 parameters, not 1 [macro]\nmain:3:1: unknown instruction \"M\" [unknown-opcode]"},
		{"#define M(x) x\nvs_1_1\nM(r0", "main:3:1: the call of macro M has no end [macro]\nmain:3:1: unknown instruction \"M\" [unknown-opcode]"},
	} {
		_, err := parseWith("main", []byte(c.src), f.open)
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q gives\n%s\nwant\n%s", c.src, got, c.want)
		}
	}
	if got := codes(t, "vs_1_1\n#include \"x\""); got != "2:1 include" {
		t.Errorf("an include without files gives %s", got)
	}
}

// TestPreprocessorBounds checks that expansion and inclusion are bounded.
func TestPreprocessorBounds(t *testing.T) {
	chain := func(form string) string {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, form, i+1, i)
		}
		return b.String()
	}
	nested := strings.Repeat("F(", 1<<15) + "r0" + strings.Repeat(")", 1<<15)
	f := texts{"wide.h": strings.Repeat("#include \"empty.h\"\n", 1<<11), "empty.h": "",
		"large.h": strings.Repeat("\n", maxIncluded+1)}
	for name, c := range map[string]struct{ src, want string }{
		"doubling": {"#define M0 r1\n" + strings.ReplaceAll(chain("#define M%d M%d M\n"), " M\n", " M0\n") +
			"vs_1_1\nM60", "syntax"},
		"exponential": {"#define M0 r1\n" + chain("#define M%d M%[2]d M%[2]d\n") + "vs_1_1\nM60", "macro-expansion"},
		"exponential call": {"#define F0(x) x\n" + chain("#define F%d(x) F%[2]d(x x)\n") + "vs_1_1\nF60(r0)",
			"macro-expansion"},
		"nested calls": {"#define F(x) x\nvs_1_1\n" + nested, "macro-expansion"},
		"many calls": {"#define F(x) " + strings.Repeat("x ", 100) + "\n#define E(x)\nvs_1_1\n" +
			strings.Repeat("E(F(F(nop)))\n", 1<<10), "macro-expansion"},
		"recursive":      {"#define A B\n#define B A\nvs_1_1\nA", "syntax"},
		"recursive call": {"#define F(x) x(x)\nvs_1_1\nF(F)", "unknown-opcode"},
		"growing":        {"#define F(x) F(x x)\nvs_1_1\nF(r0)", "unknown-opcode"},
		"condition":      {"#define F(x) x x\n#define G(x) F(F(F(F(F(F(x))))))\n#define H(x) G(G(G(G(x))))\nvs_1_1\n#if H(1)\n#endif", "macro-expansion"},
		"many includes":  {"vs_1_1\n#include \"wide.h\"", "include"},
		"large includes": {"vs_1_1\n#include \"large.h\"", "include"},
		"nested ifs":     {"vs_1_1\n" + strings.Repeat("#if 1\n", 1<<16), "condition"},
		"skipped ifs":    {"vs_1_1\n#if 0\n" + strings.Repeat("#if 1\n", 1<<16), "condition"},
	} {
		_, err := parseWith(name, []byte(c.src), f.open)
		var d *asm.Diag
		if !errors.As(err, &d) || string(d.Code) != c.want {
			t.Errorf("%s gives %.200v, want %s", name, err, c.want)
		}
	}
}

func FuzzPreprocess(f *testing.F) {
	f.Add("#define M(x) mov x, c[N]\n#include \"h\"\nvs_1_1\nM(r0)\n", "#if !defined N\n#define N 1 + 2\n#endif\n")
	f.Add("#include \"h\"\n#include <h>", "#ifndef H\n#define H\nps.1.1\n#else\ntex t0 mov r0, t0\n#endif")
	f.Add("#define F(a,b) a##b\n#define G F(r,0)\nvs_2_0\nmov G, F(c,1).x // y\n#include \"h\"", "#include \"h\"\nG")
	f.Fuzz(func(t *testing.T, src, header string) {
		p, err := parseWith("fuzz", []byte(src), texts{"h": header}.open)
		if err != nil {
			return
		}
		text := Print(p)
		q, err := parseWith("fuzz", text, texts{"h": header}.open)
		if err != nil {
			t.Fatalf("%q with %q is %q, which is refused: %v", src, header, text, err)
		}
		sameProgram(t, "printed", q, p)
	})
}
