package verify

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// sincosSeries are the constants that sincos takes before 3.0, D3DSINCOSCONST1 and 2 of
// d3d9types.h: the macro multiplies by them, and means a sine with no others.
var sincosSeries = [2][4]float32{
	{-1.5500992e-006, -2.1701389e-005, 0.0026041667, 0.00026041668},
	{-0.020833334, -0.12500000, 1, 0.5},
}

// sameSeries checks the constants of every sincos of after: before 3_0 it takes the coefficients of a
// series as operands (sincos in the Direct3D 9 assembly reference). Lifting and the interpreter take
// a sincos for what it means, so nobody else would notice a wrong one: they have to be those of the
// reference, or whatever before has somewhere.
func sameSeries(before, after *d3d9.Program) error {
	had := map[string]bool{}
	series(before, func(text string, _ bool, _ *d3d9.Inst) { had[text] = true })
	var err error
	series(after, func(text string, proper bool, in *d3d9.Inst) {
		if !proper && !had[text] && err == nil {
			err = fmt.Errorf("%q takes constants that are not those of a sine", d3d9.Format(after.Model, in))
		}
	})
	return err
}

// series describes the constants of each sincos of a program: by value what the program defines, by
// name what the host sets. proper says that they are those of the reference.
func series(p *d3d9.Program, visit func(text string, proper bool, in *d3d9.Inst)) {
	if p == nil {
		return
	}
	defs := map[d3d9.Reg]*d3d9.Inst{}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDef {
			defs[in.Dst.Reg] = in
		}
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op != d3d9.OpSinCos || in.NSrc != 3 {
			continue
		}
		text, proper := "", true
		for k, want := range sincosSeries {
			s := in.Src[1+k]
			def := defs[s.Reg]
			if def == nil {
				text += fmt.Sprint(s, ";")
				proper = false
				continue
			}
			for c := range 4 {
				x := math.Float32frombits(def.Imm[s.Swz.At(c)])
				text += fmt.Sprint(def.Imm[s.Swz.At(c)], ",")
				proper = proper && x == want[c] && s.Mod == d3d9.ModNone
			}
			text += fmt.Sprint(s.Mod, ";")
		}
		visit(text, proper, in)
	}
}
