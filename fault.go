package shaderlift

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/shaderlift/shaderlift/passes"
)

// ErrRefused marks a result that verification did not let pass.
var ErrRefused = errors.New("verification refused the result")

// Fault is an error of this program: a panic, a pass that broke the code, or a
// result that was refuted.
type Fault struct {
	// Task is what was to be done, empty for TaskOptimize, with Input and, for TaskVerify,
	// After.
	Task    Task
	Input   Input
	After   *Input
	Options Options
	Err     error  // nil stands for a verdict below Options.Require, which is no fault of anyone
	Stack   []byte // of a panic
	// Case is a case file of an input that shows what is wrong, where there is one.
	Case []byte
	// Step is the rewrite to blame, where that is known.
	Step *passes.Step
}

// Task is a function of this package that a fault happened in.
type Task string

// The tasks, named as the commands are.
const (
	TaskOptimize Task = "opt"
	TaskVerify   Task = "verify"
	TaskStats    Task = "stats"
	TaskRun      Task = "run"
)

// Error says what happened, and which rewrite is to blame where that is known.
func (f *Fault) Error() string {
	if f.Err == nil {
		least, _ := f.Options.least()
		return fmt.Sprintf("the verdict on %s is below %s", f.Input.name(), least)
	}
	text := fmt.Sprintf("internal fault on %s: %v", f.Input.name(), f.Err)
	if f.Step != nil {
		text += "; the rewrite to blame is " + f.Step.String()
	}
	return text
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// symptom identifies a fault across runs: those with the same symptom are taken to be one, whatever
// numbers and places their messages mention. Reduction relies on it to stay with the fault that it
// began with.
func (f *Fault) symptom() string {
	var wrong *passes.Fault
	switch err := f.Err.(type) {
	case nil:
		return ""
	case *refutation:
		return symptomRefuted
	case *recorded:
		return err.symptom
	default:
		if errors.As(err, &wrong) {
			return "pass " + wrong.Pass + ": " + outline(wrong.Err)
		}
		return outline(err)
	}
}

const symptomRefuted = "refuted"

// outline is the first line of an error without its numbers.
func outline(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, line)
}

// recorded is the error of a fault that was read from a reproducer.
type recorded struct{ text, symptom string }

func (r *recorded) Error() string { return r.text }

// oneLine is s as one line, without anything that ends one.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", "; ", "\n", "; ", "\r", "; ").Replace(strings.TrimSpace(s))
}

// faultOf turns an error of the pass manager into a fault. Its fuel is that at which the error
// happened, so that replaying makes the same rewrites and no more.
func faultOf(in Input, o Options, err *passes.Fault) *Fault {
	fuel := err.Fuel
	o.Fuel = &fuel
	return &Fault{Task: TaskOptimize, Input: in, Options: o, Err: err, Stack: err.Stack}
}

// recovered turns a panic into fault f and makes it the result of the function; it is for deferred
// calls.
func recovered(f *Fault, res **Result, err *error) {
	p := recover()
	if p == nil {
		return
	}
	f.Err, f.Stack = fmt.Errorf("panic: %v", p), debug.Stack()
	if *res == nil {
		*res = newResult(f.Input)
	}
	(*res).Faults = append((*res).Faults, f)
	*res, *err = (*res).fail(f)
}
