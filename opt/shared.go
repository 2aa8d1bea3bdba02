package opt

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// sharedVersion is an optimized version of a program that several inputs have (Options.Host.Shared).
type sharedVersion struct {
	data      []byte
	program   *d3d9.Program // its instructions have the positions of their sources
	judgement *Judgement
	steps     []passes.Step
	faults    []*Fault
}

// Versions caches the versions of shared programs, for the inputs that have them. It is safe for
// concurrent use.
type Versions struct {
	known    sync.Map    // by hash of the program and options: a function that returns the *sharedVersion
	canceled atomic.Bool // some may be missing
}

// versionOf optimizes a shared program as a lone input. Every input with the program must get the same
// bytes. So the version depends only on the program and the options. It keeps all outputs and inputs,
// and has the same terms. The pair then has the same terms with any partner.
//
// The version has no program if the program stays unchanged. Either nothing is cheaper, or the version
// could differ between inputs, as under a time limit, or it must fit another profile.
func (o *job) versionOf(f File, p *d3d9.Program, in *Input) *sharedVersion {
	if o.Fit != "" || o.Limits.Time != 0 {
		return &sharedVersion{}
	}
	alone := o.forShared(p.Model.Stage)
	optimized := func() *sharedVersion { return alone.version(f, in) }
	key, ok := alone.CacheKey()
	if o.Hooks.Versions == nil || !ok || len(p.Included) > 0 {
		return optimized()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s", f.Name, f.Data, key))
	once, _ := o.Hooks.Versions.known.LoadOrStore(sum, sync.OnceValue(optimized))
	v := once.(func() *sharedVersion)()
	// The context of another input may have ended.
	if v.program == nil && o.ctx.Err() == nil && o.Hooks.Versions.canceled.Load() {
		return optimized()
	}
	return v
}

// forShared returns the job for a shared program of a stage.
func (o *job) forShared(stage d3d9.Stage) job {
	alone := job{Options: o.Options, ctx: o.ctx}
	a := &alone.Options
	a.Require, a.Host.PixelConstants, a.Keep = verify.Proved, input.Separate, false
	// Remove the options that belong to, or report to, one of the inputs.
	a.Host.Shared, a.Host.Partner, a.Draw.Case, a.Hooks.Observe, a.Hooks.AfterStage = nil, "", nil, nil, nil
	a.Report.Remarks, a.Report.Gains, a.Report.History = nil, false, false
	a.Host.Constants = slices.DeleteFunc(slices.Clone(a.Host.Constants), func(c input.Constant) bool {
		return !c.In(stage)
	})
	// A promise about the colours between both programs does not apply to one program.
	a.Host.Assume = slices.DeleteFunc(slices.Clone(a.Host.Assume),
		func(x input.Assumption) bool { return x == input.UnitColours })
	return alone
}

// version optimizes a program under o, the job of forShared.
func (o job) version(f File, in *Input) *sharedVersion {
	v := &sharedVersion{}
	versions := o.Hooks.Versions
	o.Hooks.Versions = nil
	z, err := o.run(Input{Files: []File{f}, Include: in.Include}, mode{traced: true})
	res, now := z.res, z.emission.programs
	if versions != nil && o.ctx.Err() != nil {
		versions.canceled.Store(true)
	}
	v.faults = res.Faults
	if err == nil && res.Status == Improved && len(now) == 1 {
		v.data, v.program, v.judgement, v.steps = res.Files[0].Data, now[0], res.Judgement, z.emission.rewrites
	}
	return v
}

// takeVersions sets p.input to the programs with which the optimization starts: for shared programs,
// the versions common to all inputs. p.original keeps the programs as read.
func (p *pairSubject) takeVersions() {
	p.original, p.versions = p.input, make([]*sharedVersion, len(p.input))
	p.input = slices.Clone(p.input)
	for i, q := range p.original {
		if !p.isShared(q) {
			continue
		}
		v := p.z.o.versionOf(p.z.in.Files[i], q, &p.z.in)
		if v.program != nil {
			p.versions[i], p.input[i] = v, v.program
		}
		for _, f := range v.faults {
			p.z.recordFault(f)
		}
	}
}

// hasVersions reports whether some shared program was replaced.
func (p *pairSubject) hasVersions() bool {
	return slices.ContainsFunc(p.versions, func(v *sharedVersion) bool { return v != nil })
}

// noteFrozen remarks on the outcome of frozen programs.
func (p *pairSubject) noteFrozen() {
	for i, f := range p.frozen {
		if f == nil {
			continue
		}
		name := asm.Shown(p.z.in.Files[i].Name)
		if m := p.programs[i].Model; !vsps.CanEmit(m) {
			p.z.res.remark(asm.Pos{}, "not-optimized",
				fmt.Sprintf("%s stays unchanged, because programs of %s are not optimized", name, m))
			continue
		}
		text := fmt.Sprintf("%s stays unchanged, because other inputs share it", name)
		if p.versions[i] != nil {
			text = fmt.Sprintf("%s is optimized alone, because other inputs share it", name)
		}
		p.z.res.remark(asm.Pos{}, "shared-program", text)
	}
}

// keepVersions makes the programs with which the optimization started the result, if they differ from
// those that were read. The verdict comes from a comparison with the latter. If the budget is
// exhausted, the verdict on a version stands, since versions have the same terms as the programs that
// they replace.
func (p *pairSubject) keepVersions() bool {
	if !p.hasVersions() {
		return false
	}
	z := p.z
	z.res.Status = Improved
	c := &candidate{programs: p.input, emitted: p.input}
	for i, v := range p.versions {
		if v != nil {
			z.res.Files[i].Data = slices.Clone(v.data)
			z.res.Judgement = v.judgement
		}
	}
	if before, after := p.sides(p.meant); len(before) > 0 && z.o.spend.checks.Err() == nil {
		if c.report = judge(before, after, z.o, z.o.verification(z.class, fullEffort)); c.report.Verdict >= z.least {
			z.res.judged(c.report, &z.o.Options)
		}
	}
	p.report(c)
	return true
}

// stepsOf returns steps, preceded by the steps that made the versions of shared programs.
func (p *pairSubject) stepsOf(steps []passes.Step) (list []passes.Step) {
	for _, v := range p.versions {
		if v != nil {
			list = append(list, v.steps...)
		}
	}
	return append(list, steps...)
}
