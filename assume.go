package shaderlift

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/enum"
)

// Assumption is something about the state of a draw that programs do not tell, and that the
// application promises.
type Assumption uint8

const (
	// OneLevel is that the textures of the pixel program have one level each, and are
	// filtered alike where they are magnified and where they are not: then it does not matter
	// how the level is chosen, and texldl, texldb and texldd read what texld does.
	OneLevel Assumption = iota + 1
)

var assumptionNames = []string{"", "one-level"}

// String is the name that --assume has for a.
func (a Assumption) String() string { return enum.String(assumptionNames, a) }

// MarshalText is the name of a.
func (a Assumption) MarshalText() ([]byte, error) { return enum.Marshal(assumptionNames, a) }

// UnmarshalText reads the name of an assumption.
func (a *Assumption) UnmarshalText(text []byte) error {
	return enum.Unmarshal(assumptionNames, a, text, "assumption")
}

// meant are programs as they may be read under what o assumes, which is compared with
// what takes their place. The promises that make a difference are noted in res.
func (o *Options) meant(res *Result, programs []*d3d9.Program) []*d3d9.Program {
	list := slices.Clone(programs)
	for _, a := range o.Assume {
		for i, p := range list {
			if a == OneLevel && p.Model.Stage == d3d9.Pixel {
				list[i] = withoutLevels(p)
			}
			if list[i] != p && !slices.Contains(res.Promises, a) {
				res.Promises = append(res.Promises, a)
			}
		}
	}
	return list
}

// withoutLevels is p with textures read at the level that there is, but for reads on some
// paths only, which must not ask for derivatives.
func withoutLevels(p *d3d9.Program) *d3d9.Program {
	q := p
	open := 0
	for i := range p.Insts {
		switch op := p.Insts[i].Op; op {
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			open++
		case d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			open--
		case d3d9.OpLabel: // of what is called from anywhere
			open++
		}
		if open > 0 {
			continue
		}
		switch p.Insts[i].Op {
		case d3d9.OpTexldl, d3d9.OpTexldb, d3d9.OpTexldd:
			if q == p {
				c := *p
				c.Insts = append([]d3d9.Inst{}, p.Insts...)
				q = &c
			}
			in := &q.Insts[i]
			in.Op, in.NSrc, in.Text, in.Raw = d3d9.OpTexld, 2, "", nil
			in.Src[2], in.Src[3] = d3d9.Src{}, d3d9.Src{}
		}
	}
	return q
}
