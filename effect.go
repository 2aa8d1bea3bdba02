package shaderlift

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/xnb"
	"github.com/shaderlift/shaderlift/verify"
)

// isEffect reports whether in is a compiled effect.
func isEffect(in Input) bool { return len(in.Files) == 1 && Recognize(in.Files[0].Data) == Effect }

// effect is a compiled effect, and the shaders in it that are optimized together. Every shader of
// fx.Shaders is in exactly one part. The parts alias the bytecode in fx, so that assigning to
// *part.shaders[k].Data changes what write encodes.
type effect struct {
	// file is the input as it came; its bytes may be a content file around the effect.
	file    File
	content *xnb.File // that the effect is in, or nil
	bytes   []byte    // the effect as read
	fx      *fx.Effect
	parts   []part
	// groups are parts whose programs meet several partners. Parts of a group have one shader each.
	groups []group
	// numbered tells that passes set constants by the numbers of their registers, so that
	// names do not tell what is in one, nor which are free.
	numbered bool
}

// part is a unit of optimization: the two programs of a pair, vertex first, or one program.
type part struct {
	in      Input
	shaders []fx.Shader // parallel to the files of in
}

// readEffect decodes f, unwrapping a content file of XNA first. Positions in diagnostics are
// offsets in the effect, after decompression, hence the suffix of the name.
func readEffect(f File) (*effect, error) {
	e := &effect{file: f, bytes: f.Data}
	name := f.Name
	if xnb.Is(f.Data) {
		content, err := xnb.Decode(f.Name, f.Data)
		if err != nil {
			return nil, err
		}
		e.content, e.bytes = content, content.Effect
		name += ":effect" // offsets are its own
	}
	x, err := fx.Decode(name, e.bytes)
	if err != nil {
		return nil, err
	}
	e.fx, e.numbered = x, x.Sets(fx.Operation.SetsConstants)
	// A pair is optimized on two assumptions: the two programs are drawn with each other only, and
	// pixel inputs are the interpolated vertex outputs. The first fails where a pass inherits a
	// stage from another pass, the second where a state wraps texture coordinates or replaces them
	// for point sprites.
	alone := mixesPasses(x) || x.Sets(fx.Operation.ReplacesCoordinates)
	e.arrange(x.Shaders(), alone)
	return e, nil
}

// arrange makes parts of shaders: pairs of those that are drawn with each other and with none
// else, and groups. If all are to be alone there are neither.
func (e *effect) arrange(shaders []fx.Shader, alone bool) {
	var draws []fx.Draw
	// Draws knows all combinations, except where a selector is too complex. In that case the arrays
	// are left to single parts, and only neighbours in one pass make a pair.
	known := false
	if !alone {
		draws, known = e.fx.Draws(shaders)
	}
	partners := partnersOf(len(shaders), draws)
	// places are the parts of the shaders, counted from 1: 0 means that there is none yet.
	places := make([]int, len(shaders))
	for i := range shaders {
		if places[i] > 0 {
			continue
		}
		of := shaders[i : i+1]
		switch {
		case known:
			// i and its only partner k. They may come in either order.
			if k, ok := partners.only(i); ok {
				places[k] = len(e.parts) + 1
				of = []fx.Shader{shaders[min(i, k)], shaders[max(i, k)]}
				slices.SortFunc(of, func(a, b fx.Shader) int { return int(a.Stage) - int(b.Stage) })
			}
		case !alone && i+1 < len(shaders) && drawnTogether(&shaders[i], &shaders[i+1]):
			places[i+1] = len(e.parts) + 1
			of = shaders[i : i+2]
		}
		places[i] = len(e.parts) + 1
		e.add(of)
	}
	// groups counts in shaders, e.groups in parts. A shader of a group is always alone in its part,
	// since only excludes those with several partners.
	for _, g := range partners.groups() {
		for i := range g.draws {
			for s := range g.draws[i] {
				g.draws[i][s] = places[g.draws[i][s]] - 1
			}
		}
		e.groups = append(e.groups, g)
	}
}

// drawnTogether reports whether a and b, which follow each other, are the shaders of one
// pass, the vertex program first.
func drawnTogether(a, b *fx.Shader) bool {
	return a.InPass() && b.InPass() && a.Technique == b.Technique && a.Pass == b.Pass
}

// mixesPasses reports whether a pass sets the program of one stage and draws with the other
// that was set before, perhaps by another pass of the effect: then what the two stages
// hand over is not only theirs.
func mixesPasses(x *fx.Effect) bool {
	for _, passes := range x.Sources() {
		for _, p := range passes {
			if (p[d3d9.Vertex] == fx.Inherited) != (p[d3d9.Pixel] == fx.Inherited) {
				return true
			}
		}
	}
	return false
}

