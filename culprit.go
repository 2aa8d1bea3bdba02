package shaderlift

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// maxCulprits bounds how often something is left out because what it does cannot be
// verified, before all that needs the user's numerics is. After maxSteps rewrites of one
// stage the whole stage is, and so it is once verification has taken maxWork steps: then no
// rewrite is looked for any more.
// The values are chosen.
const (
	maxCulprits = 6
	maxSteps    = 2
	maxWork     = 1 << 20
)

// culprit is what keeps a result from being used: a stage of the pipeline and, if the verdict is to
// blame, the rewrite in it after which the verdict is too low for the first time.
type culprit struct {
	stage int
	step  *passes.Step
	why   Remark
	// before is what the stages before it make, and report says.
	before *passes.Unit
	report passes.Report
}

// doubtful reports whether the passes begin with something that is not the input (such as a program
// retargeted for --fit) which cannot be verified itself. Then no pass is to blame.
func (z *optimizer) doubtful() bool {
	if !z.subject.restated() {
		return false
	}
	faults := len(z.res.Faults)
	c, err := z.candidate(z.subject.unit(), z.class, toJudge)
	z.res.Faults = z.res.Faults[:faults] // of what is not written
	return err == nil && c != nil && c.report.Verdict < z.least
}

// withoutCulprits repeats an attempt, each time without another culprit, until the result can be
// used or maxCulprits is reached. Stages that are slower do not count: to compare takes no
// verification, and there are only so many stages.
func (z *optimizer) withoutCulprits() (better, verified bool, err error) {
	for refused := 0; refused < maxCulprits && !z.o.spend.over(); {
		c := z.culprit()
		z.rejection(c)
		if c == nil {
			return false, false, nil
		}
		if z.leaveOut(c); c.why.Code != codeSlower {
			refused++
		}
		if better, verified, err = z.attempt(z.class); verified || err != nil {
			return better, verified, err
		}
	}
	z.rejection(nil)
	return false, false, nil
}

// rejection tells why a result is not used, c being the culprit if one was found, and keeps
// a reproducer of the first one that is refuted, if more is wrong than that colours are clamped.
func (z *optimizer) rejection(c *culprit) {
	r := z.rejected
	if r == nil {
		return
	}
	z.rejected, z.blamed = nil, true
	z.res.differs(*r)
	if r.Why != "" {
		z.res.remark(asm.Pos{}, "verify", r.Why)
	}
	if r.Verdict != verify.Refuted || z.clamped || slices.ContainsFunc(z.res.Faults, (*Fault).refuted) {
		return
	}
	f := z.fault(&refutation{r.Why})
	if r.Counterexample != nil {
		f.Case = r.Counterexample.Case
	}
	if c != nil {
		f.Step = c.step
	}
}

// refutation is the fault of a result that was refuted.
type refutation struct{ why string }

func (r *refutation) Error() string { return "the result is refuted: " + r.why }

// refuted reports whether f is a result that was refuted.
func (f *Fault) refuted() bool {
	_, ok := f.Err.(*refutation)
	return ok
}

// leaveOut takes a culprit out of what runs: a rewrite by its number, or a stage. Numbers of stages
// behind it go down by one, in skip as well. What comes before it need not be run again.
func (z *optimizer) leaveOut(c *culprit) {
	z.res.Remarks, z.blamed = append(z.res.Remarks, c.why), true
	z.plan.unit, z.plan.report = c.before, c.report
	if c.step != nil && !slices.Contains(z.skip, c.step.StepID) {
		z.skip = append(z.skip, c.step.StepID)
		return
	}
	z.pipeline = slices.Delete(slices.Clone(z.pipeline), c.stage, c.stage+1)
	var skip []passes.StepID
	for _, s := range z.skip {
		if s.Stage > c.stage {
			s.Stage--
		} else if s.Stage == c.stage {
			continue
		}
		skip = append(skip, s)
	}
	z.skip = skip
}

// trail is what the stages of a run made that changed something, in order, and what the run said.
type trail struct {
	versions []version
	report   passes.Report
	fit      int // of the versions so many were found to be fit for use
}

type version struct {
	stage int
	unit  *passes.Unit
}

// release gives up the memory of the versions.
func (t *trail) release() {
	if t != nil {
		t.cut(0)
	}
}

// cut leaves the first n versions.
func (t *trail) cut(n int) {
	for _, v := range t.versions[n:] {
		v.unit.Release()
	}
	t.versions = t.versions[:n]
	t.fit = min(t.fit, n)
}

// maxFollowed bounds the programs, in values, of which versions are kept before it is known that
// they are needed.
const maxFollowed = 1 << 14

// mayBeWorse reports whether a result that the price calls better may be worse all the same, and
// there is room for what each stage made: to copy that takes less time than to run the pipeline
// again for one result in seven.
func (z *optimizer) mayBeWorse(u *passes.Unit) bool {
	values := 0
	for _, f := range u.Funcs() {
		values += f.NumValues()
	}
	return !z.subject.static() && values <= maxFollowed
}

// follow has a run leave a trail, behind that of the stages before.
func (z *optimizer) follow(cfg *passes.Config) {
	first := cfg.First
	if first == 0 {
		z.trail.release()
		z.trail = &trail{}
	}
	if t := z.trail; t != nil {
		cfg.Observe = func(stage int, changed bool, u *passes.Unit) {
			if changed {
				t.versions = append(t.versions, version{first + stage, u.Clone()})
			}
		}
	}
}

