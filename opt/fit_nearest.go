package opt

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/opt/input"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// Nearest is the version of a program that came nearest to the required profile. It obeys the rules of
// the profile except for the limits that it exceeds.
type Nearest struct {
	Stage   d3d9.Stage   `json:"stage"`
	Exceeds []pair.Usage `json:"exceeds"`
	// Program is the text of the version. It is not verified.
	Program string `json:"program"`
}

// excess returns the sum of the excesses over all limits.
func (n *Nearest) excess() (sum int) {
	for _, u := range n.Exceeds {
		sum += u.Used - u.Limit
	}
	return sum
}

// recordNearest notes q, written but too large, if it exceeds its limits by less than the version noted before.
// Users see it as a start for manual changes.
func (p *pairSubject) recordNearest(q *d3d9.Program) {
	to, some := p.fit[q.Model.Stage]
	if !some {
		return
	}
	// Programs that break other rules do not help; neither do programs within all limits.
	wrong, _ := p.validate(q)
	n := &Nearest{Stage: q.Model.Stage, Exceeds: pair.Exceeded(to, q)}
	if old := p.z.res.Nearest; len(wrong) > 0 || len(n.Exceeds) == 0 || old != nil && old.excess() <= n.excess() {
		return
	}
	text := *q
	text.Insts = slices.DeleteFunc(slices.Clone(q.Insts), func(in d3d9.Inst) bool { return len(in.Comment) > 0 })
	n.Program = string(d3d9.Print(&text))
	p.z.res.Nearest = n
}

// nearOf notes programs that fit the profile without the restrictions after its name.
func (p *pairSubject) nearOf(files []File) {
	for _, f := range files {
		if q, err := input.ReadProgram(f); err == nil {
			p.recordNearest(q)
		}
	}
}

// fewest reduces the temporaries of the nearest version one at a time, as long as a run succeeds.
// Without a limit, the optimizer weighs temporaries last.
func (p *pairSubject) fewest(try func(temps int) (*Result, bool)) {
	for n := p.z.res.Nearest; n != nil && n.Exceeds[0].What == pair.Temporaries && n.excess() > 1; n = p.z.res.Nearest {
		res, ok := try(n.Exceeds[0].Used - 1)
		if !ok {
			return
		}
		if p.nearOf(res.Files); p.z.res.Nearest == n { // it exceeds another limit
			return
		}
	}
}

// placed gives the diagnostics of q, an emitted program, positions in input i. Instructions made by
// passes have none.
func (p *pairSubject) placed(err error, q *d3d9.Program, i int) error {
	wrong, large := p.validate(q)
	for _, d := range append(wrong, large...) {
		if d.Pos.File == "" || !d.Pos.IsValid() {
			d.Pos = asm.Pos{File: p.z.in.Files[i].Name}
		}
	}
	return cmp.Or(pair.FitError(wrong, large), err)
}
