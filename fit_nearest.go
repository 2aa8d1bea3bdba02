package shaderlift

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Nearest is what came nearest to the profile that an input does not fit: one of its programs,
// which is within the rules of the profile but for the limits that it exceeds.
type Nearest struct {
	Stage   d3d9.Stage `json:"stage"`
	Exceeds []Usage    `json:"exceeds"`
	// Program is its text. It has not been verified.
	Program string `json:"program"`
}

// excess is by how much n is beyond its limits, all together.
func (n *Nearest) excess() (sum int) {
	for _, u := range n.Exceeds {
		sum += u.Used - u.Limit
	}
	return sum
}

// near notes q, written but too large, if it exceeds its limits by less than what was noted before.
// It is shown to the user as a start for changes by hand.
func (p *pair) near(q *d3d9.Program) {
	to, some := p.fit[q.Model.Stage]
	if !some {
		return
	}
	// Programs that break other rules are no help; neither are those within all numbers.
	wrong, _ := p.validate(q)
	n := &Nearest{Stage: q.Model.Stage, Exceeds: exceeded(to, q)}
	if old := p.z.res.Nearest; len(wrong) > 0 || len(n.Exceeds) == 0 || old != nil && old.excess() <= n.excess() {
		return
	}
	text := *q
	text.Insts = slices.DeleteFunc(slices.Clone(q.Insts), func(in d3d9.Inst) bool { return len(in.Comment) > 0 })
	n.Program = string(d3d9.Print(&text))
	p.z.res.Nearest = n
}

// nearOf notes what fits the profile but for the limits behind its name.
func (p *pair) nearOf(files []File) {
	for _, f := range files {
		if q, err := readProgram(f); err == nil {
			p.near(q)
		}
	}
}

// fewest brings what is nearest nearer, where it takes too many temporaries: as long as it can be
// written with one less. Where there is room, they are the last thing that counts.
func (p *pair) fewest(try func(temps int) (*Result, bool)) {
	for n := p.z.res.Nearest; n != nil && n.Exceeds[0].What == temporaries && n.excess() > 1; n = p.z.res.Nearest {
		res, ok := try(n.Exceeds[0].Used - 1)
		if !ok {
			return
		}
		if p.nearOf(res.Files); p.z.res.Nearest == n { // it exceeds something else
			return
		}
	}
}

// placed gives the diagnostics of q, an emitted program, positions in input i. Instructions that
// passes made have none.
func (p *pair) placed(err error, q *d3d9.Program, i int) error {
	wrong, large := p.validate(q)
	for _, d := range append(wrong, large...) {
		if d.Pos.File == "" || !d.Pos.IsValid() {
			d.Pos = asm.Pos{File: p.z.in.Files[i].Name}
		}
	}
	return cmp.Or(fitting(wrong, large), err)
}
