package replay

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// The passes that the tests of faults inject. Each has one defect.
var (
	// swapsMins turns every min that reads a constant into a max.
	swapsMins = &passes.Pass{Name: "swaps-mins", Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			f.Walk(func(in *ir.Instr) {
				if in.Op == ir.OpMin && c.ShouldRewrite(in, "max", "made max") {
					in.Op = ir.OpMax
				}
			})
		}
		return nil
	}}
	// panics panics after as many rewrites as there are additions.
	panics = &passes.Pass{Name: "panics", Run: func(c *passes.Ctx, u *passes.Unit) error {
		n := 0
		u.Pixel.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMin && c.ShouldRewrite(in, "at", "looked at") {
				n++
			}
		})
		if n > 1 {
			panic(fmt.Sprintf("no way out of %d", n))
		}
		return nil
	}}
	injected = []*passes.Pass{swapsMins, panics}
)

// faulty is a pixel program whose statement in line 9 swaps-mins miscompiles.
const faulty = `ps_2_0
def c1, 0.25, 0.5, 1, 0
dcl t0
dcl t1
dcl_2d s0
texld r3, t1, s0
add r0, t0, t0
mul r1, r0, c1.y
min r1, r1, c1.x
mad r1, r1, r3, t0
add r2, r1, c1.w
mul r2, r2, r3
mov oC0, r2
`

// bad optimizes a program by a pipeline with an injected pass, and returns the fault.
func bad(t *testing.T, src, pipeline string) *opt.Fault {
	t.Helper()
	in := opt.Input{Files: []opt.File{{Name: "faulty.psh", Data: []byte(src)}}}
	res, err := opt.Optimize(t.Context(), in, opt.Options{Pipeline: pipeline, Keep: true,
		Hooks: opt.Hooks{Passes: injected}})
	if err != nil || len(res.Faults) != 1 {
		t.Fatalf("%v, faults %v", err, res.Faults)
	}
	return res.Faults[0]
}

// reread writes and reads a reproducer, and adds the caller's passes again.
func reread(t *testing.T, f *opt.Fault) *opt.Fault {
	t.Helper()
	back, err := opt.ParseReproducer("r.txtar", f.Reproducer())
	if err != nil {
		t.Fatal(err)
	}
	back.Options.Hooks.Passes = injected
	return back
}

// TestReplay checks that a fault happens again from its reproducer, and that a fixed fault does not.
func TestReplay(t *testing.T) {
	for _, pipeline := range []string{"fold,swaps-mins,dce", "fold,panics,dce"} {
		src := strings.Replace(faulty, "mad r1", "min r1, r1, c1.z\nmad r1", 1)
		f := reread(t, bad(t, src, pipeline))
		r := Replay(t.Context(), f)
		if r.Again == nil || len(r.Others) != 0 || r.Err != nil {
			t.Errorf("%s: %+v", pipeline, r)
		}
		f.Options.Pipeline = "fold,dce"
		if r := Replay(t.Context(), f); r.Again != nil || r.Err != nil {
			t.Errorf("without the pass: %+v", r)
		}
		f.Options.Pipeline, f.Options.Hooks.Passes = pipeline, nil
		if r := Replay(t.Context(), f); r.Again != nil || r.Err == nil {
			t.Errorf("with a pass that there is not: %+v", r)
		}
	}
}

// TestReplayTasks checks the replay of faults of other functions.
func TestReplayTasks(t *testing.T) {
	in := opt.Input{Files: []opt.File{{Name: "a.psh", Data: []byte(faulty)}}}
	for _, f := range []*opt.Fault{
		{Task: opt.TaskVerify, Input: in, After: &in},
		{Task: opt.TaskStats, Input: in},
		{Task: opt.TaskRun, Input: in},
	} {
		f.Err = errors.New("panic: it broke")
		if r := Replay(t.Context(), reread(t, f)); r.Again != nil || r.Result == nil {
			t.Errorf("%s: %+v", f.Task, r)
		}
		if _, err := Bisect(t.Context(), f); err == nil {
			t.Errorf("a fault of %s was bisected", f.Task)
		}
		if _, _, err := Reduce(t.Context(), f, 10); err == nil {
			t.Errorf("a fault of %s was reduced", f.Task)
		}
	}
}

// TestBisect checks that the rewrite to blame is found in a whole pipeline.
func TestBisect(t *testing.T) {
	f := reread(t, bad(t, faulty, "fold,gvn,copyprop,combine-alu,swaps-mins,vectorize,dce"))
	b, err := Bisect(t.Context(), f)
	if err != nil || b.Step == nil || b.Pass != "swaps-mins" || b.Step.Pos.Line != 9 || b.Step.What != "made max" ||
		b.Of < b.Step.Number {
		t.Errorf("%v, %v", b, err)
	}
	f = reread(t, bad(t, strings.Replace(faulty, "mad r1", "min r1, r1, c1.z\nmad r1", 1), "fold,panics,dce"))
	if b, err := Bisect(t.Context(), f); err != nil || b.Step == nil || b.Pass != "panics" || b.Step.Pos.Line != 10 ||
		!strings.Contains(b.Why, "no way out") {
		t.Errorf("%v, %v", b, err)
	}
	// Without a fault, the symptom is a verdict that is too low.
	f.Err, f.Options = nil, opt.Options{Require: verify.Proved, Numerics: ir.Real}
	f.Input.Files[0].Data = []byte("ps_2_0\ndcl t0\nmul r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmul r2, t0.x, t0.y\nadd r0, r0, r2\nmov oC0, r0\n")
	if b, err := Bisect(t.Context(), f); err != nil || b.Pass != "combine-alu" || !strings.Contains(b.Why, "proved-real") {
		t.Errorf("%v, %v", b, err)
	}
	f.Options.Require = verify.ProvedReal
	if b, err := Bisect(t.Context(), f); !errors.Is(err, ErrNotShown) {
		t.Errorf("%v, %v", b, err)
	}
}

