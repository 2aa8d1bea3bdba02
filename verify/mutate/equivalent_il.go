package mutate

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// effects is the place of everything outside the registers of an invocation: memories, and whether the
// invocation is still there. Stores, atomics, fences and discards set it to an operation on its
// old value, and loads read it, so that their order is kept. One place for all takes no stand on
// what aliases.
const effects = "effects"

// ilProgram takes a kernel apart, as the AMD IL Specification describes its instructions. Declarations
// are the frame, which has to be the same, but for literals, whose words are inlined. It is nil
// where a literal is declared twice.
func ilProgram(k *il.Kernel) *flat {
	d := &ilFlat{k: k, indexed: indexedArrays(k), sizes: map[uint16]uint32{}, literals: map[uint16][4]uint32{}, out: &flat{frame: fmt.Sprint(k.Stage, k.MultiPass, k.RealTime)}}
	for i := range k.Insts {
		in := &k.Insts[i]
		switch {
		case in.Op == il.OpDclIndexedTempArray:
			d.sizes[in.Dst.Num] = in.Imm[0]
			d.out.frame += "\n" + il.Format(in)
		case in.Op == il.OpDclLiteral:
			if _, twice := d.literals[in.Dst.Num]; twice {
				return nil
			}
			d.literals[in.Dst.Num] = in.Imm
		case in.Op.Kind() == il.Declaration:
			d.out.frame += "\n" + il.Format(in)
		}
	}
	seen := map[string]bool{effects: true}
	for i := range k.Insts {
		in := &k.Insts[i]
		if in.Op.Kind() == il.Declaration {
			continue
		}
		u := d.unit(in)
		u.inst = i
		for _, s := range u.sets {
			if s.to[0] == 'o' {
				seen[s.to] = true
			}
		}
		d.out.units = append(d.out.units, u)
	}
	d.out.exits = sortedKeys(seen)
	return d.out
}

// ilFlat is a kernel that is taken apart.
type ilFlat struct {
	k        *il.Kernel
	indexed  map[uint16]bool      // arrays of registers that some access chooses an element of
	sizes    map[uint16]uint32    // how many elements arrays have
	literals map[uint16][4]uint32 // words of literals by register
	out      *flat                // what is being made
}

// indexedArrays are the arrays of registers of which an element is chosen by a register;
// the elements of all others are registers themselves.
func indexedArrays(k *il.Kernel) map[uint16]bool {
	m := map[uint16]bool{}
	see := func(r il.Reg, a *il.Addr) {
		if r.File == il.TempArray && a.Rel != nil {
			m[r.Num] = true
		}
	}
	for i := range k.Insts {
		in := &k.Insts[i]
		see(in.Dst.Reg, &in.Dst.Addr)
		for j := range in.Sources() {
			see(in.Src[j].Reg, &in.Src[j].Addr)
		}
	}
	return m
}

// element is the number of the element of an array of registers that an address means, as an argument:
// offset alone, or a register plus the offset.
func (d *ilFlat) element(a *il.Addr) arg {
	if a.Rel == nil {
		return arg{word: hex(a.Offset)}
	}
	i := d.read(a.Rel, a.Rel.Swz.At(0))
	i.mods = append(i.mods, plus+hex(a.Offset))
	return i
}

// index is the index of an access to a buffer or memory, as at least one argument and as text that goes
// into the operation's name.
func (d *ilFlat) index(a *il.Addr) (args []arg, text string) {
	if a.Rel == nil {
		return []arg{{word: "0"}}, fmt.Sprint("[", a.Offset, "]")
	}
	return []arg{d.read(a.Rel, a.Rel.Swz.At(0))}, fmt.Sprint("[+", a.Offset, "]")
}

