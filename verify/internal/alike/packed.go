package alike

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// A kernel that fetches vectors from packed resources is converted to one that fetches single numbers from
// the original resources. Element x of a row of n-vectors holds the numbers at n*x+j, for j below n.
//
//	sample_resource(0) r0, r1     becomes   sample_resource(0) r9.x, (2*r1.x+0, r1.y)
//	(of float2)                             sample_resource(0) r10.x, (2*r1.x+1, r1.y)
//	                                        mov r0.xy, r9.x, r10.x
//
// Coordinates count texels and are rounded down. The conversion is therefore right where n times a coordinate
// is less than one above a multiple of n. This follows from the computation of the coordinate, modulo powers
// of two (see misaligned). In addition, both kernels are executed, and every bit has to be the same.
//
// Fetches beyond the end of a resource may differ; the host has excluded them. Launches therefore have rows
// whose first and last elements repeat one number. A clamped coordinate then reads the same number either
// way.

// apart returns a kernel that fetches only single numbers from packed resources. If vectors is set, k fetches
// vectors, and coordinates name elements. Otherwise k fetches numbers already, and only the form of its
// fetches changes, to match the other version.
func apart(k *il.Kernel, t ir.Texels, vectors bool) (*il.Kernel, error) {
	s := newSingles(k)
	s.t, s.vectors = t, vectors
	out := s.out
	s.first, s.widths = s.literals(0, 1, 2, 3), s.literals(1, 2, 4, 0)
	for i := range k.Insts {
		in := k.Insts[i]
		in.Lead, in.Text = "", ""
		if in.Op.Kind() != il.Fetch || t.ElementSize(int(in.Ctl.ID)) == 1 {
			out.Insts = append(out.Insts, in)
		} else if err := s.fetch(in); err != nil {
			return nil, err
		}
	}
	return il.Parse("packed", il.Print(out))
}

// newSingles returns a writer of a kernel like k, with the registers that k does not use.
func newSingles(k *il.Kernel) *singles {
	out := &il.Kernel{Stage: k.Stage, MultiPass: k.MultiPass, RealTime: k.RealTime, Client: k.Client}
	temps, literals := 0, 0
	number := func(r il.Reg) bool {
		if r.File == il.Temp {
			temps = max(temps, int(r.Num)+1)
		} else if r.File == il.Literal {
			literals = max(literals, int(r.Num)+1)
		}
		return false
	}
	for i := range k.Insts {
		in := &k.Insts[i]
		number(in.Dst.Reg)
		for s := range in.Sources() {
			number(in.Src[s].Reg)
		}
		indexedBy(in, number)
	}
	return &singles{out: out, temps: uint16(temps), literal: uint16(literals)}
}

// singles writes a kernel of single-number fetches, statement by statement.
type singles struct {
	out           *il.Kernel
	t             ir.Texels
	vectors       bool
	temps         uint16 // first free register
	literal       uint16 // first free literal
	first, widths il.Reg // literals: 0 to 3, and 1, 2 and 4
}

// The registers of singles: the coordinates of a fetch, those of one number, that number, and all numbers.
const (
	coordinates = iota
	ofNumber
	numberRead
	numbersRead
)

func (s *singles) extraTemp(n uint16) il.Reg { return il.Reg{File: il.Temp, Num: s.temps + n} }

// literals declares a new literal of floats.
func (s *singles) literals(values ...float32) il.Reg {
	var list [4]uint32
	for c, x := range values {
		list[c] = math.Float32bits(x)
	}
	return s.words(list[:]...)
}

// words declares a new literal.
func (s *singles) words(list ...uint32) il.Reg {
	in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4}
	copy(in.Imm[:], list)
	in.Dst.Reg, in.Dst.Mask = il.Reg{File: il.Literal, Num: s.literal}, il.MaskAll
	s.literal++
	s.out.Insts = append(s.out.Insts, in)
	return in.Dst.Reg
}

// addScalarOp adds a statement for one component of a register.
func (s *singles) addScalarOp(op il.Op, to il.Reg, component int, sources ...il.Src) {
	in := il.Inst{Op: op, HasDst: true, NSrc: uint8(len(sources))}
	var mask [4]il.Write
	mask[component] = il.Result
	in.Dst.Reg, in.Dst.Mask = to, il.MakeMask(mask[0], mask[1], mask[2], mask[3])
	copy(in.Src[:], sources)
	s.out.Insts = append(s.out.Insts, in)
}

// componentSource returns a component of a register as an operand.
func componentSource(r il.Reg, component int) il.Src {
	return il.Src{Reg: r, Swz: il.MakeSwizzle(il.SelX + il.Sel(component))}
}

