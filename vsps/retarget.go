package vsps

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Later is what of a pixel program may stay as no word of the profile can say it, since
// a pass is to deal with that: constants of the host that will be known, and branches
// that will be flattened.
type Later uint8

// What passes deal with.
const (
	LaterConstants Later = 1 << iota // of the host, beyond the last register
	LaterBranches                    // and predicated writes
)

// branches reports whether op is of flow control without loops, or decides about it.
func branches(op d3d9.Op) bool {
	switch op {
	case d3d9.OpIf, d3d9.OpIfc, d3d9.OpElse, d3d9.OpEndIf, d3d9.OpSetp:
		return true
	}
	return false
}

// Retarget says the programs of p, one of which may be nil, within other profiles, as far
// as that goes statement by statement: registers between the stages get the names that
// they have there, and modifiers and forms that a model lacks become instructions. What
// comes out need not be valid yet. [Dialect.Lift] reads it, and emission brings it within the
// masks, swizzles, ports and registers of the profile, or finds that they do not suffice.
//
// Colours stay colours, which models below 3 clamp. Other varyings become texture
// coordinates.
//
// What is left for later is not in the way.
//
// The diagnostics are all that stands in the way, each statement's in its place.
// Nothing is approximated: an instruction without an equivalent (texldl, dsx) is
// refused.
func Retarget(p Pair, vertex, pixel d3d9.Profile, later Later) (Pair, asm.Diags) {
	names, diags := varyingNames{}, asm.Diags(nil)
	switch {
	case !crosses(p.Vertex, vertex) && !crosses(p.Pixel, pixel):
	case p.Vertex == nil:
		return p, asm.Diags{lonely(p.Pixel, pixel)}
	case p.Pixel == nil:
		return p, asm.Diags{lonely(p.Vertex, vertex)}
	default:
		names, diags = nameVaryings(p, pixel)
	}
	say := func(q *d3d9.Program, to d3d9.Profile) *d3d9.Program {
		if q == nil {
			return nil
		}
		r := retargeter{from: q, to: to, names: names, later: later}
		if q != p.Pixel {
			r.later = 0
		}
		q = r.program()
		diags = append(diags, r.diags...)
		return q
	}
	return Pair{say(p.Vertex, vertex), say(p.Pixel, pixel)}, diags
}

// crosses reports whether p changes sides: programs of version 3 are drawn with each
// other only, as 3.0 matches by semantics and the models below by register ("vs_3_0":
// may not be used with a pixel shader below ps_3_0).
func crosses(p *d3d9.Program, to d3d9.Profile) bool {
	return p != nil && (p.Model.Major >= 3) != (to.Model.Major >= 3)
}

func lonely(p *d3d9.Program, to d3d9.Profile) *asm.Diag {
	return asm.Errorf(firstPos(p), "fit-partner", "%s is not drawn with what %s is drawn with: the other program of the pair has to be given", to.Name, p.Model)
}

// retargeter says one program within another profile.
type retargeter struct {
	from  *d3d9.Program
	to    d3d9.Profile
	names varyingNames
	diags asm.Diags
	later Later

	out   []d3d9.Inst
	fresh uint16                  // the first of the temporaries that nobody uses
	tex   map[uint16]d3d9.TexType // of samplers
	seam  seam                    // registers between the stages, where they change their names
	defs  []d3d9.Inst             // of constants that the program did not have
	own   map[uint16]bool         // float constants that the program defines
	taken map[uint16]bool         // those that have a meaning
}

func (r *retargeter) wrong(in *d3d9.Inst, code asm.Code, format string, args ...any) {
	r.diags = append(r.diags, asm.Errorf(in.Pos, code, format, args...))
}

