package preshader

import (
	"maps"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Optimize returns p with fewer instructions that compute the same wanted components of outputs,
// bit for bit in every client. It computes equal expressions once, folds literals, removes copies
// and dead code, and merges instructions for adjacent components. It returns p itself if this gains
// nothing, and nil if no component is wanted. The reader must not read other components.
//
//	mul r0.x, in0.x, in1.x
//	mul r0.y, in0.y, in1.y    ->    mul c0.xy, in0.xy, in1.xy
//	mov c0.xy, r0.xy
//
// It traces the program into values and generates code from them. If that gains nothing, it still
// removes dead instructions.
func Optimize(p *Program, wanted func(component uint32) bool) (*Program, error) {
	var v Values
	outs, err := Trace(p, &v)
	if err != nil {
		return p, nil // keep a program that cannot be traced
	}
	maps.DeleteFunc(outs, func(at uint32, _ *Value) bool { return !wanted(at) })
	if len(outs) == 0 {
		return nil, nil
	}
	literals, insts, ok := generate(outs)
	if !ok || len(insts) >= len(p.Insts) {
		if insts, ok = liveInstructions(p, wanted); !ok {
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

// Packed returns p with only the inputs that it reads. It keeps the literals.
func Packed(p *Program) (*Program, error) {
	inputs, err := p.Inputs()
	if err != nil {
		return nil, err
	}
	insts := slices.Clone(p.Insts)
	return New(packed(inputs, insts), p.Literals, insts)
}

// Widened returns a preshader like p, which may be nil, with additional inputs for all float
// parameters in the program's constant table. The caller can then add instructions that read these.
// Widened renumbers all inputs consecutively.
func Widened(p *Program, table []d3d9.Constant) (*Program, error) {
	var inputs []d3d9.Constant
	if p == nil {
		p = &Program{}
	} else {
		list, err := p.Inputs()
		if err != nil {
			return nil, err
		}
		inputs = list
	}
	var all []d3d9.Constant
	base, next := map[string]int{}, 0
	for _, c := range slices.Concat(inputs, table) {
		at := slices.IndexFunc(all, func(d d3d9.Constant) bool { return d.Name == c.Name })
		switch {
		case c.Set != d3d9.SetFloat4:
		case at < 0:
			c.Index, c.Reserved, c.Default = 0, 0, nil
			all = append(all, c)
		default:
			all[at].Count = max(all[at].Count, c.Count)
		}
	}
	for i := range all {
		all[i].Index, base[all[i].Name] = next, next
		next += all[i].Count
	}
	to := map[uint32]uint32{}
	// The new number of each input register.
	for _, c := range inputs {
		for k := range c.Count {
			to[uint32(c.Index+k)] = uint32(base[c.Name] + k)
		}
	}
	insts := slices.Clone(p.Insts)
	renumber(insts, to)
	slices.SortFunc(all, func(a, b d3d9.Constant) int { return strings.Compare(a.Name, b.Name) })
	return New(all, p.Literals, insts)
}

// renumber moves inputs to other registers. Operands share memory with their source program, so it
// copies them first. If an operand spans two registers, both belong to one parameter, whose
// registers stay together.
func renumber(insts []Inst, to map[uint32]uint32) {
	for i := range insts {
		insts[i].Inputs = slices.Clone(insts[i].Inputs)
		for k := range insts[i].Inputs {
			if o := &insts[i].Inputs[k]; o.Table == Input {
				o.Offset = 4*to[o.Offset/4] + o.Offset%4
			}
		}
	}
}

// liveInstructions returns the instructions of p on which a wanted component depends; ok is false if all do. It
// walks straight-line code backwards and keeps an instruction if it writes a component that is read
// later.
func liveInstructions(p *Program, wanted func(uint32) bool) (insts []Inst, ok bool) {
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
		// A component written here is dead before.
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

// packed returns the entries of inputs that the instructions read, with consecutive registers, and
// renumbers the instructions. A parameter keeps its registers up to the last one that is read. The
// list is sorted by name, as in constant tables.
func packed(inputs []d3d9.Constant, insts []Inst) (list []d3d9.Constant) {
	read := map[uint32]bool{} // registers
	for i := range insts {
		in := &insts[i]
		for k, o := range in.Inputs {
			for n := range uint32(in.Components) {
				if o.Table == Input && (n == 0 || k > 0 || !in.Scalar) {
					read[(o.Offset+n)/4] = true
				}
			}
		}
	}
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
	if len(list) == 0 && len(byRegister) > 0 { // D3DX runs only preshaders with an input
		c := byRegister[0]
		c.Index, c.Count = 0, 1
		list = append(list, c)
	}
	renumber(insts, to)
	slices.SortFunc(list, func(a, b d3d9.Constant) int { return strings.Compare(a.Name, b.Name) })
	return list
}
