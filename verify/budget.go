package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// method is a part of a check. Each has its own share of the budget, so that an expensive proof leaves enough
// for executions that may refute it.
type method uint8

const (
	termsMethod     method = iota // the proof by terms
	runsMethod                    // execution
	fieldMethod                   // the field proof
	stabilityMethod               // the field proof, where roundings are compared
	searchMethod                  // execution, the search for a difference
	tellMethod                    // execution, the mutants that its executions must kill
	numMethods
)

// allowance is the budget of the methods of a check. Work is counted in steps and not in time, so that verdicts
// are reproducible. A step is an instruction executed in a symbolic domain, or by the interpreter for 64
// invocations.
type allowance struct {
	steps  [numMethods]int64
	memory int64 // bytes, limit of a domain
	shots  int   // steps of additional kernel launches
	bred   int   // fuzzed launches in the search for a difference
	breeds int   // steps of the fuzzed launches
}

// allowances are indexed by effort. The sizes are measured, not derived: no program in the field takes a
// quarter of the Quick allowance. Programs that exceed it were written to do so.
var allowances = [...]allowance{
	Quick: {[numMethods]int64{termsMethod: 1 << 21, runsMethod: 1 << 22, fieldMethod: 1 << 22, stabilityMethod: 1 << 22,
		searchMethod: 1 << 20, tellMethod: 1 << 20}, 192 << 20, 1 << 26, 150, 1 << 22},
	Full: {[numMethods]int64{termsMethod: 1 << 24, runsMethod: 1 << 26, fieldMethod: 1 << 25, stabilityMethod: 1 << 25,
		searchMethod: 1 << 24, tellMethod: 1 << 24}, 1 << 30, 1 << 30, 4000, 1 << 30},
}

// maxCopies limits the invocations of a tile that raise the budgets of proofs.
const maxCopies = 4

// Allowance returns the number of steps that all methods of a check may take together at effort e.
func Allowance(e Effort) (steps int64) {
	for _, n := range allowances[e].steps {
		steps += n
	}
	return steps
}

// methodBudget returns the budget of a method. It is allotted at the first use, so that an unused method takes nothing.
func (c *comparison) methodBudget(r method) *budget.Budget {
	if c.parts[r] == nil {
		a := &allowances[c.Effort]
		steps := a.steps[r]
		if r == termsMethod || r == fieldMethod {
			steps *= int64(min(max(c.copies, 1), maxCopies))
		}
		c.parts[r] = c.Budget.SubBudget(steps, a.memory)
	}
	return c.parts[r]
}

// spend charges later symbolic execution to method r.
func (c *comparison) spend(r method) {
	for _, o := range c.sides {
		o.Work = c.methodBudget(r)
	}
}

// runsBudget returns the remaining budget of execution.
func (c *comparison) runsBudget() *budget.Budget { return c.methodBudget(runsMethod) }

// share is the divisor of the remaining steps that limits one launch.
const share = 4

// stopped reports whether err, from an interpreter, means that the run took more than it may.
func stopped(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "step-limit"
}

// capped lowers a verdict to Unknown if nothing could be executed: the budget is too small, or the
// interpreter has no room for the program. A proof assumes correct reading and lifting, which execution
// checks; a proof without an execution is therefore not trusted.
func (c *comparison) capped(run execution) {
	r := &c.report
	if !run.unrun || r.draws > 0 || !r.Verdict.OK() {
		return
	}
	r.Why = fmt.Sprintf("the verdict would be %s, but no execution was possible: %s", r.Verdict, run.why)
	r.Verdict, r.Unrun = Unknown, run.before
}

// Shared is the common state of checks of several versions of one input. The zero value serves the first
// check. The checks must not run concurrently.
type Shared struct {
	forms    int64 // steps of normal forms so far
	searched int   // searches by execution after all proofs had failed
	// draw is the default draw of the pair drawn.
	draw  *interp.Case
	drawn Pair
}

