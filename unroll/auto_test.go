package unroll_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/unroll"
)

// TestAuto checks that the search ends with the first factor that does not pay.
func TestAuto(t *testing.T) {
	k, err := il.Parse("auto", []byte(`il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_cb cb0[1]
dcl_literal l0, 0, 1, 0, 0
mov r0, v0
mov r2.x, l0.x
whileloop
ige r2.y, r2.x, cb0[0].x
break_logicalnz r2.y
mul r0, r0, r0
iadd r2.x, r2.x, l0.y
endloop
mov o0, r0
end
`))
	if err != nil {
		t.Fatal(err)
	}
	// Costs by the number of products: the factor plus one for the remainder loop.
	for _, test := range []struct {
		costs  map[int]int
		factor int
		tried  []int
	}{
		{map[int]int{1: 1000, 3: 995, 5: 500}, 1, []int{1, 3}},
		{map[int]int{1: 1000, 3: 900, 5: 800, 9: 799, 17: 100}, 4, []int{1, 3, 5, 9}},
	} {
		f, err := amdil.Lift(k)
		if err != nil {
			t.Fatal(err)
		}
		var tried []int
		measure := func(u *passes.Unit) (passes.Cost, error) {
			n := products(u)
			if !slices.Contains(tried, n) {
				tried = append(tried, n)
			}
			return passes.Cost{test.costs[n]}, nil
		}
		u := &passes.Unit{Kernel: f}
		stage := passes.Stage{Pass: unroll.Unroll, Settings: []passes.Setting{{Name: "factor", Value: "auto"}}}
		if _, err := passes.Run(u, passes.Pipeline{stage},
			passes.Config{Numerics: passes.Real, Measure: measure}); err != nil {
			t.Fatal(err)
		}
		if n := max(products(u)-1, 1); n != test.factor || !slices.Equal(tried, test.tried) {
			t.Errorf("unrolled by %d after %v were priced, want %d after %v", n, tried, test.factor, test.tried)
		}
	}
}

func products(u *passes.Unit) (n int) {
	u.Kernel.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMul {
			n++
		}
	})
	return n
}
