package machine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// goesThrough compiles and times a kernel. It returns its program, or nil if the target cannot run
// it.
func goesThrough(t testing.TB, k *il.Kernel, f *ir.Func, target *chip.Target) *sched.Scheduled {
	t.Helper()
	c, err := lower.Kernel(f, target)
	if err != nil {
		return nil
	}
	s, err := sched.Schedule(c, target, sched.Options{})
	machinetest.Must(t, err)
	machinetest.Must(t, machinetest.Obeys(s.Program, target))
	r600.Print(s.Program)
	l := passtest.StandardLaunch(k, f)
	l.Inputs, l.Limit, l.MaxTrips = s.Preloads(), 500, 16
	_, err = machine.Predict(s.Program, l, target, machine.Measured{})
	machinetest.Must(t, err)
	_, err = sim.Simulate(s.Program, l, target)
	machinetest.Must(t, err)
	return s
}

// TestDamagedKernels checks that damaged kernels that are still valid go through as well. Some of
// them read unwritten registers, and some never end.
func TestDamagedKernels(t *testing.T) {
	t.Parallel()
	n := 0
	for seed := range testcorpus.Count[uint64](1500, 3000) {
		o := ilgen.Options{Stage: il.Stage(seed % 2), Size: 5 + int(seed/20%7)*10, NoDouble: seed/20%3 == 0}
		text := ilgen.Mutate(ilgen.Text(seed/20, o), rand.New(rand.NewPCG(seed, 3)))
		k, err := il.Parse("damaged", text)
		if err != nil {
			continue
		}
		f, err := amdil.Lift(k)
		if err != nil {
			continue
		}
		if goesThrough(t, k, f, machinetest.Target(t, chip.Names()[seed%4])) != nil {
			n++
		}
	}
	t.Log(n, "programs")
}

const largeHeader = `il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_cb cb0[100]
dcl_cb cb1[100]
dcl_cb cb2[100]
dcl_cb cb3[100]
mov r0, v0
mov r1, v0.yzwx
mov r2, v0.zwxy
mov r3, v0
`

// TestLargeKernels checks that large kernels of several shapes go through, and that a kernel with
// more values than registers reports it.
func TestLargeKernels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		n      int
		excess bool
		text   func(b *strings.Builder, i, n int)
	}{
		{"statements", 10000, false, func(b *strings.Builder, i, _ int) {
			fmt.Fprintf(b, "mad r%d, r%d, r%d.%c, r%d\n", i%4, i*3%4, i*5%4, "xyzw"[i%4], (i+1)%4)
		}},
		{"literals", 1000, false, func(b *strings.Builder, i, _ int) {
			fmt.Fprintf(b, "dcl_literal l%d, %d.25, %d.5, %d.75, %d.125\nmad r0, r0, l%d, l%d.wzyx\n", i, i, i+1, i+2, i+3, i,
				i/2)
		}},
		{"constants", 1000, false, func(b *strings.Builder, i, _ int) {
			fmt.Fprintf(b, "mad r0, r0, cb%d[%d], cb%d[%d]\n", i%4, i*37%100, (i+1)%4, i*61%100)
		}},
		{"branches", 500, false, func(b *strings.Builder, i, _ int) {
			fmt.Fprintf(b, "lt r50.x, r0.x, r1.%c\nif_logicalnz r50.x\nadd r0, r0, r1\nelse\nmul r%d, r1, r0\nendif\n",
				"xyzw"[i%4], i%4)
		}},
		{"nesting", 60, false, func(b *strings.Builder, i, n int) {
			if i < n/2 {
				b.WriteString("lt r50.x, r0.x, r1.x\nif_logicalnz r50.x\nadd r0, r0, r1\n")
			} else {
				b.WriteString("else\nmul r1, r1, r0\nendif\n")
			}
		}},
		{"registers", 600, true, func(b *strings.Builder, i, n int) {
			if i < n/2 {
				fmt.Fprintf(b, "sample_resource(0)_sampler(0) r%d, v0.xy\nadd r9, v0, cb0[%d]\n", 100+i, i%100)
				fmt.Fprintf(b, "mul r%d, r%d, r9\n", 100+i, 100+i)
			} else {
				fmt.Fprintf(b, "mad r0, r0, r0, r%d\n", 100+n-1-i)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(largeHeader)
			if test.excess {
				b.WriteString("dcl_resource_id(0)_type(2d)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n")
			}
			for i := range test.n {
				test.text(&b, i, test.n)
			}
			b.WriteString("add r0, r0, r1\nadd r0, r0, r2\nadd o0, r0, r3\nend\n")
			k, err := il.Parse(test.name, []byte(b.String()))
			machinetest.Must(t, err)
			f, err := amdil.Lift(k)
			machinetest.Must(t, err)
			for _, name := range []string{"rv670", "cypress"} {
				s := goesThrough(t, k, f, machinetest.Target(t, name))
				if (s.Stats.Excess > 0) != test.excess {
					t.Errorf("%s: %d registers, %d too many", name, s.Stats.GPRs, s.Stats.Excess)
				}
			}
		})
	}
}

// TestPortsCostGroups checks that the rules of the ports never save a group.
func TestPortsCostGroups(t *testing.T) {
	with, without := 0, 0
	for seed := range uint64(150) {
		target := machinetest.Target(t, chip.Names()[1+seed%3])
		k := ilgen.Kernel(seed, ilgen.Options{Stage: il.Stage(seed % 2), Size: 40})
		f, err := amdil.Lift(k)
		machinetest.Must(t, err)
		var groups [2]int
		for i := range groups {
			c, err := lower.Kernel(f, target)
			if err != nil {
				break
			}
			s, err := sched.Schedule(c, target, sched.Options{NoPorts: i == 1})
			machinetest.Must(t, err)
			groups[i] = s.Stats.Groups
		}
		if groups[1] > groups[0] {
			t.Errorf("seed %d: %d groups with the rules, %d without", seed, groups[0], groups[1])
		}
		with, without = with+groups[0], without+groups[1]
	}
	t.Logf("%d groups with the rules of the ports, %d without", with, without)
}
