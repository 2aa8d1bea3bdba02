package mutate

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// d3d9Program takes a program apart. A statement reads the components that it may read:
// where the reference is not plain about fewer, all.
func d3d9Program(p *d3d9.Program) *flat {
	if p == nil {
		return nil
	}
	d := &d3d9Flat{p: p, defs: map[d3d9.Reg]*d3d9.Inst{}, dcls: map[d3d9.Reg][]*d3d9.Inst{}, out: &flat{frame: p.Model.String(), ends: true, varying: map[string]string{}}}
	d.table, _ = p.ConstantTable()
	for i := range p.Insts {
		switch in := &p.Insts[i]; in.Op {
		case d3d9.OpDef, d3d9.OpDefI, d3d9.OpDefB:
			d.defs[in.Dst.Reg] = in
		case d3d9.OpDcl:
			d.dcls[in.Dst.Reg] = append(d.dcls[in.Dst.Reg], in)
		}
	}
	if fixedPoint(p.Model) {
		d.fixed()
		return d.out
	}
	seen := map[string]bool{}
	for i := range p.Insts {
		in := &p.Insts[i]
		if k := in.Op.Kind(); k == d3d9.Declaration || k == d3d9.Trivia || in.Op == d3d9.OpNop {
			continue
		}
		u := d.unit(in)
		u.inst = i
		for _, s := range u.sets {
			if s.to[0] == 'o' || s.to == "kill" {
				seen[s.to] = true
			}
		}
		d.out.units = append(d.out.units, u)
	}
	d.out.exits = append(d.out.exits, sortedKeys(seen)...)
	return d.out
}

type d3d9Flat struct {
	p     *d3d9.Program
	defs  map[d3d9.Reg]*d3d9.Inst
	dcls  map[d3d9.Reg][]*d3d9.Inst
	table *d3d9.ConstantTable
	out   *flat
}

// host describes what the application knows of a register by the constant table.
func (d *d3d9Flat) host(r d3d9.Reg) string {
	c := d.table.Lookup(r)
	if c == nil {
		return ""
	}
	return fmt.Sprint(*c)
}

// place names a component of a register, inputs and outputs by what they mean.
func (d *d3d9Flat) place(r d3d9.Reg, c int) string {
	name := fmt.Sprintf("%s.%c", r, "xyzw"[c])
	if fixedPoint(d.p.Model) {
		if p, ok := d.fixedPlace(r, c); ok {
			return p
		}
	}
	switch r.File {
	case d3d9.Const:
		return name + d.host(r)
	case d3d9.Input, d3d9.Texture, d3d9.Misc:
		for _, in := range d.dcls[r] {
			if in.Dst.Mask.Has(c) {
				if in.Decl != (d3d9.Decl{}) {
					name = fmt.Sprintf("%v.%c", in.Decl, "xyzw"[c])
				}
				return "i" + name
			}
		}
	case d3d9.Output:
		for _, in := range d.dcls[r] {
			if in.Dst.Mask.Has(c) {
				o := fmt.Sprintf("o%v.%c", in.Decl, "xyzw"[c])
				switch in.Decl.Usage {
				case d3d9.UsagePosition, d3d9.UsagePSize, d3d9.UsageFog:
				default:
					d.out.varying[o] = fmt.Sprintf("i%v.%c", in.Decl, "xyzw"[c])
				}
				return o
			}
		}
	case d3d9.TexOut:
		d.out.varying[name] = fmt.Sprintf("it%d.%c", r.Index, "xyzw"[c])
	case d3d9.AttrOut:
		d.out.varying[name] = fmt.Sprintf("iv%d.%c", r.Index, "xyzw"[c])
	}
	return name
}

// within are the definitions of a component that a relative read from a register on may
// meet: it stays within its parameter where the constant table names one.
func (d *d3d9Flat) within(r d3d9.Reg, c int) (text string) {
	p := d.table.Lookup(r)
	for i := range d.p.Insts {
		in := &d.p.Insts[i]
		if in.Op == d3d9.OpDef && (p == nil || p.Uses(in.Dst.Reg)) {
			text += fmt.Sprint(in.Dst.Index, " ", in.Imm[c], ";")
		}
	}
	return text
}

// inputs are component c of all that is declared.
func (d *d3d9Flat) inputs(c int) (list []arg) {
	for i := range d.p.Insts {
		if in := &d.p.Insts[i]; in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Input && in.Dst.Mask.Has(c) {
			list = append(list, arg{place: d.place(in.Dst.Reg, c)})
		}
	}
	return list
}

