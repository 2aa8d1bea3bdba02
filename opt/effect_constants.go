package opt

import (
	"errors"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// The framework sets the constants of both stages of a pass by the names in their tables, from
// parameters of the effect. An upload that code motion requests therefore needs only an entry in the
// table of the vertex program. Constants without a name come from the preshader of the pixel program;
// the preshader of the vertex program can compute them too.

// optimizePart optimizes a part of an effect with the help of the framework. The vertex program may get
// constants of the pixel program, and preshaders may compute values that depend only on constants. Each
// change is kept only if the programs get cheaper, or fit where they otherwise would not.
func (o job) optimizePart(in Input) (*Result, error) {
	res, err := o.optimizeNamed(in)
	if !errors.Is(err, pair.ErrFit) {
		return res, err
	}
	o.Host.PixelConstants = input.Separate
	return o.optimize(in, mode{compact: true}) // search for relaxations
}

// optimizeNamed compares two orders: passes first and then preshaders (rehost), or preshaders first
// (effect.HostFirst). The second order finds operations that passes would have absorbed into a larger
// instruction:
//
//	mul r0.x, c0.x, c1.x
//	mad r1, v0, r0.x, c2
//
// combine may absorb the product, and then no host computation is left. Neither order is better in
// general, so both are tried.
func (o job) optimizeNamed(in Input) (*Result, error) {
	res, err := o.optimizeBound(in, func(r *Result) *Result { return o.rehost(in, r, false) })
	if err != nil && !errors.Is(err, pair.ErrFit) {
		return res, err
	}
	if !o.rehosts(nil) || o.Numerics < ir.Real {
		return res, err
	}
	first, programs, ok := effect.HostFirst(in)
	if !ok {
		return res, err
	}
	other, none := o.optimizeBound(first, func(r *Result) *Result {
		// Costs are relative to the input, not to the version with longer preshaders.
		for i := range r.Stages {
			r.Stages[i].Before = res.Stages[i].Before
			if r.Stages[i].After == nil {
				cost := d3d9.Measure(programs[i])
				r.Stages[i].After = &cost
			}
		}
		return o.rehost(in, r, true)
	})
	if none == nil && other != nil && (err != nil || cheaper(other, res)) { // err comes from the input
		// The intermediate steps are verified only against the first input.
		other.Faults, other.others = append(other.Faults, res.Faults...), append(res.others, res)
		return other, nil
	}
	return res, err
}

// optimizeBound optimizes a part with each set of pixel constants that the vertex program could get. It
// applies finish to each result and returns the cheapest. A result for which finish returns nil is
// ignored. All others are kept in Result.others, for effects whose file grows too much (see
// fitSize).
func (o job) optimizeBound(in Input, finish func(*Result) *Result) (*Result, error) {
	// There are at most three runs: without constants of the pixel program, with all of them, and with
	// the named ones.
	o.Host.PixelConstants = input.Separate
	if len(in.Files) == 2 && o.Limits.Time > 0 {
		o.Limits.Time = max(o.Limits.Time/3, 1)
	}
	var sets []effect.Constants
	if len(in.Files) == 2 {
		sets = effect.PixelConstants(in.Files[1])
	}
	m := mode{compact: true}
	for i := range sets {
		m.motions = append(m.motions, &motion{mirrors: sets[i].Has})
	}
	z, err := o.run(in, m)
	plain := z.res
	if err != nil && !errors.Is(err, pair.ErrFit) {
		return plain, err
	}
	others := o.withPixelConstants(in, plain, sets, m.motions)
	var best *Result
	if err == nil {
		best = finish(plain)
	}
	all := []*Result{plain, best}
	for _, r := range others {
		other := finish(r)
		all = append(all, r, other)
		plain.Faults = append(plain.Faults, r.Faults...)
		if other != nil && (best == nil || cheaper(other, best)) {
			best = other
		}
	}
	switch {
	case best != nil:
		best.Faults, best.others = plain.Faults, all
	case err != nil:
		return plain, err
	}
	return best, nil
}

// withPixelConstants returns the results that are cheaper than plain if the vertex program may read one
// of the sets. It tries the second set only if the first needs computed constants.
func (o job) withPixelConstants(in Input, plain *Result, sets []effect.Constants,
	motions []*motion) (list []*Result) {
	for i := range sets {
		m := motions[i]
		if m.useless() {
			if plain.Status == Failed { // this run fails too
				continue
			}
			break
		}
		other, computes := o.mirroring(in, plain, &sets[i], m.from)
		m.release()
		if other != nil {
			list = append(list, other)
		}
		if !computes {
			break
		}
	}
	return list
}

// mirroring returns a result that is cheaper than plain and reads constants h in the vertex program, or
// nil. It also reports whether preshaders would compute some of these constants. Code moves as under
// --host-constants mirrored. The requested uploads become entries of the constant table or outputs of
// the preshader, and the result is verified with them. Faults and reasons are noted in plain.
func (o job) mirroring(in Input, plain *Result, h *effect.Constants, from passes.Plan) (_ *Result,
	computes bool) {
	o.Host.PixelConstants = input.Mirrored
	z, err := o.run(in, mode{compact: true, mirrors: h.Has, from: from})
	other := z.res
	plain.Faults = append(plain.Faults, other.Faults...)
	if err != nil {
		return nil, h.Computed != nil
	}
	// An upload without an entry in the table comes from the preshader.
	for _, u := range other.Uploads {
		computes = computes || h.Table.Lookup(d3d9.Reg{File: d3d9.Const, Index: u.From.Index}) == nil
	}
	if len(other.Uploads) == 0 || plain.Status != Failed && !cheaper(other, plain) {
		return nil, computes
	}
	files, names, err := effect.BindUploads(in, other.Files, other.Uploads, h)
	if err != nil {
		plain.remark(asm.Pos{}, "constants-stay", "the constants of the pixel program do not move: "+err.Error())
		return nil, computes
	}
	after := Input{Name: in.Name, Files: files}
	v, err := o.verifyPart(in, after, fullEffort)
	plain.Faults = append(plain.Faults, v.Faults...)
	if err != nil {
		if v.Verdict() == verify.Refuted { // the passes' result was verified before
			plain.Faults = append(plain.Faults, &Fault{Task: TaskVerify, Input: in, After: &after, Options: o.Options, Err: err})
		}
		plain.remark(asm.Pos{}, "constants-stay", "the constants of the pixel program do not move: "+err.Error())
		return nil, computes
	}
	other.Files, other.Uploads, other.Faults = files, nil, nil
	// Bound is kept: its programs differ from these only in their tables.
	bound := other.Bound
	other.Judgement = v.Judgement
	other.Bound = bound
	if len(names) > 0 {
		other.remark(asm.Pos{}, "constants-by-name", gains(names))
	}
	if computes {
		other.remark(asm.Pos{}, "constants-computed",
			"the preshader of the vertex program also computes constants of the pixel program")
	}
	return other, computes
}

// gains lists the parameters added to the table of a vertex program.
func gains(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = asm.Shown(name)
	}
	return "the constant table of the vertex program also has " + strings.Join(shown, ", ")
}

