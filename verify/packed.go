package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/tile"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// A kernel that fetches vectors from packed resources is compared through a kernel that fetches
// their numbers one by one, from the resources as they were: element x of a row of n numbers each is
// what lies at n*x+j, for j below n.
//
//	sample_resource(0) r0, r1     becomes   sample_resource(0) r9.x, (2*r1.x+0, r1.y)
//	(of float2)                             sample_resource(0) r10.x, (2*r1.x+1, r1.y)
//	                                        mov r0.xy, r9.x, r10.x
//
// Coordinates count texels and are rounded down, so that this is right where n times a coordinate is
// less than one beyond a multiple of n. That follows from how the coordinate is computed, modulo
// powers of two (see misaligned); besides, both are executed, and every bit has to be the same.
//
// What is fetched from beyond a resource may differ, which the host has ruled out. So launches have
// rows whose first and whose last element hold one number all over: a coordinate that is clamped
// reads the same number either way.

// apart is a kernel in which all that is fetched from packed resources are single numbers. With
// vectors, k fetches vectors, and coordinates name elements; without, k fetches numbers already, and
// only the form of the fetches is changed, so that both sides are written alike.
func apart(k *il.Kernel, t tile.Texels, vectors bool) (*il.Kernel, error) {
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
	s := singles{out: out, t: t, vectors: vectors, temps: uint16(temps), literal: uint16(literals)}
	s.first, s.widths = s.literals(0, 1, 2, 3), s.literals(1, 2, 4, 0)
	for i := range k.Insts {
		in := k.Insts[i]
		in.Lead, in.Text = "", ""
		if in.Op.Kind() != il.Fetch || t.By(int(in.Ctl.ID)) == 1 {
			out.Insts = append(out.Insts, in)
		} else if err := s.fetch(in); err != nil {
			return nil, err
		}
	}
	return il.Parse("packed", il.Print(out))
}

// singles writes a kernel of single numbers, statement by statement.
type singles struct {
	out           *il.Kernel
	t             tile.Texels
	vectors       bool
	temps         uint16 // registers from here on are its own
	literal       uint16 // as are literals
	first, widths il.Reg // literals: 0 to 3, and 1, 2 and 4
}

// The registers of singles: the coordinates of a fetch, those of one number, that, and all.
const (
	coordinates = iota
	ofNumber
	numberRead
	numbersRead
)

func (s *singles) temp(n uint16) il.Reg { return il.Reg{File: il.Temp, Num: s.temps + n} }

// literals declares a literal of its own.
func (s *singles) literals(values ...float32) il.Reg {
	in := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4}
	for c, x := range values {
		in.Imm[c] = math.Float32bits(x)
	}
	in.Dst.Reg, in.Dst.Mask = il.Reg{File: il.Literal, Num: s.literal}, il.MaskAll
	s.literal++
	s.out.Insts = append(s.out.Insts, in)
	return in.Dst.Reg
}

// op adds a statement for one component of a register.
func (s *singles) op(op il.Op, to il.Reg, component int, sources ...il.Src) {
	in := il.Inst{Op: op, HasDst: true, NSrc: uint8(len(sources))}
	var mask [4]il.Write
	mask[component] = il.Result
	in.Dst.Reg, in.Dst.Mask = to, il.MakeMask(mask[0], mask[1], mask[2], mask[3])
	copy(in.Src[:], sources)
	s.out.Insts = append(s.out.Insts, in)
}

// of is a component of a register.
func of(r il.Reg, component int) il.Src {
	return il.Src{Reg: r, Swz: il.MakeSwizzle(il.SelX + il.Sel(component))}
}

// fetch writes a fetch of numbers, and a move of them to where they are wanted. It refuses what it
// does not know the meaning of: other instructions than sample, components that an element does
// not have, offsets of vectors.
func (s *singles) fetch(in il.Inst) error {
	width := s.t.By(int(in.Ctl.ID))
	lanes := in.Dst.Mask.Computed()
	switch {
	case in.Op != il.OpSample:
		return fmt.Errorf("resource %d is packed, and read by %s", in.Ctl.ID, in.Op)
	case s.vectors && lanes>>width != 0:
		return fmt.Errorf("elements of resource %d have %d numbers", in.Ctl.ID, width)
	case s.vectors && in.Ctl.Texel[0] != 0:
		return fmt.Errorf("resource %d is packed, and fetched from at an offset", in.Ctl.ID)
	}
	dst := in.Dst
	at := in.Src[0]
	v := at.Swz.Vector()
	at.Swz = il.MakeSwizzle(v[0], v[1], v[2], v[3])
	to := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
	to.Dst.Reg, to.Dst.Mask, to.Src[0] = s.temp(coordinates), il.MaskAll, at
	s.out.Insts = append(s.out.Insts, to)

	in.Dst = il.Dst{}
	in.Dst.Reg, in.Dst.Mask = s.temp(numberRead), il.MakeMask(il.Result, 0, 0, 0)
	move := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1, Dst: dst}
	if !s.vectors {
		if half := in.Ctl.Texel[0]; half != 0 { // as a sum, which the other side may have
			s.op(il.OpAdd, s.temp(coordinates), 0, of(s.temp(coordinates), 0), of(s.literals(float32(half)/2, 0, 0, 0), 0))
			in.Ctl.Texel[0] = 0
		}
		in.Src[0] = il.Src{Reg: s.temp(coordinates), Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)}
		move.Src[0] = of(s.temp(numberRead), 0)
		s.out.Insts = append(s.out.Insts, in, move)
		return nil
	}
	scale := of(s.widths, width/2)
	for c := 1; c < 4; c++ {
		s.op(il.OpMov, s.temp(ofNumber), c, of(s.temp(coordinates), c))
	}
	for j := range width {
		if !lanes.Has(j) {
			continue
		}
		s.op(il.OpMad, s.temp(ofNumber), 0, of(s.temp(coordinates), 0), scale, of(s.first, j))
		in.Src[0] = il.Src{Reg: s.temp(ofNumber), Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)}
		s.out.Insts = append(s.out.Insts, in)
		s.op(il.OpMov, s.temp(numbersRead), j, of(s.temp(numberRead), 0))
	}
	move.Src[0] = il.Src{Reg: s.temp(numbersRead), Swz: il.MakeSwizzle(il.SelX, il.SelY, il.SelZ, il.SelW)}
	s.out.Insts = append(s.out.Insts, move)
	return nil
}

