package opt

import (
	"context"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify/interp"
)

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
// per element.
func RunProgram(ctx context.Context, in Input, o Options) (out *Invocations, err error) {
	var res *Result
	j := job{Options: o, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskRun, Input: in, Options: o}, &res, &err)
	programs, err := input.ReadPrograms(in)
	if err != nil {
		return nil, err
	}
	if len(programs) != 1 || o.Draw.Case == nil {
		return nil, asm.Errorf(asm.Pos{File: in.Path()}, "needs-pair",
			"a draw needs a pair, VERTEX,PIXEL; a single program needs a case with its inputs as attributes")
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
