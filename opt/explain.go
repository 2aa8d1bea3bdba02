package opt

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// Explain optimizes like [Optimize] and explains the programs instruction by instruction; package shaderlift
// documents it.
func Explain(ctx context.Context, in Input, o Options) (*Result, error) {
	o = o.withDefaultTarget(in.Kind())
	if err := o.noPass(in); err != nil {
		return Failure(in, err), err
	}
	pass := o.Pass
	o.Pass = "" // the whole effect is optimized, part by part
	j := job{Options: o, ctx: ctx}
	z, err := j.run(in, mode{traced: true, relax: true})
	res, err := o.strict(z.res, err)
	now := z.emission
	if err != nil {
		return res, err
	}
	switch {
	case asm.BuiltSPIRV && res.Kind == input.KindModule:
		err = j.explainModules(in, res)
	case asm.BuiltKernels && res.Kind == input.KindKernel || !asm.BuiltD3D9:
		if err := j.explainKernel(in, now, res); err != nil {
			res.remark(asm.Pos{}, "no-listing", fmt.Sprintf("the compiled kernel cannot be listed: %v", err))
			break
		}
		if err = j.advise(in, res); budget.IsExhausted(err) {
			err = nil
		}
	case res.Kind == input.KindEffect:
		err = j.explainEffect(in, res, pass)
	default:
		var programs []*d3d9.Program
		if programs, err = input.ReadPrograms(in); err != nil {
			break
		}
		if err = j.limits(res, programs, now.programs); err == nil {
			err = j.explain(in, programs, res)
		}
		res.Rewritten = explain.Fates(in.FileNames(), programs, now.programs, now.rewrites, res.Programs)
	}
	if err != nil {
		return res.failWith(err)
	}
	o.addExplainRemarks(res)
	return res, nil
}

// limits adds the costs of a draw on all GPUs to res. now are the optimized programs, if there are any.
func (o job) limits(res *Result, programs, now []*d3d9.Program) error {
	for _, target := range []pair.Target{pair.PortableTarget, pair.PhonesTarget} {
		rest := &Options{Target: target, Draw: o.Draw}
		added := &Result{}
		if err := added.draws(rest, unbounded(o.ctx).whole, programs); err != nil {
			return err
		}
		if now != nil {
			added.drawsAfter(rest, unbounded(o.ctx).whole, now)
		}
		for _, d := range added.Draws {
			if !slices.ContainsFunc(res.Draws, func(x pair.DrawCosts) bool { return x.Target == d.Target }) {
				if target == pair.PhonesTarget {
					res.Phones = append(res.Phones, d)
				} else {
					res.Draws = append(res.Draws, d)
				}
			}
		}
	}
	return nil
}

// explainEffect adds the instructions of the parts of an effect to res, with reasons only. Unless pass is empty, it
// leaves out the parts of other passes.
func (o job) explainEffect(in Input, res *Result, pass string) error {
	e, err := effect.Read(in.Files[0])
	if err != nil {
		return err
	}
	inPass, err := partsOf(e, pass)
	if err != nil {
		return err
	}
	now, err := writtenParts(res)
	if err != nil {
		return err
	}
	var parts []*Result
	if !e.Numbered { // vertex programs may get parameters of pixel programs
		o.Host.PixelConstants = input.Mirrored
	}
	err = eachPart(in, func(i int, part Input, programs []*d3d9.Program) error {
		if !inPass(part.FileNames()) {
			return nil
		}
		parts = append(parts, res.Parts[i])
		res.Parts[i].Rewritten = explain.Price(part.FileNames(), now[i])
		explain.Connect(now[i], res.Parts[i].Rewritten)
		for _, p := range res.Parts[i].Rewritten {
			for k := range p.Instructions {
				p.Instructions[k].Offset = 0 // in the result; the source is not known
			}
		}
		err := o.limits(res.Parts[i], programs, now[i])
		if err == nil {
			err = o.explain(part, programs, res.Parts[i])
		}
		for _, p := range res.Parts[i].Programs {
			for k := range p.Instructions {
				if why := p.Instructions[k].Why; why != nil {
					why.Unlock = "" // the constant table decides
				}
			}
		}
		return err
	})
	res.Parts = parts
	return err
}

// writtenParts returns the programs of each part of an effect in its result, or nil for unchanged parts. A written
// effect has the parts of its input.
func writtenParts(res *Result) ([][]*d3d9.Program, error) {
	list := make([][]*d3d9.Program, len(res.Parts))
	if res.Status != Improved {
		return list, nil
	}
	return list, eachPart(Input{Files: res.Files}, func(i int, _ Input, programs []*d3d9.Program) error {
		if res.Parts[i].Status == Improved {
			list[i] = programs
		}
		return nil
	})
}

// eachPart calls do with the programs of each part of an effect.
func eachPart(in Input, do func(i int, part Input, programs []*d3d9.Program) error) error {
	e, err := effect.Read(in.Files[0])
	for i := 0; err == nil && i < len(e.Parts); i++ {
		var programs []*d3d9.Program
		if programs, err = input.ReadPrograms(e.Parts[i].In); err == nil {
			err = do(i, e.Parts[i].In, programs)
		}
	}
	return err
}

