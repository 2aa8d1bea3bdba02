package opt

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify"
)

// again returns a copy of r for another part with the same programs.
func (r *Result) again(p *effect.Part) *Result {
	q := *r
	q.Input, q.Name, q.Faults = reported(p.In.Path()), reported(p.In.Name), nil
	q.Files = make([]File, len(r.Files))
	for i, f := range r.Files {
		q.Files[i] = File{Name: p.In.Files[i].Name, Data: f.Data}
	}
	return &q
}

// processParts runs work on every part and returns the results, in order of the parts. Parts with equal
// bytecode are processed once: compilers emit the same vertex program for many passes. The remaining
// time is divided evenly over the remaining parts, so later parts get the time that earlier ones leave.
func (o job) processParts(e *effect.Effect, work func(job, Input) (*Result, error)) (results []*Result, errs []error) {
	end := time.Now().Add(o.Limits.Time)
	distinct := map[string]bool{}
	for i := range e.Parts {
		distinct[e.Parts[i].In.Key()] = true
	}
	done := map[string]int{} // the part that was processed
	for i := range e.Parts {
		p := &e.Parts[i]
		k := p.In.Key()
		if old, ok := done[k]; ok {
			results, errs = append(results, results[old].again(p)), append(errs, errs[old])
			continue
		}
		one := o
		if o.Limits.Time > 0 {
			one.Limits.Time = max(time.Until(end)/time.Duration(len(distinct)-len(done)), 1)
		}
		res, err := work(one, p.In)
		done[k], results, errs = i, append(results, res), append(errs, err)
	}
	return results, errs
}

// optimizeEffect optimizes the shaders of an effect in parts: pairs that a pass owns together, and
// single programs. The application does not have to change.
func (o job) optimizeEffect(in Input, res *Result) error {
	o.Host.Shared = nil
	// A history has one version of a program per rewrite. For all parts of an effect it would be too
	// large.
	o.Report.History = false
	switch {
	case o.Draw.Case != nil:
		return needsPair(in)
	case len(o.Host.Constants) > 0:
		// A constant has different registers in different programs, so one list cannot suit them all.
		return constantError("wrong-constant", "%s: each program of an effect has its own registers; optimize a pair that shaderlift dis --pass writes",
			o.Host.Constants[0])
	}
	e, err := effect.Read(in.Files[0])
	if err != nil {
		return err
	}
	res.Status = Unchanged
	o.introduce(e, res)
	work := job.optimizePart
	// If states set constants by number, the names in tables do not determine the contents of
	// registers. Uploads by name gain nothing then, so the generic path is used.
	if e.Numbered {
		o.Host.PixelConstants = input.Separate
		work = func(o job, in Input) (*Result, error) { return o.optimize(in, mode{compact: true}) }
	}
	if len(e.Groups) > 0 && o.Limits.Time > 0 { // half for the programs one by one, half for the groups
		o.Limits.Time = max(o.Limits.Time/2, 1)
	}
	results, errs := o.optimizeParts(e, work, res)
	for i := range e.Parts {
		// Equal parts share the bytes of one Result; each part is replaced in place.
		p, r := &e.Parts[i], results[i]
		res.addPartResult(p, r, errs[i])
		for k := range r.Files {
			*p.Shaders[k].Data = r.Files[k].Data
		}
	}
	if o.Fit != "" {
		res.Misfits = e.Misfits(errs)
	}
	res.verdict()
	res.countPasses(e)
	if len(res.Parts) == 0 {
		res.remark(asm.Pos{}, "no-programs", "the effect has no programs of its own, so nothing can be optimized")
	}
	data, err := e.Write()
	switch {
	case err != nil:
		return &Fault{Task: TaskOptimize, Input: in, Options: o.Options, Err: err}
	case res.Status == Unchanged: // a compressed file stays compressed
		data = bytes.Clone(in.Files[0].Data)
	case e.Content != nil && e.Content.Compressed:
		res.remark(asm.Pos{}, "decompressed", "the content file was compressed; the result is written uncompressed, which every reader accepts")
	}
	res.Files = []File{{Name: in.Files[0].Name, Data: data}}
	res.Bytes = &Change{len(e.Bytes), len(e.Bytes)}
	if now, err := effect.Read(res.Files[0]); err == nil {
		res.Bytes.After = len(now.Bytes)
	}
	return nil
}

// PassTotals counts the passes of an effect with programs. In the smaller ones, pixel programs lose slots, or vertex
// programs lose slots and pixel programs gain none.
type PassTotals struct {
	All     int `json:"all"`
	Smaller int `json:"smaller"`
}

