package ir

import "github.com/shaderlift/shaderlift/asm"

// Mods is a set of instruction modifiers.
type Mods uint8

// The modifiers.
const (
	Sat  Mods = 1 << iota // clamp the result to 0..1
	Half                  // partial precision is enough (_pp): dropping it is always right, adding it never
)

// Cond is the comparison of a conditional op.
type Cond uint8

// The comparisons.
const (
	CondNone Cond = iota // the operand is a boolean itself
	CondGT
	CondEQ
	CondGE
	CondLT
	CondNE
	CondLE
)

// Resource names what a fetch reads: the unit it is bound to and its dimension, and
// where the dialect tells them apart the sampler, the offset of the coordinates in half
// texels, and what they count.
type Resource struct {
	Unit    uint8
	Dim     Dim
	Sampler uint8
	Offset  [3]int8
	Unnorm  bool // coordinates count texels
}

// Dim is the shape of a texture.
type Dim uint8

// The shapes.
const (
	DimNone Dim = iota
	Dim1D
	Dim2D
	DimCube
	DimVolume
	DimBuffer
	Dim1DArray
	Dim2DArray
	DimCubeArray
)

// Coords is the number of coordinates that address a texture of shape d.
func (d Dim) Coords() int {
	switch d {
	case Dim1D, DimBuffer:
		return 1
	case Dim2D, Dim1DArray:
		return 2
	case DimCubeArray:
		return 4
	}
	return 3
}

// Instr is one vector instruction, or one structured construct.
type Instr struct {
	Op   Op
	Mods Mods
	Cond Cond      // of OpIf, OpBreak and OpSetp
	Res  Resource  // of a fetch
	Base Reg       // of OpLoad: the register that offset 0 names (Comp unused); of a memory op the space
	Imm  uint32    // a number that op and dialect give a meaning: an offset, the kind of a memory access
	Out  [4]*Value // nil: lane not written
	Src  []Operand

	// Pred, if its lanes are set, makes the write conditional: where lane i of Pred
	// is false, Out[i] is Keep[i].
	Pred Operand
	Keep [4]*Value

	Sub     []*Region // of OpIf (then, else) and OpLoop (body)
	Args    []*Value  // of OpLoop: initial values of the body's parameters; of OpBreak: what the loop's results become; of a memory op: the states it reads
	Results []*Value  // of OpIf and OpLoop: what the construct defines; of a memory op: the states it leaves

	// Precise marks what feeds an output that must stay the same term (positions):
	// only rewrites of class Terms may touch it.
	Precise bool
	// Orig is the index of the concrete statement it came from, -1 for none.
	Orig int32
	Pos  asm.Pos
}

// Region is a block of code with block parameters.
type Region struct {
	Params []*Value
	// Index is the counter of a counting loop (aL), nil in other regions.
	Index   *Value
	Code    []*Instr
	Results []*Value // what the region hands to the construct that owns it
}

// Mask is the set of written lanes, bit i for lane i.
func (in *Instr) Mask() (m uint8) {
	for i, v := range in.Out {
		if v != nil {
			m |= 1 << i
		}
	}
	return m
}

// IsPredicated reports whether the write is conditional.
func (in *Instr) IsPredicated() bool {
	for _, l := range in.Pred {
		if l.V != nil {
			return true
		}
	}
	return false
}

// EachUse calls f with every lane that in itself reads: sources, predicate and,
// as plain lanes, kept values and arguments. Regions are not entered, but their
// results are read by the owner, so they are part of its uses. What f stores
// into the lane is written back; the modifiers of the last three cannot change.
func (in *Instr) EachUse(f func(l *Lane)) {
	for s := range in.Src {
		for i := range in.Src[s] {
			if l := &in.Src[s][i]; l.V != nil {
				f(l)
			}
		}
	}
	for i := range in.Pred {
		if l := &in.Pred[i]; l.V != nil {
			f(l)
		}
	}
	var l *Lane
	plain := func(vs []*Value) {
		for i, v := range vs {
			if v != nil {
				if l == nil {
					l = new(Lane)
				}
				*l = Lane{V: v}
				f(l)
				vs[i] = l.V
			}
		}
	}
	plain(in.Keep[:])
	plain(in.Args)
	for _, r := range in.Sub {
		plain(r.Results)
	}
}

// EachDef calls f for every value that in defines: written lanes and results of
// a construct (not the parameters of its regions).
func (in *Instr) EachDef(f func(v *Value)) {
	for _, v := range in.Out {
		if v != nil {
			f(v)
		}
	}
	for _, v := range in.Results {
		if v != nil {
			f(v)
		}
	}
}
