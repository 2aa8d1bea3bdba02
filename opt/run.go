package opt

import (
	"context"
	"fmt"
	"runtime"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// needsPair returns the error for a draw without a pair.
func needsPair(in Input) error {
	if in.Kind() == input.KindEffect {
		return asm.Errorf(asm.Pos{File: in.Path()}, "needs-pair",
			"a case is a draw of one pair; take the programs of a pass out of the effect (shaderlift dis --pass) and give VERTEX,PIXEL")
	}
	return asm.Errorf(asm.Pos{File: in.Path()}, "needs-pair",
		"a draw needs a pair, VERTEX,PIXEL; run interprets a single program for a case with its inputs as attributes")
}

// Run interprets one draw of a pair: Options.Draw.Case, or one that Run generates, at random if Options.Seed is
// set. It returns the image and the draw. A draw of SPIR-V modules is always generated, and has no case.
func Run(ctx context.Context, in Input, o Options) (img *interp.Image, used *interp.Case, err error) {
	var res *Result
	j := job{Options: o, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskRun, Input: in, Options: o}, &res, &err)
	defer j.begin()()
	if in, err = o.selected(in, true); err != nil {
		return nil, nil, err
	}
	if asm.BuiltSPIRV && in.Kind() == input.KindModule {
		img, err = drawModules(in, o)
		return img, nil, err
	}
	programs, err := input.ReadPrograms(in)
	if err != nil {
		return nil, nil, err
	}
	if len(programs) != 2 {
		return nil, nil, needsPair(in)
	}
	c := o.Draw.Case
	if c == nil && o.Seed != 0 {
		c, _, err = draws.Random(programs[0], programs[1], o.Seed)
	}
	// A random draw may not exist for these programs; the default one always does.
	if c == nil || err != nil {
		c = interp.DefaultCase(programs[0], programs[1])
	}
	vs, err := interp.Compile(programs[0])
	if err != nil {
		return nil, nil, err
	}
	ps, err := interp.Compile(programs[1])
	if err != nil {
		return nil, nil, err
	}
	img, err = interp.DrawWithin(vs, ps, c, interp.Numerics{}, j.spend.whole)
	return img, c, err
}

// Invocations is the output of a lone program.
type Invocations struct {
	N       int
	Outputs []InvocationOutput
	Killed  []bool // by texkill, in pixel programs
}

// InvocationOutput is an output register, by invocation.
type InvocationOutput struct {
	Name   string // in the program's syntax
	Values [][4]float32
}

// RunProgram interprets a lone vertex or pixel program over the attributes of Options.Draw.Case, one invocation
// per element. A SPIR-V module runs over four generated invocations.
func RunProgram(ctx context.Context, in Input, o Options) (out *Invocations, err error) {
	var res *Result
	j := job{Options: o, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskRun, Input: in, Options: o}, &res, &err)
	if in, err = o.selected(in, true); err != nil {
		return nil, err
	}
	if asm.BuiltSPIRV && in.Kind() == input.KindModule {
		return runModule(in, o)
	}
	programs, err := input.ReadPrograms(in)
	if err != nil {
		return nil, err
	}
	if len(programs) != 1 || o.Draw.Case == nil {
		return nil, needsPair(in)
	}
	s, err := interp.Compile(programs[0])
	if err != nil {
		return nil, err
	}
	r, n, err := s.Invoke(o.Draw.Case, interp.Numerics{})
	if err != nil {
		return nil, err
	}
	// Registers are stored by component (structure of arrays); callers get them by invocation.
	out = &Invocations{N: n}
	for i, p := range s.Outputs() {
		values := make([][4]float32, n)
		for c, w := range r.Out[i] {
			for k := range min(n, len(w)) {
				values[k][c] = w[k]
			}
		}
		out.Outputs = append(out.Outputs, InvocationOutput{fmt.Sprint(p.Reg), values})
	}
	if r.Killed != nil {
		out.Killed = r.Killed[:n]
	}
	return out, nil
}

// RunKernel interprets one launch of an AMD IL kernel. It returns the result and the case that it ran:
// Options.Kernel.Case, or else the one that kernel.DefaultCase generates from Options.Seed.
func RunKernel(ctx context.Context, in Input, o Options) (result *interpreter.Result, used *interpreter.Case,
	err error) {
	var res *Result
	j := job{Options: o, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskRun, Input: in, Options: o}, &res, &err)
	defer j.begin()()
	if in.Kind() != input.KindKernel {
		return nil, nil, asm.Errorf(asm.Pos{File: in.Path()}, "needs-kernel", "a launch needs an AMD IL kernel")
	}
	k, err := input.ReadKernel(in)
	if err != nil {
		return nil, nil, err
	}
	p, err := interpreter.Compile(k)
	if err != nil {
		return nil, nil, err
	}
	c := o.Kernel.Case
	if c == nil {
		c = interpreter.DefaultCase(k, kernel.DefaultSeed+o.Seed)
	}
	result, err = p.Run(c, interpreter.Options{Workers: runtime.GOMAXPROCS(0), Budget: j.spend.whole})
	return result, c, err
}
