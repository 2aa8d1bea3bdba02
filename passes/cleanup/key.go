package cleanup

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// maxLanes is the largest number of source lanes and states that one result lane may depend on: a fetch with
// four operands.
const maxLanes = 16

// maxStates is the largest number of memories that a comparable load may depend on.
const maxStates = maxLanes - 4

// key identifies the value of one lane of an instruction, in terms of value numbers. Equal keys mean equal
// values wherever both are computed. It is a plain comparable struct, since hashing it dominates the cost:
// head packs op, modifiers, condition, lane, resource and base.
type key struct {
	head uint64
	more uint64           // fields of fetches and memory ops
	args [maxLanes]uint32 // number and modifiers of each source lane, 0 for none; then the states
}

// Bits of key.head that find changes.
const (
	halfBit = 1 << 8
	satBit  = 1 << 9
)

// keyOf returns the key of lane of in. The value of a memory op depends on the states it reads.
func (g *numbering) keyOf(in *ir.Instr, lane int) key {
	tag := uint64(lane)
	if in.Op.HasFormula() && in.Op.Info().Shape != ir.Positional {
		tag = 7 // every lane is the same function of its operands
	}
	k := key{head: uint64(in.Op) | uint64(in.Cond)<<10 | tag<<14 | uint64(in.Res.Unit)<<18 | uint64(in.Res.Dim)<<26 |
		uint64(in.Base.File)<<30 | uint64(in.Base.Index)<<38}
	k.more = uint64(in.Imm) | uint64(in.Res.Sampler)<<32
	for i, o := range in.Res.Offset {
		k.more |= uint64(uint8(o)) << (40 + 8*i)
	}
	// A derivative is equal to another one only in the same region, where the same neighbours are active.
	if in.Op.Has(ir.Convergent) {
		k.head |= g.current << 38 // these read no address, so have no base
	}
	if in.Mods&ir.Half != 0 {
		k.head |= halfBit
	}
	if in.Mods&ir.Sat != 0 {
		k.head |= satBit
	}
	n := 0
	var ends [3]int
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i, l := range in.Src[s] {
			if reads>>i&1 != 0 {
				k.args[n] = g.number(l).packNumber()
				n++
			}
		}
		ends[min(s, 2)] = n
	}
	for _, v := range in.Args {
		k.args[n] = g.number(ir.Lane{V: v}).packNumber()
		n++
	}
	// Commuting sources in canonical order.
	if a, b := k.args[:ends[0]], k.args[ends[0]:max(ends[0], ends[1])]; in.Op.Has(ir.Commutes) &&
		slices.Compare(a, b) > 0 {
		for i := range a { // both sources of such ops read equally many lanes
			a[i], b[i] = b[i], a[i]
		}
	}
	return k
}

// number is the representative of all values that are known to be equal, with modifiers.
type number ir.Lane

func (n number) packNumber() uint32 { return uint32(n.V.ID+1)<<3 | uint32(n.Mod) }

// number returns the number of a lane that an operand reads.
func (g *numbering) number(l ir.Lane) number {
	n := g.numberOf(l.V)
	return number{n.V, n.Mod.ComposeWith(l.Mod)}
}

func (g *numbering) numberOf(v *ir.Value) number {
	if n := g.numbers[v.ID]; n.V != nil {
		return n
	}
	if v.Kind == ir.Literal { // independent of its home
		if first := g.literals[v.Bits]; first != nil {
			v = first
		} else {
			g.literals[v.Bits] = v
		}
	}
	return number{V: v}
}

// setNumber sets the number of v to n.
func (g *numbering) setNumber(v *ir.Value, n number) { g.numbers[v.ID] = n }
