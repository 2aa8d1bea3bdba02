package opt

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// draws notes in r the cost of a draw on the targets of o, as the cost before.
func (r *Result) draws(o *Options, b *budget.Budget, programs []*d3d9.Program) error {
	costs, err := o.drawCosts(r, b, programs)
	for _, c := range costs {
		r.Draws = append(r.Draws, pair.DrawCosts{Target: c.target, Before: c.DrawCost})
	}
	return err
}

// drawsAfter notes the costs after. If the time limit expires meanwhile, r gets no costs at all.
func (r *Result) drawsAfter(o *Options, b *budget.Budget, programs []*d3d9.Program) {
	costs, err := o.drawCosts(r, b, programs)
	if budget.IsExhausted(err) {
		r.Draws = nil
		r.noteExhausted(err, "the time cannot be predicted")
	}
	if err != nil || len(costs) != len(r.Draws) {
		return
	}
	for i := range costs {
		r.Draws[i].After = &costs[i].DrawCost
	}
}

// instructionCosts prices the instructions of programs on the targets of o, if it names GPUs.
func (o *Options) instructionCosts(b *budget.Budget, programs []*d3d9.Program) (c explain.Costs, err error) {
	gpus, err := o.Target.GPUs()
	if err != nil || len(gpus) == 0 {
		return c, err
	}
	d, err := pair.DrawOf(b, programs)
	if err != nil {
		return c, err
	}
	defer d.Close()
	return explain.CostsOf(d, gpus)
}

// drawCosts prices a draw on the targets of o. Programs without a price give an empty list and no
// error; a remark in r has the reason.
func (o *Options) drawCosts(r *Result, b *budget.Budget, programs []*d3d9.Program) (list []targetCost, err error) {
	gpus, err := o.Target.GPUs()
	if err != nil || len(gpus) == 0 {
		return nil, err
	}
	d, err := pair.DrawOf(b, programs)
	if err != nil {
		for _, x := range input.DiagsOf(err) {
			r.remark(x.Pos, x.Code, "the time cannot be predicted: "+x.Msg)
		}
		return nil, nil
	}
	defer d.Close()
	for _, t := range gpus {
		p, err := t.Price(d)
		if err != nil {
			return nil, err
		}
		list = append(list, targetCost{t.Name, pair.CostOfDraw(&p, pair.Scene(o.Draw.PixelsPerVertex))})
	}
	return list, nil
}

// targetCost is the cost of a draw on a target.
type targetCost struct {
	target string
	pair.DrawCost
}
