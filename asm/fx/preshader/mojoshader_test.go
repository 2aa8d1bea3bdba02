package preshader_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// judge is a client of MojoShader's effect interface that compiles no shader. For each effect on
// standard input it sets the parameter "p" to the inputs that follow and begins the first pass. It
// then writes the 64 floats that the preshader of the pixel program uploads. The words, the inputs
// and the floats are in the machine's byte order; the length precedes each list.
const judge = `
#include <stdio.h>
#include <string.h>
#include "mojoshader.h"
#define API MOJOSHADERCALL
static unsigned char data[1 << 18], bools[2][64];
static float floats[2][4 * 256], input[64];
static int ints[2][64];
static void *bound[2];
static void *API compile(const char *mainfn, const unsigned char *tokens, const unsigned int size, const MOJOSHADER_swizzle *z,
                         const unsigned int zs, const MOJOSHADER_samplerMap *m, const unsigned int ms)
{
    return (void *) MOJOSHADER_parse("bytecode", mainfn, tokens, size, z, zs, m, ms, NULL, NULL, NULL);
}
static void API reference(void *s) {}
static void API delete(void *s) { MOJOSHADER_freeParseData(s); }
static MOJOSHADER_parseData *API parsed(void *s) { return s; }
static void API bind(void *v, void *p) { bound[0] = v, bound[1] = p; }
static void API get_bound(void **v, void **p) { *v = bound[0], *p = bound[1]; }
static void API map(float **vf, int **vi, unsigned char **vb, float **pf, int **pi, unsigned char **pb)
{
    *vf = floats[0], *vi = ints[0], *vb = bools[0], *pf = floats[1], *pi = ints[1], *pb = bools[1];
}
static void API unmap() {}
static const char *API error() { return ""; }
static const MOJOSHADER_effectShaderContext context = {compile, reference, delete, parsed, bind, get_bound, map, unmap, error};
int main(void)
{
    for (unsigned n, passes; fread(&n, 4, 1, stdin) == 1; ) {
        MOJOSHADER_effectStateChanges changes;
        fread(data, 1, n, stdin);
        MOJOSHADER_effect *e = MOJOSHADER_compileEffect(data, n, NULL, 0, NULL, 0, &context);
        if (e->error_count) {
            fprintf(stderr, "%s\n", e->errors[0].error);
            return 1;
        }
        fread(&n, 4, 1, stdin);
        fread(input, 4, n, stdin);
        memset(floats, 0, sizeof floats);
        MOJOSHADER_effectSetRawValueName(e, "p", input, 0, 4 * n);
        MOJOSHADER_effectBegin(e, &passes, 0, &changes);
        MOJOSHADER_effectBeginPass(e, 0);
        fwrite(floats[1], 4, 64, stdout);
        MOJOSHADER_effectEndPass(e);
        MOJOSHADER_effectEnd(e);
        MOJOSHADER_deleteEffect(e);
    }
    return 0;
}
`

// exact lists the operations that give the same bits everywhere, near those that each library
// rounds differently.
var (
	exact = []preshader.Op{
		preshader.Mov, preshader.Neg, preshader.Rcp, preshader.Frc, preshader.Min, preshader.Max, preshader.Lt,
		preshader.Ge, preshader.Add, preshader.Mul, preshader.Div, preshader.Cmp, preshader.Dot,
	}
	near = []preshader.Op{preshader.Exp, preshader.Log, preshader.Rsq, preshader.Sin, preshader.Cos, preshader.Asin,
		preshader.Acos, preshader.Atan, preshader.Atan2}
)

const (
	judgedInputs = 16
	judgedTemps  = 16
	judgedCount  = 64 // components of outputs
)

// randomPreshader returns a sequence of exact operations, followed by near operations on components
// that nothing else reads. isNear marks those components.
func randomPreshader(t *testing.T, r *rand.Rand) (p *preshader.Program, isNear map[uint32]bool) {
	t.Helper()
	literals := make([]float64, 16)
	for i := range literals {
		literals[i] = float64([]float32{0, 1, -1, 0.5, 2, 3.25, -0.125, 1e-3, 1000, float32(r.NormFloat64())}[r.IntN(10)])
	}
	var insts []preshader.Inst
	add := func(op preshader.Op, to preshader.Operand, n int) {
		in := preshader.Inst{Op: op, Components: n, Output: to}
		count := preshader.InputsOf(op)
		in.Scalar = count == 2 && op != preshader.Dot && r.IntN(3) == 0
		for range count {
			table := []preshader.Table{preshader.Literal, preshader.Input, preshader.Temp}[r.IntN(3)]
			in.Inputs = append(in.Inputs, preshader.Operand{Table: table, Offset: uint32(r.IntN(judgedTemps - n + 1))})
		}
		insts = append(insts, in)
	}
	for range 1 + r.IntN(10) {
		n := 1 + r.IntN(4)
		to := preshader.Operand{Table: preshader.Temp, Offset: uint32(r.IntN(judgedTemps - n + 1))}
		if r.IntN(3) == 0 {
			to = preshader.Operand{Table: preshader.Output, Offset: uint32(4*r.IntN(8) + r.IntN(5-n))}
		}
		add(exact[r.IntN(len(exact))], to, n)
	}
	isNear = map[uint32]bool{}
	for k := range uint32(r.IntN(4)) {
		at := 32 + 4*k
		add(near[r.IntN(len(near))], preshader.Operand{Table: preshader.Output, Offset: at}, 4)
		for c := range uint32(4) {
			isNear[at+c] = true
		}
	}
	all := preshader.Operand{Table: preshader.Temp, Offset: judgedTemps - 4} // so that both clients return all judged components
	insts = append(insts, preshader.Inst{Op: preshader.Mov, Components: 4, Inputs: []preshader.Operand{all},
		Output: preshader.Operand{Table: preshader.Output, Offset: 60}})
	p, err := preshader.New([]d3d9.Constant{{Name: "p", Set: d3d9.SetFloat4, Count: judgedInputs / 4, Class: 1, Type: 3,
		Rows: 1, Columns: 4, Elements: judgedInputs / 4}}, literals, insts)
	if err != nil {
		t.Fatal(err)
	}
	return p, isNear
}

