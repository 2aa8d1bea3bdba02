package mutate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Programs of ps_1_x, taken apart. What is particular to them: t# hold coordinates and, up to ps_1_3, are
// also the registers that texture instructions write; what those do with coordinates is an operation
// of its own per instruction; r0 is the result at the end; instructions may be issued in pairs
// (co-issue, a + before the second); constants are clamped to [-1, 1], and results to the range of
// the implementation, PixelShader1xMaxValue of the device's capabilities, which is at least 1.

// fixedPoint reports whether a model is ps_1_x.
func fixedPoint(m d3d9.Model) bool { return m.Stage == d3d9.Pixel && m.Major == 1 }

// fixed takes the program apart into d.out.
func (d *d3d9Flat) fixed() {
	for i := range d.p.Insts {
		in := &d.p.Insts[i]
		if k := in.Op.Kind(); k == d3d9.Declaration || in.Op != d3d9.OpPhase && k == d3d9.Trivia || in.Op == d3d9.OpNop {
			continue
		}
		sets := d.fixedSets(in)
		// A pair reads the state before either of the two: one unit.
		if n := len(d.out.units); in.CoIssue && n > 0 {
			d.out.units[n-1].sets = append(d.out.units[n-1].sets, sets...)
			continue
		}
		d.out.units = append(d.out.units, unit{inst: i, sets: sets})
	}
	result := unit{inst: len(d.p.Insts)}
	for c := range 4 {
		to := d.place(d3d9.Reg{File: d3d9.ColorOut}, c)
		result.sets = append(result.sets, set{to: to, op: "mov", args: []arg{{place: d.place(d3d9.Reg{File: d3d9.Temp}, c)}}})
		d.out.exits = append(d.out.exits, to)
	}
	d.out.units = append(d.out.units, result)
	d.out.exits = append(d.out.exits, depthPlace, "kill")
}

const depthPlace = "oDepth.x"

// coordinate is a component of what the rasterizer puts into t#, which stays readable as such after a
// texture instruction has overwritten the register.
func coordinate(n uint16, c int) arg { return arg{place: fmt.Sprintf("it%d.%c", n, "xyzw"[c])} }

// fixedPlace is the place of a register that has another name than usual: inputs, by what vertex
// programs call them, and t# of ps_1_4, which are coordinates only.
func (d *d3d9Flat) fixedPlace(r d3d9.Reg, c int) (string, bool) {
	switch {
	case r.File == d3d9.Input:
		return fmt.Sprintf("iv%d.%c", r.Index, "xyzw"[c]), true
	case r.File == d3d9.Texture && d.p.Model == d3d9.PS14:
		return coordinate(r.Index, c).place, true
	}
	return "", false
}

// fixedSets is what a statement sets.
func (d *d3d9Flat) fixedSets(in *d3d9.Inst) (list []set) {
	// The alpha of temporaries is lost between the phases of ps_1_4.
	if in.Op == d3d9.OpPhase {
		for r := range uint16(6) {
			list = append(list, set{to: d.place(d3d9.Reg{File: d3d9.Temp, Index: r}, 3), op: "lost"})
		}
		return list
	}
	if in.Op.Kind() == d3d9.TextureOp || in.Op == d3d9.OpBem {
		return d.addressing(in)
	}
	op := in.Op.String()
	// cnd of ps_1_1 to ps_1_3 compares the alpha of r0 with a half; co-issued and writing
	// colours it is kept apart from one that is alone.
	if in.Op == d3d9.OpCnd && in.CoIssue && d.p.Model != d3d9.PS14 && in.Dst.Mask != d3d9.MaskW {
		op = "cnd together"
	}
	var mods []string
	if in.Dst.Shift != 0 {
		mods = append(mods, fmt.Sprint(shift, in.Dst.Shift))
	}
	switch {
	case in.Dst.Mods&d3d9.Saturate != 0:
		mods = append(mods, "sat")
	case in.Op != d3d9.OpMov || in.Dst.Shift != 0 || in.Src[0].Mod > d3d9.ModNeg:
		mods = append(mods, "range") // what is moved is in it already
	}
	for l := range 4 {
		if !in.Dst.Mask.Has(l) {
			continue
		}
		s := set{to: d.place(in.Dst.Reg, l), op: op, mods: mods}
		for k := range in.Sources() {
			for _, c := range d.lanes(in, k, l) {
				s.args = append(s.args, d.read(&in.Src[k], in.Src[k].Swz.At(c)))
			}
		}
		list = append(list, s)
	}
	return list
}

