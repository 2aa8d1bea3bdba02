package passes

import "slices"

// Plan is a pipeline that may be the best one for an input.
type Plan struct {
	Pipeline Pipeline
	Whole    bool // only the whole pipeline must pay, not each stage
	// Unit is the result of the stages in the report; nil if unknown.
	Unit   *Unit
	Report Report
}

// Detach gives p its own copies of unit and report, so that continuing it does not affect others.
func (p *Plan) Detach() {
	if p.Unit != nil {
		p.Unit, p.Report.Stats = p.Unit.Clone(), slices.Clip(p.Report.Stats)
	}
}

// Changed reports whether a stage of a pass changed the unit.
func (p *Plan) Changed(pass *Pass) bool {
	return slices.ContainsFunc(p.Report.Stats, func(s Stat) bool { return s.Stage == pass.Name && s.Outcome == Changed })
}
