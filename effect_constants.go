package shaderlift

import (
	"cmp"
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
// in registers that nothing else uses. Constants without a name, which preshaders compute,
// cannot be had so.

// optimizePart optimizes a pair or a program of an effect: a pair also with constants of
// the pixel program in the vertex program, where that is cheaper.
func (o job) optimizePart(in Input) (*Result, error) {
	res, err := o.optimizeBound(in)
	if err != nil {
		return res, err
	}
	res = o.rehost(in, res, false)
	first, ok := o.hostFirst(in)
	if !ok {
		return res, nil
	}
	other, err := o.optimizeBound(first.Input)
	if err != nil {
		return res, nil // nothing that the input itself would not show
	}
	for i := range other.Stages {
		other.Stages[i].Before = res.Stages[i].Before
		if other.Stages[i].After == nil {
			cost := d3d9.Measure(first.programs[i])
			other.Stages[i].After = &cost
		}
	}
	if other = o.rehost(in, other, true); other != nil && cheaper(other, res) {
		other.Faults = append(other.Faults, res.Faults...)
		return other, nil
	}
	return res, nil
}

// optimizeBound is optimizePart within the preshaders that there are.
func (o job) optimizeBound(in Input) (*Result, error) {
	o.HostConstants = Separate
	if len(in.Files) != 2 {
		return o.optimize(in)
	}
	if o.TimeLimit > 0 {
		o.TimeLimit = max(o.TimeLimit/2, 1)
	}
	res, err := o.optimize(in)
	if err != nil {
		return res, err
	}
	if o.mirrors = named(in.Files[1]); o.mirrors == nil {
		return res, nil
	}
	o.HostConstants = Mirrored
	other, err := o.optimize(in)
	res.Faults = append(res.Faults, other.Faults...)
	if err != nil || len(other.Uploads) == 0 || !cheaper(other, res) {
		return res, nil
	}
	files, names, err := bindUploads(in, other)
	if err != nil {
		res.remark("", asm.Pos{}, "constants-stay", "constants of the pixel program stay there: "+err.Error())
		return res, nil
	}
	after := Input{Name: in.Name, Files: files}
	v, err := o.verifyPart(in, after)
	res.Faults = append(res.Faults, v.Faults...)
	if err != nil {
		if v.Verdict() == verify.Refuted { // what this was made of was verified
			res.Faults = append(res.Faults, &Fault{Task: TaskVerify, Input: in, After: &after, Options: o.Options, Err: err})
		}
		res.remark("", asm.Pos{}, "constants-stay", "constants of the pixel program stay there: "+err.Error())
		return res, nil
	}
	other.Faults = res.Faults
	other.Files, other.Uploads = files, nil
	bound := other.Bound
	other.Judgement = v.Judgement
	other.Bound = bound
	if len(names) > 0 {
		other.remark("", asm.Pos{}, "constants-by-name", gains(names))
	}
	return other, nil
}

// gains says which parameters the table of a vertex program has gained.
func gains(names []string) string {
	return "the vertex program also gets " + strings.Join(names, ", ") + ", by its constant table"
}

// named tells which float constants of a pixel program have a name in its table; it is nil
// if none has.
func named(f File) func(uint16) bool {
	p, err := readProgram(f)
	if err != nil {
		return nil
	}
	t, err := p.ConstantTable()
	if err != nil || t == nil || !slices.ContainsFunc(t.Constants, func(c d3d9.Constant) bool { return c.Set == d3d9.SetFloat4 }) {
		return nil
	}
	return func(n uint16) bool { return t.Lookup(d3d9.Reg{File: d3d9.Const, Index: n}) != nil }
}

// cheaper compares results of one pair as costs are compared.
func cheaper(a, b *Result) bool {
	var x, y [3]int
	for i := range a.Stages {
		p, q := a.Stages[i].Now(), b.Stages[i].Now()
		at := 1
		if a.Stages[i].Stage == d3d9.Pixel {
			at = 0
		}
		x[at], y[at] = x[at]+p.Slots, y[at]+q.Slots
		x[2], y[2] = x[2]+p.Temps, y[2]+q.Temps
	}
	return slices.Compare(x[:], y[:]) < 0
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

// bindUploads gives the programs of res, a result for the pair in, with a table that says
// what res.Uploads ask for, and the names of the parameters.
func bindUploads(in Input, res *Result) (files []File, names []string, err error) {
	before, err := read(in)
	if err != nil {
		return nil, nil, err
	}
	after, err := read(Input{Files: res.Files})
	if err != nil {
		return nil, nil, err
	}
	pixel, err := tableOf(before[1])
	if err != nil {
		return nil, nil, err
	}
	vs := after[0]
	table, err := tableOf(vs)
	if err != nil {
		return nil, nil, err
	}
	b := binder{vs: vs, table: table, places: map[uint16]uint16{}}
	for _, u := range res.Uploads {
		e := pixel.Lookup(d3d9.Reg{File: d3d9.Const, Index: uint16(u.From)})
		if e == nil {
			return nil, nil, fmt.Errorf("%s has no name", u.From)
		}
		b.need(e, int(u.From)-e.Index, uint16(u.To))
	}
	if err := b.place(); err != nil {
		return nil, nil, err
	}
	if err := b.rewrite(); err != nil {
		return nil, nil, err
	}
	data, err := d3d9.Encode(vs)
	if err != nil {
		return nil, nil, err
	}
	return []File{{res.Files[0].Name, data}, res.Files[1]}, b.names, nil
}

// binder finds registers of the vertex program for parameters of the pixel program.
type binder struct {
	vs     *d3d9.Program
	table  *d3d9.ConstantTable
	wanted []want
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
	return nil
}

// free tells which float constants neither the program nor its table nor its preshader has
// a use for, but those that uploads were to set.
func (b *binder) free() ([]bool, error) {
	free := make([]bool, b.vs.Model.Limits().Regs[d3d9.Const])
	for i := range free {
		free[i] = b.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: uint16(i)}) == nil
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
		if !in.IsPreshader() {
			continue
		}
		p, err := preshader.Decode("preshader", in.Comment[1:])
		if err != nil {
			return nil, err
		}
		for _, r := range p.Outputs.Ranges[0] {
			for n := uint64(r.First); n < min(uint64(r.First)+uint64(r.Count), uint64(len(free))); n++ {
				take(n)
			}
		}
	}
	for _, w := range b.wanted {
		for _, to := range w.parts {
			if int(to) < len(free) {
				free[to] = true
			}
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
	return nil
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
