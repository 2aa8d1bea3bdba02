package verify

import (
	"bytes"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// execution is the outcome of executions. The zero value means that executions were compared and none differed.
type execution struct {
	different bool
	cex       *Counterexample
	why       string // reason if nothing could be executed, or a description of the difference
	unrun     bool   // nothing could be executed
	before    bool   // because before could not be
	loose     bool   // a field proof would explain the difference
}

// modes are the numerics that trials use in turn. Direct3D 9 lets the device choose whether mad rounds once,
// whether 0 times anything is 0, and whether denormals are flushed. Versions have to agree under each choice
// that hardware makes.
var modes = [...]interp.Numerics{
	{}, {FuseMad: true}, {MulZero: true}, {FlushDenormals: true}, {MulZero: true, FlushDenormals: true, FuseMad: true},
}

// ranges are the value ranges of ps_1_x registers, used in turn. 8 is common hardware, 1 the minimum of
// Direct3D (D3DCAPS9.PixelShader1xMaxValue is at least 1), and 0 no limit, as in current hardware.
var ranges = [...]float32{8, 1, 0}

// trialNumerics returns the numerics of trial k. Versions that need only equal bits use IEEE arithmetic. There x*1 is
// x; if products with a factor 0 are 0, one version may lose the sign of -0.
func (c *checker) trialNumerics(k int) interp.Numerics {
	n := modes[k%len(modes)]
	if c.Numerics == Bits && c.terms.diff != nil {
		n = interp.Numerics{}
	}
	if p := c.before.Pixel; p != nil && p.Model.Major == 1 {
		n.Range = ranges[k%len(ranges)]
	}
	return n
}

// exactly reports whether executions of both versions have to agree bit for bit. This holds if the accepted
// numerics require it, or if the versions are proved to be the same terms.
func (c *comparison) exactly() bool {
	return c.Numerics <= Bits || c.terms.diff == nil && c.terms.why == ""
}

// execute lets the interpreter execute both versions.
func (c *checker) execute() execution {
	c.total, c.doubt, c.report.draws = trial.Contrast{}, "", 0
	trials := c.trials()
	return c.runAll(trials, len(trials), c.trialNumerics)
}

// pursue executes more where neither proofs nor draws have decided. It makes more draws if the field proof found a
// difference. It then runs inputs directed at decisions of the programs (see directed), and finally a search
// (see search). A proof makes this unnecessary, because it holds on both sides of every comparison.
func (c *checker) pursue() execution {
	defer c.searching()()
	more := c.moreTrials()
	directed, found, leaves := c.directed(append([]trial.Trial{c.base}, more...))
	run := c.runAll(append(more, directed...), len(more), func(k int) interp.Numerics {
		if k < len(more) {
			return c.trialNumerics(k)
		}
		return c.trialNumerics(0) // directed trials were solved for it
	})
	if !run.different && len(leaves) > 0 && c.differs() {
		if found := c.search(leaves, found, more); found != nil {
			return *found
		}
	}
	return run
}

// runAll executes both versions on trials until they differ. The first usual ones are random. Later ones are
// directed to edges, and so to divisions by zero, so that their executions record infinities and NaNs (see
// watch). Trials that cannot be executed are skipped; if all are, the outcome is unrun.
func (c *checker) runAll(trials []trial.Trial, usual int, numerics func(k int) interp.Numerics) execution {
	sides, err := c.compileOnce()
	if err != nil {
		return execution{why: "execution: " + err.Error(), unrun: true}
	}
	var failed error
	for k, t := range trials {
		if err := c.runsBudget().Err(); err != nil {
			failed = asm.Errorf(asm.Pos{}, "step-limit", "%v", err)
			break
		}
		if k == usual {
			c.watch(sides)
		}
		x, found, err := c.runTrial(sides, t, numerics(k), uint64(k))
		if err != nil {
			failed = err
			continue
		}
		// A batch of the vertex program of a pair shows fixed function alone and does not count as a draw.
		// Otherwise a version could be Tested without a comparison of its colours.
		if b, isBatch := t.(*trial.Batch); x.Points > 0 && !(isBatch && b.Fixed) {
			c.report.draws++ // of all outputs
			c.total.Merge(x)
		}
		if found != nil {
			return *found
		}
	}
	c.report.MaxULP = c.total.MaxULP
	switch {
	case c.report.draws > 0:
		return execution{}
	case failed != nil:
		return execution{why: "execution: " + failed.Error(), unrun: true}
	}
	return execution{why: "execution: the draws show nothing"}
}

// watch makes executions record the conditions that they meet and the places of infinities and NaNs.
func (c *checker) watch(sides [2]*trial.Version) {
	for _, s := range sides {
		s.Seen, s.Reals = interp.NewSeen(), !c.exactly()
	}
}

// runTrial executes both versions on trial number k; found is nil unless they differ. A difference counts only if
// it remains when relative reads are confined (see confirmed), and when both programs are recompiled and
// executed again (see replay).
func (c *checker) runTrial(sides [2]*trial.Version, t trial.Trial, n interp.Numerics, k uint64) (x *trial.Contrast,
	found *execution, err error) {
	differ, x, err := c.executeBoth(sides, t, n, k)
	if err != nil {
		return nil, nil, err
	}
	if x.Doubtful && c.confirmed(t, n, k) {
		c.doubts(x)
	}
	if differ && c.confirmed(t, n, k) {
		if cex := c.replay(t, n, x); cex != nil {
			return x, &execution{different: true, cex: cex, loose: x.Loose, why: x.Describe(cex.Output)}, nil
		}
	}
	return x, nil, nil
}

// compile compiles both versions.
func (c *checker) compile(before, after Pair) (sides [2]*trial.Version, err error) {
	return c.compileBoth(before, after, false)
}

// compileBoth compiles both versions. With share, it compiles common programs once, which suffices to search
// for differences but not to replay one.
func (c *checker) compileBoth(before, after Pair, share bool) (sides [2]*trial.Version, err error) {
	uploads := c.Mirrored[:len(c.Mirrored):len(c.Mirrored)]
	common := &trial.Version{}
	if sides[0], err = trial.Compile(before, uploads, common); err == nil {
		if share {
			common = sides[0]
		}
		sides[1], err = trial.Compile(after, append(uploads, c.Uploads...), common)
	}
	for i, s := range sides {
		if s != nil {
			s.Work, s.Hosts = c.runsBudget(), c.hosts[i]
		}
	}
	return sides, err
}

// compileOnce compiles both versions one time. It returns shallow copies, because a run sets their fields.
func (c *checker) compileOnce() (sides [2]*trial.Version, err error) {
	if c.compiled[1] == nil {
		if c.compiled, err = c.compileBoth(c.before, c.after, true); err != nil {
			c.compiled = [2]*trial.Version{}
			return c.compiled, err
		}
	}
	for i, s := range c.compiled {
		fresh := *s
		fresh.Work = c.runsBudget()
		sides[i] = &fresh
	}
	return sides, nil
}

// confirmed reports whether a difference remains when relative reads are confined to the parameter in which
// they start by the constant table. The contract requires that they stay in it; random indices may not.
func (c *checker) confirmed(t trial.Trial, n interp.Numerics, k uint64) bool {
	before, after := c.before, c.after
	var banks [2][]trial.Bank
	before.Vertex, banks[0] = trial.Confine(before.Vertex)
	after.Vertex, banks[1] = trial.Confine(after.Vertex)
	if len(banks[0])+len(banks[1]) == 0 {
		return true
	}
	sides, err := c.compile(before, after)
	if err != nil {
		return false
	}
	sides[0].Banks, sides[1].Banks = banks[0], banks[1]
	found, x, err := c.executeBoth(sides, t, n, k)
	return err == nil && (found || x.Doubtful)
}

// replay recompiles both versions, sharing nothing, and executes them again. It returns the counterexample if
// the same words recur, or nil.
func (c *checker) replay(t trial.Trial, n interp.Numerics, x *trial.Contrast) *Counterexample {
	sides, err := c.compile(c.before, c.after)
	if err != nil {
		return nil
	}
	var s [2]*trial.Sample
	for i := range s {
		if s[i], err = t.Execute(sides[i], n, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex != nil {
		where, text := t.Describe(sides[0], x.First.Index)
		if cex.Input = text; x.Shape == "" {
			cex.Where = where
		}
		if f := t.CaseFile(&sides, x.First.Index); f != nil {
			cex.Case = caseText(cex, n, f.Format())
		}
		if x.Shape == "" {
			cex.diverges(t, &sides, n, x.First.Index, c.exactly())
		}
	}
	return cex
}

// again returns the difference in x as a counterexample, if new samples show it too.
func (c *comparison) again(x *trial.Contrast, s [2]*trial.Sample) *Counterexample {
	y := trial.Compare(s[0], s[1], trial.SameBits)
	switch p := &x.First; {
	case y.Shape != x.Shape:
		return nil
	case x.Shape != "":
		return &Counterexample{Where: "every point", Whole: x.Shape}
	case !s[0].HasValue(p.Output, p.Index, p.Before) || !s[1].HasValue(p.Output, p.Index, p.After):
		return nil
	default:
		return &Counterexample{Output: p.Output, Before: math.Float32frombits(p.Before),
			After: math.Float32frombits(p.After), Bits: [2]uint32{p.Before, p.After}}
	}
}

// caseText prefixes a case with comments that describe the counterexample.
func caseText(cex *Counterexample, n interp.Numerics, c []byte) []byte {
	var b bytes.Buffer
	if cex.Whole != "" {
		fmt.Fprintf(&b, "# %s: %s\n", cex.Where, cex.Whole)
	} else {
		fmt.Fprintf(&b, "# %s: %s is %v (0x%08x) before and %v (0x%08x) after\n", cex.Where, cex.Output, cex.Before,
			cex.Bits[0], cex.After, cex.Bits[1])
	}
	if n != (interp.Numerics{}) {
		fmt.Fprintf(&b, "# found with %+v, which run does not execute with\n", n)
	}
	b.Write(c)
	return b.Bytes()
}

// diverges records in cex where executions of a trial diverge.
func (cex *Counterexample) diverges(t trial.Trial, sides *[2]*trial.Version, n interp.Numerics, at int, exactly bool) {
	var traces [2]*interp.Trace
	for i := range traces {
		traces[i] = &interp.Trace{At: at}
		if _, err := t.Traced(traces[i]).Execute(sides[i], n, 0); err != nil || len(traces[i].Steps) == 0 {
			return
		}
	}
	cex.First = trial.Divergence(traces, exactly)
}
