package coarsen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
)

// refusal is why a kernel is left alone.
type refusal struct {
	pos  asm.Pos
	code asm.Code
	why  string
}

// refused says why the kernel cannot be coarsened, nil if it can.
func (k *copier) refused() (r *refusal) {
	fail := func(in *ir.Instr, code asm.Code, format string, args ...any) {
		if r == nil {
			r = &refusal{code: code, why: fmt.Sprintf(format, args...)}
			if in != nil {
				r.pos = in.Pos
			}
		}
	}
	// One walk collects the reasons and, on the way, what run needs: the tables, whether the kernel
	// stores, which coordinates it reads. The first reason is the one reported.
	k.tables = map[*ir.Instr]divergence{}
	launch, reads, moved, loads := k.f.Dialect.Launch(), [2]bool{}, false, false
	k.f.Walk(func(in *ir.Instr) {
		// Inputs: position only. An interpolated input would have to be evaluated at other
		// positions.
		in.EachUse(func(l *ir.Lane) {
			if l.V.Kind != ir.Input || k.isState(l.V.Home) {
				return
			}
			axis := k.axis(l.V)
			if axis < 0 {
				fail(in, "position", "it depends on %s, which does not follow from where it is", k.f.Dialect.RegName(l.V.Home))
				return
			}
			reads[axis] = true
			moved = moved || k.moves(axis) != 0
		})
		switch {
		case in.Op == ir.OpKill || in.Op == ir.OpDiscard:
			fail(in, "discards", "an invocation may be discarded, and the others of its tile not")
		case in.Op == ir.OpFence || in.Op == ir.OpMemAtomic:
			fail(in, "synchronized", "%v is about what other invocations do", in.Op)
		case in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore:
			if !launch.Everywhere(in.Args[0].Home) {
				fail(in, "memory", "it keeps arrays, or shares local memory")
			}
			k.stores, loads = k.stores || in.Op == ir.OpMemStore, loads || in.Op == ir.OpMemLoad
		case in.Op.Has(ir.IsFetch):
			if in.Op.Has(ir.Convergent) && !in.Res.Unnorm {
				fail(in, "convergent", "how far coordinates are from those of neighbours decides what is fetched")
			}
			if more, ok := k.table(in); ok {
				if in.Op != ir.OpFetch || in.Res.Dim.Coords() != 1 || k.positionOf(in.Src[0][0]) == nil {
					fail(in, "table", "resource %d is not fetched at the position across", in.Res.Unit)
				}
				k.tables[in] = more
				moved = moved || more != 0
			}
		case in.Op.Has(ir.Convergent):
			fail(in, "convergent", "it takes differences between neighbours")
		}
	})
	// Outputs of all invocations follow each other in o0 to o7.
	most, first := 0, map[uint16]bool{} // outputs, and those with a first component
	for _, o := range k.f.Outs {
		switch n := launch.Exports(o.Reg.File); {
		case k.isState(o.Reg):
		case n == 1:
			fail(nil, "outputs", "there is one %s", k.f.Dialect.RegName(o.Reg))
		default:
			k.outputs, most = max(k.outputs, int(o.Reg.Index)+1), n
			first[o.Reg.Index] = first[o.Reg.Index] || o.Reg.Comp == 0
		}
	}
	switch n := k.outputs * k.t.Count() / max(k.t.Outputs, 1); {
	case k.t.Outputs > 0 && len(first) == 0:
		fail(nil, "outputs", "it has no outputs to pack")
	case k.t.Outputs > 0 && slices.Contains(slices.Collect(maps.Values(first)), false):
		fail(nil, "outputs", "an output without a first component cannot be packed")
	case n > most:
		fail(nil, "outputs", "a tile of %d invocations takes %d outputs, and there are %d", k.t.Count(), n, most)
	case k.stores && loads && k.t.Repeats():
		fail(nil, "memory", "it reads memory that it stores to, so that the last invocation cannot be done twice")
	case !moved:
		fail(nil, "position", "nothing depends on where in the tile it is")
	case !k.t.Tabled() && (k.t.X > 1 && !reads[0] || k.t.Y > 1 && !reads[1]):
		fail(nil, "position", "it does not read one of the coordinates")
	}
	return r
}

// table reports whether in fetches from a table, and what then decides what it fetches: nothing if
// the tile is one wide in that direction.
func (k *copier) table(in *ir.Instr) (by divergence, ok bool) {
	for n := range k.t.Count() {
		more, table := k.t.Table(int(in.Res.Unit), n)
		if !table {
			return 0, false
		}
		ok = true
		if more > 0 {
			if int(in.Res.Unit)+1 == k.t.XTable {
				by = across
			} else {
				by = down
			}
		}
	}
	return by, ok
}

// serialized is a construct that does not run for all invocations of a tile at a time.
func (k *copier) serialized() (found *ir.Instr) {
	k.f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLoop && found == nil && (k.exits[in] != 0 || k.touchesStored(in)) {
			found = in
		}
	})
	return found
}

// hint names what look like tables where nothing is shared.
func (k *copier) hint() string {
	if k.t.Tabled() || len(k.lists) == 0 {
		return ""
	}
	slices.Sort(k.lists)
	return fmt.Sprintf("; resources %v are fetched at the position alone: if they hold coordinates, x-table and y-table coarsen by those", slices.Compact(k.lists))
}
