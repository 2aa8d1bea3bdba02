package amdil_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// oneOp returns a kernel that computes r1 from literals with one statement.
func oneOp(statement string, words *[4][4]uint32) (*il.Kernel, error) {
	var b strings.Builder
	b.WriteString("il_ps_2_0\ndcl_output_generic o0\n")
	for i, w := range words {
		fmt.Fprintf(&b, "dcl_literal l%d, 0x%08X, 0x%08X, 0x%08X, 0x%08X\n", i, w[0], w[1], w[2], w[3])
	}
	b.WriteString(statement + "\nmov o0, r1\nend\n")
	return il.Parse("op", []byte(b.String()))
}

// computing lists a statement for every operation that computes, in every variety.
func computing() (list []string) {
	var words [4][4]uint32
	for op := il.OpInvalid + 1; ; op++ {
		name := op.String()
		if name == "invalid" {
			return list
		}
		switch op.Kind() {
		case il.Fetch, il.MemoryOp, il.Flow, il.Declaration:
			continue
		}
		if op == il.OpTranspose {
			continue
		}
		for _, variety := range []string{"", "_ieee", "_fine", "_zeroop(fltmax)", "_zeroop(zero)", "_zeroop(infinity)",
			"_zeroop(inf_else_max)", "_sat"} {
			for n := range 4 {
				s := name + variety + " r1, " + strings.Join([]string{"l0", "l1", "l2", "l3"}[:n+1], ", ")
				if _, err := oneOp(s, &words); err == nil {
					list = append(list, s)
				}
			}
		}
	}
}

// notUnderstood are the operations whose meaning is not documented.
var notUnderstood = []string{"det", "lit", "mmul", "noise", "crs"}

var interesting = [...]uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x40490fdb, 0x00000001, 0x007fffff, 0x7f7fffff,
	0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x7fffffff, 5, 31, 32, 0x4f000000, 0x12345678, 0x3e99999a, 0xc2f60000}

func draw(r *rand.Rand) uint32 {
	switch r.IntN(4) {
	case 0:
		return interesting[r.IntN(len(interesting))]
	case 1:
		return uint32(r.IntN(64))
	case 2:
		return r.Uint32()
	}
	return math.Float32bits(float32(r.NormFloat64() * 8))
}

// Every operation survives a round trip unchanged. If its formula can be evaluated, the kernel interpreter
// agrees to the bit; it is independent of the formulas.
func TestOpTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tried, folded := 0, 0
	seen := map[ir.Op]bool{}
	for _, s := range computing() {
		name, _, _ := strings.Cut(s, " ")
		agreed := false
		for round := range 40 {
			var words [4][4]uint32
			for i := range words {
				for c := range words[i] {
					words[i][c] = draw(r)
				}
			}
			k, err := oneOp(s, &words)
			if err != nil {
				t.Fatal(err)
			}
			f, err := amdil.Lift(k)
			if plain, _, _ := strings.Cut(name, "_"); slices.Contains(notUnderstood, plain) {
				if err == nil {
					t.Errorf("%s is understood", s)
				}
				break
			}
			if err != nil {
				t.Errorf("%s: %v", s, err)
				break
			}
			out, g := emitted(t, s, k, f)
			if f.StructuralHash() != g.StructuralHash() {
				t.Errorf("%s comes back as another function:\n%s", s, il.Print(out))
				break
			}
			if round == 0 {
				tried++
			}
			in := f.Body.Code[0]
			seen[in.Op] = true
			if in.Mods&ir.Sat != 0 {
				continue
			}
			got := run(t, out)
			for lane := range 4 {
				if in.Out[lane] == nil {
					continue
				}
				alg := ir.Words{Fold: true}
				want := ir.Eval(&alg, in.Op, lane, func(src, lane int) uint32 {
					l := in.Src[src][lane]
					bits := l.V.Bits
					if l.Mod&ir.Neg != 0 {
						bits ^= 1 << 31
					}
					return bits
				})
				if !alg.Fold {
					continue
				}
				agreed = true
				if got[lane] != want {
					t.Errorf("%s with %08X: lane %d is %08X, not %08X", s, words, lane, got[lane], want)
					round = 40
				}
			}
		}
		if agreed {
			folded++
		}
	}
	t.Logf("%d statements, of which %d fold; %d ops", tried, folded, len(seen))
	for _, op := range seenBy(t) {
		if !seen[op] {
			t.Errorf("no statement shows %v", op)
		}
	}
}

// seenBy lists the ops with a formula that the dialect has.
func seenBy(t *testing.T) (list []ir.Op) {
	d := &amdil.Dialect{}
	for op := ir.OpInvalid + 1; int(op) < ir.NumOps; op++ {
		if d.Supports(op) && op.HasFormula() && op != ir.OpISub {
			list = append(list, op)
		}
	}
	return list
}

// run returns o0 of the only element.
func run(t *testing.T, k *il.Kernel) []uint32 {
	t.Helper()
	p, err := kernel.Compile(k)
	if err != nil {
		t.Fatalf("%v\n%s", err, il.Print(k))
	}
	res, err := p.Run(&kernel.Case{Width: 1, Height: 1}, kernel.Options{}) // it reads only literals
	if err != nil {
		t.Fatal(err)
	}
	return res.Out[0][:4]
}
