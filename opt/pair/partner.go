package pair

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/vsps"
)

// SpecializeForVertex rewrites f, lifted from the pixel program of a pair whose vertex program does not
// change. A literal output of the vertex program replaces the input, because interpolating equal values
// gives that value over real numbers. Among inputs with the same value only the first is read. Only
// linear interpolation qualifies: flat or clamped inputs do not keep values. It returns warnings of inputs
// that the vertex program does not write.
func SpecializeForVertex(class passes.Class, pair []*d3d9.Program, f *ir.Func) (unwritten []string) {
	link, err := vsps.Link(pair[0], pair[1])
	if err != nil {
		return nil
	}
	vertex, err := settled(pair[0])
	if err != nil {
		return nil // nothing is known about it
	}
	// The registers that the pixel program reads, to warn of unwritten ones.
	reads := map[ir.Reg]bool{}
	f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { reads[l.V.Home] = reads[l.V.Home] || l.V.Kind == ir.Input })
	})
	to := map[*ir.Value]ir.Lane{}
	first := map[handed]ir.Reg{}
	for _, l := range link.Links {
		if !l.Linear || l.Shared || l.Out.File == ir.File(d3d9.NoFile) {
			continue
		}
		for comp := range uint8(4) {
			in, out := l.In, l.Out
			in.Comp, out.Comp = comp, comp
			v := vertex.OutputValue(out)
			same := handed{v, l.Half}
			old, again := first[same]
			// Value numbering has merged equal values (see settled), so values are equal if they are
			// identical.
			switch {
			case v == nil && reads[in]:
				unwritten = append(unwritten, fmt.Sprintf("the pixel program reads %s.%c, which the vertex program does not write",
					ir.RegisterName(f.Dialect, in), "xyzw"[comp]))
			case v == nil:
			case v.Kind == ir.Literal && class >= passes.Real && !l.Half:
				to[f.Leaf(ir.Input, in)] = ir.Lane{V: f.Const(v.Bits)}
			case again:
				to[f.Leaf(ir.Input, in)] = ir.Lane{V: f.Leaf(ir.Input, old)}
			default:
				first[same] = in
			}
		}
	}
	f.Replace(to)
	return unwritten
}

// handed is an interpolated value, at half precision or not. Equal ones give equal inputs.
type handed struct {
	value *ir.Value
	half  bool
}

// settled returns a lifted program in which equal values are merged and numbers are literals.
func settled(p *d3d9.Program) (*ir.Func, error) {
	f, err := vsps.Lift(p)
	if err != nil {
		return nil, err
	}
	pipeline, err := passes.Parse("fold,copyprop{mixed=true},leafprop,gvn,fold", slices.Clone(suite.Passes))
	if err != nil {
		return nil, err
	}
	u := &passes.Unit{Name: "partner", Vertex: f}
	_, err = passes.Run(u, pipeline, passes.Config{Numerics: passes.Terms})
	return u.Vertex, err
}
