package suite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// toyPrograms are programs of a language that no package knows, with work for every pass.
var toyPrograms = map[string]string{
	"neutral": `
mul r0.xy i0.xy #1
mad r1.xy r0.xy k0.xx #0
add r2.xy r1.xy #0
mul r3.x #2 #3
mul r4.xy r2.xy r3.xx
mov o0.xy r4.xy`,
	"fused": `
mul r0.xyz i0.xyz k0.xyz
add r1.xyz r0.xyz i1.xyz
dp3 r2.x r1.xyz r1.xyz
rcp r3.x r2.x
mul r3.x r3.x r1.x
max r4.x r3.x -r3.x
mov o0.x r4.x`,
	"shared": `
mad r0.x i0.x k0.x i0.y
mad r1.x i0.x k0.x i0.y
mul r2.x r0.x r1.x
mov r3.x r2.x
mov r4.x r3.x
frc r5.x r4.x
mov o0.x r5.x
mov o0.y r4.x`,
	"scalars": `
add r0.x i0.x k0.x
add r1.x i0.y k0.y
add r2.x i0.z k0.z
mul r3.x r0.x r0.x
mul r4.x r1.x r1.x
mul r5.x r2.x r2.x
mov o0.x r3.x
mov o0.y r4.x
mov o0.z r5.x`,
	"branch": `
add r0.x i0.x k0.x
if_gt r0.x #0
  mul r1.xy i0.xy r0.xx
else
  min r1.xy i0.xy k0.yy
  kill r1.x
endif
if_lt #1 #2
  add r1.x r1.x #1
else
  add r1.x r1.x #7
endif
mov o0.xy r1.xy`,
	"loop": `
mov r0.x #0
mov r1.xy i0.xy
loop 6
  tex r2.xyzw s1 r1.xy
  mad r0.x r2.x k0.x r0.x
  add r1.x r1.x #0.125
endloop
mov o0.x r0.x`,
	"same on every trip": `
mov r0.x #0
loop 6
  mul r1.xy i0.xy k0.xy
  tex r2.xyzw s1 r1.xy
  mad r0.x r2.x k0.x r0.x
endloop
mov o0.x r0.x`,
	"fetches": `
mul r0.xy i0.xy k0.xy
tex r1.xyzw s0 r0.xy
mul r2.xyzw r1.xyzw k1.xyzw
add r3.xy r0.xy k2.xy
tex r4.xyzw s0 r3.xy
add r5.xyzw r2.xyzw r4.xyzw
cmp r6.xyzw r1.xxxx r5.xyzw r2.xyzw
mov o0.xyzw r6.xyzw`,
	"products": `
mul r0.x i0.x k0.x
mul r0.x r0.x k1.x
mul r1.x i0.y k0.x
mul r1.x r1.x k1.x
mul r2.x i0.z k1.x
mul r2.x r2.x k0.x
max r0.x r0.x r1.x
max r0.x r0.x r2.x
mov o0.x r0.x`,
	"taps": `
add r0.x i0.x k0.x
add r0.y i0.y k0.y
tex r1.xyzw s0 r0.xy
mul r0.x i0.x k0.x
add r0.y i0.y k0.y
tex r2.xyzw s0 r0.xy
add r1.xyzw r1.xyzw r2.xyzw
mov o0.xyzw r1.xyzw`,
}

// measureToy prices a unit: slots, and the registers in use as homes.
func measureToy(u *passes.Unit) (passes.Cost, error) {
	_, slots, err := emitToy(u.Kernel)
	homes := map[uint16]bool{}
	u.Kernel.Walk(func(in *ir.Instr) {
		in.EachDef(func(v *ir.Value) {
			if v.Home.File == toyTemp {
				homes[v.Home.Index] = true
			}
		})
	})
	return passes.Cost{slots, len(homes)}, err
}

