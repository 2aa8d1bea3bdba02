package merge

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
	"github.com/shaderlift/shaderlift/verify"
)

// sources calls visit with random kernels, and with random shaders of every model.
func sources(t *testing.T, n uint64, visit func(s *passtest.Source)) {
	for seed := range n {
		visit(&passtest.Source{Name: fmt.Sprint("kernel ", seed), Kernel: ilgen.Kernel(seed, ilgen.Options{})})
		for _, m := range gen.Models {
			p := gen.ProgramOf(m, seed, 5+int(seed*11%70))
			s := &passtest.Source{Name: fmt.Sprint(m, " ", seed), Pixel: p}
			if m.Stage == d3d9.Vertex {
				s.Vertex, s.Pixel = p, nil
			}
			visit(s)
		}
	}
}

// TestFilled checks that no placement has fewer read registers than the lower bound. An attempt
// whose bound is too high is not placed.
func TestFilled(t *testing.T) {
	placed, tight := 0, 0
	sources(t, testcorpus.Count[uint64](2, 24), func(s *passtest.Source) {
		u, err := s.Lift()
		if err != nil {
			return // of a model that is not lifted
		}
		for _, f := range u.Funcs() {
			m := new(scratch)
			least := newBins(f, m).filled()
			for i, a := range attempts {
				if !a.pack {
					continue
				}
				w := m.packed(&a, f, false, 0)
				if w.n < least {
					t.Errorf("%s, attempt %d: %d registers are fewer than %d", s.Name, i, w.n, least)
				}
				if placed++; w.n == least {
					tight++
				}
				if w.together == 0 && m.packed(&a, f, true, least).regs != nil {
					t.Errorf("%s, attempt %d: placed in vain", s.Name, i)
				}
			}
		}
	})
	if t.Logf("%d of %d placings take no more than the bound", tight, placed); 4*tight < placed {
		t.Error("the bound is of little use")
	}
}

// TestAttempts checks that every attempt preserves the meaning of the program, whether it pays or
// not.
func TestAttempts(t *testing.T) {
	changed, beyond := 0, 0
	sources(t, testcorpus.Count[uint64](2, 24), func(s *passtest.Source) {
		u, err := s.Lift()
		if err != nil {
			return // of a model that is not lifted
		}
		if _, err := s.Emit(u); err != nil {
			return
		}
		for i, a := range attempts {
			v := u.Clone()
			steps := 0
			for _, f := range v.Funcs() {
				a.apply(f, new(scratch), func(*ir.Instr, asm.Code, string) bool { steps++; return true })
			}
			if steps == 0 {
				continue
			}
			changed++
			for _, f := range v.Funcs() {
				if err := f.Check(); err != nil {
					t.Errorf("%s, attempt %d: %v", s.Name, i, err)
					return
				}
			}
			out, err := s.Emit(v)
			if err == nil && s.Kernel == nil {
				_, err = s.Measure(v)
			}
			if err != nil {
				beyond++ // more slots or registers than the model has, which a price would reject
				continue
			}
			var r verify.Report
			if s.Kernel != nil {
				r = verify.CheckKernel(s.Kernel, out.Kernel, verify.Options{})
			} else {
				r = verify.Check(verify.Pair{Vertex: s.Vertex, Pixel: s.Pixel}, verify.Pair{Vertex: out.Vertex, Pixel: out.Pixel},
					verify.Options{})
			}
			if !r.Verdict.OK() {
				t.Errorf("%s, attempt %d: %v: %s %v\n%v", s.Name, i, r.Verdict, r.Why, r.Counterexample, v.Funcs())
			}
		}
	})
	t.Logf("%d programs changed, of which %d cannot be written", changed, beyond)
	if changed == 0 || beyond > changed/10 {
		t.Errorf("%d programs changed, of which %d cannot be written", changed, beyond)
	}
}

// live returns the maximum number of values of f that are live at the same time.
func live(f *ir.Func) (most int) {
	code := new(pointer).pointsOf(f)
	n := make([]int, 2*len(code.Points))
	for _, spans := range regalloc.LiveIntervals(code) {
		for _, s := range spans {
			for k := s.From; k <= s.To; k++ {
				n[k]++
				most = max(most, n[k])
			}
		}
	}
	return most
}

func lift(t *testing.T, src string) *ir.Func {
	t.Helper()
	k, err := il.Parse("test.il", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	u, err := (&passtest.Source{Kernel: k}).Lift()
	if err != nil {
		t.Fatal(err)
	}
	return u.Kernel
}

// TestOrder checks that a value computed early and used late is computed late. It stays within its
// block and after its operands.
func TestOrder(t *testing.T) {
	const head = `il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_cb cb0[4]
mul r1, v0, cb0[0]
mul r2, v0, cb0[1]
mul r3, v0, cb0[2]
`
	const tail = `add r1, r1, v0
max r2, r2, r1
max r3, r3, r2
mov o0, r3
end
`
	for _, test := range []struct {
		name, between string
		want          int
	}{
		{"free", "", 8},
		{"divided", "fence_memory\n", 12},
	} {
		f := lift(t, head+test.between+tail)
		if before := live(f); before != 12 {
			t.Fatalf("%s: %d values are live before", test.name, before)
		}
		reorder(f, always)
		if err := f.Check(); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := live(f); got != test.want {
			t.Errorf("%s: %d values are live, not %d\n%v", test.name, got, test.want, f)
		}
	}
}

// TestPlace checks that four scalars of one component take one register if they may be permuted.
// Fetched values stay in the component that the fetch writes.
func TestPlace(t *testing.T) {
	const head = `il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
`
	const tail = `add r0.x___, r0.x, r1.x
add r2.x___, r2.x, r3.x
mad o0, r0.xxxx, v0, r2.xxxx
end
`
	for _, test := range []struct {
		name, code string
		want       int
	}{
		{"computed", "exp r0.x___, v0.x\nexp r1.x___, v0.y\nexp r2.x___, v0.z\nexp r3.x___, v0.w\n", 1},
		{"fetched", `sample_resource(0)_sampler(0) r0.x___, v0.xyxx
sample_resource(0)_sampler(0) r1.x___, v0.yxxx
sample_resource(0)_sampler(0) r2.x___, v0.zxxx
sample_resource(0)_sampler(0) r3.x___, v0.wxxx
`, 4},
	} {
		b := newBins(lift(t, head+test.code+tail), new(scratch))
		if got := len(b.place(false)); got != test.want { // the output is written when they are dead
			t.Errorf("%s: %d registers, not %d", test.name, got, test.want)
		}
	}
}
