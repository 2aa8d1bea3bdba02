package shaderlift

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/verify"
)

// The framework sets the constants of both stages of a pass by the names in their tables,
// from parameters that belong to the effect. What a motion asks the application to set once
// more is therefore had by an entry in the table of the vertex program: the same parameter,
// in registers that nothing else uses. Constants without a name, which its preshader computes,
// the preshader of the vertex program can compute too.

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
	for h := hostConstantsOf(in.Files[1]); h.some(); h.computed = nil {
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
func (o job) mirroring(in Input, plain *Result, h *hostConstants) (_ *Result, computes bool) {
	o.HostConstants, o.mirrors = Mirrored, h.has
	other, err := o.optimize(in)
	plain.Faults = append(plain.Faults, other.Faults...)
	if err != nil {
		return nil, h.computed != nil
	}
	for _, u := range other.Uploads {
		computes = computes || h.entry(uint16(u.From)) == nil
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

// gains says which parameters the table of a vertex program has gained.
func gains(names []string) string {
	return "the vertex program also gets " + strings.Join(names, ", ") + ", by its constant table"
}

// hostConstants are the constants of a pixel program that the framework sets: by their names,
// or to what the preshader computes.
type hostConstants struct {
	table    *d3d9.ConstantTable
	computed *computed
}

// hostConstantsOf are those that the vertex program may have, too.
func hostConstantsOf(f File) *hostConstants {
	p, err := readProgram(f)
	if err != nil {
		return &hostConstants{}
	}
	t, err := p.ConstantTable()
	if err != nil || t == nil {
		return &hostConstants{}
	}
	return &hostConstants{t, computedFor(p)}
}

// some reports whether there are any.
func (h *hostConstants) some() bool {
	return h.computed != nil || h.table != nil && slices.ContainsFunc(h.table.Constants, func(c d3d9.Constant) bool { return c.Set == d3d9.SetFloat4 })
}

// entry is what the table says of a float constant, nil if nothing.
func (h *hostConstants) entry(register uint16) *d3d9.Constant {
	if h.table == nil {
		return nil
	}
	return h.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: register})
}

func (h *hostConstants) has(register uint16) bool {
	return h.entry(register) != nil || h.computed.in(register)
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

// sameConstant reports whether entries of two tables are for one parameter.
func sameConstant(a, b *d3d9.Constant) bool {
	return a.Name == b.Name && a.Set == b.Set && a.Class == b.Class && a.Type == b.Type &&
		a.Rows == b.Rows && a.Columns == b.Columns && a.Elements == b.Elements
}

func lookupName(t *d3d9.ConstantTable, name string) *d3d9.Constant {
	for i := range t.Constants {
		if t.Constants[i].Name == name {
			return &t.Constants[i]
		}
	}
	return nil
}

// tableOf reads the one constant table of a program.
func tableOf(p *d3d9.Program) (*d3d9.ConstantTable, error) {
	t, err := p.ConstantTable()
	if err == nil && t == nil {
		err = fmt.Errorf("the %s program has no constant table", p.Model.Stage)
	}
	return t, err
}

// bindUploads gives the programs of res, a result for the pair in whose pixel program has
// constants h, with a table and a preshader that set what res.Uploads ask for, and the names
// of parameters that the table has gained.
func bindUploads(in Input, res *Result, h *hostConstants) (files []File, names []string, err error) {
	before, err := readProgram(in.Files[0])
	if err != nil {
		return nil, nil, err
	}
	after, err := read(Input{Files: res.Files})
	if err != nil {
		return nil, nil, err
	}
	vs := after[0]
	table, err := tableOf(vs)
	if err != nil {
		return nil, nil, err
	}
	b := binder{vs: vs, was: before, table: table, places: map[uint16]uint16{}}
	for _, u := range res.Uploads {
		if e := h.entry(uint16(u.From)); e != nil {
			b.need(e, int(u.From)-e.Index, uint16(u.To))
		} else {
			b.added = append(b.added, addition{h.computed, uint16(u.From), uint16(u.To)})
		}
	}
	if err := b.place(); err != nil {
		return nil, nil, err
	}
	if err := b.rewrite(); err != nil {
		return nil, nil, err
	}
	for i, p := range after {
		if err := compact(p); err != nil {
			return nil, nil, err
		}
		data, err := d3d9.Encode(p)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, File{res.Files[i].Name, data})
	}
	return files, b.names, nil
}

// binder finds registers of the vertex program for parameters of the pixel program.
type binder struct {
	vs     *d3d9.Program
	was    *d3d9.Program // that vs was
	table  *d3d9.ConstantTable
	wanted []want
	added  []addition
	places map[uint16]uint16 // where registers that uploads set go
	names  []string
	// indexed tells that the program reads constants by an index.
	indexed bool
}

// want is a parameter, and the registers that its parts were uploaded to.
type want struct {
	entry *d3d9.Constant
	parts map[int]uint16
}

func (b *binder) need(e *d3d9.Constant, part int, to uint16) {
	k := slices.IndexFunc(b.wanted, func(w want) bool { return w.entry == e })
	if k < 0 {
		k = len(b.wanted)
		b.wanted = append(b.wanted, want{e, map[int]uint16{}})
	}
	b.wanted[k].parts[part] = to
}

// place gives every parameter its registers: those that the table has for it already, or a
// run of free ones, with an entry.
func (b *binder) place() error {
	free, err := b.free()
	if err != nil {
		return err
	}
	for _, w := range b.wanted {
		n := 0
		for part := range w.parts {
			n = max(n, part+1)
		}
		e := lookupName(b.table, w.entry.Name)
		switch {
		case e == nil:
			first := run(free, n, b.indexed)
			if first < 0 {
				return fmt.Errorf("there are no %d free registers for %s", n, w.entry.Name)
			}
			added := *w.entry
			added.Index, added.Count, added.Reserved, added.Default = first, n, 0, nil
			for i := range n {
				free[first+i] = false
			}
			at, _ := slices.BinarySearchFunc(b.table.Constants, added.Name, func(c d3d9.Constant, name string) int { return cmp.Compare(c.Name, name) })
			b.table.Constants = slices.Insert(b.table.Constants, at, added)
			b.names = append(b.names, added.Name)
			e = &added
		case !sameConstant(e, w.entry) || n > e.Count:
			return fmt.Errorf("the vertex program has another %s", w.entry.Name)
		}
		for part, to := range w.parts {
			b.places[to] = uint16(e.Index + part)
		}
	}
	for i := range b.added {
		a := &b.added[i]
		at := int(a.to)
		if !free[at] {
			at = run(free, 1, b.indexed)
		}
		if at < 0 {
			return errors.New("there is no free register for what preshaders compute")
		}
		free[at] = false
		b.places[a.to], a.to = uint16(at), uint16(at)
	}
	return nil
}

// free tells which float constants neither the program nor its table, then and now, nor its
// preshader has a use for, but those that uploads were to set.
func (b *binder) free() ([]bool, error) {
	names, err := b.was.ConstantTable()
	if err != nil {
		return nil, err
	}
	free := make([]bool, b.vs.Model.Limits().Regs[d3d9.Const])
	for i := range free {
		r := d3d9.Reg{File: d3d9.Const, Index: uint16(i)}
		free[i] = b.table.Lookup(r) == nil && names.Lookup(r) == nil
	}
	take := func(n uint64) {
		if n < uint64(len(free)) {
			free[n] = false
		}
	}
	for i := range b.vs.Insts {
		in := &b.vs.Insts[i]
		if in.Op == d3d9.OpDef {
			take(uint64(in.Dst.Index))
		}
		for _, s := range in.Sources() {
			if s.File == d3d9.Const {
				take(uint64(s.Index))
				b.indexed = b.indexed || s.Rel != (d3d9.Rel{})
			}
		}
	}
	for _, w := range b.wanted {
		for _, to := range w.parts {
			free[to] = true // of FreeConstants, so within the limits
		}
	}
	for _, a := range b.added {
		free[a.to] = true
	}
	q, err := preshader.Of(b.vs)
	if q == nil || err != nil {
		return free, err
	}
	for _, r := range q.Outputs.Ranges[0] {
		for n := uint64(r.First); n < min(uint64(r.First)+uint64(r.Count), uint64(len(free))); n++ {
			take(n)
		}
	}
	return free, nil
}

// run is the first register of the lowest run of n free ones, -1 if there is none. Where
// arrays are read by an index it is the highest, far from what may follow them.
func run(free []bool, n int, highest bool) int {
	for i := range len(free) - n + 1 {
		if highest {
			i = len(free) - n - i
		}
		if !slices.Contains(free[i:i+n], false) {
			return i
		}
	}
	return -1
}

// rewrite has the program read constants where they are now, and say so in its table.
func (b *binder) rewrite() error {
	words, err := d3d9.EncodeConstantTable(b.table)
	if err != nil {
		return err
	}
	for i := range b.vs.Insts {
		in := &b.vs.Insts[i]
		if in.IsConstantTable() {
			in.Comment, in.Raw = append([]uint32{in.Comment[0]}, words...), nil
		}
		for k := range in.Src[:in.NSrc] {
			s := &in.Src[k]
			to, ok := b.places[s.Index]
			if s.File != d3d9.Const || !ok {
				continue
			}
			if s.Rel != (d3d9.Rel{}) {
				return fmt.Errorf("c%d is read by an index", s.Index)
			}
			s.Index, in.Raw = to, nil
		}
	}
	if len(b.added) == 0 {
		return nil
	}
	return compute(b.vs, b.added)
}

// verifyPart judges whether after may replace before, where both are parts of an effect.
// The framework sets parameters of the pixel program that the table of the vertex program
// has gained, and those of others, which the vertex program is drawn with too, and it runs
// preshaders.
func (o job) verifyPart(before, after Input, others ...Input) (*Result, error) {
	o.parameters = true
	if len(before.Files) != 2 || len(after.Files) != 2 {
		return o.verify(before, after)
	}
	plain, uploads, known, err := withoutGained(before, after, others)
	if err != nil {
		return o.verify(before, after) // which says what is wrong, if anything is
	}
	o.Uploads, o.mirrored = uploads, known
	res, err := o.verify(before, plain)
	res.Uploads = nil
	return res, err
}

// withoutGained is after with the constant table that the vertex program had before, the
// uploads that the entries it has gained stand for, and those that others do, which hold
// before and after. Others are pixel programs whose parameters may be gained too.
func withoutGained(before, after Input, others []Input) (plain Input, uploads, known []Upload, err error) {
	olds, err := read(before)
	if err != nil {
		return after, nil, nil, err
	}
	news, err := read(after)
	if err != nil {
		return after, nil, nil, err
	}
	var tables [3]*d3d9.ConstantTable
	for i, p := range []*d3d9.Program{olds[0], news[0], olds[1]} {
		if tables[i], err = tableOf(p); err != nil {
			return after, nil, nil, err
		}
	}
	was, is, pixel := tables[0], tables[1], tables[2]
	pixels := []*d3d9.ConstantTable{pixel}
	for _, in := range others {
		for _, f := range in.Files {
			if p, err := readProgram(f); err == nil {
				if t, err := tableOf(p); err == nil {
					pixels = append(pixels, t)
				}
			}
		}
	}
	for i := range is.Constants {
		c := &is.Constants[i]
		e := lookupName(pixel, c.Name)
		if c.Set != d3d9.SetFloat4 || e == nil || !sameConstant(c, e) {
			continue
		}
		list := &uploads
		if lookupName(was, c.Name) != nil {
			list = &known
		}
		for k := range min(c.Count, e.Count) {
			*list = append(*list, Upload{PixelConstant(e.Index + k), VertexConstant(c.Index + k)})
		}
	}
	gained := func(c d3d9.Constant) bool {
		return c.Set == d3d9.SetFloat4 && lookupName(was, c.Name) == nil && slices.ContainsFunc(pixels, func(t *d3d9.ConstantTable) bool {
			e := lookupName(t, c.Name)
			return e != nil && sameConstant(&c, e)
		})
	}
	if !slices.ContainsFunc(is.Constants, gained) {
		return after, nil, known, nil
	}
	if err := disjoint(is, news[0], gained); err != nil {
		return after, nil, nil, err
	}
	is.Constants = slices.DeleteFunc(is.Constants, gained)
	words, err := d3d9.EncodeConstantTable(is)
	if err != nil {
		return after, nil, nil, err
	}
	for i := range news[0].Insts {
		if in := &news[0].Insts[i]; in.IsConstantTable() {
			in.Comment, in.Raw = append([]uint32{in.Comment[0]}, words...), nil
		}
	}
	data, err := d3d9.Encode(news[0])
	if err != nil {
		return after, nil, nil, err
	}
	plain = after
	plain.Files = []File{{after.Files[0].Name, data}, after.Files[1]}
	return plain, uploads, known, nil
}

// disjoint checks that nothing else sets the registers of what a table has gained: no other
// entry, and no preshader.
func disjoint(t *d3d9.ConstantTable, p *d3d9.Program, gained func(d3d9.Constant) bool) error {
	set := map[uint32]int{}
	for i := range t.Constants {
		if c := &t.Constants[i]; c.Set == d3d9.SetFloat4 {
			for k := range c.Count {
				set[uint32(c.Index+k)]++
			}
		}
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		if !in.IsPreshader() {
			continue
		}
		q, err := preshader.Decode("preshader", in.Comment[1:])
		if err != nil {
			return err
		}
		for _, r := range q.Outputs.Ranges[0] {
			for n := r.First; n-r.First < min(r.Count, 1<<16); n++ {
				set[n]++
			}
		}
	}
	for i := range t.Constants {
		c := &t.Constants[i]
		if !gained(*c) {
			continue
		}
		for k := range c.Count {
			if set[uint32(c.Index+k)] != 1 {
				return fmt.Errorf("c%d, which %s is in, is set twice", c.Index+k, c.Name)
			}
		}
	}
	return nil
}