// countPasses sets Passes from the costs of the parts.
func (r *Result) countPasses(e *effect.Effect) {
	r.Passes = &PassTotals{}
	for _, members := range e.PassMembers() {
		var before, after [2]int
		for _, m := range members {
			if stages := r.Parts[m.Part].Stages; m.Number < len(stages) { // none if it is unreadable
				s := &stages[m.Number]
				before[1-s.Stage] += s.Before.Slots // pixel programs first
				after[1-s.Stage] += s.CurrentCost().Slots
			}
		}
		if len(members) > 0 {
			r.Passes.All++
		}
		if slices.Compare(after[:], before[:]) < 0 {
			r.Passes.Smaller++
		}
	}
}

// optimizeParts optimizes the parts of e one by one with work, then its groups. Finally it limits the
// growth of the file. The parts and the groups each get the whole time limit.
func (o job) optimizeParts(e *effect.Effect, work func(job, Input) (*Result, error), res *Result) (results []*Result,
	errs []error) {
	results, errs = o.processParts(e, work)
	if o.Limits.Time > 0 && len(e.Groups) > 0 {
		o.Limits.Time = max(o.Limits.Time/time.Duration(len(e.Groups)), 1)
	}
	for i := range e.Groups {
		g := &e.Groups[i]
		pairs, err := o.optimizeGroup(e, g, results)
		if err != nil {
			res.remark(asm.Pos{}, "group-alone", fmt.Sprintf("the programs of %s are optimized one by one: %v",
				asm.Shown(e.GroupName(g)), err))
		}
		res.Groups = append(res.Groups, reportGroup(e, g, results, pairs))
	}
	fitSize(e, results)
	return results, errs
}

// addPartResult adds the result of a part. A part that cannot be optimized stays unchanged.
func (r *Result) addPartResult(p *effect.Part, q *Result, err error) {
	r.Parts = append(r.Parts, q)
	for _, a := range q.Promises {
		if !slices.Contains(r.Promises, a) {
			r.Promises = append(r.Promises, a)
		}
	}
	r.Partner = cmp.Or(r.Partner, q.Partner)
	r.Faults = append(r.Faults, q.Faults...)
	q.Faults = nil
	if err != nil {
		var f *Fault
		if !errors.As(err, &f) {
			r.remark(asm.Pos{}, "part-failed", fmt.Sprintf("%s stays unchanged: %v", asm.Shown(p.In.Name), err))
		}
		return
	}
	switch {
	case q.Status == Improved:
		r.Status = Improved
	case q.Status == Changed && r.Status == Unchanged:
		r.Status = Changed
	}
}

// verdict sets the judgement of an effect: the lowest verdict of its parts and the sum of their error
// probabilities.
func (r *Result) verdict() {
	var list []*Judgement
	for _, q := range r.Parts {
		list = append(list, q.Judgement)
	}
	r.Judgement = leastOf(list)
}

// leastOf combines the judgements of programs that are used together. The verdict is the lowest one.
// Epsilon, the probability that a proof is wrong, is summed (the union bound). The rounding error is
// the largest of all programs. Nil entries are skipped.
func leastOf(list []*Judgement) *Judgement {
	all := &Judgement{Verdict: verify.Proved, Methods: []verify.Method{}}
	for _, j := range list {
		if j == nil {
			continue
		}
		all.Verdict = min(all.Verdict, j.Verdict)
		all.Methods = append(all.Methods, j.Methods...)
		all.Epsilon = min(all.Epsilon+j.Epsilon, 1)
		all.MaxULP = max(all.MaxULP, j.MaxULP)
	}
	slices.Sort(all.Methods)
	all.Methods = slices.Compact(all.Methods)
	return all
}

// effectStats prices the programs of an effect.
func (o job) effectStats(in Input, res *Result) error {
	e, err := effect.Read(in.Files[0])
	if err != nil {
		return err
	}
	results, errs := o.processParts(e, func(o job, in Input) (*Result, error) { return o.stats(in, false) })
	for i, r := range results {
		res.addPartResult(&e.Parts[i], r, errs[i])
	}
	for i := range e.Groups {
		g := &e.Groups[i]
		x := reportGroup(e, g, results, slices.Repeat([]*Judgement{{}}, len(g.Draws)))
		for k, d := range g.Draws {
			programs, err := input.ReadPrograms(e.Drawn(d))
			if err != nil {
				return err
			}
			x.Pairs[k].Varyings = omittable(programs)
		}
		res.Groups = append(res.Groups, x)
	}
	res.Status = 0
	return nil
}

