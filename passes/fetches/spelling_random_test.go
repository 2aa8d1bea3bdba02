package fetches_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/verify"
)

// row is a kernel that reads numbers of a row one after the other, and sums them. Each of trips trips reads reads
// numbers, from number first on, which are stride apart. shift is added to all coordinates.
type row struct {
	trips, reads, first, stride int
	shift                       float64
}

// spellings write the address of the next number: code before the loop, code before a fetch, and code after it. The
// coordinate is r5.xy.
var spellings = []struct{ name, before, at, after string }{
	{"float", "mov r1.x, l2.x\n", "add r5.x, r1.x, l2.z\n", "add r1.x, r1.x, l2.y\n"},
	{"vector", "mov r1, l2.wwxx\nmov r1.w, vWinCoord0.y\n", "add r5.x, r1.z, l2.z\n", "add r1, r1, l2.wwyw\n"},
	{"integer", "mov r1.x, l3.x\n", "itof r5.x, r1.x\nadd r5.x, r5.x, l2.z\n", "iadd r1.x, r1.x, l3.y\n"},
	{"product", "mov r1.x, l3.w\n", "imad r5.x, r1.x, l3.y, l3.x\nitof r5.x, r5.x\nadd r5.x, r5.x, l2.z\n",
		"iadd r1.x, r1.x, l3.z\n"},
}

// kernel returns w in a spelling.
func (w row) kernel(t *testing.T, spelling int) *il.Kernel {
	t.Helper()
	s := spellings[spelling]
	text := fmt.Sprintf(`il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l2, %d.0, %d.0, %g, 0.0
dcl_literal l3, %[1]d, %[2]d, 1, 0
dcl_literal l4, %[4]d, 1, 0.0, 0.0
mov r2.x, l4.z
mov r3.x, l3.w
%[5]swhileloop
ige r4.x, r3.x, l4.x
break_logicalnz r4.x
iadd r3.x, r3.x, l4.y
mov r5.y, vWinCoord0.y
%[6]sendloop
mov o0, r2.xxxx
end
`, w.first, w.stride, w.shift, w.trips, s.before,
		strings.Repeat(s.at+"sample_resource(0)_sampler(0) r6.x, r5.xy\nadd r2.x, r2.x, r6.x\n"+s.after, w.reads))
	k, err := il.Parse(s.name, []byte(text))
	if err != nil || len(il.Check(k)) > 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	return k
}

// packRow returns k with vectors of four, and its tile.
func packRow(t *testing.T, k *il.Kernel) (*il.Kernel, ir.Tile) {
	t.Helper()
	u, err := (&passtest.Source{Kernel: k}).Lift()
	if err != nil {
		t.Fatal(err)
	}
	p, err := passes.Parse("vectorize-fetches{resource=all}", []*passes.Pass{fetches.Vectorize})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Real}); err != nil {
		t.Fatal(err)
	}
	out, err := amdil.Emit(k, u.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	return out, u.Tile
}

// All spellings of a row are packed into as few fetches, and each is proved. A row with another stride, start, or
// shift is refused, and so is an integer that has no float.
func TestSpellingRandom(t *testing.T) {
	n := 20
	if testing.Short() {
		n = 6
	}
	wrong := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		w := row{trips: 1 + r.IntN(4), reads: 4 * (1 + r.IntN(2)), first: 4 * r.IntN(3), stride: 1,
			shift: []float64{0, 0.5, 0.25}[r.IntN(3)]}
		for i, s := range spellings {
			k := w.kernel(t, i)
			out, tile := packRow(t, k)
			if got, want := count(out), w.reads/4; got != want {
				t.Errorf("%d: %s has %d fetches, want %d\n%s", seed, s.name, got, want, il.Print(out))
				continue
			}
			o := verify.Options{Numerics: passes.Real, Tile: tile, Brief: true}
			if v := verify.CheckKernel(k, out, o); !v.Verdict.OK() {
				t.Errorf("%d: %s: %v %s\n%s\n%s", seed, s.name, v.Verdict, v.Why, il.Print(k), il.Print(out))
			}
			for _, x := range []row{
				{w.trips, w.reads, w.first + 1, w.stride, w.shift},
				{w.trips, w.reads, w.first, w.stride + 1, w.shift},
				{w.trips, w.reads, w.first, w.stride, w.shift - 1},
				{w.trips + 1, w.reads, w.first, w.stride, w.shift},
			} {
				wrong++
				if v := verify.CheckKernel(x.kernel(t, i), out, o); v.Verdict.OK() {
					t.Errorf("%d: %s: %+v for %+v is %v\n%s", seed, s.name, w, x, v.Verdict, il.Print(out))
				}
			}
		}
	}
	t.Logf("%d wrong ones", wrong)
}

// Floats from 2^24 on have no halves, and from there every other integer has no float.
func TestSpellingBeyondFloats(t *testing.T) {
	for i, s := range spellings {
		k := row{trips: 2, reads: 4, first: 1 << 24, stride: 1, shift: -1 << 24}.kernel(t, i)
		out, tile := packRow(t, k)
		if tile.Same() {
			t.Errorf("%s is not packed", s.name)
		}
		if v := verify.CheckKernel(k, out, verify.Options{Numerics: passes.Real, Tile: tile, Brief: true}); v.Verdict.OK() {
			t.Errorf("%s: %v\n%s", s.name, v.Verdict, il.Print(out))
		}
	}
}
