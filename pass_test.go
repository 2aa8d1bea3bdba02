package shaderlift_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// TestCallersPass checks that a caller's own pass is priced and verified like others: its wrong
// rewrites are not written, and the pass is named.
func TestCallersPass(t *testing.T) {
	in := program("a.psh", "ps_2_0\ndcl t0\nmul r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmov oC0, r0\n")
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "negates,gvn,dce",
		Hooks: shaderlift.Hooks{Passes: []*passes.Pass{passtest.Negates}}}
	var seen []passes.Stat
	o.Hooks.Observe = func(of shaderlift.Input, s passes.Stat) {
		if of.Path() != in.Path() {
			t.Errorf("the input is %s", of.Path())
		}
		seen = append(seen, s)
	}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if err != nil || res.Status != shaderlift.Improved || !res.Verdict().OK() || res.Verdict() == verify.Bounded {
		t.Fatalf("%s, %s, %v; %v; %v", res.Status, res.Verdict(), err, res.Remarks, res.Faults)
	}
	named := func(r shaderlift.Remark) bool { return strings.Contains(r.Pass+r.Message, "negates") }
	if !slices.ContainsFunc(res.Remarks, named) || len(res.Faults) != 1 ||
		!strings.Contains(res.Faults[0].Error(), "negates") {
		t.Errorf("nothing names the pass: %v, faults %v", res.Remarks, res.Faults)
	}
	if len(seen) < 6 || seen[0].Stage != "negates" || seen[0].Outcome != passes.Changed || seen[0].Steps != 1 ||
		seen[0].Before[0] != 4 {
		t.Errorf("what was observed: %+v", seen)
	}
	last := seen[len(seen)-1]
	if last.Stage != "dce" || last.After[0] != res.Stages[0].CurrentCost().Slots {
		t.Errorf("the last stage is %+v", last)
	}
}

// TestStrict checks that a wrong rewrite of a caller's pass is an error under Strict, for programs and effects, with a
// code and the fault. A rewrite that is only not proved is none.
func TestStrict(t *testing.T) {
	const pixel = "ps_2_0\ndcl t0\nmul r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmov oC0, r0\n"
	crash := &passes.Pass{Name: "crash", Doc: "panics", Run: func(c *passes.Ctx, u *passes.Unit) error { panic("crash") }}
	var e fxtest.Builder
	e.Technique("T")
	e.AddPass("P", fxtest.Shader{}, fxtest.Shader{Data: fxtest.Assemble(pixel)})
	for _, in := range []shaderlift.Input{program("a.psh", pixel), effectFile(&e)} {
		for _, pass := range []*passes.Pass{passtest.Negates, crash} {
			o := shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: pass.Name + ",gvn,dce", Strict: true,
				Hooks: shaderlift.Hooks{Passes: []*passes.Pass{pass}}}
			for name, run := range map[string]func(context.Context, shaderlift.Input, shaderlift.Options) (*shaderlift.Result, error){
				"Optimize": shaderlift.Optimize, "Explain": shaderlift.Explain, "OptimizeStable": shaderlift.OptimizeStable} {
				res, err := run(t.Context(), in, o)
				var d *asm.Diag
				var fault *shaderlift.Fault
				if !errors.As(err, &d) || d.Code != "wrong-rewrite" || !errors.As(err, &fault) ||
					!strings.Contains(fault.Error(), pass.Name) || res.Status != shaderlift.Failed || len(res.Files) > 0 {
					t.Errorf("%s of %s with %s: %s, %v", name, in.Path(), pass.Name, res.Status, err)
				}
			}
		}
	}
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "combine-alu,dce", Require: verify.Proved, Strict: true}
	res, err := shaderlift.Optimize(t.Context(), program("b.psh", "ps_2_0\ndcl t0\nmul r0, t0, c0\nadd r0, r0, t0\nmov oC0, r0\n"), o)
	unproved := func(r shaderlift.Remark) bool { return r.Code == "unverified" }
	if err != nil || !slices.ContainsFunc(res.Remarks, unproved) {
		t.Errorf("without a proof: %s, %v, %v", res.Status, err, res.Remarks)
	}
}

// asksTheHost is a caller's pass that makes the pixel program read its own register instead of an
// output of the vertex program. It requests an upload of the same value to the register.
var asksTheHost = &passes.Pass{Name: "asks-the-host", Doc: "wants an upload",
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if !c.ShouldRewrite(u.Pixel.Body.Code[0], "asked", "asked") {
			return nil
		}
		for _, in := range u.Pixel.Body.Code {
			for s := range in.Src {
				for i := range in.Src[s] {
					in.Src[s][i].V = u.Pixel.Leaf(ir.Uniform, ir.Reg{File: ir.File(d3d9.Const), Comp: uint8(i)})
				}
			}
		}
		u.Uploads = append(u.Uploads, passes.Upload{From: 5, To: 0, Lowered: true})
		return nil
	}}