// A language needs only ir.Dialect for its programs to be lifted, rewritten by every general pass and level,
// written and proved.
func TestThirdDialect(t *testing.T) {
	pipelines := map[string]passes.Pipeline{}
	for _, p := range suite.Passes {
		pipelines[p.Name] = passes.Pipeline{{Pass: p}}
	}
	for n := 1; n <= suite.MaxLevel; n++ {
		for name, level := range map[string]func(int) (passes.Pipeline, error){"-O": suite.Level,
			"kernels -O": suite.KernelLevel} {
			p, err := level(n)
			if err != nil {
				t.Fatal(err)
			}
			pipelines[fmt.Sprint(name, n)] = p
		}
	}
	steps := map[string]int{}
	for name, text := range toyPrograms {
		before, err := liftToy(text)
		if err != nil {
			t.Fatal(err)
		}
		for pipeline, p := range pipelines {
			for _, keep := range []bool{true, false} {
				u := &passes.Unit{Name: name, Kernel: before.Clone()}
				report, err := passes.Run(u, p, passes.Config{Numerics: passes.Real, Measure: measureToy, Keep: keep})
				if err != nil {
					t.Errorf("%s, %s: %v", name, pipeline, err)
					continue
				}
				for i, s := range report.Stats {
					steps[p[i].Pass.Name] += s.Steps
				}
				if !keep && report.Before.Less(report.After) {
					t.Errorf("%s, %s: %v slots became %v", name, pipeline, report.Before[0], report.After[0])
				}
				out, _, err := emitToy(u.Kernel)
				if err != nil {
					t.Errorf("%s, %s: %v", name, pipeline, err)
					continue
				}
				after, err := liftToy(out)
				if err != nil {
					t.Errorf("%s, %s: %v", name, pipeline, err)
					continue
				}
				if r := verify.CheckFunc(before, after, verify.Options{Numerics: verify.Real}); r.Verdict < verify.ProvedReal {
					t.Errorf("%s, %s: %v: %s\n%s", name, pipeline, r.Verdict, r.Why, out)
				}
			}
		}
	}
	idle := []string{"codemotion", "recompute", "varyings", // there are no pairs
		"accumulate", "coarsen", "forward-local", "images", "promote-local", "restrict", "stage-local", // no launch
		"unswitch", "vectorize-fetches", "vectorize-memory",
		"if-convert",    // it only selects by signs
		"select-lanes",  // an operand may read one register per lane
		"permute-lanes"} // any swizzle is readable
	for _, p := range suite.Passes {
		if steps[p.Name] == 0 && !slices.Contains(idle, p.Name) {
			t.Errorf("%s has done nothing: add a program with work for it to toyPrograms, or add it to idle", p.Name)
		}
	}
}

// The proofs of a third language distinguish programs.
func TestThirdDialectDiffers(t *testing.T) {
	for name, text := range toyPrograms {
		for _, change := range [][2]string{{"mul ", "add "}, {"k0.x", "k0.y"}, {"o0.x", "o1.x"}, {"s0", "s1"}} {
			after := strings.Replace(text, change[0], change[1], 1)
			a, err := liftToy(text)
			if err != nil {
				t.Fatal(err)
			}
			b, err := liftToy(after)
			if err != nil {
				t.Fatal(err)
			}
			r := verify.CheckFunc(a, b, verify.Options{Numerics: verify.Real})
			if same := after == text; same != (r.Verdict == verify.Proved) || !same && r.Verdict != verify.Unknown {
				t.Errorf("%s, %q for %q: %v", name, change[1], change[0], r.Verdict)
			}
		}
	}
}

// Dumps use the language's register names.
func TestThirdDialectPrints(t *testing.T) {
	f, err := liftToy("add r0.xy i0.yx k3.zz\nmov o1.x -r0.y")
	if err != nil {
		t.Fatal(err)
	}
	const want = "toy\n  %3.x, %4.y = add (i0.y i0.x), (k3.z k3.z)\n  %5.x = mov -%4\n  out o1.x = %5\n"
	if f.String() != want {
		t.Errorf("%s, want\n%s", f, want)
	}
	if f.Dialect.Encodable(&ir.Instr{Op: ir.OpSetp}) {
		t.Error("an op that the language lacks is written")
	}
}