// add appends the part of shaders. Files are named after the owner of the shader, as in
// "Water.fxb:Main/P0.vs", since diagnostics need a position within the effect.
func (e *effect) add(shaders []fx.Shader) {
	p := part{shaders: shaders}
	for i := range shaders {
		s := &shaders[i]
		label := e.label(s)
		if i == 0 {
			p.in.Name = label
		} else if label != p.in.Name {
			p.in.Name += "," + label
		}
		name := fmt.Sprintf("%s:%s.%s", e.file.Name, label, [...]string{"vs", "ps"}[s.Stage])
		p.in.Files = append(p.in.Files, File{Name: name, Data: *s.Data})
	}
	e.parts = append(e.parts, p)
}

// label names what owns a shader.
func (e *effect) label(s *fx.Shader) string {
	if s.InPass() {
		t := &e.fx.Techniques[s.Technique]
		return nameOr(t.Name.Text, s.Technique) + "/" + nameOr(t.Passes[s.Pass].Name.Text, s.Pass)
	}
	return fmt.Sprintf("%s[%d]", nameOr(e.fx.Parameters[s.Parameter].Type.Name.Text, s.Parameter), s.Element)
}

// nameOr is a name, or a number where there is none.
func nameOr(name string, n int) string {
	if name == "" {
		return strconv.Itoa(n)
	}
	return name
}

// key tells parts that are the same programs.
func (p *part) key() string {
	var b strings.Builder
	for _, f := range p.in.Files {
		fmt.Fprintf(&b, "%d:%s", len(f.Data), f.Data)
	}
	return b.String()
}

// again is a copy of r, for another part of the same programs.
func (r *Result) again(p *part) *Result {
	q := *r
	q.Input, q.Name, q.Faults = reported(p.in.Path()), reported(p.in.Name), nil
	q.Files = make([]File, len(r.Files))
	for i, f := range r.Files {
		q.Files[i] = File{p.in.Files[i].Name, f.Data}
	}
	return &q
}

// each runs work on every part and calls done with the results, in order of the parts. Parts with
// equal bytecode are worked on once: compilers emit the same vertex program for many passes. The
// time limit is shared out evenly over what is left, so that time that one part does not use goes
// to the ones behind it.
func (e *effect) each(o job, work func(job, Input) (*Result, error), done func(*part, *Result, error)) {
	type outcome struct {
		res *Result
		err error
	}
	end := time.Now().Add(o.TimeLimit)
	known, distinct := map[string]*outcome{}, map[string]bool{}
	for i := range e.parts {
		distinct[e.parts[i].key()] = true
	}
	left := len(distinct)
	for i := range e.parts {
		p := &e.parts[i]
		k := p.key()
		if old := known[k]; old != nil {
			done(p, old.res.again(p), old.err)
			continue
		}
		one := o
		if o.TimeLimit > 0 {
			one.TimeLimit = max(time.Until(end)/time.Duration(left), 1)
		}
		left--
		res, err := work(one, p.in)
		known[k] = &outcome{res, err}
		done(p, res, err)
	}
}

// optimizeEffect optimizes the shaders of an effect: those of a pass that owns both
// together, any other alone. Nothing is asked of the application.
func (o job) optimizeEffect(in Input, res *Result) error {
	// A history has a version of a program for every rewrite; for all parts of an effect that is
	// too much.
	o.History = false
	switch {
	case o.Case != nil:
		return needsPair(in)
	case len(o.Constants) > 0:
		// The registers of a constant differ from program to program, so that no one list suits them
		// all.
		return constantError("wrong-constant", "%s: the programs of an effect have registers of their own", o.Constants[0])
	}
	e, err := readEffect(in.Files[0])
	if err != nil {
		return err
	}
	res.Status = Unchanged
	o.introduce(e, res)
	work := job.optimizePart
	o.compact = true
	// Where states set constants by number, names in tables do not say what a register holds.
	// Nothing can be gained by name then, and the generic path is taken.
	if e.numbered {
		o.HostConstants = Separate
		work = job.optimize
	}
	if len(e.groups) > 0 && o.TimeLimit > 0 { // half for the programs alone, half for the groups
		o.TimeLimit = max(o.TimeLimit/2, 1)
	}
	results, errs := o.optimizeParts(e, work, res)
	for i := range e.parts {
		// Equal parts share one Result's bytes; each of them is replaced in place.
		p, r := &e.parts[i], results[i]
		res.part(p, r, errs[i])
		for k := range r.Files {
			*p.shaders[k].Data = r.Files[k].Data
		}
	}
	if o.Fit != "" {
		res.Misfits = e.misfits(errs)
	}
	// The verdict of the parts comes first, since grow adds to it.
	if res.verdict(); o.Grow {
		o.grow(e, results, res)
	}
	if len(res.Parts) == 0 {
		res.remark(asm.Pos{}, "no-programs", "the effect has no programs of its own")
	}
	data, err := e.write(res.Growth != nil)
	if res.Growth != nil {
		res.Growth.Bytes.After = len(data)
	}
	switch {
	case err != nil:
		return &Fault{Task: TaskOptimize, Input: in, Options: o.Options, Err: err}
	case res.Status == Unchanged: // a compressed file stays so
		data = bytes.Clone(in.Files[0].Data)
	case e.content != nil && e.content.Compressed:
		res.remark(asm.Pos{}, "decompressed", "the content file was compressed, and is written plain, which all that read it take")
	}
	res.Files = []File{{in.Files[0].Name, data}}
	return nil
}

