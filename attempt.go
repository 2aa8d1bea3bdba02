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
	// dearer tells that it costs no less than the input, and is wanted all the same.
	dearer bool
}

// config is how passes run under class.
func (z *optimizer) config(class passes.Class) passes.Config {
	return passes.Config{Numerics: class, HostMirrored: z.o.HostMirrored, Measure: z.subject.measure,
		Keep: z.kept, Unfit: z.subject.exceeded() != nil, Fuel: z.o.Fuel, Deadline: z.deadline}
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
	changed := slices.ContainsFunc(report.Stats, func(s passes.Stat) bool { return s.Outcome == passes.Changed })
	if !changed && z.subject.exceeded() == nil || report.After == passes.Unfit {
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
	if z.res.Status, z.res.Files = Improved, c.files; c.dearer {
		z.res.Status = Changed
	}
	z.subject.report(c)
	z.res.uploads(c.uploads)
	return true, true, nil
}

// culprit is a stage of the pipeline after which the result can no longer be used, while
// it could before; -1 if there is none.
func (z *optimizer) culprit() int {
	type version struct {
		stage int
		unit  *passes.Unit
	}
	var versions []version
	cfg := z.config(z.class)
	cfg.Observe = func(stage int, u *passes.Unit) { versions = append(versions, version{stage, u.Clone()}) }
	passes.Run(z.subject.unit(), z.pipeline, cfg) // its faults were noted by the attempt
	at, why := -1, Remark{}
	for low, high := 0, len(versions); low < high; {
		mid := int(uint(low+high) / 2)
		v := versions[mid]
		if bad := z.blame(v.unit, z.pipeline[v.stage].Pass.Name); bad != nil {
			at, why, high = v.stage, *bad, mid
		} else {
			low = mid + 1
		}
	}
	if at >= 0 {
		z.res.Remarks = append(z.res.Remarks, why)
	}
	return at
}

// blame says why u, which a pass has made, cannot be used; nil if it can, or if that
// cannot be told.
func (z *optimizer) blame(u *passes.Unit, pass string) *Remark {
	c, err := z.subject.candidate(u, z.class, false)
	switch {
	case err != nil || c == nil:
		return nil
	case c.worse != "":
		return &Remark{pass, 0, "slower", pass + " is left out: " + c.worse}
	case !c.report.Verdict.OK():
		return &Remark{pass, 0, "unverified", pass + " is left out: " + c.report.Why}
	}
	return nil
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
