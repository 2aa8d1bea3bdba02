package opt

import (
	"errors"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// moduleTarget is the width and the height of a generated draw of modules, in pixels.
const moduleTarget = 64

// compileModules translates the modules of in for the interpreter.
func compileModules(in Input, o Options) (programs []*spirv.Program, err error) {
	modules, err := o.readModules(in, nil)
	if err != nil {
		return nil, err
	}
	for i, f := range in.Files {
		p, err := spirv.Compile(modules[i].Encode(), "", nil)
		if err != nil {
			if d := (*asm.Diag)(nil); errors.As(err, &d) {
				d.Pos.File = f.Name
			}
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// drawModules interprets a generated draw of a vertex and a fragment module.
func drawModules(in Input, o Options) (*interp.Image, error) {
	programs, err := compileModules(in, o)
	if err != nil {
		return nil, err
	}
	if len(programs) != 2 || programs[0].Stage != spirv.Vertex || programs[1].Stage != spirv.Fragment {
		return nil, asm.Errorf(asm.Pos{File: in.Path()}, "needs-pair", "a draw needs a vertex and a fragment module: VERTEX,FRAGMENT")
	}
	seed := uint32(o.Seed)
	env := spirv.GeneratedEnv(seed)
	d := &spirv.Draw{Vertex: programs[0], Fragment: programs[1], VertexEnv: env, FragmentEnv: env, Width: moduleTarget,
		Height: moduleTarget, Attribute: func(c spirv.Component, vertex int) uint32 {
			return spirv.GeneratedAttribute(seed, c, vertex)
		}}
	p, err := d.Run()
	if err != nil {
		return nil, err
	}
	img := &interp.Image{W: p.Width, H: p.Height, Covered: p.Covered}
	for i, c := range programs[1].Outputs() {
		if c.IsBuiltIn || int(c.Location) >= len(img.Targets) {
			continue
		}
		t := &img.Targets[c.Location]
		if *t == nil {
			*t = make([]float32, 4*len(p.Covered))
		}
		for at, covered := range p.Covered {
			if covered {
				(*t)[4*at+int(c.Component)] = numberOf(c.Kind, p.Out[i][at])
			}
		}
	}
	return img, nil
}

// numberOf returns the number in a word of a component.
func numberOf(k spirv.Kind, w uint32) float32 {
	switch k {
	case spirv.Float:
		return math.Float32frombits(w)
	case spirv.Int:
		return float32(int32(w))
	}
	return float32(w)
}

// runModule interprets four invocations of a single module with generated inputs.
func runModule(in Input, o Options) (*Invocations, error) {
	programs, err := compileModules(in, o)
	if err != nil {
		return nil, err
	}
	p := programs[0]
	if p.Stage == spirv.Compute {
		return nil, asm.Errorf(asm.Pos{File: in.Path()}, "not-supported", "compute modules have no outputs to print; verify compares them")
	}
	b := &spirv.Batch{N: 4, In: make([]spirv.Vec, len(p.Inputs()))}
	for i, c := range p.Inputs() {
		for l := range b.N {
			b.In[i][l] = spirv.GeneratedAttribute(uint32(o.Seed), c, l)
		}
	}
	r, err := p.Run(spirv.GeneratedEnv(uint32(o.Seed)), b)
	if err != nil {
		return nil, err
	}
	out := &Invocations{N: b.N, Killed: make([]bool, b.N)}
	for l := range b.N {
		out.Killed[l] = r.Killed>>l&1 != 0
	}
	for i, c := range p.Outputs() {
		name := c.Variable()
		if c.IsBuiltIn && c.Component > 3 {
			name = fmt.Sprintf("%s[%d]", name, c.Component&^3)
		}
		last := len(out.Outputs) - 1
		if last < 0 || out.Outputs[last].Name != name {
			out.Outputs = append(out.Outputs, InvocationOutput{name, make([][4]float32, b.N)})
			last++
		}
		for l := range b.N {
			out.Outputs[last].Values[l][c.Component&3] = numberOf(c.Kind, r.Out[i][l])
		}
	}
	return out, nil
}
