package opt

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
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/verify"
)

// effect is a compiled effect, divided into the parts that are optimized together. Every shader of
// fx.Shaders is in exactly one part. The parts alias the bytecode in fx, so an assignment to
// *part.shaders[k].Data changes the output of write.
type effect struct {
	// file is the input file; it may be a content file that contains the effect.
	file    File
	content *containers.File // the content file, or nil
	bytes   []byte           // the effect as read
	fx      *fx.Effect
	parts   []part
	// groups are sets of parts whose programs have several partners. Parts of a group have one shader
	// each.
	groups []group
	// numbered is set if passes set constants by register number. Then the names in tables do not show
	// which registers are used or free.
	numbered bool
}

// part is a unit of optimization: the two programs of a pair, vertex first, or one program.
type part struct {
	in      Input
	shaders []fx.Shader // parallel to the files of in
}

// readEffect decodes f and unwraps a content file of XNA first. Positions in diagnostics are offsets in
// the decompressed effect, which the suffix of the name indicates.
func readEffect(f File) (*effect, error) {
	e := &effect{file: f, bytes: f.Data}
	name := f.Name
	if containers.IsContentFile(f.Data) {
		content, err := containers.Decode(f.Name, f.Data)
		if err != nil {
			return nil, err
		}
		e.content, e.bytes = content, content.Effect
		name += ":effect" // offsets are relative to the effect
	}
	x, err := fx.Decode(name, e.bytes)
	if err != nil {
		return nil, err
	}
	e.fx, e.numbered = x, x.SetsState(fx.Operation.SetsConstants)
	// The optimization of a pair assumes two things. First, the two programs are drawn only with each
	// other; this fails where a pass inherits a stage from another pass. Second, pixel inputs are the
	// interpolated vertex outputs; this fails where a state wraps texture coordinates or replaces them
	// for point sprites.
	alone := mixesPasses(x) || x.SetsState(fx.Operation.ReplacesCoordinates)
	e.arrange(x.Shaders(), alone)
	return e, nil
}

// arrange divides shaders into parts and groups. A pair consists of two shaders that are drawn only
// with each other. If alone is set, every shader is its own part and there are no groups.
func (e *effect) arrange(shaders []fx.Shader, alone bool) {
	var draws []fx.Draw
	// Draws knows all combinations unless a selector is too complex. In that case the shaders in arrays
	// are single parts, and only neighbours in one pass form a pair.
	known := false
	if !alone {
		draws, known = e.fx.Draws(shaders)
	}
	partners := partnersOf(len(shaders), draws)
	// places holds the number of the part of each shader, from 1; 0 means not assigned yet.
	places := make([]int, len(shaders))
	for i := range shaders {
		if places[i] > 0 {
			continue
		}
		of := shaders[i : i+1]
		switch {
		case known:
			// i and its only partner k. They may come in either order.
			if k, ok := partners.exclusivePartner(i); ok {
				places[k] = len(e.parts) + 1
				of = []fx.Shader{shaders[min(i, k)], shaders[max(i, k)]}
				slices.SortFunc(of, func(a, b fx.Shader) int { return int(a.Stage) - int(b.Stage) })
			}
		case !alone && i+1 < len(shaders) && drawnTogether(&shaders[i], &shaders[i+1]):
			places[i+1] = len(e.parts) + 1
			of = shaders[i : i+2]
		}
		places[i] = len(e.parts) + 1
		e.addShaderUnit(of)
	}
	// groups has indices of shaders, e.groups has indices of parts. A shader of a group is alone in its
	// part, since only excludes shaders with several partners.
	for _, g := range partners.groups() {
		for i := range g.draws {
			for s := range g.draws[i] {
				g.draws[i][s] = places[g.draws[i][s]] - 1
			}
		}
		e.groups = append(e.groups, g)
	}
}

// drawnTogether reports whether the consecutive shaders a and b belong to one pass, the vertex program
// first.
func drawnTogether(a, b *fx.Shader) bool {
	return a.InPass() && b.InPass() && a.Technique == b.Technique && a.Pass == b.Pass
}

