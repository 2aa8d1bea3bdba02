package iface

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// componentKey returns the number of a component of r.
func (r register) componentKey(comp uint8) uint64 {
	return uint64(r.stage)<<40 | symbolic.RegKey(ir.Reg{File: ir.File(d3d9.Const), Index: r.index, Comp: comp})
}

// input returns the source of a component of the preshader's inputs.
func (h *Sources) input(n uint32) (r register, comp uint8, ok bool) {
	r, ok = h.inputs[n/4]
	return r, uint8(n % 4), ok
}

// HostValue returns the value of component r of the constants in a domain, or false if the framework does not
// set it. The framework copies a parameter, or its preshader computes the value. If the preshader writes only
// other components of the register, the value is an unknown of this version, after or not, with the number key. h may be nil.
func HostValue[T any](dom symbolic.Domain[T], h *Sources, after bool, r ir.Reg, key uint64,
	memo map[*preshader.Value]T) (x T, ok bool) {
	if h == nil || r.File != ir.File(d3d9.Const) {
		return x, false
	}
	if from, ok := h.from[r.Index]; ok {
		return dom.Opaque(symbolic.TagUniform, from.componentKey(r.Comp), nil), true
	}
	v, ok := h.values[r]
	switch {
	case ok:
		e := expression[T]{dom, h, memo}
		return e.rounded(v), true
	case h.writes[r.Index]: // open component: an unknown of this version alone
		side := uint64(0)
		if after {
			side = 1
		}
		return dom.Opaque(symbolic.TagHost, side<<63|key, nil), true
	}
	return x, false
}

// expression evaluates preshader expressions in a domain. As terms, operations of a preshader differ from
// those of programs, because clients compute in float64 or in float32; over the reals they are the same. The
// memo makes the evaluation linear in the size of the directed acyclic graph.
type expression[T any] struct {
	dom  symbolic.Domain[T]
	host *Sources
	memo map[*preshader.Value]T
}

// rounded returns x as float32, the form in a constant register.
func (e *expression[T]) rounded(x *preshader.Value) T {
	if x.Kind == preshader.FromLiteral {
		return e.dom.Literal(math.Float32bits(float32(x.Literal)))
	}
	return e.value(x)
}

// value memoizes compute.
func (e *expression[T]) value(x *preshader.Value) T {
	if y, ok := e.memo[x]; ok {
		return y
	}
	y := e.compute(x)
	e.memo[x] = y
	return y
}

// compute applies the operation of x to its arguments. Operations without a meaning in the domain become
// uninterpreted functions (Opaque): equal for equal arguments.
func (e *expression[T]) compute(x *preshader.Value) T {
	switch x.Kind {
	case preshader.FromLiteral:
		if float64(float32(x.Literal)) == x.Literal {
			return e.rounded(x)
		}
		// A literal that float32 cannot represent: clients round it at different times.
		return e.dom.Opaque(symbolic.TagHost, 1<<62^symbolic.Mix(math.Float64bits(x.Literal))>>2, nil)
	case preshader.FromInput:
		if r, comp, ok := e.host.input(x.Input); ok {
			return e.dom.Opaque(symbolic.TagUniform, r.componentKey(comp), nil)
		}
		return e.dom.Literal(0) // no entry covers it
	}
	var args [8]T
	for i, a := range x.Args {
		args[i] = e.value(a)
	}
	if x.Op == preshader.Neg {
		return e.dom.Modify(args[0], ir.Neg)
	}
	row, known := realOps[x.Op]
	if _, terms := any(e.dom).(*symbolic.Terms); terms || !known || x.Op == preshader.Rsq && !x.Args[0].NotNegative() {
		// Sort commutative operands by value: each preshader numbers its inputs from the start.
		if (x.Op == preshader.Add || x.Op == preshader.Mul) && e.dom.ID(args[0]) > e.dom.ID(args[1]) {
			args[0], args[1] = args[1], args[0]
		}
		return e.dom.Opaque(symbolic.TagHost, uint64(x.Op)<<8|uint64(x.Lane), args[:len(x.Args)])
	}
	// Over the reals, apply the operation of programs with the argument in all lanes.
	in := &ir.Instr{Op: row.op, Src: make([]ir.Operand, len(x.Args))}
	var src symbolic.Sources[T]
	for i := range x.Args {
		for lane := range src[i] {
			src[i][lane] = args[i]
		}
	}
	return e.dom.Apply(in, row.lane, &src)
}

