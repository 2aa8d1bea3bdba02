package shaderlift

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/machine/price"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// shapes are kernels that grow in one direction each. Those within each other go as far as
// the limit of nesting.
var shapes = []struct {
	name string
	n    int     // the smallest size
	most float64 // times as much for twice the size
	body func(n int) string
}{
	{"nested ifs", 7, 2.8, func(n int) string {
		return strings.Repeat("if_logicalnz cb0[1].x\nadd r0, r0, cb0[1]\n", n) + strings.Repeat("endif\n", n)
	}},
	{"nested loops", 7, 4.5, func(n int) string {
		return strings.Repeat("whileloop\nbreak_logicalnz r0.x\n", n) + "add r0, r0, cb0[2]\n" + strings.Repeat("endloop\n", n)
	}},
	{"nested loops that carry", 7, 4.5, func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "whileloop\nige r1.x, r%d.x, cb0[1].x\nbreak_logicalnz r1.x\niadd r%d.x, r%d.x, l0.x\n", 10+i, 10+i, 10+i)
		}
		return b.String() + "add r0, r0, cb0[2]\n" + strings.Repeat("endloop\n", n)
	}},
	{"nested switches", 7, 2.8, func(n int) string {
		return strings.Repeat("switch cb0[1].x\ncase 1\nadd r0, r0, cb0[2]\nbreak\ndefault\n", n) + strings.Repeat("endswitch\n", n)
	}},
	{"cases", 30, 3.2, func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "case %d\nadd r0, r0, cb0[%d]\nbreak\n", i, i%8)
		}
		return "switch cb0[1].x\n" + b.String() + "endswitch\n"
	}},
	{"branches", 60, 3.2, func(n int) string {
		return strings.Repeat("if_logicalnz cb0[1].x\nadd r0, r0, cb0[1]\nelse\nmul r0, r0, cb0[2]\nendif\n", n)
	}},
	{"loops in a row", 30, 3.4, func(n int) string {
		return strings.Repeat("mov r1.x, l0.x\nwhileloop\nige r2.x, r1.x, cb0[1].x\nbreak_logicalnz r2.x\nadd r0, r0, cb0[2]\niadd r1.x, r1.x, l0.x\nendloop\n", n)
	}},
	{"jumps", 60, 3.2, func(n int) string {
		return "whileloop\n" + strings.Repeat("break_logicalnz r0.x\nadd r0, r0, cb0[1]\n", n) + "endloop\n"
	}},
	{"wide", 100, 2.6, func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "mul r%d, cb0[%d], cb0[%d].wzyx\n", i+1, i%8, i/8%8)
		}
		for i := range n {
			fmt.Fprintf(&b, "add r0, r0, r%d\n", i+1)
		}
		return b.String()
	}},
	{"a chain", 150, 2.6, func(n int) string { return strings.Repeat("mad r0, r0, cb0[1], cb0[2].yzwx\n", n) }},
	{"fetches", 60, 2.6, func(n int) string {
		return strings.Repeat("sample_resource(0)_sampler(0) r1, r0.xyxx\nmad r0, r0, r1, cb0[1]\n", n)
	}},
	{"stores", 60, 2.6, func(n int) string {
		return strings.Repeat("mov g[0], r0\nadd r0, r0, cb0[1]\n", n)
	}},
	{"carried registers", 60, 2.6, func(n int) string {
		var in, after strings.Builder
		for i := range n {
			fmt.Fprintf(&in, "add r%d, r%d, r0\n", i+1, i+1)
			fmt.Fprintf(&after, "add r0, r0, r%d\n", i+1)
		}
		return "whileloop\nbreak_logicalnz r0.x\n" + in.String() + "endloop\n" + after.String()
	}},
}

// shaped is a kernel of some shape and size.
func shaped(body string) []byte {
	return []byte("il_ps_2_0\ndcl_cb cb0[8]\ndcl_output_generic o0\ndcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n" +
		"dcl_literal l0, 1, 2, 4, 31\nmov r0, cb0[0]\n" + body + "mov o0, r0\nend\n")
}

// allocated is how many bytes f asks for: what of its work can be counted.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// stages is what each stage that a kernel goes through allocates.
func stages(t *testing.T, data []byte) (names []string, sizes []float64) {
	t.Helper()
	measure := func(name string, f func() error) {
		names = append(names, name)
		sizes = append(sizes, allocated(func() {
			if err := f(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}))
	}
	var k *il.Kernel
	var f *ir.Func
	var code *mir.Code
	var s *sched.Scheduled
	target, err := chip.ByName(DefaultKernelTarget)
	if err != nil {
		t.Fatal(err)
	}
	measure("parse", func() (err error) { k, err = parseKernel("test", data); return err })
	measure("lift", func() (err error) { f, err = amdil.Lift(k); return err })
	measure("emit", func() error { _, err := amdil.Emit(k, f); return err })
	measure("lower", func() (err error) { code, err = lower.Kernel(f, target); return err })
	measure("schedule", func() (err error) { s, err = sched.Schedule(code, target, sched.Options{}); return err })
	measure("predict", func() error {
		l := price.StandardLaunch(k, f)
		l.Inputs = s.Code.Preloads()
		_, err := price.Predict(s.Program, l, target, price.Measured{})
		return err
	})
	for _, p := range suite.Passes {
		u := &passes.Unit{Name: "test", Kernel: f.Clone()}
		pipeline, err := suite.Parse(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		measure(p.Name, func() error { _, err := passes.Run(u, pipeline, passes.Config{Numerics: passes.Real}); return err })
	}
	return names, sizes
}

// TestGrowth holds every stage to near-linear growth, by what it allocates: twice the
// size, about twice as much, or its square where loops are nested. Two passes have a
// quadratic part yet: merge-registers weighs values of different branches against each
// other, and unroll tries loops one by one on copies of the kernel, 256 at most. What is
// less than a few pages is not compared.
func TestGrowth(t *testing.T) {
	const pages = 1 << 16
	for _, shape := range shapes {
		var last []float64
		for n := shape.n; n <= 4*shape.n; n *= 2 {
			names, sizes := stages(t, shaped(shape.body(n)))
			for i, size := range sizes {
				if last != nil && size > pages && size > shape.most*max(last[i], pages/2) {
					t.Errorf("%s: %s takes %.0f KiB for %d, and %.0f for half that", shape.name, names[i], size/1024, n, last[i]/1024)
				}
			}
			last = sizes
		}
	}
}

func BenchmarkGrowth(b *testing.B) {
	for _, shape := range shapes {
		for n := shape.n; n <= 4*shape.n; n *= 2 {
			in := Input{Files: []File{{"test", shaped(shape.body(n))}}}
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Optimize(b.Context(), in, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