// culprit finds what makes the result unfit for use, nil if that cannot be told. It looks for the
// first stage after which the result is unfit by binary search over what the stages made: this
// assumes that what is unfit stays unfit. Then narrow looks for the rewrite.
func (z *optimizer) culprit() *culprit {
	if z.trail == nil {
		cfg := z.config(z.class)
		z.follow(&cfg)
		z.trail.report, _ = passes.Run(z.subject.unit(), z.pipeline, cfg) // its faults were noted by the attempt
	}
	to := toBlame
	if z.rejected == nil { // for its verdict
		to = toCompare
	}
	t := z.trail
	var found *culprit
	at := t.fit + sort.Search(len(t.versions)-t.fit, func(i int) bool {
		i += t.fit
		c := z.blame(t.versions[i].unit, t.versions[i].stage, to)
		if c != nil {
			found = c
		}
		return c != nil
	})
	if found == nil {
		return nil
	}
	found.report = t.report.Part(found.stage)
	t.cut(at)
	if to == toBlame {
		t.fit = at
	}
	if at > 0 {
		found.before = t.versions[at-1].unit
	} else {
		found.before = z.subject.unit()
	}
	if found.why.Code != codeSlower {
		z.narrow(found)
	}
	return found
}

// narrow finds the rewrite of a stage after which the verdict is too low, by binary search over how
// many of its rewrites are made. If the stage cut off before its end does no harm, the stage as a
// whole is to blame.
func (z *optimizer) narrow(c *culprit) {
	if z.stageSkips(c.stage) >= maxSteps {
		return
	}
	steps := z.steps(c)
	at := sort.Search(len(steps), func(i int) bool {
		if z.work() > maxWork {
			return false
		}
		bad := z.cut(c, i+1)
		if bad != nil {
			c.why, c.step = bad.why, &steps[i]
		}
		return bad != nil
	})
	if at == len(steps) || z.work() > maxWork {
		c.step = nil
		return
	}
	c.why.Line = c.step.Pos.Line
	c.why.Message = fmt.Sprintf("%s: %s", c.step, c.why.Message)
}

// steps are the rewrites of the stage to blame, with their numbers in the whole run.
func (z *optimizer) steps(c *culprit) (steps []passes.Step) {
	cfg := z.config(z.class)
	cfg.Trace = func(s passes.Step) {
		s.Number += c.report.Steps
		steps = append(steps, s)
	}
	z.rerun(c, cfg)
	return steps
}

// cut makes the first n rewrites of the stage to blame, and says why the result cannot be used, nil if it can.
func (z *optimizer) cut(c *culprit, n int) *culprit {
	cfg := z.config(z.class)
	cfg.Fuel, cfg.Cut = &n, true
	return z.blame(z.rerun(c, cfg), c.stage, toJudge)
}

// rerun is what the stage to blame makes by itself.
func (z *optimizer) rerun(c *culprit, cfg passes.Config) *passes.Unit {
	u := c.before.Clone()
	cfg.First = c.stage
	passes.Run(u, z.pipeline[c.stage:c.stage+1], cfg)
	return u
}

// work is how many steps verification has taken.
func (z *optimizer) work() int64 {
	steps, _ := z.o.spend.checks.Used()
	return steps
}

// stageSkips counts the rewrites of a stage that are left out.
func (z *optimizer) stageSkips(stage int) (n int) {
	for _, s := range z.skip {
		if s.Stage == stage {
			n++
		}
	}
	return n
}

// way is how a version is verified.
type way uint8

const (
	wholly   way = iota
	cheaply      // by the first proofs, and where these hold by executions
	byProofs     // by those alone: for a version that is not written
)

// unproved reports whether what the rejected result lacks is a proof, and not an execution that bears
// one out: proofs alone then tell which rewrite is to blame.
func (z *optimizer) unproved() bool {
	r := z.rejected
	if r == nil || r.Contradicted {
		return false
	}
	proved := slices.Contains(r.Rungs, verify.R1) || slices.Contains(r.Rungs, verify.R3)
	return !proved || r.Verdict == verify.ProvedReal
}

// judged returns the verdict on files, remembered by content and by what it depends on.
func (z *optimizer) judged(files []File, class passes.Class, uploads []Upload, by way, judge func() verify.Report) verify.Report {
	h := sha256.New()
	fmt.Fprint(h, class, uploads, by)
	for _, f := range files {
		fmt.Fprint(h, len(f.Data))
		h.Write(f.Data)
	}
	key := [sha256.Size]byte(h.Sum(nil))
	report, known := z.verdicts[key]
	if !known {
		report = judge()
		if z.verdicts == nil {
			z.verdicts = map[[sha256.Size]byte]verify.Report{}
		}
		z.verdicts[key] = report
	}
	return report
}

// codeSlower is the code of remarks on what costs more than its price tells.
const codeSlower asm.Code = "slower"

// blame says why u, which a stage has made, cannot be used: worse on a GPU in spite of its price,
// or a verdict too low. It is nil if u can be used or that cannot be told. Faults of trial versions
// are dropped.
func (z *optimizer) blame(u *passes.Unit, stage int, to purpose) *culprit {
	faults := len(z.res.Faults)
	defer func() { z.res.Faults = z.res.Faults[:faults] }() // of what is not written
	pass := z.pipeline[stage].Pass.Name
	c, err := z.candidate(u, z.class, to)
	switch {
	case err != nil || c == nil:
		return nil
	case c.worse != "":
		return &culprit{stage: stage, why: Remark{Kind: Missed, Pass: pass, Code: codeSlower, Message: pass + " is left out: " + c.worse}}
	case c.report.Verdict < z.least:
		r := Remark{Kind: Missed, Pass: pass, Code: codeUnverified,
			Message: fmt.Sprintf("left out: the result is %s: %s", c.report.Verdict, c.report.Why)}
		return &culprit{stage: stage, why: r}
	}
	return nil
}