// mixesPasses reports whether a pass sets the program of one stage and draws with an inherited program
// of the other stage. The inherited program may come from another pass of the effect, so the interface
// between the stages is not private to a pair.
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

// addShaderUnit appends a part made of shaders. Files are named after the owner of the shader, as in
// "Water.fxb:Main/P0.vs", since diagnostics need a position within the effect.
func (e *effect) addShaderUnit(shaders []fx.Shader) {
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

// label names the owner of a shader.
func (e *effect) label(s *fx.Shader) string {
	if s.InPass() {
		t := &e.fx.Techniques[s.Technique]
		return nameOr(t.Name.Text, s.Technique) + "/" + nameOr(t.Passes[s.Pass].Name.Text, s.Pass)
	}
	return fmt.Sprintf("%s[%d]", nameOr(e.fx.Parameters[s.Parameter].Type.Name.Text, s.Parameter), s.Element)
}

// nameOr returns a name, or a number if the name is empty.
func nameOr(name string, n int) string {
	if name == "" {
		return strconv.Itoa(n)
	}
	return name
}

// bytecodeKey returns a string that is equal for parts with the same programs.
func (p *part) bytecodeKey() string {
	var b strings.Builder
	for _, f := range p.in.Files {
		fmt.Fprintf(&b, "%d:%s", len(f.Data), f.Data)
	}
	return b.String()
}

// again returns a copy of r for another part with the same programs.
func (r *Result) again(p *part) *Result {
	q := *r
	q.Input, q.Name, q.Faults = reported(p.in.Path()), reported(p.in.Name), nil
	q.Files = make([]File, len(r.Files))
	for i, f := range r.Files {
		q.Files[i] = File{Name: p.in.Files[i].Name, Data: f.Data}
	}
	return &q
}

// processParts runs work on every part and calls done with the results, in order of the parts. Parts with equal
// bytecode are processed once: compilers emit the same vertex program for many passes. The remaining
// time is divided evenly over the remaining parts, so later parts get the time that earlier ones leave.
func (e *effect) processParts(o job, work func(job, Input) (*Result, error), done func(*part, *Result, error)) {
	type outcome struct {
		res *Result
		err error
	}
	end := time.Now().Add(o.Limits.Time)
	known, distinct := map[string]*outcome{}, map[string]bool{}
	for i := range e.parts {
		distinct[e.parts[i].bytecodeKey()] = true
	}
	left := len(distinct)
	for i := range e.parts {
		p := &e.parts[i]
		k := p.bytecodeKey()
		if old := known[k]; old != nil {
			done(p, old.res.again(p), old.err)
			continue
		}
		one := o
		if o.Limits.Time > 0 {
			one.Limits.Time = max(time.Until(end)/time.Duration(left), 1)
		}
		left--
		res, err := work(one, p.in)
		known[k] = &outcome{res, err}
		done(p, res, err)
	}
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
		return constantError("wrong-constant", "%s: the programs of an effect have registers of their own",
			o.Host.Constants[0])
	}
	e, err := readEffect(in.Files[0])
	if err != nil {
		return err
	}
	res.Status = Unchanged
	o.introduce(e, res)
	work := job.optimizePart
	// If states set constants by number, the names in tables do not determine the contents of
	// registers. Uploads by name gain nothing then, so the generic path is used.
	if e.numbered {
		o.Host.PixelConstants = Separate
		work = func(o job, in Input) (*Result, error) { return o.optimize(in, mode{compact: true}) }
	}
	if len(e.groups) > 0 && o.Limits.Time > 0 { // half for the programs one by one, half for the groups
		o.Limits.Time = max(o.Limits.Time/2, 1)
	}
	results, errs := o.optimizeParts(e, work, res)
	for i := range e.parts {
		// Equal parts share the bytes of one Result; each part is replaced in place.
		p, r := &e.parts[i], results[i]
		res.addPartResult(p, r, errs[i])
		for k := range r.Files {
			*p.shaders[k].Data = r.Files[k].Data
		}
	}
	if o.Fit != "" {
		res.Misfits = e.misfits(errs)
	}
	res.verdict()
	if len(res.Parts) == 0 {
		res.remark(asm.Pos{}, "no-programs", "the effect has no programs of its own")
	}
	data, err := e.write()
	switch {
	case err != nil:
		return &Fault{Task: TaskOptimize, Input: in, Options: o.Options, Err: err}
	case res.Status == Unchanged: // a compressed file stays compressed
		data = bytes.Clone(in.Files[0].Data)
	case e.content != nil && e.content.Compressed:
		res.remark(asm.Pos{}, "decompressed", "the content file was compressed; the result is written uncompressed, which every reader accepts")
	}
	res.Files = []File{{Name: in.Files[0].Name, Data: data}}
	return nil
}

