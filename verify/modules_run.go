package verify

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	interp "github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// Numbers of executed batches of 64 invocations: to confirm a proof, to search for a difference, and to test versions
// that cannot be proved. Assumed.
const (
	confirmingBatches = 2
	searchingBatches  = 16
	testingBatches    = 64
)

// execute lets the interpreter execute both versions.
func (c *moduleChecker) execute() execution {
	modules, err := c.compile()
	if err != nil {
		return execution{why: "execution: " + err.Error(), unrun: true}
	}
	special := c.specialized()
	n := searchingBatches
	switch {
	case c.accepted():
		n = confirmingBatches
	case c.field.Outcome != proof.Different:
		n = testingBatches
	}
	if c.Effort == Full {
		n *= 8
	}
	var failed error
	for k := range n {
		if err := c.runsBudget().Err(); err != nil {
			failed = asm.Errorf(asm.Pos{}, "step-limit", "%v", err)
			break
		}
		input := trial.ModuleInput{Seed: symbolic.Mix(c.Seed + uint64(k)), Special: (c.exactly() || c.strict) && k%2 == 1}
		m := modules
		if c.constants = nil; special != nil && k%4 >= 2 {
			m, c.constants = special, c.otherConstants()
		}
		found, err := c.runInput(m, input)
		if err != nil {
			failed = err
			continue
		}
		if found != nil {
			return *found
		}
	}
	c.report.MaxULP = c.total.MaxULP
	switch {
	case c.report.draws > 0:
		return execution{}
	case failed != nil:
		return execution{why: "execution: " + failed.Error(), unrun: true}
	}
	return execution{why: "execution: all results are undefined before"}
}

// runInput executes both versions on one input; found is nil unless they differ. A difference counts if it remains when
// before is executed with more fillings.
func (c *moduleChecker) runInput(m *trial.Modules, input trial.ModuleInput) (found *execution, err error) {
	for _, further := range []int{0, fillings, manyFillings} {
		var filled bool
		if found, filled, err = c.runFilled(m, input, further); err != nil || found == nil || further > 0 && !filled {
			break
		}
	}
	return found, err
}

// manyFillings is the number of further fillings if undefined values affect after as well. They often decide comparisons
// in few fillings only.
const manyFillings = 128

// runFilled executes both versions on one input, and before with further fillings. If they differ, filled reports that
// undefined values affect after.
func (c *moduleChecker) runFilled(m *trial.Modules, input trial.ModuleInput, further int) (found *execution, filled bool,
	err error) {
	runs, err := m.On(input, further)
	if err != nil {
		return nil, false, err
	}
	differ, x, err := c.weigh(ordinarily, func(side, shaken int) (*trial.Sample, error) {
		if err := c.runsBudget().SpendSteps(moduleSteps); err != nil {
			return nil, err
		}
		return runs.Execute(side, uint64(shaken))
	})
	switch {
	case err != nil:
		return nil, false, err
	case x.Doubtful, differ && x.Loose && c.field.Outcome == proof.Equal:
		c.doubts(x)
	case differ:
		if cex := c.replay(input, x); cex != nil {
			return &execution{different: true, cex: cex, loose: x.Loose, why: x.Describe(cex.Output)}, runs.Filled(), nil
		}
	}
	if x.Points > 0 {
		c.report.draws++
		c.total.Merge(x)
	}
	return nil, false, nil
}

