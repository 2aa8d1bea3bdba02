package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	much "github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// branchyLoop returns a kernel with a loop, or a nested one. Branches in it depend on constants, on the invocation, on
// values that the loop computes from these, or on values that it changes.
func branchyLoop(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	component := func() string { return "xyzw"[r.IntN(4):][:1] }
	line("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[4]\ndcl_literal l0, 0, 1, 2, 4\ndcl_literal l1, 0.5, 1.5, 0.25, 2.0")
	line("dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)")
	line("ishl r0.x, vaTid.x, l0.z\nitof r4, vaTid.x000\nsample_resource(0)_sampler(0) r8, r4.xy")
	line("mov r1, l0.x\nmov r3, l1\nmov r6, l0.x\nmov r7, l0.x\nmov r5, r8")
	body := func(counter string, depth int) {}
	statement := func(counter string, depth int) {
		switch k := r.IntN(12); {
		case k < 3:
			line("mad r3.%s, r5.%s, cb0[%d].%s, r3.%s", component(), component(), 1+r.IntN(3), component(), component())
		case k < 4:
			line("itof r5.%s, %s", component(), counter)
		case k < 5:
			line("sample_resource(0)_sampler(0) r5, r%d.%s%s", 3+r.IntN(2), component(), component())
		case k < 6:
			line("mov r5.%s, g[r0.x + %d].%s", component(), r.IntN(3), component())
		case k < 7:
			line("mov g[r0.x + %d].%s, r3.%s", r.IntN(3), component(), component())
		case k < 8:
			line("iadd r6.x, r6.x, r1.y\nge r7.%s, r3.x, cb0[2].%s", component(), component())
		case k < 9 && depth == 0:
			line("ge r2.z, r3.%s, cb0[2].y\nbreak_logicalnz r2.z", component())
		case depth < 2:
			if r.IntN(4) == 0 {
				line("ilt r2.w, cb0[%d].%s, l0.w", 1+r.IntN(3), component())
			}
			cond := []string{"cb0[1].x", "cb0[1].y", "cb0[3].z", "r8.x", "r8.y", "r2.w", "r7.x", "r6.x"}[r.IntN(8)]
			line("if_logical%s %s", []string{"nz", "z"}[r.IntN(2)], cond)
			body(counter, depth+1)
			if r.IntN(2) == 0 {
				line("else")
				body(counter, depth+1)
			}
			line("endif")
		}
	}
	body = func(counter string, depth int) {
		for range 1 + r.IntN(4-depth) {
			statement(counter, depth)
		}
	}
	line("mov r2, l0.x\nwhileloop\nige r2.y, r1.x, cb0[0].x\nbreak_logicalnz r2.y")
	body("r1.x", 0)
	if r.IntN(3) == 0 {
		line("mov r1.y, l0.x\nwhileloop\nige r2.y, r1.y, cb0[0].y\nbreak_logicalnz r2.y")
		body("r1.y", 0)
		line("iadd r1.y, r1.y, l0.y\nendloop")
	}
	body("r1.x", 0)
	line("iadd r1.x, r1.x, l0.y\nendloop\nadd r3, r3, r5\nmov r3.x, r6.x\nmov g[r0.x + 3], r3\nend")
	return b.String()
}

// loopOf is a loop and the region that contains it.
type loopOf struct {
	in *ir.Instr
	r  *ir.Region
}

// loopsOf lists the loops of f, and the branches around loops.
func loopsOf(f *ir.Func) (loops []loopOf, branches []*ir.Instr) {
	f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			if in.Op == ir.OpLoop {
				loops = append(loops, loopOf{in, r})
			}
			if in.Op == ir.OpIf && len(in.Sub[0].Code) > 0 && in.Sub[0].Code[len(in.Sub[0].Code)-1].Op == ir.OpLoop {
				branches = append(branches, in)
			}
		}
	})
	return loops, branches
}

// misplacements are mistakes that a pass can make when it moves branches and other code out of loops. Each changes f
// and reports whether it could.
var misplacements = []struct {
	name string
	make func(f *ir.Func, r *rand.Rand) bool
}{
	{"sides in turn", onBranch(func(_ *ir.Func, in *ir.Instr) { in.Sub[0], in.Sub[1] = in.Sub[1], in.Sub[0] })},
	{"condition negated", onBranch(func(_ *ir.Func, in *ir.Instr) {
		for i := range in.Src[0] {
			if in.Src[0][i].V != nil {
				in.Src[0][i].Mod ^= ir.Not
			}
		}
	})},
	{"one side for both", onBranch(func(f *ir.Func, in *ir.Instr) {
		c, other := ir.NewCopier(f), &ir.Region{}
		for _, x := range in.Sub[0].Code {
			other.Code = append(other.Code, c.Instr(x))
		}
		other.Results = c.Values(in.Sub[0].Results)
		in.Sub[1] = other
	})},
	{"hoisted although it changes", onLoop(func(f *ir.Func, l loopOf, in *ir.Instr) bool {
		return in.Op.HasFormula() && !in.IsPredicated() && hoistWrongly(f, l, in)
	})},
	{"store hoisted", onLoop(func(f *ir.Func, l loopOf, in *ir.Instr) bool {
		return in.Op == ir.OpMemStore && hoistWrongly(f, l, in)
	})},
	{"load hoisted over a store", onLoop(func(f *ir.Func, l loopOf, in *ir.Instr) bool {
		return in.Op == ir.OpMemLoad && hoistWrongly(f, l, in)
	})},
	{"store lost", onLoop(func(f *ir.Func, l loopOf, in *ir.Instr) bool {
		if in.Op != ir.OpMemStore {
			return false
		}
		same := map[*ir.Value]ir.Lane{}
		for k, v := range in.Results {
			same[v] = ir.Lane{V: in.Args[k]}
		}
		f.Replace(same)
		body := l.in.Sub[0]
		body.Code = slices.DeleteFunc(body.Code, func(x *ir.Instr) bool { return x == in })
		return true
	})},
	{"the first trip's value", onLoop(func(_ *ir.Func, l loopOf, in *ir.Instr) bool {
		changed := false
		in.EachUse(func(x *ir.Lane) {
			if k := slices.Index(l.in.Sub[0].Params, x.V); k >= 0 && l.in.Sub[0].Results[k] != x.V {
				x.V, changed = l.in.Args[k], true
			}
		})
		return changed
	})},
}