// read is a selection of a source as an argument, without its negation, which the caller knows how to
// apply.
func (d *ilFlat) read(s *il.Src, sel il.Sel) (a arg) {
	words, literal := d.literals[s.Num]
	switch {
	case sel == il.Sel0:
		a.word = "00000000"
	case sel == il.Sel1:
		a.word = "3f800000"
	case s.File == il.Literal && literal:
		a.word = fmt.Sprintf("%08x", words[sel])
	// Elements that only literals choose are registers.
	case s.File == il.TempArray && !d.indexed[s.Num]:
		a.place = fmt.Sprintf("%s[%d].%d", s.Reg, s.Offset, sel)
	case s.File == il.TempArray:
		a.word, a.by = fmt.Sprint(element, sel), []arg{d.element(&s.Addr), {place: s.Reg.String()}}
	case s.File.IsArray():
		index, at := d.index(&s.Addr)
		a.word, a.by = fmt.Sprint(s.Reg, at, sel), index
		switch s.File {
		// No store changes a constant buffer; any other array of memory depends on effects.
		case il.ConstBuf, il.ImmConstBuf:
		default:
			a.by = append(a.by, arg{place: effects})
		}
	default:
		a.place = fmt.Sprintf("%s.%d", s.Reg, sel)
	}
	switch {
	// _divComp divides by another component: an operation that is kept whole with the modifiers.
	case s.Div != 0:
		by := arg{place: fmt.Sprintf("%s.%d", s.Reg, s.Div)}
		a = arg{word: fmt.Sprint("divided", s.Mods), by: []arg{a, by}}
	default:
		for bit, name := range sourceMods {
			if s.Mods&(1<<bit) != 0 {
				a.mods = append(a.mods, name)
			}
		}
	}
	return a
}

// sourceMods name the modifiers of a source by their bits, in the order in which they apply.
var sourceMods = [...]string{"invert", "bias", "x2", "sgn", "abs"}

// lanesRead are the selections of source k that lane l of the result may depend on, and the places of the
// swizzle that they stand in, by which negations are known.
func lanesRead(in *il.Inst, k, l int) (sels []il.Sel, lanes []int) {
	all := in.Reads(k)
	from, to := 0, 4
	switch {
	// One lane of a lane-wise operation. Doubles use pairs of lanes, unless their words are
	// moved.
	case in.Op.SourceShape(k) == il.LaneWise && in.HasDst && (in.Op.Kind() != il.Double || movesWords(in)) && in.Op.Kind() != il.MemoryOp:
		from, to = l, l+1
	case in.Op == il.OpDp2 || in.Op == il.OpDp2Add && k < 2:
		to = 2
	case in.Op == il.OpDp3:
		to = 3
	case in.Op.SourceShape(k) == il.Scalar:
		to = 1
	}
	for c := from; c < to; c++ {
		if all[c] != il.SelNone {
			sels = append(sels, all[c])
			lanes = append(lanes, c)
		}
	}
	return sels, lanes
}

// args are all that lane l of the result may depend on.
func (d *ilFlat) args(in *il.Inst, l int) (args []arg) {
	for k := range in.Sources() {
		s := &in.Src[k]
		sels, lanes := lanesRead(in, k, l)
		if in.Op == il.OpSample && k == 0 {
			sels, lanes = d.coordinates(in, sels, lanes)
		}
		for i, sel := range sels {
			one := d.read(s, sel)
			if s.Neg.Has(lanes[i]) {
				if in.Op.Kind() == il.Integer { // two's complement: another negation than the sign's
					one.mods = append(one.mods, "complement")
				} else {
					one.mods = append(one.mods, "neg")
				}
			}
			args = append(args, one)
		}
	}
	return args
}

// coordinates keeps the coordinates that a fetch from a resource of its declared type reads; the others
// may hold anything.
func (d *ilFlat) coordinates(in *il.Inst, sels []il.Sel, lanes []int) ([]il.Sel, []int) {
	for i := range d.k.Insts {
		dcl := &d.k.Insts[i]
		if dcl.Op != il.OpDclResource || dcl.Ctl.ID != in.Ctl.ID {
			continue
		}
		n := map[il.TexType]int{il.Tex1D: 1, il.Tex2D: 2, il.Tex3D: 3}[dcl.Ctl.Tex]
		if n > 0 && n < len(sels) {
			return sels[:n], lanes[:n]
		}
	}
	return sels, lanes
}