// program says the whole program. Inputs that need a temporary are filled before the
// first statement, outputs are drained behind the last one of the main program, before
// subroutines.
func (r *retargeter) program() *d3d9.Program {
	p := *r.from
	r.scan()
	if crosses(r.from, r.to) {
		r.seam = seamOf(r.from, r.names, r.temp)
	}
	body := len(p.Insts) // where it begins
	end := len(p.Insts)  // and that of the main program, without its subroutines
	for i := range p.Insts {
		in := &p.Insts[i]
		if k := in.Op.Kind(); k != d3d9.Declaration && k != d3d9.Trivia {
			body = min(body, i)
		}
		if in.Op == d3d9.OpLabel || in.Op == d3d9.OpRet {
			end = min(end, i)
		}
	}
	for i := range p.Insts[:body] {
		r.declaration(p.Insts[i])
	}
	defs := len(r.out)
	r.out = append(r.out, r.seam.fill...)
	for i := body; i < len(p.Insts); i++ {
		if i == end {
			r.out = append(r.out, r.seam.drain...)
		}
		r.statement(p.Insts[i])
	}
	if end == len(p.Insts) {
		r.out = append(r.out, r.seam.drain...)
	}
	// Within one model only limits differ, so no statement has changed.
	if p.Model == r.to.Model {
		return r.from // nothing has changed, if there is nothing in the way
	}
	p.Model = r.to.Model
	if n := len(p.Head) - len(r.to.Name); n >= 0 { // which ends with the version
		p.Head = p.Head[:n] + r.to.Name
	}
	p.Insts = slices.Insert(r.out, defs, r.defs...)
	return &p
}

// sinCosSeries are what sincos of version 2 has to be given (D3DSINCOSCONST1 and 2 of
// d3d9types.h).
var sinCosSeries = [2][4]float32{
	{-1.5500992e-006, -2.1701389e-005, 0.0026041667, 0.00026041668},
	{-0.020833334, -0.12500000, 1.0, 0.50000000},
}

// constant is a register that holds v; at needs it. Equal ones are shared.
func (r *retargeter) constant(at *d3d9.Inst, v [4]float32) d3d9.Src {
	in := d3d9.Inst{Op: d3d9.OpDef, HasDst: true, Dst: d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Const}, Mask: d3d9.MaskAll}, Pos: at.Pos}
	for k, x := range v {
		in.Imm[k] = math.Float32bits(x)
	}
	for _, d := range r.defs {
		if d.Imm == in.Imm {
			return d3d9.Src{Reg: d.Dst.Reg, Swz: d3d9.Identity}
		}
	}
	last := uint16(r.to.Limits.Regs[d3d9.Const])
	for in.Dst.Index < last && r.taken[in.Dst.Index] {
		in.Dst.Index++
	}
	if r.taken[in.Dst.Index] = true; in.Dst.Index == last {
		r.wrong(at, "fit-constants", "%s has no constant register left for what %s needs", r.to.Name, at.Op)
	}
	r.defs = append(r.defs, in)
	return d3d9.Src{Reg: in.Dst.Reg, Swz: d3d9.Identity}
}

// scan finds what statements cannot be told without: shapes of textures, free
// temporaries, and which constant registers have a meaning: what is defined, read, in
// reach of an index, or in the constant table.
func (r *retargeter) scan() {
	r.tex, r.own, r.taken = map[uint16]d3d9.TexType{}, map[uint16]bool{}, map[uint16]bool{}
	for i := range r.from.Insts {
		in := &r.from.Insts[i]
		if in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Sampler {
			r.tex[in.Dst.Index] = in.Decl.Tex
		}
		if in.HasDst && in.Dst.File == d3d9.Temp {
			r.fresh = max(r.fresh, in.Dst.Index+1)
		}
		if in.Op == d3d9.OpDef {
			r.own[in.Dst.Index], r.taken[in.Dst.Index] = true, true
		}
		for k, s := range in.Sources() {
			rows := in.Rows(k)
			if s.File != d3d9.Const {
				continue
			}
			if s.Rel.File != d3d9.NoFile { // wherever the index leads
				rows = max(r.to.Limits.Regs[d3d9.Const]-int(s.Index), 0)
			}
			for row := range rows {
				r.taken[s.Index+uint16(row)] = true
			}
		}
	}
	table, _ := r.from.ConstantTable()
	for c := range uint16(r.to.Limits.Regs[d3d9.Const]) {
		if table.Lookup(d3d9.Reg{File: d3d9.Const, Index: c}) != nil {
			r.taken[c] = true
		}
	}
}