// TestUnaskedUpload checks that a result that needs an upload forbidden by the options is not written.
func TestUnaskedUpload(t *testing.T) {
	in := pairInput("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, c5\n", "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n")
	o := shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "asks-the-host", Keep: true,
		Hooks: shaderlift.Hooks{Passes: []*passes.Pass{asksTheHost}}}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if len(res.Uploads) > 0 || res.Status == shaderlift.Improved || len(res.Faults) == 0 ||
		!strings.Contains(res.Faults[0].Error(), "ps:c0=vs:c5") {
		t.Errorf("%s, with %v: %v, %v", res.Status, res.Uploads, err, res.Faults)
	}
	o.Host.PixelConstants = shaderlift.Mirrored
	if res, err = shaderlift.Optimize(t.Context(), in, o); err != nil || len(res.Uploads) != 1 || !res.Verdict().OK() {
		t.Errorf("mirrored: %s, %s, with %v: %v", res.Status, res.Verdict(), res.Uploads, err)
	}
}

// TestDearer checks that the quick comparison before pricing considers only GPUs, by time and work. The work of the
// portable target includes slots, which are unknown then, so only a multiple of the work is sure to be dearer.
func TestDearer(t *testing.T) {
	asked := 0
	asks := &passes.Pass{Name: "asks", Doc: "asks", Run: func(c *passes.Ctx, u *passes.Unit) error {
		cost, err := c.Measure(u)
		if err != nil {
			return err
		}
		for _, x := range []struct {
			than passes.Cost
			want bool
		}{
			{cost, false},
			{passes.Cost{cost[0], cost[1]}, false}, // in slots alone
			{passes.Cost{cost[0] - 1, cost[1] + 1}, true},
			{passes.Cost{cost[0], cost[1] / 4}, true},
			{passes.Cost{cost[0] + 1, cost[1] - 1}, false},
		} {
			asked++
			if got := c.Dearer(u, x.than); got != (x.want && !c.Static) {
				t.Errorf("a unit of %v is dearer than %v: %v", cost, x.than, got)
			}
		}
		return nil
	}}
	in := program("a.psh", "ps_2_0\ndcl t0\nmul r0, t0, t0\nrcp r0.x, r0.x\nmov oC0, r0\n")
	for _, target := range []shaderlift.Target{shaderlift.PortableTarget, "rv670", shaderlift.SlotTarget} {
		if _, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Target: target, Pipeline: "asks",
				Hooks: shaderlift.Hooks{Passes: []*passes.Pass{asks}}}); err != nil {
			t.Fatal(err)
		}
	}
	if asked < 15 {
		t.Errorf("asked %d times only", asked)
	}
}

// TestUnwritable checks that a caller's pass is undone if its kernel has a price but cannot be written,
// and that the others still run.
func TestUnwritable(t *testing.T) {
	nests := &passes.Pass{Name: "nests", Doc: "puts a discard into more branches than there may be",
		Run: func(c *passes.Ctx, u *passes.Unit) error {
			at := slices.IndexFunc(u.Kernel.Body.Code, func(in *ir.Instr) bool { return in.Op == ir.OpDiscard })
			if !c.ShouldRewrite(u.Kernel.Body.Code[at], "nested", "nested") {
				return nil
			}
			for range il.MaxNesting + 1 {
				in := u.Kernel.Body.Code[at]
				cond := ir.Operand{in.Src[0][0]}
				u.Kernel.Body.Code[at] = &ir.Instr{Op: ir.OpIf, Orig: -1, Src: []ir.Operand{cond},
					Sub: []*ir.Region{{Code: []*ir.Instr{in}}, {}}}
			}
			return nil
		}}
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.il", Data: []byte(`il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
mul r0, v0, v0.wzyx
discard_logicalnz v0.x
add o0, r0, v0
end
`)}}}
	for _, pipeline := range []string{"nests,combine-alu,dce", "combine-alu,nests,dce"} {
		o := shaderlift.Options{Pipeline: pipeline, Hooks: shaderlift.Hooks{Passes: []*passes.Pass{nests}}}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		if err != nil || res.Status != shaderlift.Improved || len(res.Faults) != 0 {
			t.Fatalf("%s: %s, %v, faults %v, remarks %v", pipeline, res.Status, err, res.Faults, res.Remarks)
		}
		if text := string(res.Files[0].Data); strings.Contains(text, "if_") || !strings.Contains(text, "mad") {
			t.Errorf("%s: it is\n%s", pipeline, text)
		}
	}
}