// cheaper compares two results of one pair in the order of Result.costs.
func cheaper(a, b *Result) bool {
	x, y := a.costs(), b.costs()
	return slices.Compare(x[:], y[:]) < 0
}

// costs returns, most important first: pixel slots, vertex slots, and the dependent texture read phases
// and temporaries of both programs.
func (r *Result) costs() (c [5]int) {
	for i := range r.Stages {
		at := 1
		if r.Stages[i].Stage == d3d9.Pixel {
			at = 0
		}
		now := r.Stages[i].CurrentCost()
		c[at], c[2], c[3] = c[at]+now.Slots, c[2]+now.TextureRuns, c[3]+now.Temps
		c[4] += now.Interpolators
	}
	return c
}

// motionSlower reports whether the version right after the motion of constants, which this run is for, is already
// slower. If so, the run is assumed to find nothing that the run without the constants does not find: a later stage
// rarely makes up for it.
func (z *optimizer) motionSlower() bool {
	u := z.plan.Unit
	return z.mirrors != nil && z.rejected == nil && u != nil && len(u.Uploads) > 0 && z.blame(u, 0, toCompare) != nil
}

// motion is the result of code motion on a pair if the vertex program may read constants of the pixel
// program. Before code motion a pipeline behaves the same with and without these constants, and also
// after it if none of them moves. So a run with the constants differs only if some move in an attempt
// of the run without them. tryMotions checks this after each attempt, because the constants help few
// pairs.
type motion struct {
	mirrors func(register uint16) bool
	known   bool
	moves   bool // or unknown
	// from is the state of the first attempt after its last code motion, from which the run resumes. It
	// has no unit if nothing moves.
	from passes.Plan
}