// fetch writes the fetches of single numbers and a move to the destination. It refuses forms without a known
// meaning: instructions other than sample, components beyond the element, and offsets of vectors.
func (s *singles) fetch(in il.Inst) error {
	width := s.t.ElementSize(int(in.Ctl.ID))
	lanes := in.Dst.Mask.Computed()
	switch {
	case in.Op != il.OpSample:
		return fmt.Errorf("resource %d is packed, but %s reads it", in.Ctl.ID, in.Op)
	case s.vectors && lanes>>width != 0:
		return fmt.Errorf("elements of resource %d have %d numbers", in.Ctl.ID, width)
	case s.vectors && in.Ctl.Texel[0] != 0:
		return fmt.Errorf("resource %d is packed, but a fetch has an offset", in.Ctl.ID)
	}
	dst := in.Dst
	at := in.Src[0]
	v := at.Swz.Vector()
	at.Swz = il.MakeSwizzle(v[0], v[1], v[2], v[3])
	to := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
	to.Dst.Reg, to.Dst.Mask, to.Src[0] = s.extraTemp(coordinates), il.MaskAll, at
	s.out.Insts = append(s.out.Insts, to)

	in.Dst = il.Dst{}
	in.Dst.Reg, in.Dst.Mask = s.extraTemp(numberRead), il.MakeMask(il.Result, 0, 0, 0)
	move := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1, Dst: dst}
	if !s.vectors {
		if half := in.Ctl.Texel[0]; half != 0 { // as a sum, which the other version may have
			s.addScalarOp(il.OpAdd, s.extraTemp(coordinates), 0, componentSource(s.extraTemp(coordinates), 0),
				componentSource(s.literals(float32(half)/2, 0, 0, 0), 0))
			in.Ctl.Texel[0] = 0
		}
		in.Src[0] = il.Src{Reg: s.extraTemp(coordinates), Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)}
		move.Src[0] = componentSource(s.extraTemp(numberRead), 0)
		s.out.Insts = append(s.out.Insts, in, move)
		return nil
	}
	scale := componentSource(s.widths, width/2)
	for c := 1; c < 4; c++ {
		s.addScalarOp(il.OpMov, s.extraTemp(ofNumber), c, componentSource(s.extraTemp(coordinates), c))
	}
	for j := range width {
		if !lanes.Has(j) {
			continue
		}
		s.addScalarOp(il.OpMad, s.extraTemp(ofNumber), 0, componentSource(s.extraTemp(coordinates), 0), scale,
			componentSource(s.first, j))
		in.Src[0] = il.Src{Reg: s.extraTemp(ofNumber), Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)}
		s.out.Insts = append(s.out.Insts, in)
		s.addScalarOp(il.OpMov, s.extraTemp(numbersRead), j, componentSource(s.extraTemp(numberRead), 0))
	}
	move.Src[0] = il.Src{Reg: s.extraTemp(numbersRead), Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)}
	s.out.Insts = append(s.out.Insts, move)
	return nil
}

// misaligned describes a fetch from a packed resource whose coordinate, times the width, may not be the first
// number of its element. It returns "" if all fetches are aligned. over is the residue of the coordinate
// modulo 1: fractions up to 1/width stay within the element.
func misaligned(k *il.Kernel, t ir.Texels, known map[ir.Reg]uint32) (why string) {
	fn, err := amdil.Lift(k)
	if err != nil {
		return err.Error()
	}
	fn.Specialize(known)
	if err := fn.Check(); err != nil {
		return err.Error()
	}
	launch := fn.Dialect.Launch()
	values := ir.ModuloValues(fn, func(v *ir.Value) ir.Residues { return ir.PositionResidues(launch, v) })
	fn.Walk(func(in *ir.Instr) {
		width := t.ElementSize(int(in.Res.Unit))
		if why != "" || !in.Op.Has(ir.IsFetch) || width == 1 {
			return
		}
		if _, over, ok := ir.LaneResidue(values, in.Src[0][0]).Modulo(1); !ok || over*float64(width) >= 1 {
			why = fmt.Sprintf("the elements of resource %d that line %d fetches are not known", in.Res.Unit, in.Pos.Line)
		}
	})
	return why
}

// vectorsDiffer executes a kernel that fetches vectors and its converted form on the same data, packed and
// unpacked. It describes the first difference in any bit, or returns "".
func (r *Runs) vectorsDiffer(vectors, single *il.Kernel, t ir.Texels) (why string) {
	before, err := kernel.Compile(vectors)
	if err != nil {
		return "execution: " + err.Error()
	}
	after, err := kernel.Compile(single)
	if err != nil {
		return "execution: " + err.Error()
	}
	why = "execution: a kernel that fetches vectors cannot be executed"
	for _, l := range r.launches() {
		l = numbers(r.Constants.InLaunch(l), t)
		o := r.options()
		want, err := after.Run(l, o)
		if err != nil {
			continue
		}
		got, err := before.Run(vectorsOf(l, t), o)
		if err != nil {
			continue
		}
		if what := trial.Differing(want, got); what != "" {
			return fmt.Sprintf("execution: %s differs between vectors and single numbers", what)
		}
		why = ""
	}
	return why
}

// numbers returns launch l with one number per element in packed resources. The width divides the length of
// their rows, whose first and last elements repeat one number.
func numbers(l *kernel.Case, t ir.Texels) *kernel.Case {
	d := *l
	d.Resources = slices.Clone(l.Resources)
	for i := range d.Resources {
		r := &d.Resources[i]
		by := t.ElementSize(r.ID)
		if by == 1 {
			continue
		}
		per := r.Format.Components()
		words := make([]uint32, r.Width*r.Height*r.Depth*per)
		if r.Data.Kind != kernel.Zero {
			trial.EditData(&r.Data, len(words), l.Width, func(w uint32) uint32 { return w })
			words = r.Data.Words
		}
		width := (r.Width + by - 1) / by * by
		var single []uint32
		for row := range r.Height * r.Depth {
			for x := range width {
				switch {
				case x < by:
					x = 0
				case x >= width-by:
					x = width - by
				}
				single = append(single, words[(row*r.Width+min(x, r.Width-1))*per])
			}
		}
		r.Width, r.Format, r.Data = width, kernel.Float1, kernel.Data{Kind: kernel.Words, Words: single}
	}
	return &d
}

// vectorsOf returns a launch of numbers with packed resources.
func vectorsOf(l *kernel.Case, t ir.Texels) *kernel.Case {
	d := *l
	d.Resources = slices.Clone(l.Resources)
	for i := range d.Resources {
		if r := &d.Resources[i]; t.ElementSize(r.ID) > 1 {
			r.Width /= t.ElementSize(r.ID)
			if r.Format = kernel.Float2; t.ElementSize(r.ID) == 4 {
				r.Format = kernel.Float4
			}
		}
	}
	return &d
}
