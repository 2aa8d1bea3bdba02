package coarsen

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
)

// refusal is the reason why a kernel is not coarsened.
type refusal struct {
	pos  asm.Pos
	code asm.Code
	why  string
}

// refused returns the reason why the kernel cannot be coarsened, or nil if it can.
func (k *copier) refused() (r *refusal) {
	fail := func(in *ir.Instr, code asm.Code, format string, args ...any) {
		if r == nil {
			r = &refusal{code: code, why: fmt.Sprintf(format, args...)}
			if in != nil {
				r.pos = in.Pos
			}
		}
	}
	// One walk collects the reasons and the data that run needs: the tables, the coordinates that
	// are read, and whether the kernel stores. Only the first reason is reported.
	k.tables = map[*ir.Instr]divergence{}
	launch, reads, moved, loads := k.f.Dialect.Launch(), [2]bool{}, false, false
	k.f.Walk(func(in *ir.Instr) {
		// The only inputs allowed are positions. An interpolated input would need evaluation at
		// other positions.
		in.EachUse(func(l *ir.Lane) {
			if l.V.Kind != ir.Input || k.isState(l.V.Home) {
				return
			}
			axis := k.axisOf(l.V)
			if k.t.Group != 0 && launch.Alike(l.V.Home) {
				return
			}
			if _, pixel := launch.Coordinate(l.V.Home); k.t.Group != 0 && pixel {
				fail(in, "tile", "it reads %s, but group and adjacent need kernels with work groups", k.f.Dialect.RegName(l.V.Home))
				return
			}
			if _, _, ok := launch.Member(l.V.Home); ok && axis < 0 {
				fail(in, "position", "it depends on %s, the number in a work group (group=N merges invocations of a group)",
					k.f.Dialect.RegName(l.V.Home))
				return
			}
			if axis < 0 {
				fail(in, "position", "it depends on %s, which does not follow from the position", k.f.Dialect.RegName(l.V.Home))
				return
			}
			reads[axis] = true
			moved = moved || k.moves(axis) != 0
		})
		switch {
		case in.Op == ir.OpKill || in.Op == ir.OpDiscard:
			fail(in, "discards", "one invocation of a tile may be discarded without the others")
		case in.Op == ir.OpFence && k.t.Group != 0 && launch.Waits(in) && slices.Contains(k.f.Body.Code, in):
		case in.Op == ir.OpFence || in.Op == ir.OpMemAtomic:
			fail(in, "synchronized", "%v depends on other invocations", in.Op)
		case in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore:
			if home := in.Args[0].Home; !launch.Everywhere(home) && !(k.t.Group != 0 && launch.Grouped(home)) {
				fail(in, "memory", "it has arrays or local memory")
			}
			k.stores, loads = k.stores || in.Op == ir.OpMemStore, loads || in.Op == ir.OpMemLoad
		case in.Op.Has(ir.IsFetch):
			if in.Op.Has(ir.Convergent) && !in.Res.Unnorm {
				fail(in, "convergent", "the fetched level depends on the coordinates of neighbours")
			}
			if more, ok := k.table(in); ok {
				if in.Op != ir.OpFetch || in.Res.Dim.Coords() != 1 || k.positionOf(in.Src[0][0]) == nil {
					fail(in, "table", "resource %d is not fetched at the position across", in.Res.Unit)
				}
				k.tables[in] = more
				moved = moved || more != 0
			}
		case in.Op.Has(ir.Convergent):
			fail(in, "convergent", "it computes differences between neighbours")
		}
	})
	if n := k.f.Threads; k.t.Group != 0 && (n[0] == 0 || n[1] != 1 || n[2] != 1 || int(n[0])%k.t.X != 0) {
		fail(nil, "tile", "a group must be a row of a declared number of invocations, a multiple of %d", k.t.X)
	}
	// The outputs of all invocations are consecutive in o0 to o7.
	most, first := 0, map[uint16]bool{} // most outputs allowed; outputs with a first component
	for _, o := range k.f.Outs {
		switch n := launch.Exports(o.Reg.File); {
		case k.isState(o.Reg):
		case n == 1:
			fail(nil, "outputs", "%s exists only once", k.f.Dialect.RegName(o.Reg))
		default:
			k.outputs, most = max(k.outputs, int(o.Reg.Index)+1), n
			first[o.Reg.Index] = first[o.Reg.Index] || o.Reg.Comp == 0
		}
	}
	if k.t.Stored && (k.stores || loads) {
		fail(nil, "memory", "it accesses memory, which its stored outputs might overlap")
	}
	if k.t.Stored {
		most = math.MaxInt
	}
	switch n := k.outputs * k.t.Count() / max(k.t.Outputs, 1); {
	case k.t.Outputs > 0 && len(first) == 0:
		fail(nil, "outputs", "it has no outputs to pack")
	case k.t.Outputs > 0 && slices.Contains(slices.Collect(maps.Values(first)), false):
		fail(nil, "outputs", "an output without a first component cannot be packed")
	case n > most:
		fail(nil, "outputs", "a tile of %d invocations needs %d outputs, but only %d exist (stored=1 stores them to g[])",
			k.t.Count(), n, most)
	case k.stores && loads && k.t.Repeats():
		fail(nil, "memory", "it reads memory that it stores to, so the last invocation cannot run twice")
	case !moved:
		fail(nil, "position", "nothing depends on the position in the tile")
	case !k.t.Tabled() && (k.t.X > 1 && !reads[0] || k.t.Y > 1 && !reads[1]):
		fail(nil, "position", "it does not read one of the coordinates")
	}
	return r
}

// table reports whether in fetches from a table, and the divergence of its result. The result is
// uniform if the tile has width one in that direction.
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

// serialized returns a construct that cannot run in lockstep for all invocations of a tile, or nil.
func (k *copier) serialized() (found *ir.Instr) {
	k.f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLoop && found == nil && (k.exits[in] != 0 || k.touchesStored(in)) {
			found = in
		}
	})
	return found
}

// tableHint returns a note that names the resources that look like tables, for kernels without sharing.
func (k *copier) tableHint() string {
	if k.t.Tabled() || len(k.lists) == 0 {
		return ""
	}
	slices.Sort(k.lists)
	return fmt.Sprintf("; resources %v are fetched only at the position: if they hold coordinates, give them as x-table and y-table", slices.Compact(k.lists))
}
