package alike

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// A kernel that fetches from the memory of a raw view is compared with an original that does the same. Loads from the
// view become fetches from a buffer of four numbers an element, or of one:
//
//	uav_raw_load_id(0) r1.x, r0.x     becomes     iadd r9.x, r0.x, l9.z
//	(of bytes 16*n+4)                             ushr r9.x, r9.x, l9.x
//	                                              load_resource(3) r10, r9.x
//	                                              mov r1.x, r10.y
//
// The first statement subtracts the place of the load in its element, which follows from the computation of the address
// modulo 16. It is left out for place 0. Beyond the end of memory, loads and fetches both return 0. In addition, both
// kernels are executed, and every bit has to be the same.

// readsImages returns k with fetches from the resources of images in place of loads from their views. It refuses
// kernels that access these views otherwise, and ones that have the resources.
func readsImages(k *il.Kernel, images []ir.Image, known map[ir.Reg]uint32) (*il.Kernel, error) {
	by := map[uint16]ir.Image{}
	for _, i := range images {
		by[uint16(i.View)] = i
	}
	places, err := placesOfWords(k, by, known)
	if err != nil {
		return nil, err
	}
	s := newSingles(k)
	amounts := s.words(4, 2)
	back := s.words(0, 0xfffffffc, 0xfffffff8, 0xfffffff4)
	for _, i := range images {
		s.out.Insts = append(s.out.Insts, amdil.FloatBuffer(uint16(i.Resource)))
	}
	for n := range k.Insts {
		in := k.Insts[n]
		in.Lead, in.Text = "", ""
		for _, i := range images {
			if in.Op == il.OpDclResource && in.Ctl.ID == uint16(i.Resource) {
				return nil, fmt.Errorf("resource %d of an image is not free", i.Resource)
			}
		}
		image, ok := by[in.Ctl.ID]
		if in.Op != il.OpUavRawLoad || !ok {
			s.out.Insts = append(s.out.Insts, in)
			continue
		}
		place, shift := places[int32(n)], componentSource(amounts, 0)
		if image.Width == 1 {
			shift = componentSource(amounts, 1)
		}
		number, at := s.extraTemp(coordinates), in.Src[0]
		if place > 0 {
			s.addScalarOp(il.OpIAdd, number, 0, at, componentSource(back, place))
			at = componentSource(number, 0)
		}
		s.addScalarOp(il.OpUShr, number, 0, at, shift)
		fetch := il.Inst{Op: il.OpLoad, HasDst: true, NSrc: 1}
		fetch.Ctl.ID = uint16(image.Resource)
		fetch.Dst.Reg, fetch.Dst.Mask, fetch.Src[0] = s.extraTemp(numberRead), il.MaskAll, componentSource(number, 0)
		move := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1, Dst: in.Dst}
		var from [4]il.Sel
		for c := range from {
			from[c] = il.SelX + il.Sel(min(c+place, 3))
		}
		move.Src[0] = il.Src{Reg: fetch.Dst.Reg, Swz: il.MakeSwizzle(from[0], from[1], from[2], from[3])}
		s.out.Insts = append(s.out.Insts, fetch, move)
	}
	return il.Parse("images", il.Print(s.out))
}

// placesOfWords returns the word of its element at which each load from an image begins, by statement.
func placesOfWords(k *il.Kernel, images map[uint16]ir.Image, known map[ir.Reg]uint32) (map[int32]int, error) {
	fn, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	fn.Specialize(known)
	if err := fn.Check(); err != nil {
		return nil, err
	}
	places := map[int32]int{}
	values := ir.ModuloIntegers(fn)
	fn.Walk(func(in *ir.Instr) {
		image, ok := images[in.Base.Index]
		if err != nil || !ok || !in.Op.Has(ir.Memory) || in.Base.File != amdil.View {
			return
		}
		if amdil.Access(in.Imm).Op() != il.OpUavRawLoad {
			err = fmt.Errorf("view %d is an image, but line %d does not only load its words", image.View, in.Pos.Line)
			return
		}
		place, fits := 0, in.Mask() == 1
		if image.Width == 4 {
			bytes, _, aligned := ir.IntegerResidue(values, in.Src[0][0]).Modulo(16)
			place = bytes / 4
			fits = aligned && bytes%4 == 0 && in.Mask()<<place <= 15
		}
		if old, other := places[in.Orig]; !fits || other && old != place {
			err = fmt.Errorf("view %d is an image, but the place of the words that line %d loads is not known", image.View,
				in.Pos.Line)
		}
		places[in.Orig] = place
	})
	return places, err
}

// withImages returns launch l with the memory of views bound to the resources of images.
func withImages(l *kernel.Case, t ir.Tile) *kernel.Case {
	for _, i := range t.Images.List() {
		l = l.WithImage(int(i.View), int(i.Resource), int(i.Width))
	}
	return l
}

// imagesDiffer executes a kernel that loads from views and one that fetches from images, and describes the first
// difference in any bit. It returns "" if nothing differs.
func (r *Runs) imagesDiffer(views, images *il.Kernel, t ir.Tile) (why string) {
	before, err := kernel.Compile(views)
	if err != nil {
		return "execution: " + err.Error()
	}
	after, err := kernel.Compile(images)
	if err != nil {
		return "execution: " + err.Error()
	}
	why = "execution: a kernel that fetches from images cannot be executed"
	for _, l := range r.launches() {
		l = withImages(numbers(r.Constants.InLaunch(l), t.Texels), t)
		o := r.options()
		want, err := before.Run(l, o)
		if err != nil {
			continue
		}
		got, err := after.Run(l, o)
		if err != nil {
			continue
		}
		if what := trial.Differing(want, got); what != "" {
			return fmt.Sprintf("execution: %s differs between views and images", what)
		}
		why = ""
	}
	return why
}
