package vsps

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// fixedEmitter writes a program of ps_1_x. Texture instructions stay as they were or
// go, since each computes in a way that no other instruction has. Arithmetic is matched
// anew: the instruction, the shift and the clamp of a statement, and the modifiers of
// its sources, are instructions of their own in the IR. Then a search finds an order,
// pairs and registers.
//
// The phases are in [fixedEmitter.body]: anchors (which texture instructions still do
// what they did), demand (which statements the result takes, each matched as it is met:
// match_fixed.go), settle and search (where they go: search_fixed.go). If one of them
// fails, the program cannot be written, and the caller keeps an earlier version.
type fixedEmitter struct {
	e     *Emitter
	f     *ir.Func
	orig  *d3d9.Program
	model d3d9.Model
	spans spans
	defs  []constDef
	// free are constant registers for new definitions.
	free []uint16
	// signed tells that the program has modifiers on constants, of which it is not clear
	// what they do.
	signed bool

	// bound are the texture instructions as they were lifted, by statement.
	bound map[int]*anchor
	// made is what each leaves in its register.
	made  map[int][4]*ir.Value
	alive map[int]bool // texture instructions that something needs
	nodes []*fixedNode
	at    map[*ir.Instr]*fixedNode
	// wants are the components that a value is wanted in.
	wants map[*ir.Value]d3d9.Mask
	outs  [4]*ir.Value // of r0
}

// fixedNode is an arithmetic statement. Bit i of deps is node i; a search handles 32 at
// most, where models have 8 instructions, or 16 in two phases.
type fixedNode struct {
	in   *ir.Instr // what it computes the values of
	inst d3d9.Inst // its operation, shift and clamp
	src  []fixedOperand
	// need are the components that it has to write.
	need d3d9.Mask
	val  [4]*ir.Value // by component
	deps uint32
	// phase is 0 or 1, of ps_1_4; 1 in all other models.
	phase int
	index int
}

// fixedOperand is a source: a register where it is the same wherever the statement stands, or
// else values.
type fixedOperand struct {
	lane  [4]*ir.Value
	mod   d3d9.SrcMod
	fixed bool
	reg   d3d9.Reg
	comp  [4]int8 // of reg, -1 for any
}

// errFixed is why a program cannot be written. The pass that made it is taken back.
var errFixed = errors.New("no statement of ps_1_x computes this")

