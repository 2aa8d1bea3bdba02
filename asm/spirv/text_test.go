package spirv

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// TestText formats each module of the corpus, with names and with numbers, and parses the text.
func TestText(t *testing.T) {
	for _, path := range corpus(t) {
		data := read(t, path)
		m, err := Decode(path, data)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, numeric := range []bool{false, true} {
			again, err := Parse(path, m.format(numeric))
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(again.Encode(), data) {
				t.Errorf("%s: the text gives another module", path)
			}
		}
	}
}

// bugs lists the texts of the corpus.
func bugs(t testing.TB) (files []string) {
	for _, dir := range testcorpus.GlobOptional(t, "corpus/spirv/bugs") {
		files = append(files, filesBelow(t, dir, ".spvasm")...)
	}
	return files
}

// runTool runs a program of Debian's package spirv-tools on a text or a module. It skips the test if it is not
// installed. A version may refuse modules of later versions.
func runTool(t *testing.T, input []byte, name string, args ...string) ([]byte, error) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s (package spirv-tools) is not installed", name)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, input, 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(path, append(args, in, "-o", out)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	return read(t, out), nil
}

// TestAssembler compares modules of the corpus with those that spirv-as makes from their texts, except for the fields of
// the header, which spirv-as does not read. It also compares Parse with spirv-as on texts.
func TestAssembler(t *testing.T) {
	const headerBytes = 4 * headerWords
	for _, path := range testcorpus.EveryNth(corpus(t), 40) {
		data := read(t, path)
		m, err := Decode(path, data)
		if err != nil {
			t.Fatal(err)
		}
		made, err := runTool(t, m.format(true), "spirv-as", "--preserve-numeric-ids")
		if err != nil {
			t.Log(path, err)
		} else if !bytes.Equal(made[headerBytes:], data[headerBytes:]) {
			t.Errorf("%s: spirv-as makes another module", path)
		}
	}
	for _, path := range testcorpus.EveryNth(bugs(t), 10) {
		text := read(t, path)
		made, err := runTool(t, text, "spirv-as", "--preserve-numeric-ids")
		m, own := Parse(path, text)
		if err != nil || own != nil || !bytes.Equal(m.Encode()[12:], made[12:]) {
			t.Errorf("%s: spirv-as makes another module: %v, %v", path, err, own)
		}
	}
}

// TestDisassembler compares texts with those of spirv-dis. Some versions have other names for a few enumerants and
// tools; the committed modules use none of those.
func TestDisassembler(t *testing.T) {
	files := testcorpus.EveryNth(corpus(t), 40)
	differ := 0
	for i, path := range append(committed(t), files...) {
		data := read(t, path)
		m, err := Decode(path, data)
		if err != nil {
			t.Fatal(err)
		}
		text, err := runTool(t, data, "spirv-dis")
		if err != nil {
			t.Log(path, err)
			continue
		}
		own, _, _ := bytes.Cut(m.Format(), []byte(idsComment))
		if bytes.Equal(own, text) {
			continue
		}
		if differ++; i < len(committed(t)) || differ > 1+len(files)/20 {
			t.Errorf("%s: the text differs from that of spirv-dis", path)
		}
	}
}

