package preshader

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// judge runs preshaders by MojoShader: words and inputs come on standard input, 64 floats go to
// standard output for each. What runs one is static there, so the file is part of this one.
const judge = `
#include "mojoshader_effects.c"
#include <stdio.h>
int main(void)
{
    static unsigned words[1 << 16];
    for (unsigned n; fread(&n, 4, 1, stdin) == 1; ) {
        float out[64] = {0};
        fread(words, 4, n, stdin);
        const MOJOSHADER_preshader *p = MOJOSHADER_parsePreshader((unsigned char *) words, 4 * n, NULL, NULL, NULL);
        fread(&n, 4, 1, stdin);
        for (unsigned i = 0; i < n; i++) {
            float x;
            fread(&x, 4, 1, stdin);
            if (p && i < 4 * p->register_count)
                p->registers[i] = x;
        }
        if (p)
            run_preshader(p, out);
        fwrite(out, sizeof out, 1, stdout);
        MOJOSHADER_freePreshader(p);
    }
    return 0;
}
`

// exact are operations that give the same bits everywhere, and near those that a library rounds as
// it likes.
var (
	exact = []Op{Mov, Neg, Rcp, Frc, Min, Max, Lt, Ge, Add, Mul, Div, Cmp, Dot}
	near  = []Op{Exp, Log, Rsq, Sin, Cos, Asin, Acos, Atan, Atan2}
)

const (
	judgedInputs = 16
	judgedTemps  = 16
	judgedCount  = 64 // components of outputs
)

// randomPreshader is a straight line of exact operations, behind which some that are near may write
// outputs that nobody reads. Near are those components.
func randomPreshader(t *testing.T, r *rand.Rand) (p *Program, isNear map[uint32]bool) {
	t.Helper()
	literals := make([]float64, 16)
	for i := range literals {
		literals[i] = float64([]float32{0, 1, -1, 0.5, 2, 3.25, -0.125, 1e-3, 1000, float32(r.NormFloat64())}[r.IntN(10)])
	}
	var insts []Inst
	add := func(op Op, to Operand, n int) {
		in := Inst{Op: op, Components: n, Output: to}
		count := ops[op].inputs
		in.Scalar = count == 2 && op != Dot && r.IntN(3) == 0
		for range count {
			table := []Table{Literal, Input, Temp}[r.IntN(3)]
			in.Inputs = append(in.Inputs, Operand{Table: table, Offset: uint32(r.IntN(judgedTemps - n + 1))})
		}
		insts = append(insts, in)
	}
	for range 1 + r.IntN(10) {
		n := 1 + r.IntN(4)
		to := Operand{Table: Temp, Offset: uint32(r.IntN(judgedTemps - n + 1))}
		if r.IntN(3) == 0 {
			to = Operand{Table: Output, Offset: uint32(4*r.IntN(8) + r.IntN(5-n))}
		}
		add(exact[r.IntN(len(exact))], to, n)
	}
	isNear = map[uint32]bool{}
	for k := range uint32(r.IntN(4)) {
		at := 32 + 4*k
		add(near[r.IntN(len(near))], Operand{Table: Output, Offset: at}, 4)
		for c := range uint32(4) {
			isNear[at+c] = true
		}
	}
	all := Operand{Table: Temp, Offset: judgedTemps - 4} // so that both have as many
	insts = append(insts, Inst{Op: Mov, Components: 4, Inputs: []Operand{all}, Output: Operand{Table: Output, Offset: 60}})
	p, err := New([]d3d9.Constant{{Name: "p", Set: d3d9.SetFloat4, Count: judgedInputs / 4, Class: 1, Type: 3, Rows: 1, Columns: 4, Elements: judgedInputs / 4}}, literals, insts)
	if err != nil {
		t.Fatal(err)
	}
	return p, isNear
}

// Random preshaders give the same bits here as in MojoShader, but for functions, which may be off by
// one in the last place. SHADERLIFT_MOJOSHADER is a checkout of MojoShader; what builds it is beside
// this project's own checkout.
func TestMojoShader(t *testing.T) {
	checkout := os.Getenv("SHADERLIFT_MOJOSHADER")
	if checkout == "" {
		t.Skip("set SHADERLIFT_MOJOSHADER to a checkout of MojoShader to compare with it")
	}
	dir := t.TempDir()
	program := buildJudge(t, checkout, dir)
	const n = 5000
	r := rand.New(rand.NewPCG(1, 2))
	var list []*Program
	var inputs [][]float32
	var nears []map[uint32]bool
	var stdin bytes.Buffer
	for range n {
		p, isNear := randomPreshader(t, r)
		words, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		input := make([]float32, judgedInputs)
		for i := range input {
			input[i] = []float32{0, float32(math.Copysign(0, -1)), 1, -2, float32(math.Inf(1)), 1e30, 1e-30, r.Float32(), float32(r.NormFloat64()), float32(100 * r.NormFloat64())}[r.IntN(10)]
		}
		for _, v := range []any{uint32(len(words)), words, uint32(len(input)), input} {
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
		got, err := Run(p, inputs[i], MojoShader)
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
				t.Errorf("output %d is %v here and %v there, of %v by\n%s", at, x, want, inputs[i], Print(p))
			}
		}
	}
	t.Logf("%d preshaders, %d components: %d of functions are off by one in the last place", n, compared, off)
}

// lastPlaces is how many float32 a and b are apart; one NaN is as good as another.
func lastPlaces(a, b float32) int64 {
	if a != a && b != b {
		return 0
	}
	place := func(x float32) int64 {
		n := int64(math.Float32bits(x) &^ (1 << 31))
		if math.Signbit(float64(x)) {
			return -n - 1 // so that the zeros are two
		}
		return n
	}
	d := place(a) - place(b)
	return max(d, -d)
}

// buildJudge builds MojoShader with the judge.
func buildJudge(t *testing.T, checkout, dir string) string {
	t.Helper()
	script, err := filepath.Abs("../../../../shared/judges/mojoshader.sh")
	if err != nil {
		t.Fatal(err)
	}
	if checkout, err = filepath.Abs(checkout); err != nil {
		t.Fatal(err)
	}
	source, library, program := filepath.Join(dir, "judge.c"), filepath.Join(dir, "mojoshader.a"), filepath.Join(dir, "judge")
	if err := os.WriteFile(source, []byte(judge), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"sh", script, checkout, library, "-DMOJOSHADER_EFFECT_SUPPORT"},
		{"gcc", "-O1", "-w", "-DMOJOSHADER_NO_VERSION_INCLUDE", "-DMOJOSHADER_EFFECT_SUPPORT", "-I", checkout, "-I", filepath.Join(checkout, "profiles"), "-o", program, source, library, "-lm"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return program
}
