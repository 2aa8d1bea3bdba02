package coarsen

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// checker looks for the first reason why a kernel is not coarsened.
type checker struct {
	*copier
	launch ir.Launch
	why    *passes.Refusal
	// reads are the coordinates that the kernel reads. moved: a value depends on the position in the tile.
	reads        [2]bool
	moved, loads bool
}

// fail records a reason. in may be nil.
func (k *checker) fail(in *ir.Instr, code asm.Code, format string, args ...any) {
	if k.why != nil {
		return
	}
	k.why = &passes.Refusal{Code: code, Why: fmt.Sprintf(format, args...)}
	if in != nil {
		k.why.Pos = in.Pos
	}
}

// refused returns the reason why the kernel cannot be coarsened, or nil if it can. Its walk also collects the data that
// run needs: the tables, and whether the kernel stores.
func (c *copier) refused() *passes.Refusal {
	k := &checker{copier: c, launch: c.f.Dialect.Launch()}
	k.tables = map[*ir.Instr]divergence{}
	k.f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { k.use(in, l.V) })
		k.instr(in)
	})
	if n := k.f.Threads; k.t.Group != 0 && (n[0] == 0 || n[1] != 1 || n[2] != 1 || int(n[0])%k.t.X != 0) {
		k.fail(nil, "tile", "a group must be a row of a declared number of invocations, a multiple of %d", k.t.X)
	}
	k.whole()
	return k.why
}

// use checks a value that in reads. The only inputs allowed are positions: an interpolated input would need evaluation
// at other positions.
func (k *checker) use(in *ir.Instr, v *ir.Value) {
	if v.Kind != ir.Input || k.isState(v.Home) || k.t.Group != 0 && k.launch.Alike(v.Home) {
		return
	}
	name, axis := k.f.Dialect.RegName(v.Home), k.axisOf(v)
	_, pixel := k.launch.Coordinate(v.Home)
	_, _, member := k.launch.Member(v.Home)
	switch {
	case k.t.Group != 0 && pixel:
		k.fail(in, "tile", "it reads %s, but group and adjacent need kernels with work groups", name)
	case axis < 0 && member:
		k.fail(in, "position", "it depends on %s, the number in a work group (group=N merges invocations of a group)", name)
	case axis < 0:
		k.fail(in, "position", "it depends on %s, which does not follow from the position", name)
	default:
		k.reads[axis] = true
		k.moved = k.moved || k.moves(axis) != 0
	}
}

// instr checks an instruction.
func (k *checker) instr(in *ir.Instr) {
	switch {
	case in.Op == ir.OpKill || in.Op == ir.OpDiscard:
		k.fail(in, "discards", "one invocation of a tile may be discarded without the others")
	case in.Op == ir.OpFence && k.t.Group != 0 && k.launch.Waits(in) && slices.Contains(k.f.Body.Code, in):
	case in.Op == ir.OpFence || in.Op == ir.OpMemAtomic:
		k.fail(in, "synchronized", "%v depends on other invocations", in.Op)
	case in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore:
		if home := in.Args[0].Home; !k.launch.Everywhere(home) && !(k.t.Group != 0 && k.launch.Grouped(home)) {
			k.fail(in, "memory", "it has arrays or local memory")
		}
		k.stores, k.loads = k.stores || in.Op == ir.OpMemStore, k.loads || in.Op == ir.OpMemLoad
	case in.Op.Has(ir.IsFetch):
		if in.Op.Has(ir.Convergent) && !in.Res.Unnorm {
			k.fail(in, "convergent", "the fetched level depends on the coordinates of neighbours")
		}
		if more, ok := k.table(in); ok {
			if in.Op != ir.OpFetch || in.Res.Dim.Coords() != 1 || k.positionOf(in.Src[0][0]) == nil {
				k.fail(in, "table", "resource %d is not fetched at the position across", in.Res.Unit)
			}
			k.tables[in] = more
			k.moved = k.moved || more != 0
		}
	case in.Op.Has(ir.Convergent):
		k.fail(in, "convergent", "it computes differences between neighbours")
	}
}

// whole checks the outputs and the kernel as a whole. The outputs of all invocations are consecutive in o0 to o7.
func (k *checker) whole() {
	most, first := 0, map[uint16]bool{} // most outputs allowed; outputs with a first component
	for _, o := range k.f.Outs {
		switch n := k.launch.Exports(o.Reg.File); {
		case k.isState(o.Reg):
		case n == 1:
			k.fail(nil, "outputs", "%s exists only once", k.f.Dialect.RegName(o.Reg))
		default:
			k.outputs, most = max(k.outputs, int(o.Reg.Index)+1), n
			first[o.Reg.Index] = first[o.Reg.Index] || o.Reg.Comp == 0
		}
	}
	if k.t.Stored && (k.stores || k.loads) {
		k.fail(nil, "memory", "it accesses memory, which its stored outputs might overlap")
	}
	if k.t.Stored {
		most = math.MaxInt
	}
	switch n := k.outputs * k.t.Count() / max(k.t.Outputs, 1); {
	case k.t.Outputs > 0 && len(first) == 0:
		k.fail(nil, "outputs", "it has no outputs to pack")
	case k.t.Outputs > 0 && slices.Contains(slices.Collect(maps.Values(first)), false):
		k.fail(nil, "outputs", "an output without a first component cannot be packed")
	case n > most:
		k.fail(nil, "outputs", "a tile of %d invocations needs %d outputs, but only %d exist (stored=1 stores them to g[])",
			k.t.Count(), n, most)
	case k.stores && k.loads && k.t.Repeats():
		k.fail(nil, "memory", "it reads memory that it stores to, so the last invocation cannot run twice")
	case !k.moved:
		k.fail(nil, "position", "nothing depends on the position in the tile")
	case !k.t.Tabled() && (k.t.X > 1 && !k.reads[0] || k.t.Y > 1 && !k.reads[1]):
		k.fail(nil, "position", "it does not read one of the coordinates")
	}
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
	return fmt.Sprintf("; resources %v are fetched only at the position: if they hold coordinates, give them as x-table "+
		"and y-table", slices.Compact(k.lists))
}
