package shaderlift

import (
	"errors"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/hostconst"
	"github.com/shaderlift/shaderlift/verify"
)

// The framework sets the constants of both stages of a pass by the names in their tables,
// from parameters that belong to the effect. So what a motion asks the application to set once
// more is had by an entry in the table of the vertex program, and constants without a name, which
// its preshader computes, the preshader of the vertex program can compute too.

// optimizePart optimizes a pair or a program of an effect: a pair also with constants of
// the pixel program in the vertex program, and with what programs compute of constants in
// preshaders first, where that is cheaper, or fits where nothing else does.
func (o job) optimizePart(in Input) (*Result, error) {
	told := o.conceding
	o.conceding = true
	res, err := o.optimizeNamed(in)
	if told || !errors.Is(err, ErrFit) {
		return res, err
	}
	o.conceding, o.HostConstants = false, Separate
	return o.optimize(in) // once more, for what would have to be given up
}

// optimizeNamed is optimizePart but for what does not fit.
func (o job) optimizeNamed(in Input) (*Result, error) {
	res, err := o.optimizeBound(in, func(r *Result) *Result { return o.rehost(in, r, false) })
	if err != nil && !errors.Is(err, ErrFit) {
		return res, err
	}
	first, ok := o.hostFirst(in)
	if !ok {
		return res, err
	}
	other, none := o.optimizeBound(first.Input, func(r *Result) *Result {
		for i := range r.Stages {
			r.Stages[i].Before = res.Stages[i].Before
			if r.Stages[i].After == nil {
				cost := d3d9.Measure(first.programs[i])
				r.Stages[i].After = &cost
			}
		}
		return o.rehost(in, r, true)
	})
	if none == nil && other != nil && (err != nil || cheaper(other, res)) { // any error is one of the input itself
		// What led to it is verified against the first input alone.
		other.Faults, other.others = append(other.Faults, res.Faults...), append(res.others, res)
		return other, nil
	}
	return res, err
}

// optimizeBound is optimizePart without what programs compute in preshaders: the cheapest
// result once it is finished, nil if none can be.
func (o job) optimizeBound(in Input, finish func(*Result) *Result) (*Result, error) {
	o.HostConstants = Separate
	if len(in.Files) == 2 && o.TimeLimit > 0 {
		o.TimeLimit = max(o.TimeLimit/3, 1)
	}
	plain, err := o.optimize(in)
	if err != nil && !errors.Is(err, ErrFit) {
		return plain, err
	}
	var others []*Result
	if len(in.Files) == 2 {
		others = o.withPixelConstants(in, plain)
	}
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

// withPixelConstants are results that are cheaper than plain, with constants of the pixel
// program in the vertex program: all that it can have, and if preshaders have to compute some,
// those that it has by name.
func (o job) withPixelConstants(in Input, plain *Result) (list []*Result) {
	p, err := readProgram(in.Files[1])
	if err != nil {
		return nil
	}
	for h := hostconst.Of(p); h.Some(); h.Computed = nil {
		other, computes := o.mirroring(in, plain, h)
		if other != nil {
			list = append(list, other)
		}
		if !computes {
			break
		}
	}
	return list
}

// mirroring is a result that is cheaper than plain, with constants in the vertex program,
// nil if there is none, and whether preshaders were to compute some of them. What went wrong
// is noted in plain.
func (o job) mirroring(in Input, plain *Result, h *hostconst.Constants) (_ *Result, computes bool) {
	o.HostConstants, o.mirrors = Mirrored, h.Has
	other, err := o.optimize(in)
	plain.Faults = append(plain.Faults, other.Faults...)
	if err != nil {
		return nil, h.Computed != nil
	}
	for _, u := range other.Uploads {
		computes = computes || h.Table.Lookup(d3d9.Reg{File: d3d9.Const, Index: u.From.Index}) == nil
	}
	if len(other.Uploads) == 0 || plain.Status != Failed && !cheaper(other, plain) {
		return nil, computes
	}
	files, names, err := bindUploads(in, other, h)
	if err != nil {
		plain.remark("", asm.Pos{}, "constants-stay", "constants of the pixel program stay there: "+err.Error())
		return nil, computes
	}
	after := Input{Name: in.Name, Files: files}
	v, err := o.verifyPart(in, after)
	plain.Faults = append(plain.Faults, v.Faults...)
	if err != nil {
		if v.Verdict() == verify.Refuted { // what this was made of was verified
			plain.Faults = append(plain.Faults, &Fault{Task: TaskVerify, Input: in, After: &after, Options: o.Options, Err: err})
		}
		plain.remark("", asm.Pos{}, "constants-stay", "constants of the pixel program stay there: "+err.Error())
		return nil, computes
	}
	other.Files, other.Uploads, other.Faults = files, nil, nil
	bound := other.Bound
	other.Judgement = v.Judgement
	other.Bound = bound
	if len(names) > 0 {
		other.remark("", asm.Pos{}, "constants-by-name", gains(names))
	}
	if computes {
		other.remark("", asm.Pos{}, "constants-computed", "the preshader of the vertex program also computes constants of the pixel program")
	}
	return other, computes
}

// bindUploads gives the programs of res, a result for the pair in whose pixel program has
// constants h, with a table and a preshader that set what res.Uploads ask for, and the names
// of parameters that the table has gained.
func bindUploads(in Input, res *Result, h *hostconst.Constants) (files []File, names []string, err error) {
	before, err := readProgram(in.Files[0])
	if err != nil {
		return nil, nil, err
	}
	after, err := read(Input{Files: res.Files})
	if err != nil {
		return nil, nil, err
	}
	b, err := hostconst.NewBinder(after[0], before)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range res.Uploads {
		b.Upload(h, u.From.Index, u.To.Index)
	}
	if names, err = b.Bind(); err != nil {
		return nil, nil, err
	}
	for i, p := range after {
		if err := hostconst.Compact(p); err != nil {
			return nil, nil, err
		}
		data, err := d3d9.Encode(p)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, File{res.Files[i].Name, data})
	}
	return files, names, nil
}

// gains says which parameters the table of a vertex program has gained.
func gains(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = asm.Shown(name)
	}
	return "the vertex program also gets " + strings.Join(shown, ", ") + ", by its constant table"
}

// cheaper compares results of one pair as costs are compared.
func cheaper(a, b *Result) bool {
	x, y := a.costs(), b.costs()
	return slices.Compare(x[:], y[:]) < 0
}

// costs are slots of pixel and of vertex programs, and temporaries.
func (r *Result) costs() (c [3]int) {
	for i := range r.Stages {
		at := 1
		if r.Stages[i].Stage == d3d9.Pixel {
			at = 0
		}
		now := r.Stages[i].Now()
		c[at], c[2] = c[at]+now.Slots, c[2]+now.Temps
	}
	return c
}