// explain adds the instructions of the programs of in to res, with their reasons. They come from code
// motion, or else from explain.Unmoved. An option is named only if the instruction can move with it:
// another condition may also keep it in place.
func (o job) explain(in Input, programs []*d3d9.Program, res *Result) error {
	res.Programs = o.price(in, programs)
	explain.Connect(programs, res.Programs)
	found, err := o.reasons(in, programs)
	if err != nil {
		return err
	}
	mirrored := o
	mirrored.Host.PixelConstants = input.Mirrored
	var lifted map[asm.Pos]codemotion.Reason
	for _, r := range found {
		if r.Unlocked && lifted == nil {
			if lifted, err = mirrored.reasons(in, programs); err != nil {
				return err
			}
		}
	}
	for i, q := range programs {
		list := res.Programs[i].Instructions
		// Statements yields the statements in the order of the instructions above.
		for _, inst := range explain.Statements(q) {
			answer := &list[0]
			list = list[1:]
			r, known := found[explain.SourceKey(inst.Pos)]
			if !known {
				answer.Why = explain.Unmoved(programs, q, answer, res.Partner != "")
				continue
			}
			answer.Why = &explain.Reason{Code: r.Code, Message: r.Text}
			if r.Cause != r.At {
				answer.Why.Line, answer.Why.Offset = r.Cause.Line, r.Cause.Offset
			}
			if r.Unlocked && lifted[explain.SourceKey(r.At)].Movable() {
				answer.Why.Unlock = "--host-constants mirrored"
			}
		}
	}
	return nil
}

// reasons returns the reasons why instructions of the programs of in stay, by their positions. It runs
// the pipeline again with a pass of codemotion at its end that changes nothing and collects the
// reasons.
func (o job) reasons(in Input, programs []*d3d9.Program) (map[asm.Pos]codemotion.Reason, error) {
	change, err := pair.Changes(o.Target, unbounded(o.ctx).whole, programs)
	if err != nil {
		return nil, err
	}
	found := map[asm.Pos]codemotion.Reason{}
	tell := codemotion.Explainer(func(list []codemotion.Reason) {
		for _, r := range list {
			found[explain.SourceKey(r.At)] = r
		}
	}, change)
	o.Hooks.Passes, o.Hooks.Observe = append(slices.Clone(o.Hooks.Passes), tell), nil
	o.Report.Remarks, o.Report.Gains, o.Report.History = nil, false, false
	// At a level, the input itself is explained: after the passes little of the user's code would be
	// left.
	if o.spelled() {
		o.Pipeline += "," + tell.Name
	} else {
		o.Pipeline = tell.Name
	}
	_, err = o.run(in, mode{})
	return found, err
}

// emittedKernel is the kernel that replaces the input kernel; zero if none does. kernel is the version
// before it was written, with positions in the input. left has the lines of the input from which the
// emitted function has instructions. The lines are collected while the function exists, since its
// memory is reused.
type emittedKernel struct {
	kernel *il.Kernel
	left   map[int]bool
}

// emittedFrom returns kernel k, emitted from f, with the lines that f still has.
func emittedFrom(f *ir.Func, k *il.Kernel) emittedKernel {
	left := map[int]bool{}
	f.Walk(func(in *ir.Instr) { left[in.Pos.Line] = true })
	return emittedKernel{k, left}
}

// explainKernel adds the statements of the input and of its replacement to res, each followed by a
// possible machine program.
func (o job) explainKernel(in Input, now emission, res *Result) error {
	before, lifted, err := o.statements(in, nil)
	if err != nil {
		return err
	}
	explain.KernelRates(before[0].Instructions, lifted)
	res.Programs = before
	if now.kernel.kernel == nil {
		return nil
	}
	explain.KernelFates(in.Files[0].Name, now.kernel.kernel, now.kernel.left, now.rewrites, before[0].Instructions)
	in.Files = []File{{Name: in.Files[0].Name, Data: res.Files[0].Data}}
	res.Rewritten, _, err = o.statements(in, now.kernel.kernel)
	return err
}

// statements lists the statements of a kernel, with the number of machine operations and fetches for
// each, and the machine program. If origins is set, it is the same kernel with positions in the input,
// which are shown instead.
func (o job) statements(in Input, origins *il.Kernel) ([]explain.Program, *ir.Func, error) {
	k, f, s, err := compile(in, o)
	if err != nil {
		return nil, nil, err
	}
	p := explain.KernelStatements(in.Files[0].Name, k, f, s, origins)
	listing := explain.MachineProgram(fmt.Sprintf("%s for %s", p.Name, s.Target.Name), s)
	return []explain.Program{p, listing}, f, nil
}

// toldKernel converts the explanations of a kernel into remarks.
func (o *Options) toldKernel(res *Result) {
	if len(res.Programs) == 0 {
		return
	}
	texts := map[int]string{}
	for _, inst := range res.Programs[0].Instructions {
		texts[inst.Line] = inst.Text
		if why := inst.Why; o.remarks(Missed) && inst.Fate == explain.Kept && !why.Plain() && inst.Rate != "" {
			res.Remarks = append(res.Remarks, Remark{Kind: Missed, Line: inst.Line, Code: why.Code, Text: inst.Text,
				Message: why.String(), Unlock: why.Unlock})
		}
	}
	for i := range res.Remarks {
		if m := &res.Remarks[i]; m.Text == "" {
			m.Text = texts[m.Line]
		}
	}
	if k := res.Kernel; k != nil && o.remarks(Analysis) {
		cost := k.CurrentCost()
		if cost.Bottleneck != "" {
			res.remark(asm.Pos{}, "bound", explain.Bound("a launch", cost.Bottleneck, k.Target))
		}
		res.remark(asm.Pos{}, "occupancy", fmt.Sprintf("with %d registers, %d wavefronts fit on a SIMD of %s", cost.GPRs,
			cost.Wavefronts, k.Target))
	}
}
