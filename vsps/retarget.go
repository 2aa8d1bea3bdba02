package vsps

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Later is the set of constructs that a pixel program may keep although the profile cannot express
// them, because a later pass removes them. These are host constants whose values will be known, and
// branches that will be flattened.
type Later uint8

// Constructs that later passes remove.
const (
	LaterConstants Later = 1 << iota // host constants beyond the last register
	LaterBranches                    // including predicated writes
)

// branches reports whether op belongs to flow control other than loops, or computes its condition.
func branches(op d3d9.Op) bool {
	switch op {
	case d3d9.OpIf, d3d9.OpIfc, d3d9.OpElse, d3d9.OpEndIf, d3d9.OpSetp:
		return true
	}
	return false
}

// Retarget translates the programs of p, one of which may be nil, to other profiles, as far as this
// is possible statement by statement. It renames registers between the stages, and replaces
// modifiers and forms that a model does not have by instructions. The result need not be valid.
// [Dialect.Lift] reads it, and emission then fits it to the masks, swizzles, ports and registers of
// the profile, or fails.
//
// Colours stay colours, which models below 3 clamp. Other varyings become texture coordinates.
// later lists constructs that are not errors.
//
// The diagnostics are all obstacles, each at its statement. Retarget never approximates: it refuses
// an instruction without an equivalent (texldl, dsx).
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

// crosses reports whether p moves between version 3 and lower versions. Programs of version 3 can
// only be drawn with each other ("vs_3_0": may not be used with a pixel shader below ps_3_0). The
// reason is that 3.0 matches by semantics and lower models match by register.
func crosses(p *d3d9.Program, to d3d9.Profile) bool {
	return p != nil && (p.Model.Major >= 3) != (to.Model.Major >= 3)
}

func lonely(p *d3d9.Program, to d3d9.Profile) *asm.Diag {
	return asm.Errorf(firstPos(p), "fit-partner",
		"%s cannot be drawn with the same programs as %s; give both programs of the pair", to.Name, p.Model)
}

// retargeter translates one program to another profile.
type retargeter struct {
	from  *d3d9.Program
	to    d3d9.Profile
	names varyingNames
	diags asm.Diags
	later Later

	out   []d3d9.Inst
	fresh uint16                  // the first unused temporary
	tex   map[uint16]d3d9.TexType // of samplers
	seam  seam                    // registers between the stages, if they are renamed
	defs  []d3d9.Inst             // of added constants
	own   map[uint16]bool         // float constants that the program defines
	taken map[uint16]bool         // constants that are in use or reserved
}

func (r *retargeter) wrong(in *d3d9.Inst, code asm.Code, format string, args ...any) {
	r.diags = append(r.diags, asm.Errorf(in.Pos, code, format, args...))
}

// program translates the whole program. Inputs that need a temporary are copied before the first
// statement, and outputs after the last one of the main program, before subroutines.
func (r *retargeter) program() *d3d9.Program {
	p := *r.from
	r.collectUses()
	if crosses(r.from, r.to) {
		r.seam = seamOf(r.from, r.names, r.freshTemp)
	}
	body := len(p.Insts) // the start of the body
	end := len(p.Insts)  // the end of the main program, before its subroutines
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
	// Within one model only limits differ, so all statements are unchanged.
	if p.Model == r.to.Model {
		return r.from // unchanged, apart from diagnostics
	}
	p.Model = r.to.Model
	if n := len(p.Head) - len(r.to.Name); n >= 0 { // the head ends with the version
		p.Head = p.Head[:n] + r.to.Name
	}
	p.Insts = slices.Insert(r.out, defs, r.defs...)
	return &p
}

// sinCosSeries are the constant operands of sincos in version 2 (D3DSINCOSCONST1 and 2 of
// d3d9types.h).
var sinCosSeries = [2][4]float32{
	{-1.5500992e-006, -2.1701389e-005, 0.0026041667, 0.00026041668},
	{-0.020833334, -0.12500000, 1.0, 0.50000000},
}

// constant returns a register that holds v for the statement at. Equal constants share a register.
func (r *retargeter) constant(at *d3d9.Inst, v [4]float32) d3d9.Src {
	in := d3d9.Inst{Op: d3d9.OpDef, HasDst: true, Dst: d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Const}, Mask: d3d9.MaskAll},
		Pos: at.Pos}
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
		r.wrong(at, "fit-constants", "%s has no free constant register for %s", r.to.Name, at.Op)
	}
	r.defs = append(r.defs, in)
	return d3d9.Src{Reg: in.Dst.Reg, Swz: d3d9.Identity}
}

// collectUses collects the shapes of textures, free temporaries, and the constant registers in use or
// reserved. The latter are those that are defined, read, in reach of an index, or in the constant
// table.
func (r *retargeter) collectUses() {
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
			rows := in.SourceRegisters(k)
			if s.File != d3d9.Const {
				continue
			}
			if s.Rel.File != d3d9.NoFile { // any register that the index may reach
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

// freshTemp returns an unused temporary.
func (r *retargeter) freshTemp() d3d9.Reg {
	r.fresh++
	return d3d9.Reg{File: d3d9.Temp, Index: r.fresh - 1}
}

// appendInst appends a statement, and drops its spelling if it has changed.
func (r *retargeter) appendInst(in, old *d3d9.Inst) {
	if !in.Same(old) {
		in.Text, in.Raw = "", nil
	}
	r.out = append(r.out, *in)
}

// insert appends a new statement at the position of another one.
func (r *retargeter) insert(at *d3d9.Inst, op d3d9.Op, dst d3d9.Dst, src ...d3d9.Src) *d3d9.Inst {
	in := d3d9.Inst{Op: op, HasDst: true, Dst: dst, NSrc: uint8(len(src)), Pos: at.Pos}
	copy(in.Src[:], src)
	r.out = append(r.out, in)
	return &r.out[len(r.out)-1]
}

// declaration translates a statement before the code.
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
			r.appendInst(&d, &old)
		}
		return
	}
	r.appendInst(&in, &old)
}