// instructionText returns the text of instructions without the header, with one blank between words.
func instructionText(m *Module) string {
	var lines []string
	for line := range strings.Lines(string(m.Format())) {
		if line = strings.Join(strings.Fields(line), " "); line[0] != ';' {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestParse reads single forms of operands. The text behind => is what Format writes, if it differs.
func TestParse(t *testing.T) {
	const types = "%half = OpTypeFloat 16\n%float = OpTypeFloat 32\n%double = OpTypeFloat 64\n%short = OpTypeInt 16 1\n" +
		"%int = OpTypeInt 32 1\n%ulong = OpTypeInt 64 0\n"
	for _, line := range []string{
		`OpName %half "a \"b\" \\ c"`, `OpName %half "caf` + "\u00e9" + ` ; not a comment"`,
		`OpDecorate %half FPFastMathMode NotNaN|NSZ`, `OpDecorate %half FPFastMathMode None`,
		`%half_0x1p_1 = OpConstant %half 0x1p+1`, `%half_0x1_554p_2 = OpConstant %half 0.3333 => %half_0x1_554pn2 = OpConstant %half 0x1.554p-2`,
		`%float_n0_5 = OpConstant %float -0.5`, `%float_0x1p_128 = OpConstant %float 0x1p+128`,
		`%float_n0x1_8p_128 = OpConstant %float -0x1.8p+128`, `%float_0x1pn149 = OpConstant %float 0x1p-149`,
		`%c = OpConstant %float 1e-40 => %float_0x1_16c2pn133 = OpConstant %float 0x1.16c2p-133`,
		`%double_0_10000000000000001 = OpConstant %double 0.1 => %double_0_10000000000000001 = OpConstant %double 0.10000000000000001`,
		`%short_n2 = OpConstant %short -2`, `%c = OpConstant %short 0xfffe => %short_n2 = OpConstant %short -2`,
		`%int_n2147483648 = OpConstant %int -2147483648`, `%ulong_18446744073709551615 = OpConstant %ulong 18446744073709551615`,
		`%19 = OpSpecConstantOp %int IAdd %int %int`, `OpCapability !4484`, `OpDecorate %half !9999 !1 !2`,
		`!0x0003ffff !1 !2 ; Op65535`, "OpLine ; comment\n%half 1 2 => OpLine %half 1 2",
	} {
		in, want, ok := strings.Cut(line, " => ")
		if !ok {
			want = in
		}
		m, err := Parse("x", []byte(types+in))
		if err != nil {
			t.Error(err)
			continue
		}
		lines := strings.Split(instructionText(m), "\n")
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("%s:\n%s, want\n%s", in, got, want)
		}
	}
}

// TestParseErrors reads texts with an error in the last line.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"OpFoo %1", "1:1 unknown-opcode"}, {"%1 OpTypeVoid", "1:1 unknown-opcode"},
		{"OpTypeVoid", "1:1 wrong-operand"}, {"%1 = OpReturn", "1:6 wrong-operand"},
		{"OpCapability Nothing", "1:14 unknown-operand"}, {"OpCapability\nOpNop", "2:1 instruction-size"},
		{"OpReturn %1", "1:10 instruction-size"}, {`OpName %1 name`, "1:11 literal"}, {`OpName %1 "name`, "1:11 literal"},
		{"%1 = OpTypeInt 32 x", "1:19 literal"}, {"%1 = OpTypeInt 32 4294967296", "1:19 literal"},
		{"%1 = OpTypeInt 32 1\n%2 = OpConstant %1 2147483648", "2:20 literal"},
		{"%1 = OpTypeInt 32 0\n%2 = OpConstant %1 -1", "2:20 literal"},
		{"%1 = OpTypeFloat 32\n%2 = OpConstant %1 inf", "2:20 literal"},
		{"%1 = OpTypeFloat 32\n%2 = OpConstant %1 1e50", "2:20 literal"},
		{"%2 = OpConstant %1 1", "1:20 wrong-operand"}, {"OpName %4194303 \"x\"", "1:8 id-range"},
		{"%1 = OpTypeVector %2 %3", "1:22 literal"}, {"OpStore a b", "1:9 wrong-operand"}, {"!1 !2", "1:1 instruction-size"},
		{"%1 = OpExtInstImport \"GLSL.std.450\"\n%3 = OpExtInst %2 %1 Foo", "2:22 unknown-operand"},
		{"%1 = OpSpecConstantOp %2 Foo", "1:26 unknown-opcode"},
	} {
		_, err := Parse("x", []byte(c.text))
		var d *asm.Diag
		if !errors.As(err, &d) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Code); got != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestIDs reads texts with numbers and names of ids, and one with the comments of Format.
func TestIDs(t *testing.T) {
	m, err := Parse("x", []byte("%a = OpTypeVoid\n%2 = OpTypeBool\n%b = OpTypeFloat 32\n; Ids: %b=7 %a=2"))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.Insts[0].Result, m.Insts[2].Result; a != 1 || b != 7 || m.Bound != 8 || m.Version != 0x10000 {
		t.Errorf("a is %d, b %d, the bound %d, the version %#x", a, b, m.Bound, m.Version)
	}
	if p := m.Pos(&m.Insts[2]); p.Line != 3 || p.Col != 1 {
		t.Errorf("the third instruction is at %s", p)
	}
	if IsText([]byte("vs_1_1\nmov oPos, v0")) || !IsText([]byte("; SPIR-V\n%1 = OpTypeVoid")) || !IsText([]byte("OpCapability Shader")) {
		t.Error("IsText is wrong")
	}
}
