package mutate

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// d3d9Program takes a Direct3D 9 program apart, as the MSDN assembly reference describes its
// instructions. A statement reads the components that it may read: where the reference does not say
// plainly that fewer matter, all four. It is nil for a nil program.
func d3d9Program(p *d3d9.Program) *flat {
	if p == nil {
		return nil
	}
	d := &d3d9Flat{p: p, defs: map[d3d9.Reg]*d3d9.Inst{}, dcls: map[d3d9.Reg][]*d3d9.Inst{}, out: &flat{frame: p.Model.String(), ends: true, varying: map[string]string{}}}
	// A table that cannot be read is none; the frame does not contain it, since places do.
	d.table, _ = p.ConstantTable()
	for i := range p.Insts {
		switch in := &p.Insts[i]; {
		case in.Op.IsDefinition():
			d.defs[in.Dst.Reg] = in
		case in.Op == d3d9.OpDcl:
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
			// What the program leaves: outputs, and whether the fragment was killed.
			if s.to[0] == 'o' || s.to == "kill" {
				seen[s.to] = true
			}
		}
		d.out.units = append(d.out.units, u)
	}
	d.out.exits = append(d.out.exits, sortedKeys(seen)...)
	return d.out
}

// d3d9Flat is a program that is taken apart.
type d3d9Flat struct {
	p     *d3d9.Program
	defs  map[d3d9.Reg]*d3d9.Inst   // def, defi and defb by the constant that they define
	dcls  map[d3d9.Reg][]*d3d9.Inst // several where one register packs several semantics, as v0.xy and v0.zw
	table *d3d9.ConstantTable       // nil without one
	out   *flat                     // what is being made
}

// host describes what the application knows of a register by the constant table. It is part of the place's
// name: the same register under another entry is another value, because the application sets it
// otherwise.
func (d *d3d9Flat) host(r d3d9.Reg) string {
	c := d.table.Lookup(r)
	if c == nil {
		return ""
	}
	return fmt.Sprint(*c)
}

// place names a component of a register. Inputs and outputs are named by semantics where they are declared,
// so that programs that use other registers for them agree: "ocolor0.x" rather than "o3.x". It notes
// which outputs the rasterizer interpolates into which inputs: by semantics from vs_3_0 to ps_3_0,
// by register below (oT3 arrives in t3, oD1 in v1).
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
				// These go to the fixed parts of the pipeline.
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

// within spells the definitions of a component that a relative read may meet. The array that is indexed
// is the parameter in the constant table which holds the base register; without one any constant
// may be met. It becomes part of the element's name, so that another def is another value.
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

// inputs are component c of all declared inputs, which a read v[aL+n] may meet.
func (d *d3d9Flat) inputs(c int) (list []arg) {
	for i := range d.p.Insts {
		if in := &d.p.Insts[i]; in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Input && in.Dst.Mask.Has(c) {
			list = append(list, arg{place: d.place(in.Dst.Reg, c)})
		}
	}
	return list
}

// read is component c of a source as an argument: an element for relative addresses, a literal for
// constants that the program defines, otherwise a place. Modifiers come last: abs before neg, as
// in -|x|.
func (d *d3d9Flat) read(s *d3d9.Src, c int) (a arg) {
	switch def := d.defs[s.Reg]; {
	// aL is set by loop, and in ps_3_0 indexes inputs too.
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

// lanes are the components of source k, as the swizzle orders them, that lane l of the result may depend
// on.
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
		// lit gives (1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1).
		return [][]int{{}, all[:1], {0, 1, 3}, {}}[l]
	case d3d9.OpDst:
		// dst gives (1, y0*y1, z0, w1).
		return [2][][]int{{{}, {1}, {2}, {}}, {{}, {1}, {}, {3}}}[k][l]
	case d3d9.OpCrs:
		// The cross product.
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
	// rcp, rsq, exp and the like read one component, which a replicating swizzle names; the
	// last of four is it.
	if in.Op.IsScalar() {
		return all[3:]
	}
	return all[l : l+1]
}

// d3d9Roles are the roles of Direct3D's flow in terms of AMD IL's, which the rest of the package uses for
// both dialects.
var d3d9Roles = map[d3d9.Op]il.Role{
	d3d9.OpIf: il.If, d3d9.OpIfc: il.If, d3d9.OpElse: il.Else, d3d9.OpEndIf: il.EndIf, d3d9.OpRep: il.Loop, d3d9.OpLoop: il.Loop,
	d3d9.OpEndRep: il.EndLoop, d3d9.OpEndLoop: il.EndLoop, d3d9.OpBreak: il.Break, d3d9.OpBreakc: il.Break, d3d9.OpBreakp: il.Break,
	d3d9.OpCall: il.Call, d3d9.OpCallnz: il.Call, d3d9.OpLabel: il.Func, d3d9.OpRet: il.Return,
}

// unit takes a statement apart into one set for each lane that it writes.
func (d *d3d9Flat) unit(in *d3d9.Inst) (u unit) {
	switch {
	case in.Op.Kind() == d3d9.Flow:
		return d.flow(in)
	case in.Op == d3d9.OpTexKill:
		// The new state depends on the old one: a fragment stays killed.
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
	// Fog, point size and depth are one value: whichever lanes the mask names, they set it.
	if scalarOutput(in.Dst.Reg) && len(u.sets) > 0 {
		u.sets = []set{joined(u.sets, d.place(in.Dst.Reg, 0))}
	}
	return u
}

// flow is a statement of flow control. What it reads from temporaries and inputs are its operands;
// integer and boolean constants are part of its text, as their values where the program defines them.
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
			// A predicate, unless there is a comparison.
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

// positionalD3D9 reports whether lanes of a result differ by more than what they read, so that the lane has
// to be part of the operation: lanes of add do not, lanes of lit and of a fetch do.
func positionalD3D9(in *d3d9.Inst) bool {
	switch in.Op {
	case d3d9.OpLit, d3d9.OpDst, d3d9.OpCrs, d3d9.OpNrm, d3d9.OpSgn, d3d9.OpSinCos, d3d9.OpExpp, d3d9.OpLogp:
		return true
	}
	return in.Op.Kind() == d3d9.TextureOp || in.Rows(1) > 1
}

// ofMagnitude reports whether an operation takes the magnitude of source k, so that its sign and abs
// make no difference: log, logp and rsq work on |x|, and pow(x, y) on |x|.
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

// joined is one set of a place that depends on all that several do, by an operation that spells theirs.
func joined(sets []set, to string) set {
	s := set{to: to, op: "joined"}
	for _, x := range sets {
		s.op += fmt.Sprint("|", x.op, x.mods, x.not)
		s.args = append(s.args, x.reads()...)
	}
	return s
}

// literal notes what a literal says about flow: the trips of rep and loop, which run from 0 to 255, and the
// outcome of a branch on a boolean constant.
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

// uniform describes an integer or boolean constant: its value if the program defines it, otherwise its
// register and what the application knows of it.
func (d *d3d9Flat) uniform(r d3d9.Reg) string {
	if def := d.defs[r]; def != nil {
		return fmt.Sprint(def.Imm)
	}
	return r.String() + d.host(r)
}