// table sets the version in a constant table.
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
	r.wrong(in, "constant-table", "the constant table cannot be read: %v", err)
}

// statement translates one statement of the code. A feature that the profile cannot express is an
// error; others take additional statements:
//
//	mad_sat r0, r1, c0, c1      mad r9, r1, c0, c1;  max r9, r9, c2.x;  min r9, r9, c2.y;  mov r0, r9
//	texld r0, t0, s0.wzyx       texld r9, t0, s0;  mov r0, r9.wzyx
//	sincos r0.xy, r1.x          sincos r9.xy, r1.x, c2, c3;  mov r0.xy, r9
func (r *retargeter) statement(in d3d9.Inst) {
	old := in
	switch flow := in.Op == d3d9.OpCallnz; {
	case in.Op.Kind() == d3d9.Declaration, in.Op.Kind() == d3d9.Trivia,
		in.Op == d3d9.OpCall, in.Op == d3d9.OpLabel, in.Op == d3d9.OpRet: // subroutines are inlined
		r.appendInst(&in, &old)
		return
	case r.later&LaterBranches != 0 && branches(in.Op):
	case !r.to.Supports(in.Op) && (in.Op == d3d9.OpTexldl || in.Op == d3d9.OpTexldd):
		r.wrong(&in, "fit-level", "%s has no %s", r.to.Name, in.Op)
		return
	case insideBlock(in.Op) && !r.to.Supports(in.Op): // the statement that opens the block is refused
		return
	case flow && r.to.Limits.StaticIf == 0, !flow && !r.to.Supports(in.Op):
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
		in.Dst.Reg = r.seam.renameReg(in.Dst.Reg)
		r.appendInst(&in, &old)
		return
	}
	if in.HasDst {
		if in.Dst.Rel.File != d3d9.NoFile {
			r.wrong(&in, "fit-index", "%s has no indexed outputs", r.to.Name)
			return
		}
		in.Dst.Reg = r.seam.renameReg(in.Dst.Reg)
	}
	// Following statements do the parts that the model cannot do in this one.
	dst := in.Dst
	if dst.File == d3d9.AttrOut {
		dst.Mods &^= d3d9.Saturate // these outputs saturate anyway
		in.Dst = dst
	}
	sat := dst.Mods&d3d9.Saturate != 0 && !d3d9.SatAllowed(r.to.Model, in.Op)
	swizzled := in.Op.Kind() == d3d9.TextureOp && in.Src[1].Swz != d3d9.Identity && r.to.Model.Major < 3
	series := in.Op == d3d9.OpSinCos && in.NSrc == 1 && r.to.Model.Major < 3
	if !sat && !swizzled && !series {
		r.appendInst(&in, &old)
		return
	}
	result := d3d9.Src{Reg: r.freshTemp(), Swz: d3d9.Identity}
	in.Dst = d3d9.Dst{Reg: result.Reg, Mask: dst.Mask, Mods: dst.Mods &^ d3d9.Saturate}
	pred := in.HasPred
	in.HasPred = false
	switch {
	case swizzled:
		result.Swz, in.Src[1].Swz, in.Dst.Mask = in.Src[1].Swz, d3d9.Identity, d3d9.MaskAll
	case series:
		in.Src[1], in.Src[2], in.NSrc = r.constant(&in, sinCosSeries[0]), r.constant(&in, sinCosSeries[1]), 3
	}
	r.appendInst(&in, &old)
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

// insideBlock reports whether op belongs to a block that another statement opened.
func insideBlock(op d3d9.Op) bool {
	switch op {
	case d3d9.OpElse, d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep, d3d9.OpBreak, d3d9.OpBreakc, d3d9.OpBreakp:
		return true
	}
	return false
}

// source translates source k of in, the next statement. It replaces _abs by an instruction if the
// model does not have it.
func (r *retargeter) source(in *d3d9.Inst, k int) {
	s := &in.Src[k]
	s.Reg = r.seam.renameReg(s.Reg)
	switch own := s.File == d3d9.Const && !r.own[s.Index]; {
	case s.File == d3d9.Input && s.Rel.File != d3d9.NoFile && r.to.Model.Major < 3:
		r.wrong(in, "fit-index", "%s has no indexed inputs", r.to.Name)
	case s.File == d3d9.Misc && r.to.Limits.Regs[d3d9.Misc] == 0: // its declaration is refused
	case own && r.later&LaterConstants == 0 && int(s.Index)+in.SourceRegisters(k) > r.to.Limits.MaxConst:
		r.wrong(in, "fit-constants", "%s has only the constants below c%d, but the host sets %s", r.to.Name,
			r.to.Limits.MaxConst, s.Reg)
	}
	abs := s.Mod == d3d9.ModAbs || s.Mod == d3d9.ModAbsNeg
	if !abs || d3d9.ModAllowed(r.to.Model, in.Op, k, s.Mod) {
		return
	}
	value := *s
	value.Mod, value.Swz = d3d9.ModNone, d3d9.Identity
	t := r.freshTemp()
	r.insert(in, d3d9.OpAbs, d3d9.Dst{Reg: t, Mask: in.Components(k, r.tex[in.Src[1].Index])}, value)
	s.Reg, s.Rel = t, d3d9.Rel{}
	if s.Mod == d3d9.ModAbsNeg {
		s.Mod = d3d9.ModNeg
	} else {
		s.Mod = d3d9.ModNone
	}
}
