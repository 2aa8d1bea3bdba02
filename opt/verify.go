package opt

import (
	"context"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Verify judges whether after may replace before. The error is diagnostics, ErrRefused or a *Fault.
func Verify(ctx context.Context, before, after Input, o Options) (*Result, error) {
	return job{Options: o, ctx: ctx}.verify(before, after, framework{}, reportEffort)
}

// framework states how the constants of a part of an effect are set.
type framework struct {
	// parameters is set if constants are set by parameter name and preshaders run.
	parameters bool
	// mirrored are vertex constants that equal pixel constants in both versions.
	mirrored []input.Upload
}

func (o job) verify(before, after Input, f framework, by effort) (*Result, error) {
	return o.contained(&Fault{Task: TaskVerify, Input: before, After: &after, Options: o.Options},
		func(o job, res *Result) error { return o.verifyInto(res, before, after, f, by) })
}

// verifyInto compares two versions with the given effort and records the verdict in res.
func (o job) verifyInto(res *Result, before, after Input, f framework, by effort) error {
	least, err := o.least()
	if err != nil {
		return err
	}
	if err := o.noPass(before); err != nil {
		return err
	}
	if o.Host.IgnoreNames && (before.Kind() == input.KindKernel || before.Kind() == input.KindEffect) {
		return asm.Errorf(asm.Pos{File: "<options>"}, "wrong-input",
			"--ignore-names applies only to Direct3D 9 programs; %s has no names, or is bound by them", asm.Shown(before.Path()))
	}
	if asm.BuiltSPIRV && before.Kind() == input.KindModule && after.Kind() == input.KindModule {
		return verifyModules(before, after, o, by, res)
	}
	if asm.BuiltKernels && before.Kind() == input.KindKernel && after.Kind() == input.KindKernel || !asm.BuiltD3D9 {
		return verifyKernels(before, after, o, by, res)
	}
	if before.Kind() == input.KindEffect && after.Kind() == input.KindEffect {
		return o.verifyEffects(before, after, res)
	}
	if before.Kind() == input.KindEffect || after.Kind() == input.KindEffect {
		return asm.Errorf(asm.Pos{File: after.Path()}, "wrong-pair",
			"only one of the versions is a compiled effect; give two effects, or two programs that shaderlift dis --pass writes")
	}
	olds, err := input.ReadPrograms(before)
	if err != nil {
		return err
	}
	res.before(olds)
	news, err := input.ReadPrograms(after)
	if err != nil {
		return err
	}
	if res.NamesIgnored = o.Host.IgnoreNames; res.NamesIgnored {
		for _, p := range slices.Concat(olds, news) {
			p.Insts = slices.DeleteFunc(p.Insts, func(in d3d9.Inst) bool { return in.IsConstantTable() })
		}
	}
	if err := sameShape(after, olds, news); err != nil {
		return err
	}
	if err := uploadable(o.Host.Uploads, slices.Concat(olds, news)); err != nil {
		return err
	}
	if o.Draw.Case != nil && len(olds) != 2 {
		return needsPair(after)
	}
	if o.known, err = o.promise(res, olds...); err != nil {
		return err
	}
	written := news
	olds, news = o.meant(res, olds), o.meant(res, news)
	o.notePartner(res, olds)
	options := o.verification(o.Numerics, by)
	options.Parameters, options.Mirrored = f.parameters, toVerify(f.mirrored)
	report := judge(olds, news, o, options)
	// A promise does not apply to code in a subroutine, but applies to the same code after inlining.
	// Either reading of a result is acceptable.
	if report.Verdict < least && !slices.Equal(news, written) {
		if other := judge(olds, written, o, options); other.Verdict >= least {
			news, report = written, other
		}
	}
	shown := o.Options
	shown.Report.SkipRounding = shown.Report.SkipRounding || by != reportEffort // trials show no remarks
	if err := res.refused(report, least, &shown); err != nil {
		return err
	}
	res.after(news)
	res.Uploads = o.Host.Uploads
	res.bound(olds, news, &report, o, options)
	return nil
}

// refused records a verdict in r, and returns ErrRefused if it is below least.
func (r *Result) refused(report verify.Report, least verify.Verdict, o *Options) error {
	r.judged(report, o)
	switch {
	case report.Verdict >= least:
		return nil
	case report.Verdict.OK():
		return fmt.Errorf("%w: %s is below %s: %s", ErrRefused, report.Verdict, least, report.Why)
	case report.Verdict == verify.Refuted:
		return fmt.Errorf("%w: %s", ErrRefused, report.Why)
	}
	return fmt.Errorf("%w: the versions were neither proved equal nor shown to differ: %s", ErrRefused, report.Why)
}

// sameShape rejects a comparison of a pair with a program, or of a vertex with a pixel program.
func sameShape(after Input, olds, news []*d3d9.Program) error {
	same := len(olds) == len(news)
	for i := 0; same && i < len(olds); i++ {
		same = olds[i].Model.Stage == news[i].Model.Stage
	}
	if same {
		return nil
	}
	return asm.Errorf(asm.Pos{File: after.Path()}, "wrong-pair", "the two versions do not have the same stages")
}

// uploadable rejects uploads between registers that no version of the programs has.
func uploadable(uploads []input.Upload, programs []*d3d9.Program) error {
	has := func(r input.HostRegister) bool {
		return slices.ContainsFunc(programs, func(p *d3d9.Program) bool {
			return p.Model.Stage == r.Stage && int(r.Index) < p.Model.Limits().MaxConst
		})
	}
	for _, u := range uploads {
		for _, r := range []input.HostRegister{u.To, u.From} {
			if !has(r) {
				return asm.Errorf(asm.Pos{File: "<options>"}, "bad-upload", "--upload: no program has the register %s", r)
			}
		}
	}
	return nil
}

// judge compares two versions as drawn under o.
func judge(before, after []*d3d9.Program, o job, options verify.Options) verify.Report {
	before, after = o.bothAmong(before, after)
	return verify.Check(pairOf(before), pairOf(after), options)
}

// verification returns the options of o for verification under class.
func (o *job) verification(class passes.Class, by effort) verify.Options {
	options := verify.Options{Numerics: class, Effort: o.Limits.Effort, Brief: by != reportEffort,
		Cheap: by == quickEffort || by == proofsEffort, Unconfirmed: by == proofsEffort,
		Constants: o.known, Seed: o.Seed, Budget: o.spend.checks, Shared: o.spend.shared,
		Box: o.Report.Box, Arithmetic: o.Report.Arithmetic, Uploads: toVerify(o.Host.Uploads)}
	if by != reportEffort {
		options.Least, _ = o.least() // which was checked
	}
	if o.Draw.Case != nil {
		options.Cases = []*interp.Case{o.Draw.Case}
	}
	return options
}

// judged records a verdict. For a refutation, Error describes the difference.
func (r *Result) judged(report verify.Report, o *Options) {
	r.Judgement = &Judgement{Verdict: report.Verdict, Methods: append([]verify.Method{}, report.Methods...),
		Epsilon: report.Epsilon, MaxULP: report.MaxULP}
	if report.Verdict == verify.Refuted {
		r.Error = report.Why
	} else if report.Why != "" {
		r.remark(asm.Pos{}, "verify", report.Why)
	}
	if n := report.Wavefront; n > 1 && report.Verdict.OK() {
		r.remark(asm.Pos{}, "lockstep", fmt.Sprintf("the order of accesses to local memory relies on wavefronts of at least %d threads, also in the input", n))
	}
	if !o.Report.SkipRounding {
		r.noteBoundaries(report.Boundaries())
	}
	r.differs(report)
}

// noteBoundaries remarks the comparisons whose outcome rounding may change.
func (r *Result) noteBoundaries(list []verify.Boundary) {
	for _, b := range list {
		at, other := b.Before, ""
		if !at.IsValid() {
			at = b.After
		} else if b.After.IsValid() && b.After != at {
			other = fmt.Sprintf(" (%s after)", b.After)
		}
		r.remark(at, "rounding-boundary", fmt.Sprintf("rounding may change the outcome of the comparison at %s%s", at, other))
		m := &r.Remarks[len(r.Remarks)-1]
		if m.File, m.Column = at.File, at.Col; r.Kind == input.KindPair {
			m.Stage = b.Stage.String()
		}
	}
}

// differs records the counterexample of a report, if any.
func (r *Result) differs(report verify.Report) {
	if x := report.Counterexample; x != nil {
		before, after := fmt.Sprint(x.Before), fmt.Sprint(x.After)
		if before == after || r.Kind == input.KindKernel { // words, which need not be floats
			before, after = fmt.Sprintf("%s (0x%08x)", before, x.Bits[0]), fmt.Sprintf("%s (0x%08x)", after, x.Bits[1])
		}
		differs := x.Whole
		if differs == "" {
			differs = fmt.Sprintf("%s is %s before and %s after", x.Output, before, after)
		}
		r.Case = x.Case
		r.remark(asm.Pos{}, "counterexample", fmt.Sprintf("%s: %s%s; the input is:\n%s", x.Where, differs,
			partsWays(x.First), x.Input))
	}
}

// partsWays returns the positions at which two versions begin to differ, if known.
func partsWays(first [2]asm.Pos) (text string) {
	for i, side := range []string{"before", "after"} {
		if first[i].IsValid() {
			text += fmt.Sprintf("; %s: %s computes the first value that the other version never has", side, first[i])
		}
	}
	return text
}

// pairOf sorts programs by stage.
func pairOf(programs []*d3d9.Program) (p verify.Pair) {
	for _, q := range programs {
		if q.Model.Stage == d3d9.Vertex {
			p.Vertex = q
		} else {
			p.Pixel = q
		}
	}
	return p
}
