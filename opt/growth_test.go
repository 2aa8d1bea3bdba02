package opt

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// shapes are kernels that each grow in one direction. Nested ones go up to the limit of nesting.
var shapes = []struct {
	name string
	n    int     // the smallest size
	most float64 // growth for twice the size
	body func(n int) string
}{
	{"nested ifs", 7, 2.8, func(n int) string {
		return strings.Repeat("if_logicalnz cb0[1].x\nadd r0, r0, cb0[1]\n", n) + strings.Repeat("endif\n", n)
	}},
	{"nested loops", 7, 4.5, func(n int) string {
		return strings.Repeat("whileloop\nbreak_logicalnz r0.x\n", n) + "add r0, r0, cb0[2]\n" +
			strings.Repeat("endloop\n", n)
	}},
	{"nested loops that carry", 7, 4.5, func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "whileloop\nige r1.x, r%d.x, cb0[1].x\nbreak_logicalnz r1.x\niadd r%d.x, r%d.x, l0.x\n", 10+i,
				10+i, 10+i)
		}
		return b.String() + "add r0, r0, cb0[2]\n" + strings.Repeat("endloop\n", n)
	}},
	{"nested switches", 7, 2.8, func(n int) string {
		return strings.Repeat("switch cb0[1].x\ncase 1\nadd r0, r0, cb0[2]\nbreak\ndefault\n", n) +
			strings.Repeat("endswitch\n", n)
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
	{"literals", 100, 2.6, func(n int) string {
		return times(n, func(i int) string {
			return fmt.Sprintf("dcl_literal l%d, %d, %d, %d, %d\nadd r0, r0, l%[1]d\n", i+1, i, i+1, i+2, i+3)
		})
	}},
	{"constants", 100, 2.6, func(n int) string {
		return fmt.Sprintf("dcl_cb cb1[%d]\n", n) +
			times(n, func(i int) string { return fmt.Sprintf("add r0, r0, cb1[%d]\n", i) })
	}},
	{"resources", 60, 2.6, func(n int) string {
		return times(n, func(i int) string {
			return fmt.Sprintf("dcl_resource_id(%d)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n"+
				"sample_resource(%[1]d)_sampler(%[1]d) r1, r0.xyxx\nmad r0, r0, r1, cb0[1]\n", i+1)
		})
	}},
	{"outputs", 60, 2.6, func(n int) string {
		return times(n, func(i int) string {
			return fmt.Sprintf("dcl_output_generic o%d\nadd r1, r0, cb0[1]\nmov o%[1]d, r1\n", i+1)
		})
	}},
	{"arrays", 60, 2.6, func(n int) string {
		return fmt.Sprintf("dcl_indexed_temp_array x0[%d]\n", n) + times(n, func(i int) string {
			return fmt.Sprintf("mov x0[%d], r0\nadd r0, r0, x0[r0.x]\n", i)
		})
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

// shaped returns a kernel with the given body.
func shaped(body string) []byte {
	return []byte("il_ps_2_0\ndcl_cb cb0[8]\ndcl_output_generic o0\ndcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n" +
		"dcl_literal l0, 1, 2, 4, 31\nmov r0, cb0[0]\n" + body + "mov o0, r0\nend\n")
}

// allocated returns the bytes that f allocates, which measure its work. Two collections empty the pools
// first.
func allocated(f func()) float64 {
	runtime.GC()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// stage is a step in the processing of an input. Each needs the earlier ones to have run once.
type stage struct {
	name string
	run  func() error
}

// sizes returns the allocations of each stage in list.
func sizes(t *testing.T, list []stage) (bytes []float64) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // avoids waiting for collections on other processors
	for _, s := range list {
		bytes = append(bytes, allocated(func() {
			if err := s.run(); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
		}))
	}
	return bytes
}

// passStages returns the passes, each running on a copy of unit's result.
func passStages(unit func() *passes.Unit) (list []stage) {
	for _, p := range suite.Passes {
		list = append(list, stage{p.Name, func() error {
			pipeline, err := suite.Parse(p.Name)
			if err == nil {
				_, err = passes.Run(unit(), pipeline, passes.Config{Numerics: passes.Real})
			}
			return err
		}})
	}
	return list
}

// kernelStages returns the stages of a kernel. The last result is the one that is verified.
func kernelStages(data []byte) []stage {
	var k, after *il.Kernel
	var f *ir.Func
	var code *mir.Code
	var s *sched.Scheduled
	target, err := chip.ByName(kernel.DefaultTarget)
	unit := func() *passes.Unit { return &passes.Unit{Name: "test", Kernel: f.Clone()} }
	return slices.Concat([]stage{
		{"read", func() (e error) { k, e = input.ParseKernel("test", data); return errors.Join(err, e) }},
		{"lift", func() (err error) { f, err = amdil.Lift(k); return err }},
		{"emit", func() error { _, err := amdil.Emit(k, f); return err }},
		{"lower", func() (err error) { code, err = lower.Kernel(f, target); return err }},
		{"schedule", func() (err error) { s, err = sched.Schedule(code, target, sched.Options{}); return err }},
		{"predict", func() error {
			l := passtest.StandardLaunch(k, f)
			l.Inputs = s.Preloads()
			_, err := machine.Predict(s.Program, l, target, machine.Measured{})
			return err
		}},
	}, passStages(unit), []stage{
		{"rewrite", func() error {
			u := unit()
			pipeline, err := suite.Parse(rewriting)
			if err == nil {
				_, err = passes.Run(u, pipeline, passes.Config{Numerics: passes.Real})
			}
			if err == nil {
				after, err = amdil.Emit(k, u.Kernel)
			}
			return err
		}},
		{"verify", func() error {
			verify.CheckKernel(k, after, verify.Options{Numerics: verify.Real, Brief: true})
			return nil
		}},
	})
}

// rewriting is a cheap pipeline whose result is verified.
const rewriting = "copyprop,fold,dce"

// TestGrowth checks that the allocations of every stage grow almost linearly: about twice for twice the
// size, or its square for nested loops. Two passes still have a quadratic part: merge-registers
// compares values of different branches with each other, and unroll tries loops one by one on copies of
// the kernel, up to a limit. Sizes below a few pages are not compared.
func TestGrowth(t *testing.T) {
	const pages = 1 << 16
	for _, shape := range testcorpus.EveryNth(shapes, 3) {
		var last []float64
		for n := shape.n; n <= 4*shape.n; n *= 2 {
			list := kernelStages(shaped(shape.body(n)))
			now := sizes(t, list)
			for i, size := range now {
				if last != nil && size > pages && size > shape.most*max(last[i], pages/2) {
					t.Errorf("%s: %s takes %.0f KiB for %d, and %.0f for half that", shape.name, list[i].name, size/1024, n,
						last[i]/1024)
				}
			}
			last = now
		}
	}
}
