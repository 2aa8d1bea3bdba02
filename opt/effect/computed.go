package effect

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// The preshader of a vertex program can compute the outputs of its pixel program's preshader too: from
// the same parameters, by the same expressions, so every client gets the same numbers. Code that reads
// such constants can then move.

// Computed has the outputs of the preshader of a program, as expressions of its inputs.
type Computed struct {
	// inputs are the parameters that it reads, in the preshader's register numbering.
	inputs []d3d9.Constant
	// values are the expressions, by component of constants (4*register + component).
	values map[uint32]*preshader.Value
}

// computedFor returns the outputs of the preshader of p, or nil without a supported preshader.
func computedFor(p *d3d9.Program) *Computed {
	q, err := preshader.FromProgram(p)
	if q == nil || err != nil || q.Check() != nil {
		return nil
	}
	inputs, err := q.Inputs()
	if err != nil {
		return nil
	}
	values, err := preshader.Trace(q, &preshader.Values{})
	if err != nil {
		return nil
	}
	// Keep the values that a preshader can express.
	maps.DeleteFunc(values, func(_ uint32, x *preshader.Value) bool { return !preshader.Generable(x) })
	return &Computed{inputs, values}
}

// computesRegister reports whether some component of a register is computed.
func (c *Computed) computesRegister(register uint16) bool {
	return c != nil && slices.ContainsFunc([]uint32{0, 1, 2, 3},
		func(comp uint32) bool { return c.values[4*uint32(register)+comp] != nil })
}

// input maps a component of the inputs to another table; ok is false if it is absent.
func (c *Computed) input(component uint32, inputs []d3d9.Constant) (uint32, bool) {
	for i := range c.inputs {
		part := int(component/4) - c.inputs[i].Index
		if part < 0 || part >= c.inputs[i].Count {
			continue
		}
		for k := range inputs {
			if e := &inputs[k]; e.Name == c.inputs[i].Name && part < e.Count {
				return uint32(4*(e.Index+part)) + component%4, true
			}
		}
	}
	return 0, false
}

// addition sets register to of a program, in its preshader, to the value that another preshader
// computes for its register from.
type addition struct {
	of       *Computed
	from, to uint16
}

// compute extends the preshader of p by the expressions of list, for the components that p reads. It
// adds the inputs of the other preshaders, then imports the expressions and resolves parameters by
// name.
func compute(p *d3d9.Program, list []addition) error {
	old, err := preshader.FromProgram(p)
	if err != nil {
		return err
	}
	var all []d3d9.Constant
	if old != nil {
		if err := old.Check(); err != nil {
			return err
		}
		if all, err = old.Inputs(); err != nil {
			return err
		}
	}
	// Parameters with the same name must agree in shape and type.
	for _, a := range list {
		for i := range a.of.inputs {
			c := &a.of.inputs[i]
			if e := (&d3d9.ConstantTable{Constants: all}).Named(c.Name); e != nil && !e.IsParameter(c) {
				return fmt.Errorf("the preshader of the vertex program has another %s", asm.Shown(c.Name))
			}
			all = append(all, *c)
		}
	}
	pre, err := preshader.Widened(old, all)
	if err != nil {
		return err
	}
	inputs, err := pre.Inputs()
	if err != nil {
		return err
	}
	var values preshader.Values
	more, read := map[uint32]*preshader.Value{}, componentsRead(p)
	// known maps imported values, so that a shared subexpression stays shared.
	for _, a := range list {
		known := map[*preshader.Value]*preshader.Value{}
		for comp := range uint32(4) {
			at := 4*uint32(a.to) + comp
			if x := a.of.values[4*uint32(a.from)+comp]; x != nil && read(at) {
				if more[at], err = values.Import(x, func(n uint32) (uint32, bool) { return a.of.input(n, inputs) },
					known); err != nil {
					return err
				}
			}
		}
	}
	return extend(p, pre, &values, more)
}

// extend gives p a preshader that computes pre, whose values are among v's, and sets the further
// components of constants in more.
func extend(p *d3d9.Program, pre *preshader.Program, v *preshader.Values, more map[uint32]*preshader.Value) error {
	literals, insts, ok := preshader.Extend(pre, v, more)
	if !ok {
		return errors.New("the preshader cannot be extended")
	}
	inputs, err := pre.Inputs()
	if err != nil {
		return err
	}
	if pre, err = preshader.New(inputs, literals, insts); err != nil {
		return err
	}
	if pre, err = preshader.Packed(pre); err != nil {
		return err
	}
	return preshader.Attach(p, pre)
}