// temp is a temporary that nobody uses.
func (r *retargeter) temp() d3d9.Reg {
	r.fresh++
	return d3d9.Reg{File: d3d9.Temp, Index: r.fresh - 1}
}

// add appends a statement, which has lost its spelling if it is not what it was.
func (r *retargeter) add(in, old *d3d9.Inst) {
	if !in.Same(old) {
		in.Text, in.Raw = "", nil
	}
	r.out = append(r.out, *in)
}

// insert appends a statement at the place of another one.
func (r *retargeter) insert(at *d3d9.Inst, op d3d9.Op, dst d3d9.Dst, src ...d3d9.Src) *d3d9.Inst {
	in := d3d9.Inst{Op: op, HasDst: true, Dst: dst, NSrc: uint8(len(src)), Pos: at.Pos}
	copy(in.Src[:], src)
	r.out = append(r.out, in)
	return &r.out[len(r.out)-1]
}

// declaration says what stands before the code.
func (r *retargeter) declaration(in d3d9.Inst) {
	old := in
	switch {
	case in.IsConstantTable() && r.from.Model != r.to.Model:
		r.table(&in)
	case in.Op != d3d9.OpDcl:
	case in.Dst.File == d3d9.Sampler && r.to.Limits.Regs[d3d9.Sampler] == 0:
		r.wrong(&in, "fit-textures", "%s has no textures", r.to.Name)
	case in.Dst.File == d3d9.Misc && r.to.Limits.Regs[d3d9.Misc] == 0:
		r.wrong(&in, "fit-input", "%s has no %s", r.to.Name, in.Dst.Reg)
	case crosses(r.from, r.to) && r.seam.declared(in.Dst.Reg):
		for _, d := range r.seam.declare(&in) {
			r.add(&d, &old)
		}
		return
	}
	r.add(&in, &old)
}

// table says in a constant table which version it is for.
func (r *retargeter) table(in *d3d9.Inst) {
	t, err := r.from.ConstantTable()
	if err == nil {
		t.Version, t.Target = r.to.Model.Token(), r.to.Name
		var words []uint32
		if words, err = d3d9.EncodeConstantTable(t); err == nil {
			in.Comment = append([]uint32{in.Comment[0]}, words...)
			return
		}
	}
	r.wrong(in, "constant-table", "the constant table is not understood: %v", err)
}