// read is component c of a source as an argument.
func (d *d3d9Flat) read(s *d3d9.Src, c int) (a arg) {
	switch def := d.defs[s.Reg]; {
	case s.Rel.File == d3d9.Loop:
		a.by = []arg{{place: "aL"}}
		if s.File == d3d9.Input { // any of them
			a.by = append(a.by, d.inputs(c)...)
		}
	case s.Rel.File == d3d9.Addr:
		a.by = []arg{{place: fmt.Sprintf("a0.%c", "xyzw"[s.Rel.Swz.At(0)])}}
	case def != nil:
		bits := def.Imm[c]
		if fixedPoint(d.p.Model) {
			bits = clamped(bits)
		}
		a.word = hex(bits)
	default:
		a.place = d.place(s.Reg, c)
		for _, in := range d.dcls[s.Reg] {
			if in.Dst.Mask.Has(c) && in.Dst.Mods != 0 { // centroid, _pp
				a.mods = append(a.mods, fmt.Sprint("input", in.Dst.Mods))
			}
		}
	}
	if a.by != nil {
		a.word = fmt.Sprint(s.Reg, c, d.host(s.Reg), d.within(s.Reg, c))
	}
	switch s.Mod {
	case d3d9.ModNone:
	case d3d9.ModNeg:
		a.mods = append(a.mods, "neg")
	case d3d9.ModAbs:
		a.mods = append(a.mods, "abs")
	case d3d9.ModAbsNeg:
		a.mods = append(a.mods, "abs", "neg")
	default:
		a.mods = append(a.mods, fmt.Sprint("mod", s.Mod))
	}
	return a
}

// dims are the components of its coordinates that a fetch from a texture reads.
var dims = map[d3d9.TexType]int{d3d9.Tex2D: 2, d3d9.TexCube: 3, d3d9.TexVolume: 3}

// lanes are the components that lane l of the result may depend on, of source k.
func (d *d3d9Flat) lanes(in *d3d9.Inst, k, l int) []int {
	all := []int{0, 1, 2, 3}
	switch in.Op {
	case d3d9.OpDp3:
		return all[:3]
	case d3d9.OpDp2add:
		if k < 2 {
			return all[:2]
		}
		return all[:1]
	case d3d9.OpLit:
		return [][]int{{}, all[:1], {0, 1, 3}, {}}[l]
	case d3d9.OpDst:
		return [2][][]int{{{}, {1}, {2}, {}}, {{}, {1}, {}, {3}}}[k][l]
	case d3d9.OpCrs:
		return [][]int{{1, 2}, {0, 2}, {0, 1}, {}}[l]
	case d3d9.OpSgn:
		if k == 0 {
			return all[l : l+1]
		}
		return all // of the registers that it may work in
	case d3d9.OpDp4, d3d9.OpNrm, d3d9.OpSinCos:
		return all
	case d3d9.OpM3x2, d3d9.OpM3x3, d3d9.OpM3x4:
		return all[:3]
	case d3d9.OpTexld, d3d9.OpTexldp, d3d9.OpTexldb, d3d9.OpTexldl, d3d9.OpTexldd:
		dcl := d.dcls[in.Src[1].Reg]
		if len(dcl) != 1 || dims[dcl[0].Decl.Tex] == 0 {
			return all
		}
		n := dims[dcl[0].Decl.Tex]
		if k == 0 && in.Op != d3d9.OpTexld && in.Op != d3d9.OpTexldd {
			return append(slices.Clone(all[:n]), 3) // a divisor, a bias or a level
		}
		return all[:n]
	}
	if in.Op.Kind() == d3d9.TextureOp || in.Rows(1) > 1 {
		return all
	}
	if in.Op.IsScalar() {
		return all[3:]
	}
	return all[l : l+1]
}

// d3d9Roles are the roles of Direct3D's flow, in the words of the other dialect.
var d3d9Roles = map[d3d9.Op]il.Role{
	d3d9.OpIf: il.If, d3d9.OpIfc: il.If, d3d9.OpElse: il.Else, d3d9.OpEndIf: il.EndIf, d3d9.OpRep: il.Loop, d3d9.OpLoop: il.Loop,
	d3d9.OpEndRep: il.EndLoop, d3d9.OpEndLoop: il.EndLoop, d3d9.OpBreak: il.Break, d3d9.OpBreakc: il.Break, d3d9.OpBreakp: il.Break,
	d3d9.OpCall: il.Call, d3d9.OpCallnz: il.Call, d3d9.OpLabel: il.Func, d3d9.OpRet: il.Return,
}

// unit takes a statement apart.
func (d *d3d9Flat) unit(in *d3d9.Inst) (u unit) {
	switch {
	case in.Op.Kind() == d3d9.Flow:
		return d.flow(in)
	case in.Op == d3d9.OpTexKill:
		s := set{to: "kill", op: "texkill", args: []arg{{place: "kill"}}}
		for c := range 4 {
			s.args = append(s.args, d.read(&d3d9.Src{Reg: in.Dst.Reg}, c))
		}
		return unit{sets: []set{s}}
	}
	for l := range 4 {
		if in.Dst.Mask.Has(l) {
			u.sets = append(u.sets, d.lane(in, l))
		}
	}
	if scalarOutput(in.Dst.Reg) && len(u.sets) > 0 {
		u.sets = []set{joined(u.sets, d.place(in.Dst.Reg, 0))}
	}
	return u
}