// onBranch returns a mistake at a random branch around loops.
func onBranch(change func(*ir.Func, *ir.Instr)) func(*ir.Func, *rand.Rand) bool {
	return func(f *ir.Func, r *rand.Rand) bool {
		_, branches := loopsOf(f)
		if len(branches) == 0 {
			return false
		}
		change(f, branches[r.IntN(len(branches))])
		return true
	}
}

// onLoop returns a mistake at a random instruction of a loop.
func onLoop(change func(*ir.Func, loopOf, *ir.Instr) bool) func(*ir.Func, *rand.Rand) bool {
	return func(f *ir.Func, r *rand.Rand) bool {
		loops, _ := loopsOf(f)
		l := loops[r.IntN(len(loops))]
		code := l.in.Sub[0].Code
		for _, k := range r.Perm(len(code)) {
			if change(f, l, code[k]) {
				return true
			}
		}
		return false
	}
}

// hoistWrongly computes in before its loop, from the values of the first trip. It reports whether in reads nothing else
// of the loop than carried values, and some that change.
func hoistWrongly(f *ir.Func, l loopOf, in *ir.Instr) bool {
	body, c := l.in.Sub[0], ir.NewCopier(f)
	inside := map[*ir.Value]bool{}
	body.Walk(func(x *ir.Instr) { x.EachDef(func(v *ir.Value) { inside[v] = true }) })
	fine, changes := true, false
	in.EachUse(func(x *ir.Lane) { fine = fine && !inside[x.V] })
	for k, p := range body.Params {
		c.MapValue(p, l.in.Args[k])
		in.EachUse(func(x *ir.Lane) { changes = changes || x.V == p && body.Results[k] != p })
	}
	if !fine || !changes {
		return false
	}
	out := c.Instr(in)
	at := slices.Index(l.r.Code, l.in)
	l.r.Code = slices.Insert(l.r.Code, at, out)
	same := map[*ir.Value]ir.Lane{}
	for i, v := range in.Out {
		if v != nil {
			same[v] = ir.Lane{V: out.Out[i]}
		}
	}
	for k, v := range in.Results { // the loop starts behind the store
		same[v] = ir.Lane{V: in.Args[k]}
		l.in.Args[slices.Index(body.Params, in.Args[k])] = out.Results[k]
	}
	body.Code = slices.DeleteFunc(body.Code, func(x *ir.Instr) bool { return x == in })
	f.Replace(same)
	return true
}

// TestSplitRandom checks that kernels are proved after branches have left their loops, and that no kernel is proved in
// which this has gone wrong. A wrong kernel that is proved must compute the same by chance.
func TestSplitRandom(t *testing.T) {
	t.Parallel()
	moved, unproved, refused, same := 0, 0, map[string]int{}, map[string]int{}
	for seed := range uint64(much.Count(120, 2000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		k := parseKernel(t, branchyLoop(r))
		if clean := pipeline(t, k, "dce", passes.Terms); clean != nil {
			k = clean
		}
		after := pipeline(t, k, "unswitch", passes.Terms)
		if after == nil {
			continue
		}
		moved++
		if v := proofOf(t, k, after); v != Proved {
			t.Logf("seed %d: %v\n%s\n%s", seed, v, il.Print(k), il.Print(after))
			unproved++
		}
		for _, m := range misplacements {
			f, err := amdil.Lift(after)
			if err != nil {
				t.Fatal(err)
			}
			if !m.make(f, r) {
				continue
			}
			if err := f.Check(); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, m.name, err)
			}
			wrong, err := amdil.Emit(after, f)
			if err != nil {
				continue
			}
			if v := proofOf(t, k, wrong); v == Tested {
				refused[m.name]++
				continue
			}
			same[m.name]++
			if v := CheckKernel(k, wrong, Options{Numerics: Real}); !v.Verdict.OK() {
				t.Errorf("seed %d: %s is proved, and then %v: %s\n%s\n%s", seed, m.name, v.Verdict, v.Why, il.Print(k),
					il.Print(wrong))
			}
		}
	}
	total := 0
	for _, m := range misplacements {
		total += refused[m.name]
		if refused[m.name] == 0 {
			t.Errorf("%s: none refused", m.name)
		}
	}
	t.Logf("%d moved, %d unproved, refused %v, the same %v", moved, unproved, refused, same)
	if total < 200 || unproved > moved/30 {
		t.Errorf("%d wrong kernels refused, %d of %d right ones not proved", total, unproved, moved)
	}
}
