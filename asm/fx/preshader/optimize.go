package preshader

import (
	"maps"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Optimize is p with fewer instructions, where they compute the same for the components of
// outputs that a reader wants, bit for bit in every client: equal expressions are computed
// once, literals folded, copies and what nobody wants left out, and instructions for
// components next to each other made one. It is p itself where nothing is gained, and nil
// where nothing is wanted of it. The reader wants no other components.
func Optimize(p *Program, wanted func(component uint32) bool) (*Program, error) {
	var v Values
	outs, err := Trace(p, &v)
	if err != nil {
		return p, nil // what is not understood stays
	}
	maps.DeleteFunc(outs, func(at uint32, _ *Value) bool { return !wanted(at) })
	if len(outs) == 0 {
		return nil, nil
	}
	literals, insts, ok := Generate(outs)
	if !ok || len(insts) >= len(p.Insts) {
		if insts, ok = live(p, wanted); !ok {
			return p, nil
		}
		literals = p.Literals
	}
	inputs, err := p.Inputs()
	if err != nil {
		return nil, err
	}
	return New(packed(inputs, insts), literals, insts)
}

// live are the instructions of p that a wanted component depends on; not ok if all do.
func live(p *Program, wanted func(uint32) bool) (insts []Inst, ok bool) {
	needed := map[uint32]bool{} // components of temporaries
	for i := len(p.Insts) - 1; i >= 0; i-- {
		in := &p.Insts[i]
		use := in.Output.Table != Temp && in.Output.Table != Output
		for n := range uint32(in.Components) {
			at := in.Output.Offset + n
			use = use || in.Output.Table == Temp && needed[at] || in.Output.Table == Output && wanted(at)
		}
		if !use {
			ok = true
			continue
		}
		insts = append(insts, *in)
		for n := range uint32(in.Components) {
			if in.Output.Table == Temp {
				delete(needed, in.Output.Offset+n)
			}
		}
		for k, o := range in.Inputs {
			for n := range uint32(in.Components) {
				if o.Table == Temp && (n == 0 || k > 0 || !in.Scalar) {
					needed[o.Offset+n] = true
				}
			}
		}
	}
	slices.Reverse(insts)
	return insts, ok
}

// packed are the entries of inputs that instructions read, one register after the other,
// which the instructions are changed to.
func packed(inputs []d3d9.Constant, insts []Inst) (list []d3d9.Constant) {
	read := map[uint32]bool{} // registers
	each := func(visit func(o *Operand, n uint32)) {
		for i := range insts {
			in := &insts[i]
			for k := range in.Inputs {
				n := uint32(in.Components)
				if k == 0 && in.Scalar {
					n = 1
				}
				if in.Inputs[k].Table == Input {
					visit(&in.Inputs[k], n)
				}
			}
		}
	}
	each(func(o *Operand, n uint32) {
		for at := o.Offset; at < o.Offset+n; at++ {
			read[at/4] = true
		}
	})
	to, next := map[uint32]uint32{}, uint32(0)
	byRegister := slices.SortedFunc(slices.Values(inputs), func(a, b d3d9.Constant) int { return a.Index - b.Index })
	place := func(c *d3d9.Constant) (first int, used bool) {
		last := -1
		for k := range c.Count {
			if read[uint32(c.Index+k)] {
				last = k
			}
		}
		if last < 0 {
			return 0, false
		}
		c.Count, first = last+1, int(next)
		for k := range c.Count {
			to[uint32(c.Index+k)] = next
			next++
		}
		return first, true
	}
	for _, c := range byRegister {
		if first, used := place(&c); used {
			c.Index = first
			list = append(list, c)
		}
	}
	if len(list) == 0 && len(byRegister) > 0 { // D3DX runs nothing without an input
		c := byRegister[0]
		c.Index, c.Count = 0, 1
		list = append(list, c)
	}
	// Operands share their memory with the program that they are from.
	for i := range insts {
		insts[i].Inputs = slices.Clone(insts[i].Inputs)
	}
	each(func(o *Operand, _ uint32) { o.Offset = 4*to[o.Offset/4] + o.Offset%4 })
	slices.SortFunc(list, func(a, b d3d9.Constant) int { return strings.Compare(a.Name, b.Name) })
	return list
}