// optimizeParts optimizes the parts of e one by one by work, then its groups, and at last keeps the
// size of the file within bounds. Both the parts and the groups may take the time limit.
func (o job) optimizeParts(e *effect, work func(job, Input) (*Result, error), res *Result) (results []*Result, errs []error) {
	e.each(o, work, func(_ *part, r *Result, err error) { results, errs = append(results, r), append(errs, err) })
	if o.TimeLimit > 0 && len(e.groups) > 0 {
		o.TimeLimit = max(o.TimeLimit/time.Duration(len(e.groups)), 1)
	}
	for i := range e.groups {
		g := &e.groups[i]
		pairs, err := o.optimizeGroup(e, g, results)
		if err != nil {
			res.remark(asm.Pos{}, "group-alone", fmt.Sprintf("%s: its programs are optimized one by one: %v", asm.Shown(e.groupName(g)), err))
		}
		res.Groups = append(res.Groups, e.report(g, results, pairs))
	}
	if !o.Grow {
		e.fitSize(results)
	}
	return results, errs
}

// part adds what became of a part. What cannot be optimized is left as it is.
func (r *Result) part(p *part, q *Result, err error) {
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
			r.remark(asm.Pos{}, "part-failed", fmt.Sprintf("%s is left as it is: %v", asm.Shown(p.in.Name), err))
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

// verdict sets the judgement of an effect: the least of the verdicts on its parts, with the sum of
// their error probabilities.
func (r *Result) verdict() {
	var list []*Judgement
	for _, q := range r.Parts {
		list = append(list, q.Judgement)
	}
	r.Judgement = leastOf(list)
}

// leastOf combines the judgements of programs that are used together. The verdict is the least one.
// Epsilon, the probability that a proof is wrong, is summed, which is the union bound; roundings
// are the largest of any program. Entries that are nil are left out.
func leastOf(list []*Judgement) *Judgement {
	all := &Judgement{Verdict: verify.Proved, Rungs: []verify.Rung{}}
	for _, j := range list {
		if j == nil {
			continue
		}
		all.Verdict = min(all.Verdict, j.Verdict)
		all.Rungs = append(all.Rungs, j.Rungs...)
		all.Epsilon = min(all.Epsilon+j.Epsilon, 1)
		all.MaxULP = max(all.MaxULP, j.MaxULP)
	}
	slices.Sort(all.Rungs)
	all.Rungs = slices.Compact(all.Rungs)
	return all
}

// write encodes the effect, reads it back and checks that only bytecode differs from the input (of
// a grown effect: bytecode, arrays, tables and the programs that passes name). A failure is a fault
// of this program. The check works on bytes rather than on the decoded form, so that it also covers
// what fx does not model.
func (e *effect) write(grown bool) ([]byte, error) {
	data, err := fx.Encode(e.fx)
	if err != nil {
		return nil, err
	}
	if e.content != nil {
		content := *e.content
		content.Effect = data
		data = xnb.Encode(&content)
	}
	back, err := readEffect(File{e.file.Name, data})
	if err != nil {
		return nil, fmt.Errorf("what was written cannot be read: %w", err)
	}
	old, err := readEffect(e.file)
	if err != nil {
		return nil, err
	}
	if grown {
		if _, ok := back.grownLike(old); !ok || !back.holds(e) {
			return nil, errors.New("more than programs and what chooses them differs in what was written")
		}
		return data, nil
	}
	for i := range e.parts {
		for k, s := range e.parts[i].shaders {
			if !bytes.Equal(*back.parts[i].shaders[k].Data, *s.Data) {
				return nil, fmt.Errorf("%s is not what was written", e.parts[i].in.Name)
			}
		}
	}
	if !back.like(old) {
		return nil, errors.New("more than programs differs in what was written")
	}
	return data, nil
}

// like reports whether e differs from old in nothing but the bytecode of programs, and in the
// compression of a content file around it. It puts the old bytecode into e and compares the
// encodings, so e is of no more use afterwards.
func (e *effect) like(old *effect) bool {
	if len(e.parts) != len(old.parts) || (e.content == nil) != (old.content == nil) {
		return false
	}
	for i := range e.parts {
		a, b := e.parts[i].shaders, old.parts[i].shaders
		if len(a) != len(b) {
			return false
		}
		for k := range a {
			*a[k].Data = *b[k].Data
		}
	}
	data, err := fx.Encode(e.fx)
	if err != nil || !bytes.Equal(data, old.bytes) {
		return false
	}
	if e.content == nil {
		return true
	}
	content := *e.content
	content.Effect = data
	return bytes.Equal(xnb.Encode(&content), xnb.Encode(old.content))
}

// effectStats prices the programs of an effect.
func (o job) effectStats(in Input, res *Result) error {
	e, err := readEffect(in.Files[0])
	if err != nil {
		return err
	}
	e.each(o, job.stats, func(p *part, r *Result, err error) { res.part(p, r, err) })
	res.Status = 0
	return nil
}
