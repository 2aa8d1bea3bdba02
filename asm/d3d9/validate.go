package d3d9

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
)

// Validate checks p against the rules of its shader model and returns what it breaks,
// in program order.
//
// The rules are those of the reference pages. Where pages, assemblers and programs in
// the field disagree the reading taken is the one on which all programs seen in the
// field pass; it is stated next to the rule. A program that breaks the rules of form is
// held to no others.
func Validate(p *Program) asm.Diags { return validateWithin(p, p.Model.Limits()) }

// validateWithin checks p against its model with the limits of a device. What comes
// later relies on what came before: the rules of form on all statements; then those of
// single statements; then blocks, nesting, and paths, of which each needs the last one
// to hold. ps_1_x has checks of its own.
func validateWithin(p *Program, limits Limits) asm.Diags {
	v := validator{p: p, m: p.Model, lim: limits}
	if m := p.Model; !m.known() {
		v.report(-1, codeModel, "programs of %s are not validated", m)
		return v.diags()
	}
	for i := range p.Insts {
		if d := p.Insts[i].check(p.Model); d != nil {
			v.add(i, d)
		}
	}
	if len(v.found) > 0 {
		return v.diags()
	}
	if v.m.fixedPoint() {
		v.fixed()
		return v.diags()
	}
	for i := range p.Insts {
		v.statement(i, &p.Insts[i])
	}
	v.checkSlots()
	v.checkOutputs()
	if v.checkBlocks() && v.checkNesting() {
		v.checkInitialized()
		v.checkDependencies()
	}
	return v.diags()
}

// validator is the state of one validation. Declarations and writes fill up as
// statements are walked in order, so that a use before its declaration is found.
type validator struct {
	p   *Program
	m   Model
	lim Limits

	decls declarations
	// outputs
	written  writes
	executes bool // an executable instruction was seen
	flow     flow
	found    []finding
}

// finding is a diagnostic and the statement it is about, by which they are sorted.
// Faults of the whole program have the number after the last one.
type finding struct {
	at   int
	diag *asm.Diag
}

// report notes a fault of statement at, or, if at is -1, one of the whole program,
// which is told last.
func (v *validator) report(at int, code asm.Code, format string, args ...any) {
	v.add(at, asm.Errorf(asm.Pos{}, code, format, args...))
}

// add places a diagnostic: at the statement, or at the last one if it is about the
// whole program.
func (v *validator) add(at int, d *asm.Diag) {
	n := len(v.p.Insts)
	if at < 0 {
		at = n
	}
	if n > 0 {
		d.Pos = v.p.Insts[min(at, n-1)].Pos
	}
	v.found = append(v.found, finding{at, d})
}

// diags lists what was found in program order. A loop may be walked more than
// once, so the same fault may have been found again.
func (v *validator) diags() asm.Diags {
	slices.SortStableFunc(v.found, func(a, b finding) int { return a.at - b.at })
	var ds asm.Diags
	first := 0 // of those about the same statement
	for k, f := range v.found {
		if k > 0 && v.found[k-1].at != f.at {
			first = k
		}
		known := func(g finding) bool { return *g.diag == *f.diag }
		if !slices.ContainsFunc(v.found[first:k], known) {
			ds = append(ds, f.diag)
		}
	}
	return ds
}

// statement checks what can be told of one statement from itself and from the
// declarations before it.
func (v *validator) statement(i int, in *Inst) {
	switch in.Op.Kind() {
	case Trivia:
		return
	case Declaration:
		v.checkDeclaration(i, in)
		return
	}
	v.executes = true
	v.checkDestination(i, in)
	for k := range in.Sources() {
		v.checkSource(i, in, k)
	}
	v.checkPredicate(i, in)
	v.checkOverlap(i, in)
	v.checkPorts(i, in)
}

// checkSlots compares what the program costs with what its model has.
func (v *validator) checkSlots() {
	c := Measure(v.p)
	if c.Slots > v.lim.MaxSlots {
		v.report(-1, codeSlots, "%d instruction slots: %s has %d", c.Slots, v.m, v.lim.MaxSlots)
	}
	if c.Arithmetic > v.lim.Arithmetic {
		v.report(-1, codeArithmetic, "%d arithmetic slots: %s has %d", c.Arithmetic, v.m, v.lim.Arithmetic)
	}
	if c.Texture > v.lim.Texture {
		v.report(-1, codeTexture, "%d texture slots: %s has %d", c.Texture, v.m, v.lim.Texture)
	}
}

// letters spells the components of m.
func letters(m Mask) string {
	var b []byte
	for lane := range 4 {
		if m.Has(lane) {
			b = append(b, "xyzw"[lane])
		}
	}
	return string(b)
}