// fixed writes f. It first has the result computed in r0, and failing that moved there.
func (e *Emitter) fixed(f *ir.Func) (*d3d9.Program, error) {
	if e.anchors == nil {
		var err error
		if e.anchors, err = anchorsOf(e.d); err != nil {
			return nil, err
		}
	}
	x := &fixedEmitter{e: e, f: f, orig: e.d.Program, model: e.d.Model, spans: spans{}}
	for i := range x.orig.Insts {
		for _, s := range x.orig.Insts[i].Sources() {
			x.signed = x.signed || s.File == d3d9.Const && s.Mod != d3d9.ModNone
		}
	}
	var first error
	for _, movs := range []bool{false, true} {
		body, err := x.body(movs)
		if err == nil {
			return x.program(body), nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// body finds the statements; movs tells that the result is moved to r0 in any case.
func (x *fixedEmitter) body(movs bool) ([]d3d9.Inst, error) {
	x.made, x.alive, x.nodes = map[int][4]*ir.Value{}, map[int]bool{}, nil
	x.at, x.wants = map[*ir.Instr]*fixedNode{}, map[*ir.Value]d3d9.Mask{}
	x.defs, x.free = slices.Clone(x.e.defs), nil
	// Constants are clamped when they are set, so a def says the clamped number.
	for k := range x.defs {
		for c := range x.defs[k].bits {
			x.defs[k].bits[c] = clampedConstant(x.defs[k].bits[c])
		}
	}
	if err := x.anchors(); err != nil {
		return nil, err
	}
	var work []*ir.Value
	// Effects are kept whatever reads them: texkill and the depth.
	for i := range x.orig.Insts {
		if op := x.orig.Insts[i].Op; op == d3d9.OpTexKill || op == d3d9.OpTexDepth || op == d3d9.OpTexM3x2depth {
			if err := x.markLive(i, &work); err != nil {
				return nil, err
			}
		}
	}
	x.results(movs)
	for c, v := range x.outs {
		if v != nil {
			x.wants[v] |= 1 << c
			work = append(work, v)
		}
	}
	// What a value takes is asked for transitively.
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if err := x.makeNode(v, &work); err != nil {
			return nil, err
		}
	}
	if err := x.settle(); err != nil {
		return nil, err
	}
	return x.search()
}

// anchors finds what texture instructions leave in registers, where they compute what
// they did. A pass that rewrote part of one (folded a coordinate, say) has made
// something that no instruction computes: an error.
func (x *fixedEmitter) anchors() error {
	x.bound = map[int]*anchor{}
	for i, a := range x.e.anchors {
		x.bound[i] = a.released()
	}
	for _, in := range x.f.Body.Code {
		if in.Orig < 0 || x.bound[int(in.Orig)] == nil {
			continue
		}
		i := int(in.Orig)
		a, m := x.bound[i], x.made[i]
		if in.Op == ir.OpKill {
			for c := range 3 {
				if !a.binds(in.Src[0][c], a.tests[c]) {
					return fixedErr(in, "the operand")
				}
			}
			continue
		}
		for c, v := range in.Out {
			if v != nil && a.made[c] != nil && a.binds(ir.Lane{V: v}, ir.Lane{V: a.made[c]}) {
				m[c] = v
			}
		}
		x.made[i] = m
	}
	// What passes removed may still be there: literals, and lanes that have the value
	// of another.
	for i, m := range x.made {
		for c, v := range x.bound[i].made {
			switch {
			case m[c] != nil || v == nil:
			case v.Kind == ir.Literal:
				m[c] = x.f.Const(v.Bits)
			case x.orig.Insts[i].Op == d3d9.OpTexDp3: // the same in all
				m[c] = cmp.Or(m[0], m[1], m[2], m[3])
			}
		}
		x.made[i] = m
	}
	for _, o := range x.f.Outs {
		if d3d9.File(o.Reg.File) != d3d9.DepthOut {
			continue
		}
		for _, a := range x.bound { // one of them makes the depth
			if a.depth != nil && !a.binds(ir.Lane{V: o.V}, ir.Lane{V: a.depth}) {
				return fixedErr(a.depth.Def, "the operand")
			}
		}
	}
	return nil
}

// markLive keeps texture instruction i, and what it depends on: the pads of its matrix,
// up to ps_1_3 those that made the registers it reads, in ps_1_4 the values in
// temporaries.
func (x *fixedEmitter) markLive(i int, work *[]*ir.Value) error {
	if x.alive[i] {
		return nil
	}
	x.alive[i] = true
	in := &x.orig.Insts[i]
	rows := 0
	switch in.Op {
	case d3d9.OpTexM3x2tex, d3d9.OpTexM3x2depth:
		rows = 1
	case d3d9.OpTexM3x3, d3d9.OpTexM3x3tex, d3d9.OpTexM3x3spec, d3d9.OpTexM3x3vspec:
		rows = 2
	}
	for k := i - 1; k >= 0 && rows > 0; k-- {
		if op := x.orig.Insts[k].Op; op == d3d9.OpTexM3x2pad || op == d3d9.OpTexM3x3pad {
			rows--
			if err := x.markLive(k, work); err != nil {
				return err
			}
		}
	}
	if x.model != d3d9.PS14 {
		for _, s := range in.Sources() {
			for k := i - 1; k >= 0 && s.File == d3d9.Texture; k-- {
				if o := &x.orig.Insts[k]; o.HasDst && o.Dst.Reg == s.Reg && o.Op != d3d9.OpTexKill {
					if err := x.markLive(k, work); err != nil {
						return err
					}
					break
				}
			}
		}
		return nil
	}
	for _, o := range x.reads(i) {
		for c, v := range o.lane {
			if v != nil {
				x.wants[v] |= 1 << c
				*work = append(*work, v)
			}
		}
	}
	return nil
}

// reads are the values that anchored instruction i of ps_1_4 reads from temporaries, by
// component.
func (x *fixedEmitter) reads(i int) (list [2]fixedOperand) {
	a := x.bound[i]
	for k, r := range a.reads {
		for c, v := range r {
			if v != nil {
				list[k].lane[c] = a.bound[v]
			}
		}
	}
	return list
}

// results finds what r0 has to hold. What no statement of its own can put there is
// moved: literals, inputs, texels in another register, and with movs everything. Colour
// and alpha may take a mov each, which can be issued together.
func (x *fixedEmitter) results(movs bool) {
	x.outs = [4]*ir.Value{}
	for _, o := range x.f.Outs {
		if d3d9.File(o.Reg.File) == d3d9.ColorOut {
			x.outs[o.Reg.Comp] = o.V
		}
	}
	direct := func(c int) bool {
		v := x.outs[c]
		switch {
		case v == nil:
			return true
		case movs || v.Kind != ir.Result:
			return false
		}
		if i := x.anchorOf(v); i >= 0 {
			return x.orig.Insts[i].Dst.Reg == (d3d9.Reg{File: d3d9.Temp}) && x.made[i][c] == v
		}
		return true
	}
	mov := func(comps ...int) {
		in := &ir.Instr{Op: ir.OpMov, Orig: -1, Src: make([]ir.Operand, 1)}
		for _, c := range comps {
			in.Src[0][c] = ir.Lane{V: x.outs[c]}
			in.Out[c] = &ir.Value{Kind: ir.Result, Lane: uint8(c), Def: in}
			x.outs[c] = in.Out[c]
		}
	}
	var list []int
	for c := range 4 {
		if !direct(c) {
			list = append(list, c)
		}
	}
	colour := slices.DeleteFunc(slices.Clone(list), func(c int) bool { return c == 3 })
	switch {
	case len(list) == 4 && x.together():
		mov(list...)
	default:
		if len(colour) > 0 {
			mov(colour...)
		}
		if len(list) > len(colour) {
			mov(3)
		}
	}
}

// together reports whether one mov can read the result: from one register, as far as that is
// settled.
func (x *fixedEmitter) together() bool {
	var at [4]d3d9.Reg
	for c, v := range x.outs {
		if v.Kind == ir.Literal {
			continue
		}
		at[c] = d3d9.Reg{File: d3d9.File(v.Home.File), Index: v.Home.Index}
	}
	return at[0] == at[1] && at[1] == at[2] && at[2] == at[3]
}

// anchorOf is the texture instruction that leaves v in a register, or -1.
func (x *fixedEmitter) anchorOf(v *ir.Value) int {
	if v.Def == nil || v.Def.Orig < 0 {
		return -1
	}
	i := int(v.Def.Orig)
	if m, ok := x.made[i]; ok && slices.Contains(m[:], v) {
		return i
	}
	return -1
}

// core is the instruction that computes v, before that is clamped to the range: the
// statement of v is the one of core. There is none of nil.
func (x *fixedEmitter) core(v *ir.Value) *ir.Instr {
	if v == nil {
		return nil
	}
	if v.Def == nil || v.Def.Op != ir.OpRange {
		return v.Def
	}
	if l := v.Def.Src[0][v.Lane]; l.Mod == 0 && x.isFoldable(l.V) {
		return l.V.Def
	}
	return v.Def
}

// nodeOf is the statement that computes v, nil if there is none yet.
func (x *fixedEmitter) nodeOf(v *ir.Value) *fixedNode { return x.at[x.core(v)] }

// makeNode has v computed, and what that takes. A value may be wanted in components other
// than its own; the demand grows until nothing changes, and each growth matches the
// statement again.
func (x *fixedEmitter) makeNode(v *ir.Value, work *[]*ir.Value) error {
	if v.Kind != ir.Result {
		return nil
	}
	if i := x.anchorOf(v); i >= 0 {
		return x.markLive(i, work)
	}
	n := x.nodeOf(v)
	if n == nil {
		n = &fixedNode{in: v.Def}
		x.at[x.core(v)] = n
		x.nodes = append(x.nodes, n)
	}
	// Values may be wanted in more components than they have: the statement then writes
	// them several times.
	want := x.wants[v] | 1<<v.Lane
	if n.need|want == n.need {
		return nil
	}
	for c := range 4 {
		if want.Has(c) {
			if n.val[c] != nil && n.val[c] != v {
				return errFixed
			}
			n.val[c] = v
		}
	}
	n.need |= want
	if err := x.match(n); err != nil {
		return err
	}
	for k := range n.src {
		o := &n.src[k]
		if o.fixed {
			continue
		}
		same := true
		var first *ir.Value
		for _, l := range o.lane {
			if l != nil && first == nil {
				first = l
			}
			same = same && (l == nil || l == first)
		}
		for c, l := range o.lane {
			if l == nil {
				continue
			}
			// One component may be read wherever it is, if the model can replicate it.
			if !same || l.Lane != 3 && x.model != d3d9.PS14 && !(n.need == d3d9.MaskW && l.Lane == 2) {
				x.wants[l] |= 1 << c
			}
			*work = append(*work, l)
		}
	}
	return nil
}

// program puts the statements behind the comments and the definitions that they read.
func (x *fixedEmitter) program(body []d3d9.Inst) *d3d9.Program {
	out := &d3d9.Program{Model: x.model, Binary: x.orig.Binary, Head: x.orig.Head, Tail: x.orig.Tail, Rest: x.orig.Rest}
	used := map[uint16]bool{}
	for i := range body {
		for _, s := range body[i].Sources() {
			if s.File == d3d9.Const {
				used[s.Index] = true
			}
		}
	}
	for i := range x.orig.Insts {
		in := &x.orig.Insts[i]
		if in.Op == d3d9.OpComment || in.Op == d3d9.OpDef && used[in.Dst.Index] {
			out.Insts = append(out.Insts, *in)
		}
	}
	for _, d := range x.defs {
		if d.added && used[d.reg] {
			in := d3d9.Inst{Op: d3d9.OpDef, HasDst: true, Imm: d.bits}
			in.Dst = d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Const, Index: d.reg}, Mask: d3d9.MaskAll}
			out.Insts = append(out.Insts, in)
		}
	}
	out.Insts = append(out.Insts, body...)
	return out
}

// fixedErr says of which instruction there is no statement.
func fixedErr(in *ir.Instr, what string) error {
	return fmt.Errorf("%w: %s of %v", errFixed, what, in.Op)
}
