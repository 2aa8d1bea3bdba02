package shaderlift

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// candidate is a version of the programs as written, read back and verified.
type candidate struct {
	files   []File
	report  verify.Report
	uploads []passes.Upload
	written any // what was read back, for the subject
	// worse says in what way it is worse than the input in spite of its price, empty if in
	// none; then it has not been verified.
	worse string
}

// config is how passes run under class.
func (z *optimizer) config(class passes.Class) passes.Config {
	return passes.Config{Numerics: class, HostMirrored: z.o.HostMirrored, Measure: z.subject.measure,
		Unfit: z.subject.exceeded() != nil, Fuel: z.o.Fuel, Deadline: z.deadline}
}

// attempt runs the pipeline under class. It reports whether the result is better,
// and filled in; verified is false of one that cannot be used as it is, because
// verification cannot judge it or because it is worse in spite of its price.
func (z *optimizer) attempt(class passes.Class) (better, verified bool, err error) {
	u := z.subject.unit()
	if u == nil {
		return false, true, nil
	}
	report, err := passes.Run(u, z.pipeline, z.config(class))
	var fault *passes.Fault
	if err != nil && !errors.As(err, &fault) {
		z.res.remark("", asm.Pos{}, "cannot-write", "the input is left as it is: "+err.Error())
		return false, true, nil
	}
	z.note(report)
	if report.Steps == 0 && z.subject.exceeded() == nil || report.After == passes.Unfit {
		return false, true, nil
	}
	c, err := z.subject.candidate(u, class, true)
	if err != nil || c == nil {
		return false, true, err
	}
	if c.worse != "" {
		return false, false, nil
	}
	z.res.judged(c.report)
	switch {
	case c.report.Verdict == verify.Refuted:
		z.fault(fmt.Errorf("the result is refuted: %s", c.report.Why))
		return false, true, fmt.Errorf("%w: %s", ErrRefused, c.report.Why)
	case !c.report.Verdict.OK():
		return false, false, nil
	}
	z.res.Status, z.res.Files = Improved, c.files
	z.subject.report(c)
	z.res.uploads(c.uploads)
	return true, true, nil
}

// culprit is the first stage of the pipeline after which the result can no longer be
// used, -1 if there is none.
func (z *optimizer) culprit() int {
	steps := 0
	for k := range z.pipeline {
		u := z.subject.unit()
		report, err := passes.Run(u, z.pipeline[:k+1], z.config(z.class))
		if err != nil || report.Steps == steps || report.After == passes.Unfit {
			continue
		}
		steps = report.Steps
		c, err := z.subject.candidate(u, z.class, false)
		if err != nil || c == nil {
			continue
		}
		name := z.pipeline[k].Pass.Name
		if c.worse != "" {
			z.res.remark(name, asm.Pos{}, "slower", name+" is left out: "+c.worse)
			return k
		}
		if !c.report.Verdict.OK() {
			z.res.remark(name, asm.Pos{}, "unverified", name+" is left out: "+c.report.Why)
			return k
		}
	}
	return -1
}

// fault notes an error of this program.
func (z *optimizer) fault(err error) *Fault {
	f := &Fault{Input: z.in, Options: z.o, Err: err}
	z.res.Faults = append(z.res.Faults, f)
	return f
}

// note keeps what the pass manager said.
func (z *optimizer) note(r passes.Report) {
	for _, m := range r.Remarks {
		r := Remark{m.Pass, m.Pos.Line, m.Code, m.Msg}
		if !slices.Contains(z.res.Remarks, r) {
			z.res.Remarks = append(z.res.Remarks, r)
		}
	}
	for _, f := range r.Faults {
		z.res.Faults = append(z.res.Faults, faultOf(z.in, z.o, f))
	}
	if !z.deadline.IsZero() && time.Now().After(z.deadline) {
		z.res.remark("", asm.Pos{}, "time-limit", fmt.Sprintf("the time was up after %d rewrites; that much fuel gives the same result again", r.Steps))
	}
}