// addressing is what an instruction sets that depends on texture coordinates. Which texture it reads, and
// what it does with the coordinates, is the operation: its name and the number of its register. The
// rows of a matrix, which texm3x2pad and texm3x3pad compute, go through places "row0" and so on.
func (d *d3d9Flat) addressing(in *d3d9.Inst) (list []set) {
	n := in.Dst.Index
	s := set{op: fmt.Sprint(in.Op, "|", n)}
	for k := range in.Sources() {
		for c := range 4 {
			s.args = append(s.args, d.read(&in.Src[k], in.Src[k].Swz.At(c)))
		}
	}
	row := func(n uint16) arg { return arg{place: fmt.Sprint("row", n)} }
	rows := uint16(0) // of a matrix, that the pads in front of the instruction computed
	switch in.Op {
	case d3d9.OpTexKill:
		s = set{to: "kill", op: "texkill", args: []arg{{place: "kill"}}}
		for c := range 3 {
			if in.Dst.File == d3d9.Temp {
				s.args = append(s.args, d.read(&d3d9.Src{Reg: in.Dst.Reg}, c))
			} else {
				s.args = append(s.args, coordinate(n, c))
			}
		}
		return []set{s}
	case d3d9.OpTexDepth:
		s.to = depthPlace
		for c := range 2 {
			s.args = append(s.args, d.read(&d3d9.Src{Reg: in.Dst.Reg}, c))
		}
		return []set{s}
	case d3d9.OpTexM3x2tex, d3d9.OpTexM3x2depth:
		rows = 1
	case d3d9.OpTexM3x3, d3d9.OpTexM3x3tex, d3d9.OpTexM3x3spec, d3d9.OpTexM3x3vspec:
		rows = 2
	}
	switch in.Op {
	case d3d9.OpTexReg2ar, d3d9.OpTexReg2gb, d3d9.OpTexReg2rgb, d3d9.OpTexld14, d3d9.OpTexCrd, d3d9.OpBem:
	default:
		for c := range 4 {
			s.args = append(s.args, coordinate(n, c))
		}
		// The products, and the fourth components, which texm3x3vspec takes for the eye ray.
		for k := n - rows; k < n; k++ {
			s.args = append(s.args, row(k), coordinate(k, 3))
		}
	}
	switch in.Op {
	case d3d9.OpTexM3x2pad, d3d9.OpTexM3x3pad:
		s.to, s.args = row(n).place, s.args[:len(s.args)-1]
		return []set{s}
	case d3d9.OpTexM3x2depth:
		s.to = depthPlace
		return []set{s}
	}
	for l := range 4 {
		if in.Dst.Mask.Has(l) {
			one := s
			one.to, one.op = d.place(in.Dst.Reg, l), fmt.Sprint(s.op, "|", l)
			if in.Op == d3d9.OpTexCoord {
				one.args = []arg{coordinate(n, l)}
			}
			list = append(list, one)
		}
	}
	return list
}

// clamped is the word of a constant as ps_1_x has it, between -1 and 1.
func clamped(bits uint32) uint32 {
	return math.Float32bits(min(max(math.Float32frombits(bits), -1), 1))
}

// shift begins the modifier of a result that is shifted.
const shift = "shift"

// fixedLiteral is what a modifier of a result makes of a literal, where that is exact: shifts multiply by
// powers of two (_x2, _d2 and so on), and the range of the implementation contains [-1, 1].
func fixedLiteral(mod string, bits uint32) (uint32, bool) {
	x := math.Float32frombits(bits)
	by, shifted := strings.CutPrefix(mod, shift)
	switch {
	case x != x:
	case mod == "range" && x >= -1 && x <= 1:
		return bits, true
	case mod == "sat":
		return math.Float32bits(max(min(x, 1), 0)), true
	case shifted:
		n, err := strconv.Atoi(by)
		return math.Float32bits(x * float32(math.Ldexp(1, n))), err == nil
	}
	return 0, false
}