// statement says one statement of the code. What the profile lacks and nothing can say
// is an error; the rest is written by more statements:
//
//	mad_sat r0, r1, c0, c1      mad r9, r1, c0, c1;  max r9, r9, c2.x;  min r9, r9, c2.y;  mov r0, r9
//	texld r0, t0, s0.wzyx       texld r9, t0, s0;  mov r0, r9.wzyx
//	sincos r0.xy, r1.x          sincos r9.xy, r1.x, c2, c3;  mov r0.xy, r9
func (r *retargeter) statement(in d3d9.Inst) {
	old := in
	switch flow := in.Op == d3d9.OpCallnz; {
	case in.Op.Kind() == d3d9.Declaration, in.Op.Kind() == d3d9.Trivia,
		in.Op == d3d9.OpCall, in.Op == d3d9.OpLabel, in.Op == d3d9.OpRet: // subroutines are inlined
		r.add(&in, &old)
		return
	case r.later&LaterBranches != 0 && branches(in.Op):
	case !r.to.Has(in.Op) && (in.Op == d3d9.OpTexldl || in.Op == d3d9.OpTexldd):
		r.wrong(&in, "fit-level", "%s has no %s", r.to.Name, in.Op)
		return
	case flow && r.to.Limits.StaticIf == 0, !flow && !r.to.Has(in.Op):
		r.wrong(&in, "fit-op", "%s has no %s", r.to.Name, in.Op)
		return
	case in.HasPred && !r.to.Limits.Predication && r.later&LaterBranches == 0:
		r.wrong(&in, "fit-predicate", "%s has no predicates", r.to.Name)
		return
	}
	for k := range in.Sources() {
		r.source(&in, k)
	}
	if in.Op == d3d9.OpTexKill {
		in.Dst.Reg = r.seam.reg(in.Dst.Reg)
		r.add(&in, &old)
		return
	}
	if in.HasDst {
		if in.Dst.Rel.File != d3d9.NoFile {
			r.wrong(&in, "fit-index", "%s has no indexed outputs", r.to.Name)
			return
		}
		in.Dst.Reg = r.seam.reg(in.Dst.Reg)
	}
	// What the model cannot do on the way to the destination is done behind it.
	dst := in.Dst
	if dst.File == d3d9.AttrOut {
		dst.Mods &^= d3d9.Saturate // which it does by itself
		in.Dst = dst
	}
	sat := dst.Mods&d3d9.Saturate != 0 && !d3d9.SatAllowed(r.to.Model, in.Op)
	swizzled := in.Op.Kind() == d3d9.TextureOp && in.Src[1].Swz != d3d9.Identity && r.to.Model.Major < 3
	series := in.Op == d3d9.OpSinCos && in.NSrc == 1 && r.to.Model.Major < 3
	if !sat && !swizzled && !series {
		r.add(&in, &old)
		return
	}
	result := d3d9.Src{Reg: r.temp(), Swz: d3d9.Identity}
	in.Dst = d3d9.Dst{Reg: result.Reg, Mask: dst.Mask, Mods: dst.Mods &^ d3d9.Saturate}
	pred := in.HasPred
	in.HasPred = false
	switch {
	case swizzled:
		result.Swz, in.Src[1].Swz, in.Dst.Mask = in.Src[1].Swz, d3d9.Identity, d3d9.MaskAll
	case series:
		in.Src[1], in.Src[2], in.NSrc = r.constant(&in, sinCosSeries[0]), r.constant(&in, sinCosSeries[1]), 3
	}
	r.add(&in, &old)
	if sat {
		bounds := r.constant(&in, [4]float32{0, 1})
		bounds.Swz = d3d9.Replicate(0)
		r.insert(&in, d3d9.OpMax, in.Dst, result, bounds)
		bounds.Swz = d3d9.Replicate(1)
		r.insert(&in, d3d9.OpMin, in.Dst, result, bounds)
	}
	mov := r.insert(&in, d3d9.OpMov, dst, result)
	mov.Dst.Mods &^= d3d9.Saturate
	mov.HasPred, mov.Pred = pred, old.Pred
}

// source says source k of in, which comes next. _abs becomes an instruction where the
// model has none.
func (r *retargeter) source(in *d3d9.Inst, k int) {
	s := &in.Src[k]
	s.Reg = r.seam.reg(s.Reg)
	switch own := s.File == d3d9.Const && !r.own[s.Index]; {
	case s.File == d3d9.Input && s.Rel.File != d3d9.NoFile && r.to.Model.Major < 3:
		r.wrong(in, "fit-index", "%s has no indexed inputs", r.to.Name)
	case s.File == d3d9.Misc && r.to.Limits.Regs[d3d9.Misc] == 0: // its declaration is refused
	case own && r.later&LaterConstants == 0 && int(s.Index)+in.Rows(k) > r.to.Limits.MaxConst:
		r.wrong(in, "fit-constants", "%s has the constants below c%d, and the host sets %s", r.to.Name, r.to.Limits.MaxConst, s.Reg)
	}
	abs := s.Mod == d3d9.ModAbs || s.Mod == d3d9.ModAbsNeg
	if !abs || d3d9.ModAllowed(r.to.Model, in.Op, k, s.Mod) {
		return
	}
	value := *s
	value.Mod, value.Swz = d3d9.ModNone, d3d9.Identity
	t := r.temp()
	r.insert(in, d3d9.OpAbs, d3d9.Dst{Reg: t, Mask: in.Components(k, r.tex[in.Src[1].Index])}, value)
	s.Reg, s.Rel = t, d3d9.Rel{}
	if s.Mod == d3d9.ModAbsNeg {
		s.Mod = d3d9.ModNeg
	} else {
		s.Mod = d3d9.ModNone
	}
}
