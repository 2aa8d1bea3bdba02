package unroll

import (
	"fmt"

	"github.com/shaderlift/shaderlift/ir"
)

// exit is the only break of a loop.
type exit struct {
	at   int // index of the break in the body
	br   *ir.Instr
	test ir.Lane // the condition; without a value the break is unconditional
}

// onlyExit returns the break of a loop that no register counts, if it is the only one and at the
// top level of the body. A break within a branch would have to be copied with the branch, which
// this package does not do.
func onlyExit(in *ir.Instr) (*exit, error) {
	e := &exit{at: -1}
	for i, x := range in.Sub[0].Code {
		switch {
		case x.Op == ir.OpBreak && e.at >= 0:
			return nil, fmt.Errorf("it has several exits")
		case x.Op == ir.OpBreak && x.Cond != ir.CondNone, leaves(x):
			return nil, fmt.Errorf("its exit is inside a branch")
		case x.Op == ir.OpBreak:
			e.at, e.br = i, x
		}
	}
	if e.at < 0 {
		return nil, fmt.Errorf("it never ends")
	}
	if len(e.br.Src) > 0 {
		e.test = e.br.Src[0][0]
	}
	return e, nil
}

// leaves reports whether a branch contains a break of the enclosing loop.
func leaves(in *ir.Instr) bool {
	if in.Op != ir.OpIf {
		return false
	}
	for _, sub := range in.Sub {
		if breaks(sub) {
			return true
		}
	}
	return false
}

func breaks(r *ir.Region) bool {
	for _, in := range r.Code {
		if in.Op == ir.OpBreak || leaves(in) {
			return true
		}
	}
	return false
}