// useless reports whether the constants are known not to move.
func (m *motion) useless() bool { return m.known && !m.moves }

func (m *motion) release() {
	if m.from.Unit != nil {
		m.from.Unit.Release()
	}
}

// unmoved is a unit from before a stage of code motion.
type unmoved struct {
	stage int
	unit  *passes.Unit
}

// beforeMotions makes a run from u record the units from before its stages of code motion, for tryMotions.
func (z *optimizer) beforeMotions(cfg *passes.Config, u *passes.Unit) {
	note := func(stage int, u *passes.Unit) {
		if stage < len(z.pipeline) && z.pipeline[stage].Pass == codemotion.Pass {
			z.unmoved = append(z.unmoved, unmoved{stage, u.Clone()})
		}
	}
	first, follow := cfg.First, cfg.Observe
	note(first, u)
	cfg.Observe = func(stage int, changed bool, u *passes.Unit) {
		if follow != nil {
			follow(stage, changed, u)
		}
		note(first+stage+1, u)
	}
}

// tryMotions records the effect of an attempt on the motions of the job. It skips explicit pipelines and
// Options.Keep. For a strict pair the effect is unknown, and counts as moving. A later motion has fewer constants, and
// is tried only if the first one moves some.
func (z *optimizer) tryMotions() {
	defer func() {
		for _, x := range z.unmoved {
			x.unit.Release()
		}
		z.unmoved = nil
	}()
	p, ok := z.subject.(*pairSubject)
	if !ok || z.o.Keep || z.o.spelled() {
		return
	}
	for i, m := range z.motions {
		switch first := !m.known; {
		case m.moves:
		case p.strict || i > 0 && !z.motions[0].moves:
			m.known, m.moves = true, true
		default:
			m.known = true
			z.tryMotion(m, first && !z.blamed)
		}
	}
}

// unknownMotions records that an attempt ended early. Its motions count as moving.
func (z *optimizer) unknownMotions() {
	for _, m := range z.motions {
		m.known, m.moves = true, true
	}
}

// tryMotion tries one motion. It repeats the stages of code motion of the attempt, in order, with more constants, until
// one finds a selection that pays. From there it runs the pipeline up to the last code motion. In the first attempt, it
// keeps the result, from which a run with these constants resumes.
func (z *optimizer) tryMotion(m *motion, first bool) {
	behind := func(report *passes.Report) passes.Config {
		cfg := z.config(z.class)
		cfg.HostMirrored, cfg.Mirrors = true, m.mirrors
		cfg.Resume(report)
		return cfg
	}
	for _, x := range z.unmoved {
		found := false
		pass := *codemotion.Pass
		pass.Run = func(c *passes.Ctx, u *passes.Unit) (err error) {
			found, err = codemotion.MoveMirrored(c, u)
			return err
		}
		u, whole := x.unit.Clone(), z.ran.FirstStages(x.stage)
		report, err := passes.Run(u, passes.Pipeline{{Pass: &pass, Settings: z.pipeline[x.stage].Settings}}, behind(&whole))
		whole.Append(report)
		if err == nil && !found && z.o.spend.rewrite.Err() == nil {
			u.Release()
			continue
		}
		if last := z.unmoved[len(z.unmoved)-1].stage; err == nil && last > x.stage {
			report, err = passes.Run(u, z.pipeline[x.stage+1:last+1], behind(&whole))
			whole.Append(report)
		}
		m.moves = err != nil || z.o.spend.rewrite.Err() != nil || len(u.Uploads) > 0
		if !first || err != nil || len(u.Uploads) == 0 {
			u.Release()
			return
		}
		m.from = passes.Plan{Unit: u, Report: whole}
		return
	}
}
