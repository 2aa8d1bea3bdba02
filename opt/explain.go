package opt

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// Explain optimizes like [Optimize] and explains the programs instruction by instruction; package shaderlift
// documents it.
func Explain(ctx context.Context, in Input, o Options) (*Result, error) {
	o = o.withDefaultTarget(in.Kind())
	j := job{Options: o, ctx: ctx}
	z, err := j.run(in, mode{traced: true})
	res, now := z.res, z.emission
	if err != nil {
		return res, err
	}
	switch {
	case asm.BuiltKernels && res.Kind == input.KindKernel || !asm.BuiltD3D9:
		if err := j.explainKernel(in, now, res); err != nil {
			res.remark(asm.Pos{}, "no-listing", fmt.Sprintf("the compiled kernel cannot be listed: %v", err))
		}
	case res.Kind == input.KindEffect:
		err = eachPart(in, func(i int, part Input, programs []*d3d9.Program) error {
			return j.explain(part, programs, res.Parts[i]) // with reasons only
		})
	default:
		var programs []*d3d9.Program
		if programs, err = input.ReadPrograms(in); err != nil {
			break
		}
		if o.target().CountsSlots() {
			all := o.everywhere()
			if err = res.draws(all, unbounded(j.ctx).whole, programs); now.programs != nil {
				res.drawsAfter(all, unbounded(j.ctx).whole, now.programs)
			}
		}
		if err == nil {
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
	res.Programs = explain.Price(in.FileNames(), programs)
	explain.Connect(programs, res.Programs)
	found, err := o.reasons(in, programs)
	if err != nil {
		return err
	}
	mirrored := o
	mirrored.Host.PixelConstants = Mirrored
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
	change, err := pair.Changes(o.target(), unbounded(o.ctx).whole, programs)
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
	_, err = o.runAsGiven(in, mode{})
	return found, err
}