// flow is a statement of flow control.
func (d *d3d9Flat) flow(in *d3d9.Inst) unit {
	u := unit{flow: fmt.Sprint(in.Op, in.Cmp), role: d3d9Roles[in.Op], sure: in.NSrc == 0 || in.Op == d3d9.OpCall}
	for k := range in.Sources() {
		s := &in.Src[k]
		switch s.File {
		case d3d9.Label:
			u.label = s.Reg.String()
			u.flow += " " + u.label
		case d3d9.Loop:
			u.flow += " aL"
		case d3d9.ConstInt, d3d9.ConstBool:
			text := d.uniform(s.Reg)
			if def := d.defs[s.Reg]; def != nil && in.Op == d3d9.OpRep {
				text = fmt.Sprint(def.Imm[0]) // the start and the step are for aL
			}
			u.flow += fmt.Sprint(" ", s.Mod, text)
			u.rel, u.not = "bool "+d.uniform(s.Reg), s.Mod == d3d9.ModNot
			d.literal(&u, s)
		default:
			u.flow += fmt.Sprint(" ", s.Mod == d3d9.ModNot)
			u.rel, u.not = "nz", s.Mod == d3d9.ModNot
			if in.Cmp != 0 {
				u.rel = in.Cmp.String()
			}
			plain := *s
			if plain.Mod == d3d9.ModNot {
				plain.Mod = d3d9.ModNone
			}
			u.reads = append(u.reads, d.read(&plain, s.Swz.At(0)))
		}
	}
	return u
}

// lane is what a statement writes to lane l of its destination.
func (d *d3d9Flat) lane(in *d3d9.Inst, l int) set {
	s := set{to: d.place(in.Dst.Reg, l), op: in.Op.String()}
	if in.Cmp != 0 {
		s.op += in.Cmp.String()
	}
	if in.Dst.Mods&d3d9.PartialPrecision != 0 {
		s.mods = append(s.mods, "pp")
	}
	if in.Dst.Shift != 0 {
		s.mods = append(s.mods, fmt.Sprint("shift", in.Dst.Shift))
	}
	if in.Dst.Mods&d3d9.Saturate != 0 {
		s.mods = append(s.mods, "sat")
	}
	if positionalD3D9(in) {
		s.op += fmt.Sprint("|", l)
	}
	for k := range in.Sources() {
		src := &in.Src[k]
		if src.File == d3d9.Sampler {
			dcl := ""
			for _, in := range d.dcls[src.Reg] {
				dcl += fmt.Sprint(in.Decl.Tex)
			}
			s.op += fmt.Sprint("|", src.Reg, src.Swz, dcl, d.host(src.Reg))
			continue
		}
		r := *src
		if ofMagnitude(in.Op, k) {
			r.Mod = d3d9.ModAbs
		}
		if k == 1 && in.Rows(1) > 1 { // a component is a row's product
			r.Index += uint16(l)
		}
		for _, c := range d.lanes(in, k, l) {
			s.args = append(s.args, d.read(&r, src.Swz.At(c)))
		}
	}
	if in.HasPred {
		s.when, s.not = &arg{place: fmt.Sprintf("p0.%c", "xyzw"[in.Pred.Swz.At(l)])}, in.Pred.Mod == d3d9.ModNot
	}
	return s
}

// positionalD3D9 reports whether lanes of a result differ by more than what they read.
func positionalD3D9(in *d3d9.Inst) bool {
	switch in.Op {
	case d3d9.OpLit, d3d9.OpDst, d3d9.OpCrs, d3d9.OpNrm, d3d9.OpSgn, d3d9.OpSinCos, d3d9.OpExpp, d3d9.OpLogp:
		return true
	}
	return in.Op.Kind() == d3d9.TextureOp || in.Rows(1) > 1
}

// ofMagnitude reports whether an operation takes source k without its sign, whatever that is.
func ofMagnitude(op d3d9.Op, k int) bool {
	switch op {
	case d3d9.OpLog, d3d9.OpLogp, d3d9.OpRsq:
		return true
	case d3d9.OpPow:
		return k == 0
	}
	return false
}

// scalarOutput reports whether an output holds one value, whichever lane writes it.
func scalarOutput(r d3d9.Reg) bool {
	return r.File == d3d9.DepthOut || r.File == d3d9.RastOut && r.Index != d3d9.PosIndex
}

// joined is one set of a place that depends on all that several do.
func joined(sets []set, to string) set {
	s := set{to: to, op: "joined"}
	for _, x := range sets {
		s.op += fmt.Sprint("|", x.op, x.mods, x.not)
		s.args = append(s.args, x.reads()...)
	}
	return s
}

// literal notes what a literal says about flow.
func (d *d3d9Flat) literal(u *unit, s *d3d9.Src) {
	def := d.defs[s.Reg]
	switch {
	case def == nil:
	case s.File == d3d9.ConstInt:
		if n := int32(def.Imm[0]); n >= 0 && n <= 255 {
			u.trips = int(n) + 1
		}
	case (def.Imm[0] != 0) != (s.Mod == d3d9.ModNot):
		u.taken = 1
	default:
		u.taken = 2
	}
}

// uniform describes an integer or boolean constant.
func (d *d3d9Flat) uniform(r d3d9.Reg) string {
	if def := d.defs[r]; def != nil {
		return fmt.Sprint(def.Imm)
	}
	return r.String() + d.host(r)
}
