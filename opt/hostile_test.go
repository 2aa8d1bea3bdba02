package opt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// hostile are inputs made to exhaust resources or to break something. The test adds missing parts of a
// kernel around them. An empty code means that the input is handled.
var hostile = []struct{ name, code, text string }{
	{"ifs", "nesting-too-deep", repeated("if_logicalnz r0.x", 5_000) + repeated("endif", 5_000)},
	{"ifs, 100000", "too-large", repeated("if_logicalnz r0.x", 100_000) + repeated("endif", 100_000)},
	{"loops", "nesting-too-deep", repeated("whileloop", 100) + repeated("endloop", 100)},
	{"loops within the limit", "", repeated("whileloop\nbreak_logicalnz r0.x", 31) + "add r0, r0, cb0[1]\n" +
		repeated("endloop", 31)},
	{"a loop without end", "", "whileloop\nadd r0, r0, cb0[1]\nendloop\n"},
	{"statements", "too-large", repeated("add r0, r0, cb0[1]", 1_000_000)},
	{"cases", "too-large", "switch r0.x\n" + numbered("case %d\nadd r0, r0, cb0[1]\nbreak\n", 8_000) + "endswitch\n"},
	{"cases that run on", "too-large", "switch r0.x\n" + numbered("case %d\nadd r0, r0, cb0[1]\n", 1_000) + "endswitch\n"},
	{"labels of one case", "", "switch r0.x\n" + numbered("case %d\n", 2_000) + "add r0, r0, r0\nbreak\nendswitch\n"},
	{"else", "unbalanced", "if_logicalnz r0.x\n" + repeated("else", 10_000) + "endif\n"},
	{"endif", "unbalanced", repeated("endif", 30_000)},
	{"an array", "", "dcl_indexed_temp_array x0[2147483648]\nmov x0[r0.x], r0\nmov r0, x0[r0.y]\n"},
	{"the largest array", "", "dcl_indexed_temp_array x0[4294967295]\nmov x0[4294967294], r0\nmov r0, x0[4294967294]\n"},
	{"an array beyond", "number", "dcl_indexed_temp_array x0[4294967296]\n"},
	{"arrays", "", numbered("dcl_indexed_temp_array x%d[65535]\n", 500) + numbered("mov x%d[r0.x], r0\n", 500)},
	{"a buffer", "", "dcl_cb cb1[4294967295]\nmov r0, cb1[4294967294]\n"},
	{"a group", "group-size", "dcl_num_thread_per_group 4294967295, 4294967295, 4294967295\n"},
	{"local memory", "", "dcl_lds_id(0) 4294967295\nlds_store_id(0) mem.x, r0.x, r0.y\n"},
	{"a register", "register-range", "mov r4294967296, r0\n"},
	{"the last register", "", "mov r65535, r0\nmov r0, r65535\n"},
	{"past the last register", "", "transpose r65534, r65533\n"},
	{"a literal", "number", "dcl_literal l1, 99999999999999999999, 0, 0, 0\n"},
	{"literals", "", strings.Replace(numbered("dcl_literal l%d, 0, 0, 0, 0\n", 5_000), "dcl_literal l0, 0, 0, 0, 0\n",
		"", 1)},
	{"a swizzle", "swizzle", "mov r0, cb0[0]." + strings.Repeat("x", 1_000_000) + "\n"},
	{"a mask", "write-mask", "mov r0." + strings.Repeat("xyzw", 100_000) + ", cb0[0]\n"},
	{"an index", "index-depth", "mov r0, cb0" + strings.Repeat("[x0", 100_000) + "\n"},
	{"suffixes", "unknown-suffix", "mov_sat" + strings.Repeat("_sat", 100_000) + " r0, cb0[0]\n"},
	{"a word", "unknown-opcode", strings.Repeat("m", 1_000_000) + " r0, cb0[0]\n"},
	{"blanks", "", "mov r0, cb0[0]" + strings.Repeat(" ", 1_000_000) + "\n"},
	{"lines", "", repeated("", 1_000_000)},
	{"a zero byte", "syntax", "mov r0,\x00 cb0[0]\n"},
	{"registers that a loop carries", "", "whileloop\nbreak_logicalnz r0.x\n" + numbered("add r%d, r%[1]d, r0\n", 800) +
		"endloop\n" + numbered("add r0, r0, r%d\n", 800)},
	{"powers of two", "", repeated("add r0, r0, r0", 1_000)},
}

func repeated(line string, n int) string { return strings.Repeat(line+"\n", n) }

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// codeOf returns the code of an error's first diagnostic.
func codeOf(err error) string {
	var d *asm.Diag
	if errors.As(err, &d) {
		return string(d.Code)
	}
	return ""
}

// attack runs all functions on an input and checks their results.
func attack(ctx context.Context, in Input) (code string, wrong error) {
	o := Options{Limits: Limits{Time: 3 * time.Second}}
	res, err := Optimize(ctx, in, o)
	switch {
	case len(res.Faults) > 0:
		return "", fmt.Errorf("opt: a fault: %w", res.Faults[0])
	case err != nil && codeOf(err) == "" && !errors.Is(err, pair.ErrFit):
		return "", fmt.Errorf("opt: no diagnostic: %w", err)
	}
	code = codeOf(err)
	o.Kernel.Domain = small
	for name, run := range map[string]func() error{
		"stats":  func() error { _, err := Stats(ctx, in, o); return err },
		"verify": func() error { _, err := Verify(ctx, in, in, o); return err },
	} {
		var fault *Fault
		if err := run(); errors.As(err, &fault) ||
			(codeOf(err) == "too-large" || codeOf(err) == "nesting-too-deep") != (code == "too-large" ||
				code == "nesting-too-deep") && name == "stats" {
			return code, fmt.Errorf("%s: %v, where opt says %q", name, err, code)
		}
	}
	return code, nil
}

// TestHostile checks that hostile inputs give a diagnostic or a result, in bounded memory.
func TestHostile(t *testing.T) {
	const most = 1 << 30 // bytes that attack allocates in total, most of them not at once
	for _, h := range hostile {
		stage, dcl := "ps", "dcl_output_generic o0\n"
		if strings.Contains(h.text, "group") || strings.Contains(h.text, "lds") {
			stage, dcl = "cs", ""
		}
		text := "il_" + stage + "_2_0\ndcl_cb cb0[8]\n" + dcl + "dcl_literal l0, 1, 2, 3, 4\nmov r0, cb0[0]\n" + h.text
		if stage == "ps" {
			text += "mov o0, r0\n"
		}
		in := Input{Files: []File{{Name: h.name, Data: []byte(text + "end\n")}}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code, wrong := attack(t.Context(), in)
		runtime.ReadMemStats(&after)
		if wrong != nil || code != h.code {
			t.Errorf("%s: %q instead of %q, %v", h.name, code, h.code, wrong)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > most || h.code != "" && n > most/2 {
			t.Errorf("%s: %d MiB were allocated", h.name, n>>20)
		}
	}
}
