package ir

import "github.com/shaderlift/shaderlift/asm"

// Mods is a set of result modifiers, applied to every written lane after the formula.
type Mods uint8

// The modifiers.
const (
	Sat  Mods = 1 << iota // clamp the result to 0..1
	Half                  // partial precision is enough (_pp): dropping it is always right, adding it never
)

// Cond is the comparison of a conditional op. The numbers 1 to 6 are the values of the comparison field in
// Direct3D 9 instruction tokens (D3DSPC_GT to D3DSPC_LE).
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

// Resource identifies the source of a fetch. Two fetches with equal Resource and equal coordinates return
// equal texels; value numbering compares it as a whole.
type Resource struct {
	// Unit is the texture stage, sampler or resource number.
	Unit uint8
	Dim  Dim
	// Sampler differs from Unit in AMD IL only (sample_resource(Unit)_sampler(Sampler)).
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

// Coords returns the number of coordinates that address a texture of shape d. They are read from the first
// lanes. Arrays have one more than their elements, for the layer.
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
// Lane i of Out is bit i of the write mask. An unwritten lane has no value: a later reader of that component
// reads the older value directly, so a masked write kills nothing.
//
//	mul r0.xy, r1, c0        Out {v7, v8, nil, nil}
//	add r0.zw, r2, c1        Out {nil, nil, v9, v10}; no dependence between the two
//
// Constructs (OpIf, OpLoop) own their regions. Values that leave a region are Results of the construct. A
// loop carries values as parameters of its body. Each carried value has one position in Args, Sub[0].Params,
// Sub[0].Results and Results.
type Instr struct {
	Op   Op
	Mods Mods
	Cond Cond      // of OpIf, OpBreak and OpSetp
	Res  Resource  // of a fetch
	Base Reg       // of OpLoad: the register that offset 0 names (Comp unused); of a memory op the space
	Imm  uint32    // a number whose meaning depends on op and dialect: an offset, the kind of a memory access
	Out  [4]*Value // nil: lane not written
	// Src holds the operands. Ops with the flag AsSet may have fewer than NSrc of their row.
	Src []Operand

	// Pred, if its lanes are set, makes the write conditional: where lane i of Pred is false, Out[i] takes
	// the pass-through value Keep[i].
	Pred Operand
	Keep [4]*Value

	Sub     []*Region // of OpIf (then, else) and OpLoop (body)
	Args    []*Value  // of OpLoop: initial values of the body's parameters; of OpBreak: values for the loop's results; of a memory op: the states it reads
	Results []*Value  // of OpIf and OpLoop: the values the construct defines; of a memory op: the states it defines

	// Precise marks instructions that feed an output that must stay the same term (positions, depth). Only
	// rewrites of class Terms may touch them. [MarkPrecise] sets it.
	Precise bool
	// Decides marks instructions that an exact decision depends on. Rewrites of class Real may not touch
	// them. [MarkDecisions] sets it. It is not part of the program; it is recomputed before each pass.
	Decides bool
	// Orig is the index of the concrete statement it came from, -1 for none.
	Orig int32
	// Pos is the source position of the statement, for remarks. Also lists the positions of other statements
	// that rewrites have merged into this one ([Instr.TakeIn]).
	Pos  asm.Pos
	Also *asm.Origin
}

// Region is a block of code with block parameters, which replace the phi instructions of a graph of blocks.
// The parameters of a loop body are the arguments of the loop on the first trip and the Results of the body
// on later ones. Regions of conditionals have no parameters: they read outer values directly.
type Region struct {
	Params []*Value
	// Index is the counter of a counting loop (aL), nil in other regions.
	Index *Value
	Code  []*Instr
	// Results are the values that the region passes to the construct that owns it. The results of a branch
	// define the results of the conditional. The results of a loop body define the parameters of the next
	// trip. When the count is exhausted, they define the results of the loop.
	Results []*Value
}

// Accessed returns the set of lanes that a load or a store of memory accesses.
func (in *Instr) Accessed() uint8 {
	m := in.Mask()
	if in.Op == OpMemStore {
		in.Src[1].EachLane(func(i int, _ *Lane) { m |= 1 << i })
	}
	return m
}

// Mask returns the set of written lanes, bit i for lane i.
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

// EachUse calls f for every lane that in reads: sources and predicate, then pass-through values and arguments
// as plain lanes. It also passes the results of regions, because the owner reads them, but it does not enter
// regions. It writes back the lane that f stores; modifiers of plain lanes cannot change.
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

// EachDef calls f for every value that in defines: written lanes and results of a construct (not the
// parameters of its regions).
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
