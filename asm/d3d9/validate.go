package d3d9

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
)

// Validate checks p against the rules of its shader model and returns the violations in program
// order.
//
// The rules are those of the reference pages. Pages, assemblers and existing programs sometimes
// disagree; then Validate uses the interpretation under which all known programs pass, and a
// comment next to the rule states it. It checks a program that breaks the rules of form against no
// other rules.
func Validate(p *Program) asm.Diags { return validateWithin(p, p.Model.Limits()) }

// Faults returns the diagnostics of [Validate] that are not [Tolerated].
func Faults(p *Program) asm.Diags {
	return slices.DeleteFunc(Validate(p), func(d *asm.Diag) bool { return Tolerated(d.Code) })
}

// validateWithin checks p against its model with the limits of a device. It checks in this order:
// the rules of form on all statements; single statements; blocks, nesting, and paths. Each of the
// last three needs the previous one to hold. ps_1_x has its own checks.
func validateWithin(p *Program, limits Limits) asm.Diags {
	v := validator{p: p, m: p.Model, lim: limits}
	if m := p.Model; !m.known() {
		v.report(-1, codeModel, "programs of %s are not validated", m)
		return v.diags()
	}
	for i := range p.Insts {
		if d := p.Insts[i].check(p.Model); d != nil {
			v.addDiagnostic(i, d)
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

// validator is the state of one validation. It records declarations and writes in program order, so
// that it finds a use before its declaration.
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
	// undeclared are the registers of which a missing declaration was reported.
	undeclared []Reg
}

// finding is a diagnostic and the index of its statement, the sort key. Diagnostics of the whole
// program have the index after the last statement.
type finding struct {
	at   int
	diag *asm.Diag
}

// report records a fault of statement at, or, if at is -1, one of the whole program, which is
// listed last.
func (v *validator) report(at int, code asm.Code, format string, args ...any) {
	v.addDiagnostic(at, asm.Errorf(asm.Pos{}, code, format, args...))
}

// addDiagnostic records a diagnostic and sets its position: that of the statement, or of the last one if at
// is -1.
func (v *validator) addDiagnostic(at int, d *asm.Diag) {
	n := len(v.p.Insts)
	if at < 0 {
		at = n
	}
	if n > 0 {
		d.Pos = v.p.Insts[min(at, n-1)].Pos
	}
	v.found = append(v.found, finding{at, d})
}

// diags returns the findings in program order without duplicates, which arise because a loop may be
// walked more than once.
func (v *validator) diags() asm.Diags {
	slices.SortStableFunc(v.found, func(a, b finding) int { return a.at - b.at })
	var ds asm.Diags
	first := 0 // the first finding of the same statement
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

// statement checks one statement with the declarations before it.
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
	v.checkLoopConstant(i, in)
	v.checkLoopConstant(i, in)
}

// checkSlots compares the cost of the program with the limits of its model.
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

// letters returns the letters of the components of m.
func letters(m Mask) string {
	var b []byte
	for lane := range 4 {
		if m.Has(lane) {
			b = append(b, "xyzw"[lane])
		}
	}
	return string(b)
}
