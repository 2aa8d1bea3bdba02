package preshader

import (
	"fmt"
	"math"
)

// Registers maps the offsets of written output components to their values.
type Registers map[uint32]float32

// Results are the values that a program leaves in the registers of the shader.
type Results struct {
	Float, Bool, int Registers
}

// Run executes a program like the given client. input holds the components of inputs; components
// after its end are 0. Run returns an error for operations that the client does not support.
// Programs have no jumps, so the work is linear in the instructions.
func Run(p *Program, input []float32, client Client) (*Results, error) {
	m := machine{p: p, client: client, input: input, temps: map[uint32]float64{},
		out: Results{Float: Registers{}, Bool: Registers{}, int: Registers{}}}
	for i := range p.Insts {
		if err := m.step(&p.Insts[i]); err != nil {
			return nil, fmt.Errorf("instruction %d: %w", i, err)
		}
	}
	return &m.out, nil
}

// machine is the state of an execution. Temporaries are float64 in MojoShader, and rounded to
// float32 in D3DX.
type machine struct {
	p      *Program
	client Client
	input  []float32
	temps  map[uint32]float64
	out    Results
}

// step executes one instruction: all components are computed before one is stored.
func (m *machine) step(in *Inst) error {
	row := ops[in.Op]
	var result [4]float64
	switch eval := row.eval[m.client]; {
	case in.Op == dot:
		sum := 0.0
		for i := range in.Components {
			sum += m.input3(in, i)[0] * m.input3(in, i)[1]
		}
		// D3DX sets only the first component, MojoShader all of them.
		for i := range in.Components {
			if i == 0 || m.client == MojoShader {
				result[i] = sum
			}
		}
	case in.Op == dotSwiz && m.client == D3DX:
		// The sum of products of the first half of the inputs with the second half, one component
		// each.
		n := len(in.Inputs) / 2
		if len(in.Inputs) != 6 && len(in.Inputs) != 8 {
			return fmt.Errorf("%s has %d inputs", in.Op, len(in.Inputs))
		}
		for i := range n {
			result[0] += m.load(&in.Inputs[i], 0) * m.load(&in.Inputs[n+i], 0)
		}
	case eval == nil:
		return fmt.Errorf("%s does not run %s", m.client, in.Op)
	default:
		for i := range in.Components {
			a := m.input3(in, i)
			result[i] = eval(a[0], a[1], a[2])
		}
	}
	for i := range in.Components {
		if err := m.store(&in.Output, uint32(i), result[i]); err != nil {
			return err
		}
	}
	return nil
}

// input3 returns component i of the first three inputs. For a scalar first input, it is always the
// first component.
func (m *machine) input3(in *Inst, i int) (a [3]float64) {
	for k := range in.Inputs[:min(len(in.Inputs), 3)] {
		n := i
		if k == 0 && in.Scalar {
			n = 0
		}
		a[k] = m.load(&in.Inputs[k], uint32(n))
	}
	return a
}

// load returns component i of an operand, or zero after the end of a table. An index has to be
// small enough for its product to be exact; NaN fails the comparison, too.
func (m *machine) load(o *Operand, i uint32) float64 {
	at := uint64(o.Offset) + uint64(i)
	if o.Relative {
		index := m.component(o.Index.Table, uint64(o.Index.Offset))
		if !(math.Abs(index) < 1<<20) || int64(at)+4*int64(index) < 0 {
			return 0
		}
		at = uint64(int64(at) + 4*int64(index))
	}
	return m.component(o.Table, at)
}

// component returns a component of a table. Outputs may be read after they are written.
func (m *machine) component(t Table, at uint64) float64 {
	switch {
	case t == Literal && at < uint64(len(m.p.Literals)):
		return m.p.Literals[at]
	case t == Input && at < uint64(len(m.input)):
		return float64(m.input[at])
	case t == Temp && at <= math.MaxUint32:
		return m.temps[uint32(at)]
	case t == Output && at <= math.MaxUint32:
		return float64(m.out.Float[uint32(at)])
	}
	return 0
}

// store writes a component, rounded like the client.
func (m *machine) store(o *Operand, i uint32, x float64) error {
	at := o.Offset + i
	switch o.Table {
	case Temp:
		if m.client == D3DX { // D3DX rounds temporaries
			x = float64(float32(x))
		}
		m.temps[at] = x
	case Output:
		m.out.Float[at] = float32(x)
	case OutputBool, OutputInt:
		if m.client == MojoShader { // MojoShader treats them as floats
			return fmt.Errorf("%s has no bool or integer outputs", m.client)
		}
		if o.Table == OutputBool {
			m.out.Bool[at] = float32(choose(x != 0, 1, 0))
		} else {
			m.out.int[at] = float32(math.Trunc(x))
		}
	default:
		return fmt.Errorf("an instruction writes to a table of inputs")
	}
	return nil
}