// searches returns the number of bits by which a search is shorter than the first one. Each search takes half
// of the steps of the one before. An input rarely has both versions that are refuted and versions that are
// not.
func (s *Shared) searches() int {
	if s == nil {
		return 0
	}
	return 1 + s.searched
}

// searchSteps limits the executions of one search for a difference, in steps of the interpreter, in checks
// that share.
const searchSteps = 1 << 15

// searching limits the executions of a search. The caller calls end after it.
func (c *checker) searching() (end func()) {
	if c.Shared == nil {
		return func() {}
	}
	whole := c.runsBudget()
	c.parts[runsMethod] = whole.SubBudget(searchSteps>>c.Shared.searches(), allowances[c.Effort].memory)
	return func() {
		c.parts[runsMethod] = whole
		c.Shared.searched++
	}
}

// Steps of the normal forms of one check. A step is an instruction, a coefficient of a form or an eighth of
// an inverse. Results for the corpora are the same as with twice these numbers. A degree that doubles with
// every product takes any number.
const (
	formsBase           = 1 << 15
	formsPerInstruction = 1 << 7
	// Factors for a check that shares nothing, and for full effort.
	formsIfAlone = 1 << 3
	formsIfFull  = 1 << 7
)

// forms returns the budget of the normal forms of this check. All checks of one input together take at most
// four thirds of the steps of one: each may take a quarter of the remaining steps.
func (c *comparison) forms() *budget.Budget {
	n := 0
	for _, o := range c.sides {
		n += o.Instructions()
	}
	steps := formsBase + formsPerInstruction*int64(n)
	switch {
	case c.Effort == Full:
		steps *= formsIfFull
	case c.Shared == nil:
		steps *= formsIfAlone
	}
	if c.Shared != nil {
		steps = min(steps, max(0, steps-3*c.Shared.forms/4))
	}
	return c.methodBudget(fieldMethod).SubBudget(steps, allowances[c.Effort].memory)
}

// withForms runs a proof that pays from the budget of normal forms.
func (c *comparison) withForms(prove func()) {
	forms := c.forms()
	for _, o := range c.sides {
		o.Work = forms
	}
	if c.Shared != nil {
		defer func() {
			taken, _ := forms.Used()
			c.Shared.forms += taken
		}()
	}
	prove()
}

// seeded returns o with a seed that is the SHA-256 hash of the whole question: both versions as written, and
// the options that affect the answer. The primes, points and keyed functions of proofs and the inputs of
// executions follow from it. A program therefore cannot be written for its test numbers, except by a search
// over programs. The same question has the same answer on every machine. Lengths precede lists, so that no
// two questions have the same encoding.
func (o Options) seeded(texts ...[]byte) Options {
	h := sha256.New()
	// All numbers take eight bytes.
	word := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	// The question: the caller's seed, numerics, uploads and promised constants.
	word(o.Seed)
	word(uint64(o.Numerics - Terms))
	for _, list := range [][]Upload{o.Uploads, o.Mirrored} {
		word(uint64(len(list)))
		for _, u := range list {
			word(uint64(u.Stage())<<32 | uint64(u.From)<<16 | uint64(u.To))
		}
	}
	word(uint64(len(o.Constants)))
	for _, c := range o.Constants {
		word(uint64(c.Stage)<<40 | symbolic.RegKey(c.Reg))
		word(uint64(c.Bits))
	}
	// Both versions.
	for _, text := range texts {
		word(uint64(len(text)))
		h.Write(text)
	}
	o.Seed = binary.LittleEndian.Uint64(h.Sum(nil))
	return o
}

// speltPrograms returns the bytes, or else the text, of a pair's programs for hashing.
func speltPrograms(p Pair) (texts [][]byte) {
	for _, prog := range []*d3d9.Program{p.Vertex, p.Pixel} {
		var text []byte
		if prog != nil {
			var err error
			if text, err = d3d9.Write(prog); err != nil {
				text = d3d9.Print(prog)
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// speltKernels returns the text of kernels for hashing.
func speltKernels(list ...*il.Kernel) (texts [][]byte) {
	for _, k := range list {
		texts = append(texts, il.Print(k))
	}
	return texts
}
