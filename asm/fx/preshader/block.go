package preshader

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// FromProgram returns the first preshader of an effect's program, or nil.
func FromProgram(p *d3d9.Program) (*Program, error) {
	for i := range p.Insts {
		if in := &p.Insts[i]; in.IsPreshader() {
			return Decode("preshader", in.Comment[1:])
		}
	}
	return nil, nil
}

// New returns a preshader of the given instructions. The entries of inputs map parameters to
// registers. The result has all sections that clients require, and [Program.Check] accepts its
// structure.
func New(inputs []d3d9.Constant, literals []float64, insts []Inst) (*Program, error) {
	table, err := d3d9.EncodeConstantTable(&d3d9.ConstantTable{Target: "tx", Version: uint32(constants),
		Constants: inputs})
	if err != nil {
		return nil, err
	}
	p := &Program{Version: constants, Table: table, Outputs: OutputsOf(insts), Literals: slices.Clone(literals),
		Insts: insts, Rest: []uint32{0xffff}}
	for len(p.Literals)%4 != 0 { // D3DX requires this
		p.Literals = append(p.Literals, 0)
	}
	for _, name := range order {
		p.Sections = append(p.Sections, Section{Name: name})
	}
	p.Sections[len(order)-1].Words = []uint32{0xf0f0f0f0, 0x0f0f0f0f}
	return p, nil
}

// order is the order of sections, all of which MojoShader requires.
var order = []SectionName{SectionTable, sectionOutputs, SectionLiterals, SectionInstructions}

// Attach makes q the preshader of p, or removes the preshader if q is nil. It inserts the comment
// after the constant table, where D3DX looks for it.
func Attach(p *d3d9.Program, q *Program) error {
	p.Insts = slices.DeleteFunc(slices.Clone(p.Insts), func(in d3d9.Inst) bool { return in.IsPreshader() })
	if q == nil {
		return nil
	}
	words, err := Encode(q)
	if err != nil {
		return err
	}
	at := 1 + slices.IndexFunc(p.Insts, func(in d3d9.Inst) bool { return in.IsConstantTable() })
	p.Insts = slices.Insert(p.Insts, at, d3d9.Inst{Op: d3d9.OpComment,
		Comment: append([]uint32{d3d9.PreshaderMark}, words...)})
	return nil
}

// Inputs returns the entries of the constant table, which map parameters to input registers.
func (p *Program) Inputs() ([]d3d9.Constant, error) {
	t, ok := d3d9.ReadConstantTable(p.Table)
	if !ok {
		return nil, errors.New("the constant table of the preshader points outside itself")
	}
	return t.Constants, nil
}

// Check reports structural properties of p that a client would refuse, or that the clients treat
// differently. [Trace] checks the operations.
func (p *Program) Check() error {
	if p.Version != constants || !slices.EqualFunc(p.Sections, order,
		func(s Section, n SectionName) bool { return s.Name == n }) {
		return errors.New("the preshader has unknown sections")
	}
	t, ok := d3d9.ReadConstantTable(p.Table)
	switch {
	case !ok || t.Version != uint32(constants) || t.Target != "tx":
		return errors.New("the constant table of the preshader is missing or of another kind")
	case len(t.Constants) == 0: // D3DX runs it only if an input has changed
		return errors.New("the preshader has no inputs")
	case len(p.Literals)%4 != 0:
		return fmt.Errorf("the preshader has %d literals, which is not a multiple of four", len(p.Literals))
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		switch first := in.Output.Offset % 4; {
		case in.Output.Table == Output && int(first)+in.Components > 4:
			return fmt.Errorf("instruction %d of the preshader writes to two registers", i)
		case in.Scalar && len(in.Inputs) != 2:
			return fmt.Errorf("instruction %d of the preshader takes its first input from one component, which MojoShader does not support for %s", i, in.Op)
		case !in.readsOf(t.Constants):
			return fmt.Errorf("instruction %d of the preshader reads a component without a parameter", i)
		}
	}
	if outputs := OutputsOf(p.Insts); outputs.First != p.Outputs.First || outputs.Count != p.Outputs.Count ||
		!slices.EqualFunc(outputs.Ranges[:], p.Outputs.Ranges[:], slices.Equal[[]Range]) {
		return errors.New("the preshader writes to undeclared registers")
	}
	return nil
}

// readsOf reports whether all inputs that in reads without an index belong to parameters.
func (in *Inst) readsOf(parameters []d3d9.Constant) bool {
	for k := range in.Inputs {
		o := &in.Inputs[k]
		n := in.Components
		if in.Scalar && k == 0 {
			n = 1
		}
		for comp := range n {
			register := (int(o.Offset) + comp) / 4
			if o.Table == Input && !o.Relative &&
				!slices.ContainsFunc(parameters, func(c d3d9.Constant) bool {
					return c.Index <= register &&
						register < c.Index+c.Count
				}) {
				return false
			}
		}
	}
	return true
}

// OutputsOf returns the registers that instructions write, in the form in which programs declare
// them.
func OutputsOf(insts []Inst) (o Outputs) {
	for k, table := range [...]Table{Output, OutputBool, OutputInt} {
		var regs []uint32
		for i := range insts {
			if out := &insts[i].Output; out.Table == table {
				for n := range uint32(insts[i].Components) {
					regs = append(regs, (out.Offset+n)/4)
				}
			}
		}
		slices.Sort(regs)
		regs = slices.Compact(regs)
		for _, r := range regs {
			last := len(o.Ranges[k]) - 1
			if last >= 0 && o.Ranges[k][last].First+o.Ranges[k][last].Count == r {
				o.Ranges[k][last].Count++
			} else {
				o.Ranges[k] = append(o.Ranges[k], Range{r, 1})
			}
		}
		if len(regs) > 0 {
			o.First[k], o.Count[k] = regs[0], regs[len(regs)-1]+1-regs[0]
		}
	}
	return o
}
