package rounding

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// Range is the range of some external values, as given on the command line.
type Range struct {
	What string // as written
	Lo   float64
	Hi   float64

	any, texel bool
	stages     [2]bool
	file       d3d9.File
	usage      d3d9.Usage
	index      uint16
	mask       uint8
}

// ParseRange parses NAME=LO..HI or NAME=VALUE. NAME is all, texel (the contents of textures), a semantic
// such as texcoord1, or a constant register such as c5, vs:c5 or ps:c0.xy. Semantics are those of vertex
// inputs, or of pixel inputs if there is no vertex program.
func ParseRange(text string) (Range, error) {
	r := Range{mask: 0xf, stages: [2]bool{true, true}}
	name, bounds, ok := strings.Cut(text, "=")
	if !ok {
		return r, r.wrong(text, "want NAME=LO..HI")
	}
	r.What = strings.TrimSpace(name)
	lo, hi, two := strings.Cut(bounds, "..")
	if !two {
		hi = lo
	}
	var err, err2 error
	r.Lo, err = strconv.ParseFloat(strings.TrimSpace(lo), 64)
	r.Hi, err2 = strconv.ParseFloat(strings.TrimSpace(hi), 64)
	if err != nil || err2 != nil || !(r.Lo <= r.Hi) || math.Abs(r.Lo) > math.MaxFloat32 ||
		math.Abs(r.Hi) > math.MaxFloat32 {
		return r, r.wrong(text, "want two finite numbers, the smaller one first")
	}
	return r, r.parseName(text)
}

func (r *Range) wrong(text, why string) error {
	return asm.Errorf(asm.Pos{File: "<options>"}, "bad-box", "range %q: %s", text, why)
}

func (r *Range) parseName(text string) error {
	name := strings.ToLower(r.What)
	switch name {
	case "all":
		r.any = true
		return nil
	case "texel":
		r.texel = true
		return nil
	}
	if rest, ok := strings.CutPrefix(name, "vs:"); ok {
		name, r.stages = rest, [2]bool{true, false}
	} else if rest, ok := strings.CutPrefix(name, "ps:"); ok {
		name, r.stages = rest, [2]bool{false, true}
	}
	name, comps, some := strings.Cut(name, ".")
	if some {
		r.mask = 0
		for _, c := range comps {
			at := strings.IndexRune("xyzw", c)
			if at < 0 || r.mask>>at&1 != 0 {
				return r.wrong(text, "its components must have a form such as .xy")
			}
			r.mask |= 1 << at
		}
		if r.mask == 0 {
			return r.wrong(text, "its components must have a form such as .xy")
		}
	}
	word := strings.TrimRight(name, "0123456789")
	n := 0
	if digits := name[len(word):]; digits != "" {
		var err error
		if n, err = strconv.Atoi(digits); err != nil || n > math.MaxUint16 {
			return r.wrong(text, "unknown register")
		}
	}
	r.index = uint16(n)
	if word == "c" && len(name) > len(word) {
		r.file = d3d9.Const
		return nil
	}
	for u := range d3d9.Usage(16) {
		if u.String() == word {
			r.usage = u
			return nil
		}
	}
	return r.wrong(text, "unknown register or semantic")
}

// constant and input report whether r covers a component.
func (r *Range) constant(stage d3d9.Stage, reg ir.Reg) bool {
	return r.any || r.file == d3d9.Const && !r.texel && r.stages[stage] && r.index == reg.Index && r.mask>>reg.Comp&1 != 0
}

func (r *Range) input(u d3d9.Usage, index uint8, comp uint8) bool {
	return r.any || r.file == d3d9.NoFile && !r.texel && r.usage == u && r.index == uint16(index) && r.mask>>comp&1 != 0
}

// Rule is the source of a range of a box.
type Rule string

// The rules, strongest first.
const (
	ruleAsked   Rule = "as asked"
	ruleDefault Rule = "constant table defaults"
	ruleFormat  Rule = "vertex formats"
	ruleUnit    Rule = "-1..1"
)

// ruleOrder is the order of rules in reports.
var ruleOrder = [...]Rule{ruleAsked, ruleDefault, ruleFormat, ruleUnit}

// interval is a range of a box.
type interval struct {
	lo, hi float64
	whole  bool
	rule   Rule
}

// formatOf returns the usual range of vertex elements of a usage (D3DDECLTYPE). Colours and weights are
// normalised bytes, indices are bytes, and a position of three components has 1 as its fourth. This is an
// assumption: elements may be declared as floats.
func formatOf(u d3d9.Usage, comp uint8) interval {
	switch {
	case u == d3d9.UsageColor, u == d3d9.UsageBlendWeight:
		return interval{0, 1, false, ruleFormat}
	case u == d3d9.UsageBlendIndices:
		return interval{0, 255, true, ruleFormat}
	case (u == d3d9.UsagePosition || u == d3d9.UsagePositionT) && comp == 3:
		return interval{1, 1, true, ruleFormat}
	}
	return interval{-1, 1, false, ruleUnit}
}

// input returns the range of a component of an input.
func (b Box) input(u d3d9.Usage, index, comp uint8) interval {
	format := formatOf(u, comp)
	for i := len(b) - 1; i >= 0; i-- {
		if r := &b[i]; r.input(u, index, comp) {
			whole := format.whole && r.Lo == math.Trunc(r.Lo) && r.Hi == math.Trunc(r.Hi)
			return interval{r.Lo, r.Hi, whole, ruleAsked}
		}
	}
	return format
}

// constant returns the range of a component of a float constant. The box decides first. Next comes the
// default d of the constant table, with the range d/2 to 2d. The last resort is -1..1.
func (b Box) constant(stage d3d9.Stage, reg ir.Reg, table *d3d9.ConstantTable) interval {
	for i := len(b) - 1; i >= 0; i-- {
		if r := &b[i]; r.constant(stage, reg) {
			return interval{r.Lo, r.Hi, false, ruleAsked}
		}
	}
	if c := table.Lookup(d3d9.Reg{File: d3d9.Const, Index: reg.Index}); c != nil {
		if at := 4*(int(reg.Index)-c.Index) + int(reg.Comp); at < len(c.Default) {
			d := float64(math.Float32frombits(c.Default[at]))
			if lo, hi := min(d/2, 2*d), max(d/2, 2*d); d != 0 && !math.IsInf(2*d, 0) && !math.IsNaN(d) {
				return interval{lo, hi, false, ruleDefault}
			}
		}
	}
	return interval{-1, 1, false, ruleUnit}
}

// texel returns the range of the contents of textures.
func (b Box) texel() (lo, hi float64) {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i].texel {
			return b[i].Lo, b[i].Hi
		}
	}
	return 0, 1
}

// Box is a list of ranges of external values; a later range overrides an earlier one. Other values have
// ranges from the defaults of constant tables and the usual formats of vertex elements, or else -1..1.
// Textures hold 0..1.
type Box []Range

// String formats the box as the command accepts it.
func (b Box) String() string {
	var list []string
	for _, r := range b {
		list = append(list, fmt.Sprintf("%s=%g..%g", r.What, r.Lo, r.Hi))
	}
	return strings.Join(list, " ")
}

// appliedRules returns the rules that were applied, in the order of ruleOrder.
func appliedRules(rules map[Rule]bool) []Rule {
	return slices.DeleteFunc(slices.Clone(ruleOrder[:]), func(r Rule) bool { return !rules[r] })
}
