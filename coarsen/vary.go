package coarsen

import "github.com/shaderlift/shaderlift/ir"

// divergence is the set of coordinates within a tile that a value depends on. It is the lattice of a
// divergence analysis (Coutinho and others, "Divergence analysis and optimizations", PACT 2011)
// with two bits in place of one.
type divergence uint8

const (
	// across is the number within a row of the tile.
	across divergence = 1 << iota
	// down is the row.
	down
)

// analyzeDivergence finds out what decides each value: data dependences, and the conditions under which a branch
// hands a value over or a loop ends. It is an optimistic fixed point: nothing varies at first, and
// bits are added until no rule adds one. Each value takes at most two, so it ends.
func (k *copier) analyzeDivergence() {
	k.varies = make([]divergence, k.f.NumValues())
	k.exits = map[*ir.Instr]divergence{}
	for changed := true; changed; {
		changed = false
		// raise adds coordinates to what decides v.
		raise := func(v *ir.Value, by divergence) {
			if by&^k.varies[v.ID] != 0 {
				k.varies[v.ID] |= by
				changed = true
			}
		}
		// path is what decides whether code runs at all, within the innermost loop.
		var region func(r *ir.Region, loop *ir.Instr, path divergence)
		region = func(r *ir.Region, loop *ir.Instr, path divergence) {
			for _, in := range r.Code {
				switch in.Op {
				case ir.OpIf:
					cond := k.read(in, 0b1111)
					for _, sub := range in.Sub {
						region(sub, loop, path|cond)
						for i, v := range in.Results {
							raise(v, cond|k.of(sub.Results[i]))
						}
					}
				case ir.OpLoop:
					body := in.Sub[0]
					// Within the loop the path starts anew: invocations that do not run it together
					// have copies of it.
					region(body, in, 0)
					for i, p := range body.Params {
						by := k.of(in.Args[i]) | k.of(body.Results[i])
						raise(p, by)
						raise(in.Results[i], by|k.exits[in])
					}
				case ir.OpBreak:
					// A break that some take and others do not ends the loop after different trips.
					by := path | k.read(in, 0b1111)
					if by&^k.exits[loop] != 0 {
						k.exits[loop] |= by
						changed = true
					}
					for i, v := range in.Args {
						raise(loop.Results[i], k.of(v))
					}
				default:
					for i, v := range in.Out {
						if v != nil {
							raise(v, k.lane(in, i))
						}
					}
				}
			}
		}
		region(k.f.Body, nil, 0)
	}
}

// of is what decides v, a state of memory apart.
func (k *copier) of(v *ir.Value) divergence {
	switch v.Kind {
	case ir.Input:
		if axis := k.axis(v); axis >= 0 {
			return k.moves(axis)
		}
		return 0
	case ir.Literal, ir.Uniform, ir.Undef:
		return 0
	}
	return k.varies[v.ID]
}

// axis is the one that a leaf counts invocations along, -1 for another value.
func (k *copier) axis(v *ir.Value) int {
	if v.Kind != ir.Input {
		return -1
	}
	axis, _ := k.f.Dialect.Launch().Coordinate(v.Home)
	return axis
}

// isState reports whether r is the home of the state of a memory.
func (k *copier) isState(r ir.Reg) bool { return k.f.Dialect.Role(r.File) == ir.RoleState }

// moves is which coordinates within a tile decide where its invocations are along an axis.
func (k *copier) moves(axis int) (by divergence) {
	for n := range k.t.Count() {
		if k.t.Offset(n)[axis] == 0 {
			continue
		}
		if i, _ := k.t.At(n); i > 0 {
			by |= across
		}
		if _, j := k.t.At(n); j > 0 {
			by |= down
		}
	}
	if !k.t.Tabled() { // then each component goes one way
		by &= [...]divergence{across, down}[axis]
	}
	return by
}

// lane is what decides one lane that in computes.
func (k *copier) lane(in *ir.Instr, i int) divergence {
	if more, ok := k.tables[in]; ok {
		return more
	}
	if in.Op.HasFormula() {
		return k.read(in, 1<<i)
	}
	return k.read(in, in.Mask())
}

// read is what decides the operands of in that its lanes in mask take. Without a formula all
// operands count.
func (k *copier) read(in *ir.Instr, mask uint8) (by divergence) {
	for s := range in.Src {
		reads := uint8(0b1111)
		if in.Op.HasFormula() {
			reads = in.ReadsFor(s, mask)
		}
		for i, l := range in.Src[s] {
			if l.V != nil && reads>>i&1 != 0 {
				by |= k.of(l.V)
			}
		}
	}
	return by
}