// TestMojoShader compares random preshaders with the MojoShader of Debian's package libmojoshader-dev: all bits are the same, but
// functions may differ by one unit in the last place. SHADERLIFT_MOJOSHADER enables the test, which builds the judge with gcc.
func TestMojoShader(t *testing.T) {
	if os.Getenv("SHADERLIFT_MOJOSHADER") == "" {
		t.Skip("set SHADERLIFT_MOJOSHADER=1 to compare with the MojoShader that is installed")
	}
	program := buildJudge(t, t.TempDir())
	const n = 5000
	r := rand.New(rand.NewPCG(1, 2))
	var list []*preshader.Program
	var inputs [][]float32
	var nears []map[uint32]bool
	var stdin bytes.Buffer
	for range n {
		p, isNear := randomPreshader(t, r)
		effect := effectWith(p)
		input := make([]float32, judgedInputs)
		for i := range input {
			input[i] = []float32{0, float32(math.Copysign(0, -1)), 1, -2, float32(math.Inf(1)), 1e30, 1e-30, r.Float32(),
				float32(r.NormFloat64()), float32(100 * r.NormFloat64())}[r.IntN(10)]
		}
		for _, v := range []any{uint32(len(effect)), effect, uint32(len(input)), input} {
			binary.Write(&stdin, binary.LittleEndian, v) // to memory
		}
		list, inputs, nears = append(list, p), append(inputs, input), append(nears, isNear)
	}
	cmd := exec.Command(program)
	cmd.Stdin = &stdin
	out, err := cmd.Output()
	if err != nil || len(out) != 4*judgedCount*n {
		t.Fatalf("%v, %d bytes of output", err, len(out))
	}
	theirs := make([]float32, judgedCount*n)
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, theirs); err != nil {
		t.Fatal(err)
	}
	compared, off, failed := 0, 0, 0
	for i, p := range list {
		got, err := preshader.Run(p, inputs[i], preshader.MojoShader)
		if err != nil {
			t.Fatal(err)
		}
		for at, x := range got.Float {
			want := theirs[judgedCount*i+int(at)]
			compared++
			switch apart := lastPlaces(x, want); {
			case apart == 0:
			case apart == 1 && nears[i][at]:
				off++
			case failed < 5:
				failed++
				t.Errorf("output %d is %v here and %v there, of %v by\n%s", at, x, want, inputs[i], preshader.Print(p))
			}
		}
	}
	t.Logf("%d preshaders, %d components: %d of functions are off by one in the last place", n, compared, off)
}

// lastPlaces returns the distance of a and b in units of the last place. All NaNs are equal.
func lastPlaces(a, b float32) int64 {
	if a != a && b != b {
		return 0
	}
	place := func(x float32) int64 {
		n := int64(math.Float32bits(x) &^ (1 << 31))
		if math.Signbit(float64(x)) {
			return -n - 1 // so that 0 and -0 differ
		}
		return n
	}
	d := place(a) - place(b)
	return max(d, -d)
}

// effectWith returns an effect with one pass, whose pixel program reads c0 to c15 and has the preshader.
func effectWith(p *preshader.Program) []byte {
	text := "ps_3_0\nmov r0, c0\n"
	for i := range judgedCount/4 - 1 {
		text += fmt.Sprintf("add r0, r0, c%d\n", i+1)
	}
	var b fxtest.Builder
	b.Param(fxtest.Matrix("p", judgedInputs/4, 4))
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Assemble("vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n")},
		fxtest.Shader{Data: fxtest.Attach(fxtest.WithTable(fxtest.Assemble(text+"mov oC0, r0\n")), p)})
	return b.Build()
}

// buildJudge builds the judge with the installed MojoShader.
func buildJudge(t *testing.T, dir string) string {
	t.Helper()
	source, program := filepath.Join(dir, "judge.c"), filepath.Join(dir, "judge")
	if err := os.WriteFile(source, []byte(judge), 0o644); err != nil {
		t.Fatal(err)
	}
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "mojoshader").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-O1", "-w", "-DMOJOSHADER_EFFECT_SUPPORT", "-o", program, source},
		strings.Fields(string(flags))...)
	if out, err := exec.Command("gcc", append(args, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
