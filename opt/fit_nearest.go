package opt

import (
	"cmp"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// recordNearest notes q, written but too large, if it exceeds its limits by less than the version noted before.
// Users see it as a start for manual changes. Programs that break other rules do not help.
func (p *pairSubject) recordNearest(q *d3d9.Program) {
	if to, some := p.fit[q.Model.Stage]; some {
		if wrong, _ := p.validate(q); len(wrong) == 0 {
			p.z.res.Nearest = pair.Nearer(p.z.res.Nearest, to, q)
		}
	}
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
	for n := p.z.res.Nearest; n != nil && n.Exceeds[0].What == pair.Temporaries && n.Excess() > 1; n = p.z.res.Nearest {
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
