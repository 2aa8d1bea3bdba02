package opt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
)

// ErrRefused marks a result that failed verification.
var ErrRefused = errors.New("verification rejected the result")

// Fault is an error of this program: a panic, a pass that produced invalid code, or a refuted result.
type Fault struct {
	// Task is the failed operation on Input; empty means TaskOptimize. TaskVerify also needs After.
	Task    Task
	Input   Input
	After   *Input
	Options Options
	Err     error  // nil stands for a verdict below Options.Require, which is not an error
	Stack   []byte // of a panic
	// Case is a case file with an input that shows the fault, if there is one.
	Case []byte
	// Step is the rewrite to blame, if it is known.
	Step *passes.Step
}

// Task is the function of this package in which a fault happened.
type Task string

// The tasks have the names of the commands.
const (
	TaskOptimize Task = "opt"
	TaskVerify   Task = "verify"
	TaskStats    Task = "stats"
	TaskRun      Task = "run"
)

// Error describes the fault and names the rewrite to blame, if it is known.
func (f *Fault) Error() string {
	if f.Err == nil {
		least, _ := f.Options.least()
		return fmt.Sprintf("the verdict on %s is below %s", f.Input.DisplayName(), least)
	}
	text := fmt.Sprintf("internal fault on %s: %v", f.Input.DisplayName(), f.Err)
	if f.Step != nil {
		text += "; the rewrite that causes it is " + f.Step.String()
	}
	return text
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// SymptomOf identifies a fault across runs. Faults with the same symptom count as one, regardless of
// numbers and places in their messages. Reduction uses it to keep the original fault.
func SymptomOf(f *Fault) string {
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

// outline returns the first line of an error with every digit replaced by 0.
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

// RecordedError returns the error of a fault with a text and a symptom.
func RecordedError(text, symptom string) error { return &recorded{text, symptom} }

// strict returns the result of an optimization and its error. A fault is an error if Options.Strict is set.
func (o *Options) strict(res *Result, err error) (*Result, error) {
	if err != nil || !o.Strict || len(res.Faults) == 0 {
		return res, err
	}
	return res.failWith(fmt.Errorf("%w: %w", asm.Errorf(asm.Pos{File: res.Input}, "wrong-rewrite",
		"a rewrite is wrong, and the options are strict"), res.Faults[0]))
}

// oneLine returns s as one line, without line breaks.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", "; ", "\n", "; ", "\r", "; ").Replace(strings.TrimSpace(s))
}

// faultOf converts an error of the pass manager into a fault. It sets the fuel at which the error
// happened, so that a replay makes the same rewrites and no more.
func faultOf(in Input, o Options, err *passes.Fault) *Fault {
	fuel := err.Fuel
	o.Limits.Fuel = &fuel
	return &Fault{Task: TaskOptimize, Input: in, Options: o, Err: err, Stack: err.Stack}
}

// recovered converts a panic into fault f and makes it the result of the function. It is for deferred
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
	*res, *err = (*res).failWith(f)
}
