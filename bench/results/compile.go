package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// compiled is a kernel compiled for a target, scheduled with all rules of the hardware.
type compiled struct {
	// unported holds the figures without the rules of read ports and constants, to show the cost of
	// these rules.
	*sched.Scheduled
	unported sched.Stats
	inputs   []chip.Preload
	target   *chip.Target
}

// compile compiles a kernel of testdata/il.
func compile(name, target string) (*compiled, error) {
	data, err := os.ReadFile(filepath.Join("testdata", "il", name+".il"))
	if err != nil {
		return nil, fmt.Errorf("%w (run this command at the root of the repository)", err)
	}
	return compileText(name, data, target)
}

// compileText compiles the text of a kernel.
func compileText(name string, data []byte, target string) (*compiled, error) {
	k, err := il.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	t, err := chip.ByName(target)
	if err != nil {
		return nil, err
	}
	c := &compiled{target: t}
	// Compile without ports for the figures, and then with all rules.
	for _, o := range []sched.Options{{NoPorts: true}, {}} {
		if c.Scheduled, err = machine.Compile(f, t, o); err != nil {
			return nil, err
		}
		c.inputs = c.Preloads()
		if o.NoPorts {
			c.unported = c.Stats
		}
	}
	return c, nil
}

// product is the partition of square matrices between the threads and operands of a kernel.
type product struct {
	across, down int // of the product, columns and rows that a thread computes
	a, b         int // number of resources that hold each operand; those of A come first
	elements     int // floats of a texel
}

// products are the matrix products in testdata/il, by kernel.
var products = map[string]product{
	"pldi_v1": {4, 8, 8, 4, 4}, "pldi_v2": {4, 8, 8, 4, 4}, "pldi_v3": {4, 8, 8, 4, 4}, "pldi_final": {4, 8, 8, 4, 4},
	"jang_naive": {1, 1, 1, 1, 1}, "jang_varred": {1, 1, 1, 1, 1}, "jang_unroll4": {1, 1, 1, 1, 1},
	"jang_unroll8": {1, 1, 1, 1, 1}, "jang_unroll16": {1, 1, 1, 1, 1},
	"jang_vector": {4, 1, 1, 4, 4}, "jang_multi8": {4, 8, 8, 4, 4},
}

// time predicts the product of matrices of n rows, and simulates the given number of steps.
func (c *compiled) time(p product, n, steps int) (sim.Timing, error) {
	return c.timeDeep(p, n, n, steps)
}

// timeDeep predicts the product of matrices of n rows, in sums of deep products. The simulation
// depends only on sizes: the position and the trip determine the fetched texels, not their
// contents. The only constant is the trip count, cb0[0].x.
func (c *compiled) timeDeep(p product, n, deep, steps int) (sim.Timing, error) {
	l := &sim.Launch{
		Width: n / p.across, Height: n / p.down, Limit: steps, Inputs: c.inputs,
		Constants: [][][4]uint32{{{math.Float32bits(float32(deep / p.elements))}}},
		Resources: map[int]sim.Surface{},
	}
	for r := range p.a + p.b {
		s := sim.Surface{Width: n / p.elements, Height: n / p.a, Bytes: 4 * p.elements}
		if r >= p.a {
			s.Height = n / p.b
		}
		l.Resources[r] = s
	}
	return sim.Simulate(c.Program, l, c.target)
}