// unit takes a statement apart.
func (d *ilFlat) unit(in *il.Inst) (u unit) {
	// The operation's controls (comparison, IEEE flag, resource, sampler and so on) and immediates are
	// part of its name.
	name := fmt.Sprint(in.Op, "|", in.Ctl, in.Immediates())
	switch {
	case movesWords(in):
		name = "mov"
	case in.Ctl == (il.Controls{}) && in.NImm == 0:
		name = in.Op.String()
	}
	var mods []string
	if in.Dst.Shift != 0 {
		mods = append(mods, fmt.Sprint("shift", in.Dst.Shift))
	}
	if in.Dst.Sat {
		mods = append(mods, "sat")
	}
	touches, writes := access(in)
	switch {
	case in.Op == il.OpTranspose:
		return unit{sets: transposed(in)}
	// Whether the invocation is discarded is part of effects, so that stores are not moved
	// over it.
	case in.Op.Role() == il.Discard:
		return unit{sets: []set{{to: effects, op: name, args: append(d.args(in, 0), arg{place: effects})}}}
	case in.Op.Kind() == il.Flow:
		return d.flow(in, name)
	case in.Op == il.OpFence:
		return unit{sets: []set{{to: effects, op: name, args: []arg{{place: effects}}}}}
	case in.HasDst && in.Dst.File == il.TempArray && d.indexed[in.Dst.Num]:
		return unit{sets: []set{d.stored(in, name, mods)}}
	case in.HasDst && in.Dst.File == il.Global, in.HasDst && in.Dst.File == il.Persistent:
		return unit{sets: []set{d.exported(in, name, mods)}}
	case in.Op.Kind() == il.MemoryOp && touches && writes:
		name += fmt.Sprint(in.Dst.Mask)
		u.sets = append(u.sets, set{to: effects, op: name, args: append(d.wholes(in), arg{place: effects})})
	}
	if in.HasDst && in.Dst.File != il.Memory {
		u.sets = append(u.sets, d.written(in, name, mods)...)
	}
	return u
}

// transposed are the lanes of a transpose, which takes four registers from each operand on. A plain one
// consists of sixteen moves; one with modifiers of any kind keeps all that it may read.
func transposed(in *il.Inst) (sets []set) {
	row := func(r il.Reg, row, lane int) string {
		return fmt.Sprintf("%s.%d", il.Reg{File: r.File, Num: r.Num + uint16(row)}, lane)
	}
	s := &in.Src[0]
	plain := s.Swz.Len() == 0 && s.Neg == 0 && s.Mods == 0 && in.Dst.Mask == il.MaskAll && !in.Dst.Sat && in.Dst.Shift == 0
	var all []arg
	for r := range 4 {
		for l := range 4 {
			all = append(all, arg{place: row(s.Reg, r, l)})
		}
	}
	for r := range 4 {
		for l := range 4 {
			to := row(in.Dst.Reg, r, l)
			if plain {
				sets = append(sets, set{to: to, op: "mov", args: []arg{all[4*l+r]}})
				continue
			}
			op := fmt.Sprint("transpose|", r, l, in.Dst, s.Swz, s.Neg, s.Mods)
			sets = append(sets, set{to: to, op: op, args: append(all[:16:16], arg{place: to})})
		}
	}
	return sets
}

// flow is a statement of flow control. The suffix logicalz, and the comparison of the _c forms, are a
// condition that is negated or compared.
func (d *ilFlat) flow(in *il.Inst, name string) unit {
	u := unit{flow: name, role: in.Op.Role(), sure: in.NSrc == 0, rel: "nz", reads: d.args(in, 0)}
	if u.role == il.Call || u.role == il.Func {
		u.label = fmt.Sprint(in.Imm[0])
	}
	switch in.Op {
	case il.OpCase:
		u.label = hex(in.Imm[0])
	case il.OpIfC, il.OpBreakC, il.OpContinueC:
		u.rel = in.Ctl.Rel.String()
	case il.OpIfLogicalZ, il.OpBreakLogicalZ, il.OpContinueLogicalZ, il.OpCallLogicalZ, il.OpRetLogicalZ:
		u.not = true
	}
	return u
}