// replay compiles both versions again, and executes them on the same input.
func (c *moduleChecker) replay(input trial.ModuleInput, x *trial.Contrast) *Counterexample {
	m, err := c.compile()
	if err != nil {
		return nil
	}
	runs, err := m.On(input, fillings)
	if err != nil {
		return nil
	}
	var s [2]*trial.Sample
	for side := range s {
		if s[side], err = runs.Execute(side, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex != nil && x.Shape == "" {
		cex.Where, cex.Input = runs.Describe(x.First.Index)
		for _, n := range slices.Sorted(maps.Keys(c.constants)) {
			cex.Input += fmt.Sprintf("specialization constant %d: %#x\n", n, c.constants[n])
		}
		if p := &x.First; runs.IsInteger(p.Output) {
			cex.Whole = fmt.Sprintf("%s is %d before and %d after", p.Output, int32(p.Before), int32(p.After))
		}
	}
	return cex
}

// moduleSteps is the number of steps that an execution of a batch is charged with, and moduleLimit the most words that it
// may compute.
const (
	moduleSteps = 1 << 10
	moduleLimit = 1 << 20
)

// specialized compiles both versions with other values of specialization constants. It returns nil if there are none, or
// if they do not allow other values.
func (c *moduleChecker) specialized() *trial.Modules {
	defer func() { c.constants = nil }()
	if c.constants = c.otherConstants(); len(c.constants) == 0 {
		return nil
	}
	m, err := c.compile()
	if err != nil {
		return nil
	}
	return m
}

// otherConstants returns a value for each specialization constant of before that is not its default.
func (c *moduleChecker) otherConstants() map[uint32]uint32 {
	values := map[uint32]uint32{}
	for _, s := range c.before {
		specIDs := map[spirv.ID]uint32{}
		for i := range s.Module.Insts {
			switch in := &s.Module.Insts[i]; in.Op {
			case spirv.OpDecorate:
				if spirv.Decoration(in.Args[1]) == spirv.DecorationSpecId {
					specIDs[spirv.ID(in.Args[0])] = in.Args[2]
				}
			case spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse, spirv.OpSpecConstant:
				n, ok := specIDs[in.Result]
				switch {
				case !ok:
				case in.Op != spirv.OpSpecConstant:
					values[n] = uint32(in.Op - spirv.OpSpecConstantTrue) // the opcodes are neighbours: false for true
				case in.Args[0]>>23 > 0: // a float, or a large integer
					values[n] = in.Args[0] ^ 1<<22
				default:
					values[n] = in.Args[0] + 1
				}
			}
		}
	}
	return values
}

// compile compiles both versions, with the values of specialization constants in c.
func (c *moduleChecker) compile() (m *trial.Modules, err error) {
	m = &trial.Modules{Steps: moduleLimit}
	for i, list := range [][]iface.ModuleStage{c.before, c.after} {
		for k, s := range list {
			if c.opaque == &c.before[k] {
				ports, err := iface.PortsOf(s)
				if err != nil {
					return nil, err
				}
				m.Free = func(c interp.Component) bool { return !c.IsBuiltIn && !ports.Declares(c.Location, uint8(c.Component)) }
				continue
			}
			p, err := interp.Compile(s.Module.Encode(), s.Entry, c.constants)
			if err != nil {
				return nil, err
			}
			to := &m.Fragment
			if s.Model != spirv.ExecutionModelFragment {
				to = &m.Vertex
			}
			to[i] = p
			m.Pool = append(m.Pool, constantsOf(s.Module)...)
		}
	}
	if b, a := m.Vertex[0], m.Vertex[1]; b != nil && b.Stage == interp.Compute { // the same invocations
		b.Shared = b.Shared || a.Shared
		a.Shared = b.Shared
		if b.Invocations() == 0 {
			return nil, errors.New("work groups of more than 64 invocations that share memory are not executed")
		}
	}
	slices.Sort(m.Pool)
	m.Pool = slices.Compact(m.Pool)
	m.Kind, err = iface.WordKinds(slices.Concat(c.before, c.after))
	return m, err
}

// constantsOf lists the words of constants.
func constantsOf(m *spirv.Module) (list []uint32) {
	for i := range m.Insts {
		if in := &m.Insts[i]; in.Op == spirv.OpConstant && len(in.Args) == 1 {
			list = append(list, in.Args[0])
			if x := symbolic.Double(in.Args[0]); x == x { // a little more
				list = append(list, math.Float32bits(float32(x+1)))
			}
		}
	}
	return list
}
