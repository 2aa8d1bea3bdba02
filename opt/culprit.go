package opt

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// maxCulprits limits the steps or stages that are left out because verification fails. At the limit,
// all rewrites that need the user's numerics are left out. After maxSteps rewrites of one stage, the
// whole stage is left out. After workBase verification steps and workPerInstruction for each
// instruction, at most maxWork, the search for single rewrites ends, and whole stages are left out.
// The values are chosen by hand. The results for the corpora are the same as without the first two.
const (
	maxCulprits        = 6
	maxSteps           = 2
	workBase           = 1 << 16
	workPerInstruction = 1 << 8
	maxWork            = 1 << 20
)

// culprit is the stage of the pipeline that makes a result unusable. If the verdict is the reason, it
// also names the first rewrite of the stage after which the verdict is too low.
type culprit struct {
	stage int
	step  *passes.Step
	why   Remark
	// suspect is the statement of the input behind the value that lowers the verdict; not valid if
	// unknown.
	suspect asm.Pos
	// before is the unit after the stages before it, and report is their report.
	before *passes.Unit
	report passes.Report
}

// doubtful reports whether the passes start from a program other than the input, such as one ported for
// --fit, that cannot itself be verified. Then no pass is to blame.
func (z *optimizer) doubtful() bool {
	if !z.subject.restated() {
		return false
	}
	faults := len(z.res.Faults)
	c, err := z.candidate(z.subject.freshUnit(), z.class, toJudge)
	z.res.Faults = z.res.Faults[:faults] // drop the faults of a version that is not written
	return err == nil && c != nil && c.report.Verdict < z.least
}

// withoutCulprits repeats the attempt, each time without another culprit, until the result is usable or
// maxCulprits is reached. Stages that only slow a GPU down do not count: comparing them needs no
// verification, and the number of stages limits them.
func (z *optimizer) withoutCulprits() (outcome, error) {
	for refused := 0; refused < maxCulprits && !z.o.spend.isExhausted(); {
		c := z.culprit()
		z.rejection(c)
		if c == nil {
			return rejected, nil
		}
		if z.leaveOut(c); c.why.Code != codeSlower {
			refused++
		}
		if out, err := z.attempt(z.class); out != rejected || err != nil {
			return out, err
		}
	}
	z.rejection(nil)
	return rejected, nil
}

// rejection remarks why a result is not used; c is the culprit, if one was found. It keeps a reproducer
// of the first refuted result, unless only the clamp of colours differs.
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

// refutation is the error of a fault whose result was refuted.
type refutation struct{ why string }

func (r *refutation) Error() string { return "the result is refuted: " + r.why }

// refuted reports whether the result of f was refuted.
func (f *Fault) refuted() bool {
	_, ok := f.Err.(*refutation)
	return ok
}