// stored is a store to an array of temporaries, which takes the array's state and leaves another; see
// arrays.go. Lanes are computed within the store.
func (d *ilFlat) stored(in *il.Inst, name string, mods []string) set {
	array := in.Dst.Reg.String()
	s := set{to: array, op: fmt.Sprint(storeOp, d.sizes[in.Dst.Num]), args: []arg{{place: array}, d.element(&in.Dst.Addr)}}
	for l := range 4 {
		switch in.Dst.Mask.At(l) {
		case il.Zero:
			s.args = append(s.args, arg{word: "00000000"})
		case il.One:
			s.args = append(s.args, arg{word: "3f800000"})
		case il.Result:
			op := name
			if positionalIL(in) {
				op += fmt.Sprint("|", l)
			}
			s.args = append(s.args, arg{word: op, by: d.args(in, l), computed: true, mods: mods})
		default:
			s.args = append(s.args, arg{word: "kept"})
		}
	}
	return s
}

// exported is a store to memory that others see, g[] and the like: it changes effects. The marker "lane"
// separates the operands of lanes.
func (d *ilFlat) exported(in *il.Inst, name string, mods []string) set {
	index, at := d.index(&in.Dst.Addr)
	s := set{to: effects, op: fmt.Sprint("store|", in.Dst.Reg, at, in.Dst.Mask, name, len(index), mods), args: append(index, arg{place: effects})}
	for l := range 4 {
		if in.Dst.Mask.At(l) == il.Result {
			s.args = append(append(s.args, d.args(in, l)...), arg{word: "lane"})
		}
	}
	return s
}

// written are the lanes of a register that a statement writes: computed, or 0 or 1 by the write mask.
func (d *ilFlat) written(in *il.Inst, name string, mods []string) (sets []set) {
	to := in.Dst.Reg.String()
	if in.Dst.File == il.TempArray {
		to += fmt.Sprintf("[%d]", in.Dst.Offset)
	}
	for l := range 4 {
		s := set{to: fmt.Sprintf("%s.%d", to, l), op: "mov"}
		switch in.Dst.Mask.At(l) {
		case il.Zero:
			s.args = []arg{{word: "00000000"}}
		case il.One:
			s.args = []arg{{word: "3f800000"}}
		case il.Result:
			s.op, s.mods = name, mods
			switch {
			case in.Op.Kind() == il.MemoryOp:
				s.op += fmt.Sprint("|load", l)
				s.args = append(d.wholes(in), arg{place: effects})
			case positionalIL(in):
				s.op += fmt.Sprint("|", l)
				fallthrough
			default:
				s.args = d.args(in, l)
			}
		default:
			continue
		}
		sets = append(sets, s)
	}
	return sets
}

// movesWords reports whether a move of doubles moves words unchanged: then it is a mov.
func movesWords(in *il.Inst) bool {
	s := &in.Src[0]
	return in.Op == il.OpDMov && s.Neg == 0 && s.Mods == 0 && s.Div == 0 && !in.Dst.Sat && in.Dst.Shift == 0
}

// positionalIL reports whether lanes of a result differ by more than what they read: of doubles (high
// and low words), fetches, and operations on whole vectors but dot products, which give all lanes the
// same.
func positionalIL(in *il.Inst) bool {
	switch in.Op.Kind() {
	case il.Double, il.Fetch:
		return !movesWords(in)
	}
	for k := range in.Sources() {
		if in.Op.SourceShape(k) == il.Vector {
			switch in.Op {
			case il.OpDp2, il.OpDp2Add, il.OpDp3, il.OpDp4:
			default:
				return true
			}
		}
	}
	return false
}

// wholes are the sources of an access to memory: of a store the lanes that its mask names, of others all.
func (d *ilFlat) wholes(in *il.Inst) (args []arg) {
	for k := range in.Sources() {
		s := &in.Src[k]
		v := s.Swz.Vector()
		if in.HasDst && in.Dst.File == il.Memory {
			v = in.Reads(k)
		}
		for c, sel := range v {
			if sel == il.SelNone {
				continue
			}
			one := d.read(s, sel)
			if s.Neg.Has(c) {
				one.mods = append(one.mods, "neg")
			}
			args = append(args, one)
		}
	}
	return args
}