// realOps has the operations that all clients compute alike over the reals, with the op and lane of programs.
// Operations on which clients disagree (the bases of exp and log, quotients) are uninterpreted.
var realOps = map[preshader.Op]struct {
	op   ir.Op
	lane int
}{
	preshader.Mov: {ir.OpMov, 0}, preshader.Rcp: {ir.OpRcp, 0}, preshader.Frc: {ir.OpFrc, 0}, preshader.Rsq: {ir.OpRsq, 0},
	preshader.Cos: {ir.OpSinCos, 0}, preshader.Sin: {ir.OpSinCos, 1},
	preshader.Min: {ir.OpMin, 0}, preshader.Max: {ir.OpMax, 0}, preshader.Lt: {ir.OpSlt, 0}, preshader.Ge: {ir.OpSge, 0},
	preshader.Add: {ir.OpAdd, 0}, preshader.Mul: {ir.OpMul, 0}, preshader.Cmp: {ir.OpCmp, 0},
}

// ClientOf returns the client that runs preshaders in a trial. The clients alternate.
func ClientOf(n interp.Numerics) preshader.Client {
	if n.MulZero {
		return preshader.MojoShader
	}
	return preshader.D3DX
}

// Set writes the constants that the framework sets in both stages, from the registers that keep parameters.
// It runs preshaders in their original form, which shares nothing with the proofs. All parameters are read
// before any register is written.
func (s *Hosts) Set(vertex, pixel *interp.Constants, client preshader.Client) error {
	banks := [2]*interp.Constants{d3d9.Vertex: vertex, d3d9.Pixel: pixel}
	kept := [2][][4]float32{slices.Clone(vertex.Float), slices.Clone(pixel.Float)}
	at := func(r register) (v [4]float32) {
		if bank := kept[r.stage]; int(r.index) < len(bank) {
			v = bank[r.index]
		}
		return v
	}
	for stage, h := range s {
		if h == nil {
			continue
		}
		for n, from := range h.from { // each sets another register
			banks[stage].SetFloat(int(n), at(from))
		}
		if h.run == nil {
			continue
		}
		var input []float32
		for n, from := range h.inputs { // each sets another register
			if missing := 4*(int(n)+1) - len(input); missing > 0 {
				input = append(input, make([]float32, missing)...)
			}
			v := at(from)
			copy(input[4*n:], v[:])
		}
		out, err := preshader.Run(h.run, input, client)
		if err != nil {
			return err
		}
		for n := range h.writes { // each sets another register
			var v [4]float32
			for c := range v {
				v[c] = out.Float[4*uint32(n)+uint32(c)]
			}
			banks[stage].SetFloat(int(n), v)
		}
	}
	return nil
}

// InDraw returns c with the constants that the framework sets.
func (s *Hosts) InDraw(c *interp.Case, client preshader.Client) (*interp.Case, error) {
	if *s == (Hosts{}) {
		return c, nil
	}
	d := *c
	d.Vertex.Float, d.Pixel.Float = slices.Clone(c.Vertex.Float), slices.Clone(c.Pixel.Float)
	return &d, s.Set(&d.Vertex, &d.Pixel, client)
}

// Host returns a function that computes the constants of a draw with the sources s. f may be nil.
func (f *Layout) Host(s *Hosts) *draws.Host {
	if f == nil {
		return nil
	}
	h := &draws.Host{Set: func(d *interp.Case) error { return s.Set(&d.Vertex, &d.Pixel, preshader.D3DX) }}
	for row, at := range f.rows { // sorted below
		h.Reads[at.stage] = append(h.Reads[at.stage],
			draws.HostConstant{Register: at.index, Parameter: f.types[row.name], Row: row.row})
	}
	for stage, list := range h.Reads {
		slices.SortFunc(list, func(a, b draws.HostConstant) int { return int(a.Register) - int(b.Register) })
		h.Writes[stage] = s[stage].Others(d3d9.Stage(stage))
	}
	return h
}

// ExtraRegisters returns the number of registers that f needs beyond those of any model.
func (f *Layout) ExtraRegisters() int {
	if f == nil {
		return 0
	}
	return len(f.further)
}

// Scout returns the value of a register component that the framework sets. It reads the registers that keep
// parameters by get.
func (h *Sources) Scout(r ir.Reg, get func(explore.Leaf) uint32) uint32 {
	kept := func(from register, comp uint8) uint32 {
		return get(explore.Leaf{Space: uint64(from.stage), Kind: ir.Uniform,
			Reg: ir.Reg{File: r.File, Index: from.index, Comp: comp}})
	}
	if from, ok := h.from[r.Index]; ok {
		return kept(from, r.Comp)
	}
	v, ok := h.values[r]
	if !ok {
		return 0
	}
	return math.Float32bits(v.Eval(func(n uint32) float32 {
		if from, comp, ok := h.input(n); ok {
			return math.Float32frombits(kept(from, comp))
		}
		return 0
	}, preshader.D3DX))
}