// misaligned says where an element of a packed resource is fetched of which it is not known that its
// coordinate, times the width, is that of its first number; empty if nowhere. over is the residue of
// the coordinate modulo 1: fractions up to 1/width stay within the element.
func misaligned(k *il.Kernel, t tile.Texels, known map[ir.Reg]uint32) (why string) {
	p, err := prepareKernel(k, known)
	if err != nil {
		return err.Error()
	}
	launch := p.fn.Dialect.Launch()
	values := ir.ModuloValues(p.fn, func(v *ir.Value) ir.Residues { return ir.PositionResidues(launch, v) })
	p.fn.Walk(func(in *ir.Instr) {
		width := t.By(int(in.Res.Unit))
		if why != "" || !in.Op.Has(ir.IsFetch) || width == 1 {
			return
		}
		if _, over, ok := ir.LaneResidue(values, in.Src[0][0]).Modulo(1); !ok || over*float64(width) >= 1 {
			why = fmt.Sprintf("which elements of resource %d are fetched in line %d does not follow", in.Res.Unit, in.Pos.Line)
		}
	})
	return why
}

// vectorsDiffer executes a kernel that fetches vectors and the one of numbers that was made of it, on
// the same data packed and unpacked, and says in what they differ, bit for bit.
func (c *kernelChecker) vectorsDiffer(vectors *il.Kernel, t tile.Texels) (why string) {
	before, err := kernel.Compile(vectors)
	if err != nil {
		return "R2: " + err.Error()
	}
	after, err := kernel.Compile(c.after)
	if err != nil {
		return "R2: " + err.Error()
	}
	launches := slices.Clone(c.KernelCases)
	n := uint64(2)
	if c.Effort == Full {
		n = 8
	}
	for k := range n {
		launches = append(launches, c.launch(k))
	}
	why = "R2: what fetches vectors cannot be executed"
	for _, l := range launches {
		l = numbers(promise(c.Constants).launch(l), t)
		o := kernel.Options{Steps: launchSteps, Budget: c.runs()}
		want, err := after.Run(l, o)
		if err != nil {
			continue
		}
		got, err := before.Run(vectorsOf(l, t), o)
		if err != nil {
			continue
		}
		for i, words := range want.Out {
			if !slices.Equal(words, got.Out[i]) {
				return fmt.Sprintf("R2: o%d of vectors is not that of their numbers", i)
			}
		}
		if what := memoryOver(want, got); what != "" {
			return fmt.Sprintf("R2: %s of vectors is not that of their numbers", what)
		}
		why = ""
	}
	return why
}

// numbers is launch l with one number an element in what is packed, in rows whose length the width
// divides and whose first and last element hold one number all over.
func numbers(l *kernel.Case, t tile.Texels) *kernel.Case {
	d := *l
	d.Resources = slices.Clone(l.Resources)
	for i := range d.Resources {
		r := &d.Resources[i]
		by := t.By(r.ID)
		if by == 1 {
			continue
		}
		per := r.Format.Components()
		words := make([]uint32, r.Width*r.Height*r.Depth*per)
		if r.Data.Kind != kernel.Zero {
			change(&r.Data, len(words), l.Width, func(w uint32) uint32 { return w })
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

// vectorsOf is a launch of numbers with packed resources.
func vectorsOf(l *kernel.Case, t tile.Texels) *kernel.Case {
	d := *l
	d.Resources = slices.Clone(l.Resources)
	for i := range d.Resources {
		if r := &d.Resources[i]; t.By(r.ID) > 1 {
			r.Width /= t.By(r.ID)
			if r.Format = kernel.Float2; t.By(r.ID) == 4 {
				r.Format = kernel.Float4
			}
		}
	}
	return &d
}