// TestReduce checks that only the parts of a program and a pipeline that the fault needs remain.
func TestReduce(t *testing.T) {
	f := bad(t, faulty, "fold,gvn{mixed=true},copyprop,combine-alu,swaps-mins,vectorize,dce")
	f.Options.Host.PixelConstants, f.Options.Seed = input.Mirrored, 7
	small, note, err := Reduce(t.Context(), reread(t, f), DefaultTrials)
	if err != nil || !note.Done || note.Before != 13 || note.After > 5 {
		t.Fatalf("%+v, %v", note, err)
	}
	text := string(small.Input.Files[0].Data)
	o := small.Options
	if o.Pipeline != "swaps-mins" || o.Host.PixelConstants != input.Separate || o.Seed != 0 ||
		!strings.Contains(text, "min ") || strings.Contains(text, "texld") {
		t.Errorf("%s:\n%s", small.Options.Pipeline, text)
	}
	if small.Step == nil || small.Step.Pass != "swaps-mins" {
		t.Errorf("the rewrite to blame is %v", small.Step)
	}
	if r := Replay(t.Context(), reread(t, small)); r.Again == nil {
		t.Errorf("it does not happen any more: %+v", r)
	}
	again, _, err := Reduce(t.Context(), reread(t, f), DefaultTrials)
	if err != nil || string(again.Input.Files[0].Data) != text {
		t.Errorf("reduced again it is another program: %v", err)
	}
	few, note, err := Reduce(t.Context(), reread(t, f), 5)
	if err != nil || note.Done || note.Trials != 5 || Replay(t.Context(), reread(t, few)).Again == nil {
		t.Errorf("with 5 trials: %+v, %v", note, err)
	}
	f.Options.Pipeline = "fold"
	if _, _, err := Reduce(t.Context(), f, 100); !errors.Is(err, ErrNotShown) {
		t.Errorf("what does not happen: %v", err)
	}
}

// TestReduceToWhatIsWritten checks that a fault is not reduced to a version in which no pass changes
// anything, since Optimize writes nothing then.
func TestReduceToWhatIsWritten(t *testing.T) {
	in := opt.Input{Files: []opt.File{{Name: "faulty.psh", Data: []byte(faulty)}}}
	for pipeline, idle := range map[string]bool{"O0": true, "gvn": true, "fold,swaps-mins": false} {
		x := opt.Trial{Input: in, Options: opt.Options{Pipeline: pipeline, Keep: true,
			Hooks: opt.Hooks{Passes: injected}}, Kept: true}
		s, err := x.Run(t.Context(), -1)
		if err != nil || s.Idle != idle {
			t.Errorf("%s: %v, %v", pipeline, s, err)
		}
	}
}

// TestReduceToWhatIsReplayed checks that a version counts only if Replay sees the fault in it, with or
// without Keep.
func TestReduceToWhatIsReplayed(t *testing.T) {
	f := bad(t, faulty, "swaps-mins")
	f.Options.Keep = false
	r := &reducer{Trial: opt.Trial{Input: f.Input, Options: f.Options, Symptom: opt.SymptomOf(f), Kept: true}, ctx: t.Context(), left: 9,
		memo: map[string]bool{}, err: f.Err, replayed: true}
	if !r.replays(f.Input, f.Options) || !r.shows(f.Input, f.Options) {
		t.Error("the fault is not seen")
	}
	r.err, r.memo = errors.New("another fault"), map[string]bool{}
	if r.replays(f.Input, f.Options) || r.shows(f.Input, f.Options) {
		t.Error("what Replay does not see is taken")
	}
}

// TestFaultsSideBySide checks that two faults of one run give two separate reproducers.
func TestFaultsSideBySide(t *testing.T) {
	src := strings.Replace(faulty, "mad r1", "min r1, r1, c1.z\nmad r1", 1)
	in := opt.Input{Files: []opt.File{{Name: "faulty.psh", Data: []byte(src)}}}
	res, err := opt.Optimize(t.Context(), in, opt.Options{Pipeline: "fold,panics,swaps-mins,dce", Keep: true,
		Hooks: opt.Hooks{Passes: injected}})
	if err != nil || len(res.Faults) != 2 || res.Verdict() == verify.Refuted {
		t.Fatalf("%s, %v, %v", res.Verdict(), res.Faults, err)
	}
	for _, f := range res.Faults {
		f = reread(t, f)
		r := Replay(t.Context(), f)
		if r.Again == nil || opt.SymptomOf(r.Again) != opt.SymptomOf(f) {
			t.Errorf("%v: %+v", f, r)
		}
		small, note, err := Reduce(t.Context(), f, DefaultTrials)
		if err != nil || !note.Done || strings.Contains(small.Options.Pipeline, ",") {
			t.Errorf("%v: %+v, %v", f, note, err)
		}
	}
}

// TestReproducerHoldsCase checks that a reproducer of a refuted result has an input that shows the
// fault, in the format of run.
func TestReproducerHoldsCase(t *testing.T) {
	f := bad(t, faulty, "swaps-mins")
	if !strings.Contains(string(f.Reproducer()), "\n-- counterexample.case --\n# invocation") {
		t.Fatalf("no case in\n%s", f.Reproducer())
	}
	c, err := interp.ParseCase("a.case", f.Case)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := opt.RunProgram(t.Context(), f.Input,
		opt.Options{Draw: opt.DrawOptions{Case: c}}); err != nil || out.N != 4 ||
		out.Outputs[0].Name != "oC0" {
		t.Errorf("%+v, %v", out, err)
	}
}
