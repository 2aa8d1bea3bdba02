package coarsen

import "github.com/shaderlift/shaderlift/ir"

// divergence is the set of coordinates within a tile that a value depends on. It is the lattice of
// a divergence analysis (Coutinho and others, "Divergence analysis and optimizations", PACT 2011)
// with two bits in place of one.
type divergence uint8

const (
	// across is the index within a row of the tile.
	across divergence = 1 << iota
	// down is the row.
	down
)

// analyzeDivergence computes the divergence of each value from data dependences and from the
// conditions of the branches and loops that yield it. It is an optimistic fixed point: nothing
// diverges at first, and bits are added until no rule adds one. It terminates because each value
// takes at most two bits.
func (k *copier) analyzeDivergence() {
	k.varies = make([]divergence, k.f.NumValues())
	k.exits = map[*ir.Instr]divergence{}
	for changed := true; changed; {
		changed = false
		// raise adds coordinates to the divergence of v.
		raise := func(v *ir.Value, by divergence) {
			if by&^k.varies[v.ID] != 0 {
				k.varies[v.ID] |= by
				changed = true
			}
		}
		// path is the divergence of the execution condition within the innermost loop.
		var region func(r *ir.Region, loop *ir.Instr, path divergence)
		region = func(r *ir.Region, loop *ir.Instr, path divergence) {
			for _, in := range r.Code {
				switch in.Op {
				case ir.OpIf:
					cond := k.readDivergence(in, 0b1111)
					for _, sub := range in.Sub {
						region(sub, loop, path|cond)
						for i, v := range in.Results {
							raise(v, cond|k.divergenceOf(sub.Results[i]))
						}
					}
				case ir.OpLoop:
					body := in.Sub[0]
					// Inside the loop the path is uniform again: invocations with different trip
					// counts get separate copies.
					region(body, in, 0)
					for i, p := range body.Params {
						by := k.divergenceOf(in.Args[i]) | k.divergenceOf(body.Results[i])
						raise(p, by)
						raise(in.Results[i], by|k.exits[in])
					}
				case ir.OpBreak:
					// A divergent break makes the trip count diverge.
					by := path | k.readDivergence(in, 0b1111)
					if by&^k.exits[loop] != 0 {
						k.exits[loop] |= by
						changed = true
					}
					for i, v := range in.Args {
						raise(loop.Results[i], k.divergenceOf(v))
					}
				default:
					for i, v := range in.Out {
						if v != nil {
							raise(v, k.laneDivergence(in, i))
						}
					}
				}
			}
		}
		region(k.f.Body, nil, 0)
	}
}

// divergenceOf returns the divergence of v. Memory states are excluded.
func (k *copier) divergenceOf(v *ir.Value) divergence {
	switch v.Kind {
	case ir.Input:
		if axis := k.axisOf(v); axis >= 0 {
			return k.moves(axis)
		}
		return 0
	case ir.Literal, ir.Uniform, ir.Undef:
		return 0
	}
	return k.varies[v.ID]
}

// axisOf returns the axis along which the input v counts invocations, or -1 for another value.
func (k *copier) axisOf(v *ir.Value) int {
	if v.Kind != ir.Input {
		return -1
	}
	if k.t.Group != 0 {
		if _, _, ok := k.f.Dialect.Launch().Member(v.Home); ok {
			return 0
		}
		return -1
	}
	axis, _ := k.f.Dialect.Launch().Coordinate(v.Home)
	return axis
}

// isState reports whether r is the home of the state of a memory.
func (k *copier) isState(r ir.Reg) bool { return k.f.Dialect.FileRole(r.File) == ir.RoleState }

// moves returns the tile coordinates that decide an invocation's position along an axis.
func (k *copier) moves(axis int) (by divergence) {
	for n := range k.t.Count() {
		if k.t.Offset(n)[axis] == 0 {
			continue
		}
		if i, _ := k.t.PositionOf(n); i > 0 {
			by |= across
		}
		if _, j := k.t.PositionOf(n); j > 0 {
			by |= down
		}
	}
	if !k.t.Tabled() { // without tables each component depends on one coordinate
		by &= [...]divergence{across, down}[axis]
	}
	return by
}

// laneDivergence returns the divergence of one lane that in computes.
func (k *copier) laneDivergence(in *ir.Instr, i int) divergence {
	if more, ok := k.tables[in]; ok {
		return more
	}
	if in.Op.HasFormula() {
		return k.readDivergence(in, 1<<i)
	}
	if k.own[in] {
		return across | down
	}
	return k.readDivergence(in, in.Mask())
}

// readDivergence returns the divergence of the operand lanes that in reads for its lanes in mask. Without a
// formula all operand lanes count.
func (k *copier) readDivergence(in *ir.Instr, mask uint8) (by divergence) {
	for s := range in.Src {
		reads := uint8(0b1111)
		if in.Op.HasFormula() {
			reads = in.ReadsFor(s, mask)
		}
		for i, l := range in.Src[s] {
			if l.V != nil && reads>>i&1 != 0 {
				by |= k.divergenceOf(l.V)
			}
		}
	}
	return by
}