// Group is programs of an effect in arrays that are drawn with each other in several ways, and
// so keep one interface.
type Group struct {
	Name  string      `json:"name"`
	Pairs []GroupPair `json:"pairs"`
}

// GroupPair is two parts of an effect that an index draws with, and their slots.
type GroupPair struct {
	Vertex      string `json:"vertex"`
	Pixel       string `json:"pixel"`
	PixelSlots  Change `json:"pixel_slots"`
	VertexSlots Change `json:"vertex_slots"`
	// Verdict is that on the pair, or the lesser of those on its programs where they are what
	// each of them gets alone.
	Verdict verify.Verdict `json:"verdict,omitzero"`
	// Varyings are the interpolated components that the pair could omit, from Stats alone.
	Varyings []codemotion.Component `json:"varyings,omitempty"`
}

// reportGroup describes the results of a group, with the judgements on pairs that were judged together.
func reportGroup(e *effect.Effect, g *effect.Group, results []*Result, pairs []*Judgement) Group {
	slots := func(r *Result) (c Change) {
		for i := range r.Stages {
			c = Change{r.Stages[i].Before.Slots, r.Stages[i].CurrentCost().Slots}
		}
		return c
	}
	x := Group{Name: e.GroupName(g)}
	for i, d := range g.Draws {
		v, p := results[d[0]], results[d[1]]
		j := pairs[i]
		if j == nil {
			j = leastOf([]*Judgement{v.Judgement, p.Judgement})
		}
		x.Pairs = append(x.Pairs, GroupPair{v.Name, p.Name, slots(p), slots(v), j.Verdict, nil})
	}
	return x
}

// A preshader takes about 300 bytes, which may be a third of a small file. An effect may grow by
// maxFileGrowth percent, or by bytesPerSlot for each pixel slot saved. While it is larger, the part
// with the least loss in slots falls back to a smaller version. Both limits are chosen, not measured:
// few users notice the first, and the second is the size of three instructions with two operands.
const (
	maxFileGrowth = 3
	bytesPerSlot  = 48 // of pixel programs
)

// fitSize limits the growth of the file. While the file is too large, the part that loses the fewest
// slots falls back to a smaller version from Result.others (see optimizeBound). This greedy choice need
// not find the least total cost, but few parts grow. Parts of groups have no smaller versions.
func fitSize(e *effect.Effect, results []*Result) {
	limit, grown, saved := len(e.Bytes)*maxFileGrowth/100, 0, 0
	for i, r := range results {
		if len(r.Files) > 0 { // a failed part stays
			grown += bytesOf(r.Files) - bytesOf(e.Parts[i].In.Files)
			saved += r.slotsBefore() - r.costs()[0]
		}
	}
	// The limit depends on saved, which decreases as parts fall back.
	for grown > max(limit, saved*bytesPerSlot) {
		at, next := -1, (*Result)(nil)
		for i, r := range results {
			for _, s := range r.others {
				if bytesOf(s.Files) < bytesOf(r.Files) && !e.IsGrouped(i) &&
					(next == nil || loses(r, s, results[at], next) < 0) {
					at, next = i, s
				}
			}
		}
		if next == nil {
			return
		}
		old := results[at]
		next = next.again(&e.Parts[at])
		next.others, next.Faults = old.others, old.Faults
		next.remark(asm.Pos{}, "file-size", fmt.Sprintf("a version with %d more bytes is left out, because the file would grow by more than %d %% and by more than %d bytes per slot",
			bytesOf(old.Files)-bytesOf(next.Files), maxFileGrowth, bytesPerSlot))
		grown -= bytesOf(old.Files) - bytesOf(next.Files)
		saved -= next.costs()[0] - old.costs()[0]
		results[at] = next
	}
}

// loses compares the costs of two exchanges: r by s, and t by u. It is negative if the first loses
// less.
func loses(r, s, t, u *Result) int {
	a, b, c, d := r.costs(), s.costs(), t.costs(), u.costs()
	for k := range a {
		b[k], d[k] = b[k]-a[k], d[k]-c[k]
	}
	return slices.Compare(b[:], d[:])
}

// slotsBefore returns the slots of the pixel programs before optimization.
func (r *Result) slotsBefore() (n int) {
	for i := range r.Stages {
		if r.Stages[i].Stage == d3d9.Pixel {
			n += r.Stages[i].Before.Slots
		}
	}
	return n
}

// bytesOf returns the size of programs in an effect, where each is padded to whole words.
func bytesOf(files []File) (n int) {
	for _, f := range files {
		n += (len(f.Data) + 3) &^ 3
	}
	return n
}
