package ir

import "github.com/shaderlift/shaderlift/asm"

// Mods is a set of result modifiers, applied to every written lane after the formula.
type Mods uint8

// The modifiers.
const (
	Sat  Mods = 1 << iota // clamp the result to 0..1
	Half                  // partial precision is enough (_pp): dropping it is always right, adding it never
)

// Cond is the comparison of a conditional op. The numbers 1 to 6 are those of the
// comparison field in Direct3D 9 instruction tokens (D3DSPC_GT to D3DSPC_LE).
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

// Resource names what a fetch reads. Two fetches with equal Resource and equal
// coordinates give equal texels; value numbering compares it as a whole.
type Resource struct {
	// Unit is the texture stage, sampler or resource number.
	Unit uint8
	Dim  Dim
	// Sampler is told apart from Unit in AMD IL only
	// (sample_resource(Unit)_sampler(Sampler)).
	Sampler uint8
	// Offset is added to the coordinates, in half texels (_aoffimmi).
	Offset [3]int8
	Unnorm bool // coordinates count texels
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

// Coords is the number of coordinates that address a texture of shape d, of lanes that
// are read from the first on. Arrays have one more than their elements, for the layer.
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
//
// Lane i of Out is bit i of the write mask. An unwritten lane has no value: a later
// reader of that component reads the older value directly, so a masked write kills
// nothing.
//
//	mul r0.xy, r1, c0        Out {v7, v8, nil, nil}
//	add r0.zw, r2, c1        Out {nil, nil, v9, v10}; no dependence between the two
//
// Constructs (OpIf, OpLoop) own their regions. Values that leave a region are Results
// of the construct; a loop carries values as parameters of its body, one per entry of
// Args, Sub[0].Params, Sub[0].Results and Results, at the same position.
type Instr struct {
	Op   Op
	Mods Mods
	Cond Cond      // of OpIf, OpBreak and OpSetp
	Res  Resource  // of a fetch
	Base Reg       // of OpLoad: the register that offset 0 names (Comp unused); of a memory op the space
	Imm  uint32    // a number that op and dialect give a meaning: an offset, the kind of a memory access
	Out  [4]*Value // nil: lane not written
	// Src holds the operands; ops with the flag AsSet may have fewer than their row
	// says.
	Src []Operand

	// Pred, if its lanes are set, makes the write conditional: where lane i of Pred
	// is false, Out[i] is Keep[i].
	Pred Operand
	Keep [4]*Value

	Sub     []*Region // of OpIf (then, else) and OpLoop (body)
	Args    []*Value  // of OpLoop: initial values of the body's parameters; of OpBreak: what the loop's results become; of a memory op: the states it reads
	Results []*Value  // of OpIf and OpLoop: what the construct defines; of a memory op: the states it leaves

	// Precise marks what feeds an output that must stay the same term (positions,
	// depth): only rewrites of class Terms may touch it. [MarkPrecise] sets it.
	Precise bool
	// Orig is the index of the concrete statement it came from, -1 for none.
	Orig int32
	// Pos is where the statement stands in the source, for remarks, and Also are others that
	// rewrites have merged into this one ([Instr.TakeIn]).
	Pos  asm.Pos
	Also *asm.Origin
}

// Region is a block of code with block parameters, which stand for what phi
// instructions are in a graph of blocks. The parameters of a loop body are the
// arguments of the loop on the first trip and the Results of the body on later ones.
// Regions of conditionals have no parameters: they read what is outside directly.
type Region struct {
	Params []*Value
	// Index is the counter of a counting loop (aL), nil in other regions.
	Index *Value
	Code  []*Instr
	// Results are what the region hands to the construct that owns it: of a branch,
	// what the conditional defines; of a loop body, the parameters of the next trip, or
	// the results of the loop when its count is exhausted.
	Results []*Value
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
