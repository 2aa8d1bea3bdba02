package iface

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// sincosSeries are the constant operands of sincos before 3.0, D3DSINCOSCONST1 and 2 of d3d9types.h. The
// macro multiplies by them and computes a sine only with these values.
var sincosSeries = [2][4]float32{
	{-1.5500992e-006, -2.1701389e-005, 0.0026041667, 0.00026041668},
	{-0.020833334, -0.12500000, 1, 0.5},
}

// sameSeries checks the constants of every sincos of after. Before 3_0, sincos takes the coefficients of a
// series as operands (sincos in the Direct3D 9 assembly reference). The lift and the interpreter ignore these
// operands, so no other check would find wrong ones. They have to be those of the reference, or ones that
// before has somewhere.
func sameSeries(before, after *d3d9.Program) error {
	had := map[string]bool{}
	series(before, func(text string, _ bool, _ *d3d9.Inst) { had[text] = true })
	var err error
	series(after, func(text string, proper bool, in *d3d9.Inst) {
		if !proper && !had[text] && err == nil {
			err = fmt.Errorf("%q has constants other than those of a sine", d3d9.Format(after.Model, in))
		}
	})
	return err
}

// series describes the constants of each sincos of a program: by value if the program defines them, by name
// if the host sets them. proper reports that they are those of the reference.
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
				x := math.Float32frombits(def.Imm[s.Swz.ComponentAt(c)])
				text += fmt.Sprint(def.Imm[s.Swz.ComponentAt(c)], ",")
				proper = proper && x == want[c] && s.Mod == d3d9.ModNone
			}
			text += fmt.Sprint(s.Mod, ";")
		}
		visit(text, proper, in)
	}
}