// optimizeParts optimizes the parts of e one by one with work, then its groups. Finally it limits the
// growth of the file. The parts and the groups each get the whole time limit.
func (o job) optimizeParts(e *effect, work func(job, Input) (*Result, error), res *Result) (results []*Result,
	errs []error) {
	e.processParts(o, work, func(_ *part, r *Result, err error) { results, errs = append(results, r), append(errs, err) })
	if o.Limits.Time > 0 && len(e.groups) > 0 {
		o.Limits.Time = max(o.Limits.Time/time.Duration(len(e.groups)), 1)
	}
	for i := range e.groups {
		g := &e.groups[i]
		pairs, err := o.optimizeGroup(e, g, results)
		if err != nil {
			res.remark(asm.Pos{}, "group-alone", fmt.Sprintf("the programs of %s are optimized one by one: %v",
				asm.Shown(e.groupName(g)), err))
		}
		res.Groups = append(res.Groups, e.report(g, results, pairs))
	}
	e.fitSize(results)
	return results, errs
}

// addPartResult adds the result of a part. A part that cannot be optimized stays unchanged.
func (r *Result) addPartResult(p *part, q *Result, err error) {
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
			r.remark(asm.Pos{}, "part-failed", fmt.Sprintf("%s stays unchanged: %v", asm.Shown(p.in.Name), err))
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

// write encodes the effect, reads it back and checks that only bytecode differs from the input. A
// failure is a fault of this program. The check compares bytes, not the decoded form, so it also covers
// data that fx does not model.
func (e *effect) write() ([]byte, error) {
	data, err := fx.Encode(e.fx)
	if err != nil {
		return nil, err
	}
	if e.content != nil {
		content := *e.content
		content.Effect = data
		data = containers.Encode(&content)
	}
	back, err := readEffect(File{Name: e.file.Name, Data: data})
	if err != nil {
		return nil, fmt.Errorf("the result cannot be read again: %w", err)
	}
	old, err := readEffect(e.file)
	if err != nil {
		return nil, err
	}
	for i := range e.parts {
		for k, s := range e.parts[i].shaders {
			if !bytes.Equal(*back.parts[i].shaders[k].Data, *s.Data) {
				return nil, fmt.Errorf("%s differs after reading it again", e.parts[i].in.Name)
			}
		}
	}
	if !back.differsOnlyInCode(old) {
		return nil, errors.New("the result differs from the input in more than its programs")
	}
	return data, nil
}

// differsOnlyInCode reports whether e differs from old only in the bytecode of programs and in the compression of a
// content file. It copies the old bytecode into e and compares the encodings, so e is unusable
// afterwards.
func (e *effect) differsOnlyInCode(old *effect) bool {
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
	return bytes.Equal(containers.Encode(&content), containers.Encode(old.content))
}

// effectStats prices the programs of an effect.
func (o job) effectStats(in Input, res *Result) error {
	e, err := readEffect(in.Files[0])
	if err != nil {
		return err
	}
	stats := func(o job, in Input) (*Result, error) { return o.stats(in, false) }
	e.processParts(o, stats, func(p *part, r *Result, err error) { res.addPartResult(p, r, err) })
	res.Status = 0
	return nil
}
