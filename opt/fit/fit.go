// Package fit states what keeps Direct3D 9 programs from a profile, and how little would suffice.
package fit

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// partner names the profile of the other stage, by stage and by whether the profile is 3.0. Programs of
// 3.0 are drawn only with programs of 3.0, and older ones only with each other.
var partner = map[d3d9.Stage]map[bool]string{
	d3d9.Vertex: {false: "vs_2_0", true: "vs_3_0"},
	d3d9.Pixel:  {false: "ps_2_0", true: "ps_3_0"},
}

// Profiles returns the profiles that programs must fit if the program of one stage must fit to, by stage.
// The program of the other stage keeps its own model. A program of an older model than required also
// keeps it. Only its temporaries are limited, because devices may have fewer.
func Profiles(to *d3d9.Profile, programs []*d3d9.Program) (map[d3d9.Stage]d3d9.Profile, error) {
	list := map[d3d9.Stage]d3d9.Profile{}
	modern := to.Model.Major >= 3
	for _, q := range programs {
		own := d3d9.Profile{Name: q.Model.String(), Model: q.Model, Limits: q.Model.Limits()}
		switch {
		case q.Model.Stage != to.Model.Stage:
		case q.Model != to.Model && to.Model.AtLeast(q.Model.Major, q.Model.Minor): // it fits, except for the temporaries
			own.Limits.Regs[d3d9.Temp] = min(own.Limits.Regs[d3d9.Temp], to.Limits.Regs[d3d9.Temp])
			modern = q.Model.Major >= 3
		default:
			own = *to
		}
		list[q.Model.Stage] = own
	}
	for _, q := range programs { // both cross the 3.0 boundary, or neither
		if stage := q.Model.Stage; stage != to.Model.Stage && (q.Model.Major >= 3) != modern {
			p, err := d3d9.ParseProfile(partner[stage][modern])
			if err != nil {
				return nil, err
			}
			list[stage] = p
		}
	}
	return list, nil
}

// Nearest is the version of a program that came nearest to the required profile. It obeys the rules of
// the profile except for the limits that it exceeds.
type Nearest struct {
	Stage   d3d9.Stage   `json:"stage"`
	Exceeds []pair.Usage `json:"exceeds"`
	// Program is the text of the version. It is not verified.
	Program string `json:"program"`
	program *d3d9.Program
}

// Excess returns the sum of the excesses over all limits.
func (n *Nearest) Excess() (sum int) {
	for _, u := range n.Exceeds {
		sum += u.Used - u.Limit
	}
	return sum
}

// hopeless is the part of a limit, in per cent, beyond which neither other passes nor promises are tried. After
// -O2, the largest program that promises let fit is plasma of TestFitPrograms (79 of 64 slots). At 120, its promise
// is not found; at 200, the reasons of large programs take twice as long.
const hopeless = 150

// Hopeless reports whether n exceeds the slots or the dependent reads of p by far: the given number of times what
// passes and promises may save.
func (n *Nearest) Hopeless(p d3d9.Profile, times int) bool {
	if n == nil || n.Stage != p.Model.Stage {
		return false
	}
	return slices.ContainsFunc(pair.Exceeded(p, n.program), func(u pair.Usage) bool {
		return u.What != pair.Temporaries && 100*u.Used > times*hopeless*u.Limit
	})
}

// Nearer returns q as the nearest version to profile to, or old if q exceeds no limit, or exceeds the
// limits by no less. The text has no comments.
func Nearer(old *Nearest, to d3d9.Profile, q *d3d9.Program) *Nearest {
	n := &Nearest{Stage: q.Model.Stage, Exceeds: pair.Exceeded(to, q), program: q}
	if len(n.Exceeds) == 0 || old != nil && old.Excess() <= n.Excess() {
		return old
	}
	text := *q
	text.Insts = slices.DeleteFunc(slices.Clone(q.Insts), func(in d3d9.Inst) bool { return len(in.Comment) > 0 })
	n.Program = string(d3d9.Print(&text))
	return n
}