// leaveOut removes a culprit from the run: a rewrite by its number, or a stage. Removing a stage
// decrements the numbers of the later stages, also in skip. The next attempt resumes after the stages
// before the culprit.
func (z *optimizer) leaveOut(c *culprit) {
	z.res.Remarks, z.blamed = append(z.res.Remarks, c.why), true
	z.plan.Unit, z.plan.Report = c.before, c.report
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

// trail holds the stages of a run that may be to blame and changed something, in order, with snapshots
// from before them, and the report of the run. The last entry is for the next such stage.
type trail struct {
	suspects []suspect
	stale    bool // a stage has changed the unit since the last snapshot
	all      bool // passes that only remove work may also be to blame
	report   passes.Report
	fit      int // the versions after the first fit suspects are known to be usable
}

type suspect struct {
	stage  int
	before *passes.Unit // nil for the fresh unit
}

// release frees the memory of the snapshots.
func (t *trail) release() {
	if t != nil {
		t.cut(0)
		t.suspects[0].before.Release()
	}
}

// cut keeps the first n suspects and the snapshot from before the next one.
func (t *trail) cut(n int) {
	for _, s := range t.suspects[n+1:] {
		s.before.Release()
	}
	t.suspects, t.stale = t.suspects[:n+1], false
	t.fit = min(t.fit, n)
}

// observe records stage, which left u. The next stage is a suspect if next is set.
func (t *trail) observe(stage int, changed, suspected, next bool, u *passes.Unit) {
	if t.stale = t.stale || changed; changed && suspected {
		t.suspects[len(t.suspects)-1].stage = stage
		t.suspects = append(t.suspects, suspect{})
	}
	if s := &t.suspects[len(t.suspects)-1]; next && t.stale {
		s.before.Release()
		s.before, t.stale = u.Clone(), false
	}
}

// maxFollowed limits the size, in values, of programs that are snapshotted before the snapshots are
// known to be needed.
const maxFollowed = 1 << 14

// mayBeWorse reports whether a result with a better price may still be worse, and the program is small
// enough for snapshots. Copying the snapshots takes less time than running the pipeline again for one
// result in seven.
func (z *optimizer) mayBeWorse(u *passes.Unit) bool {
	values := 0
	for _, f := range u.Funcs() {
		values += f.NumValues()
	}
	return !z.subject.static() && values <= maxFollowed
}

// follow makes a run record its trail, after the trail of the earlier stages.
func (z *optimizer) follow(cfg *passes.Config, all bool) {
	first := cfg.First
	if first == 0 {
		z.trail.release()
		z.trail = &trail{suspects: make([]suspect, 1), all: all}
	}
	t := z.trail
	if t == nil {
		return
	}
	suspected := func(stage int) bool {
		return stage < len(z.pipeline) && (t.all || !z.pipeline[stage].Pass.Removes)
	}
	cfg.Observe = func(stage int, changed bool, u *passes.Unit) {
		stage += first
		t.observe(stage, changed, suspected(stage), suspected(stage+1), u)
	}
}

// culprit returns the stage or rewrite that makes the result unusable, or nil if it finds none. A
// binary search over the snapshots finds the first suspect after which the result is unusable. It
// assumes that an unusable result stays unusable. Passes that only remove work are suspects if slots are
// counted, the result is refuted, or no other stage changed anything. Then narrow looks for the rewrite.
func (z *optimizer) culprit() *culprit {
	all := z.subject.static() || z.rejected != nil && z.rejected.Verdict == verify.Refuted
	for z.trail == nil || !z.trail.all && (all || z.trail.fit == len(z.trail.suspects)-1) {
		cfg := z.config(z.class)
		z.follow(&cfg, all || z.trail != nil)
		z.trail.report, _ = passes.Run(z.subject.freshUnit(), z.pipeline, cfg) // the attempt recorded its faults
	}
	to := toBlame
	if z.rejected == nil { // the verdict is not the reason
		to = toCompare
	}
	t := z.trail
	last := len(t.suspects) - 2
	if last < t.fit {
		return nil
	}
	found := z.blameFor(z.unusable, t.suspects[last].stage)
	guess := 0 // mostly the first one, code motion, lacks a proof
	if t.all || to == toCompare {
		guess = -1
	}
	at := t.fit + searchFrom(last+1-t.fit, guess, func(i int) bool {
		if i += t.fit; i == last {
			return true
		}
		c := z.blame(t.suspects[i+1].before, t.suspects[i].stage, to)
		if c != nil {
			found = c
		}
		return c != nil
	})
	found.report = t.report.FirstStages(found.stage)
	t.cut(at)
	if to == toBlame {
		t.fit = at
	}
	if found.before = t.suspects[at].before; found.before == nil {
		found.before = z.subject.freshUnit()
	}
	if found.why.Code != codeSlower {
		z.narrow(found)
	}
	return found
}

// narrow finds the rewrite of a stage after which the verdict is too low, by binary search over the
// number of rewrites. Each trial takes a proof, so the rewrite nearest to the suspect is tried first. If
// none is known, it is the first rewrite of a pass whose rewrites all round differently. If every prefix
// of the stage is usable, the whole stage is to blame.
func (z *optimizer) narrow(c *culprit) {
	if z.stageSkips(c.stage) >= maxSteps {
		return
	}
	steps, most := z.steps(c), workFor(c.before)
	worse := func(i int) bool {
		if z.verificationSteps() > most {
			return false
		}
		bad := z.rerunPrefix(c, i+1)
		if bad != nil {
			c.why, c.step = bad.why, &steps[i]
		}
		return bad != nil
	}
	guess := nearest(steps, c.suspect.Line)
	if !c.suspect.IsValid() && z.pipeline[c.stage].Pass.Class >= passes.Real {
		guess = 0
	}
	at := searchFrom(len(steps), guess, worse)
	if at == len(steps) || z.verificationSteps() > most {
		c.step = nil
		return
	}
	c.why.Line = c.step.Pos.Line
	c.why.Message = fmt.Sprintf("%s: %s", c.step, c.why.Message)
}

// workFor returns the number of verification steps after which the search for single rewrites of u ends.
func workFor(u *passes.Unit) int64 {
	n := 0
	for _, f := range u.Funcs() {
		n += f.Len()
	}
	return min(workBase+int64(n)*workPerInstruction, maxWork)
}

// nearest returns the index of the last step at or before a line, or -1. A step has the line of the
// statement that it replaces. For a mad made of two statements this is the later one.
func nearest(steps []passes.Step, line int) int {
	at := -1
	for i, s := range steps {
		if s.Pos.Line <= line && (at < 0 || s.Pos.Line >= steps[at].Pos.Line) {
			at = i
		}
	}
	return at
}

// searchFrom works like sort.Search with a guess of the result; a negative guess means none. A right
// guess takes two calls of f, and one if it is 0.
func searchFrom(n, guess int, f func(int) bool) int {
	from := 0
	switch {
	case guess < 0 || n == 0:
	case !f(guess):
		from = guess + 1
	case guess == 0 || !f(guess-1):
		return guess
	default:
		n = guess - 1
	}
	return from + sort.Search(n-from, func(i int) bool { return f(from + i) })
}

// steps returns the rewrites of the stage to blame, with their numbers in the whole run.
func (z *optimizer) steps(c *culprit) (steps []passes.Step) {
	cfg := z.config(z.class)
	cfg.Trace = func(s passes.Step) {
		s.Number += c.report.Steps
		steps = append(steps, s)
	}
	z.rerun(c, cfg)
	return steps
}

// rerunPrefix makes the first n rewrites of the stage to blame. It returns the reason if the result is
// unusable, else nil.
func (z *optimizer) rerunPrefix(c *culprit, n int) *culprit {
	cfg := z.config(z.class)
	cfg.Fuel, cfg.Cut = &n, true
	return z.blame(z.rerun(c, cfg), c.stage, toJudge)
}

// rerun runs only the stage to blame, on the unit before it.
func (z *optimizer) rerun(c *culprit, cfg passes.Config) *passes.Unit {
	u := c.before.Clone()
	cfg.First = c.stage
	passes.Run(u, z.pipeline[c.stage:c.stage+1], cfg)
	return u
}

// verificationSteps returns the number of steps that verification has taken.
func (z *optimizer) verificationSteps() int64 {
	steps, _ := z.o.spend.checks.Used()
	return steps
}

// stageSkips counts the skipped rewrites of a stage.
func (z *optimizer) stageSkips(stage int) (n int) {
	for _, s := range z.skip {
		if s.Stage == stage {
			n++
		}
	}
	return n
}

// effort is the effort spent on verifying a version.
type effort uint8

const (
	fullEffort   effort = iota
	quickEffort         // by the first proofs and, if they hold, by executions
	proofsEffort        // by proofs alone: for a version that is not written
	reportEffort        // full, with every verdict and its details: for Verify
)

// unproved reports whether the rejected result failed for lack of a proof and not because of an
// execution. Proofs alone then find the rewrite to blame.
func (z *optimizer) unproved() bool {
	r := z.rejected
	if r == nil || r.Contradicted {
		return false
	}
	proved := slices.Contains(r.Methods, verify.ByTerms) || r.Epsilon > 0
	return !proved || r.Verdict == verify.ProvedReal
}

// needsProof reports whether only a proof can reach the required verdict under class.
func (z *optimizer) needsProof(class passes.Class) bool {
	return z.least > verify.Tested && class < passes.Approx
}

// effortFor returns the effort for verifying a version made for a purpose. The search for the rewrite
// to blame needs no executions if the rejected result lacks a proof.
func (z *optimizer) effortFor(class passes.Class, to purpose) effort {
	if to != toWrite && z.needsProof(class) && z.unproved() {
		return proofsEffort
	}
	return fullEffort
}

// judged returns the verdict on files. It caches verdicts by the content and by the other inputs of
// judge. A version that lacks a proof although it was executed has none by proofs alone either.
func (z *optimizer) judged(files []File, class passes.Class, uploads []input.Upload, by effort,
	judge func() verify.Report) verify.Report {
	keyOf := func(by effort) [sha256.Size]byte {
		h := sha256.New()
		fmt.Fprint(h, class, uploads, by)
		for _, f := range files {
			fmt.Fprint(h, len(f.Data))
			h.Write(f.Data)
		}
		return [sha256.Size]byte(h.Sum(nil))
	}
	key := keyOf(by)
	report, known := z.verdicts[key]
	if !known && by == proofsEffort {
		// The rejected result is the last version of its run.
		whole, judged := z.verdicts[keyOf(fullEffort)]
		report, known = whole, judged && whole.Verdict < z.least && !whole.Contradicted
	}
	if !known {
		report = judge()
		if z.verdicts == nil {
			z.verdicts = map[[sha256.Size]byte]verify.Report{}
		}
		z.verdicts[key] = report
	}
	return report
}

// codeSlower is the code of remarks on rewrites that are slower in spite of their price.
const codeSlower asm.Code = "slower"

// blame returns the reason why u, the unit after a suspect, is unusable: it is worse on a GPU in spite of
// its price, or its verdict is too low. It returns nil if u is usable or the check gives no answer.
// Faults of trial versions are dropped.
func (z *optimizer) blame(u *passes.Unit, stage int, to purpose) *culprit {
	faults := len(z.res.Faults)
	defer func() { z.res.Faults = z.res.Faults[:faults] }() // drop the faults of versions that are not written
	c, err := z.candidate(u, z.class, to)
	if err != nil || c == nil {
		return nil
	}
	return z.blameFor(c, stage)
}

// blameFor returns the culprit if the version c after a stage is unusable, else nil.
func (z *optimizer) blameFor(c *candidate, stage int) *culprit {
	pass := z.pipeline[stage].Pass.Name
	switch {
	case c.worse != "":
		return &culprit{stage: stage, why: Remark{Kind: Missed, Pass: pass, Code: codeSlower,
			Message: pass + " is left out: " + c.worse}}
	case c.report.Verdict < z.least:
		r := Remark{Kind: Missed, Pass: pass, Code: Unverified,
			Message: fmt.Sprintf("left out: the result is %s: %s", c.report.Verdict, c.report.Why)}
		return &culprit{stage: stage, why: r, suspect: c.suspect}
	}
	return nil
}
