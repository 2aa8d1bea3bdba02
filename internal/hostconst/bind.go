package hostconst

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// What a motion asks the application to set once more is had by an entry in the table of the
// vertex program: the same parameter, in registers that nothing else uses.

// Binder finds registers of a vertex program for constants of pixel programs that it reads too.
// Code motion has placed each in some register (an upload); Bind moves it to where the effect's
// runtime sets it: the register that the table gives the parameter, or a new run of registers with
// an entry of its own.
type Binder struct {
	// vs is the program, which Bind changes.
	vs *d3d9.Program
	// old is the program before it was optimized: its table and its registers are taken as well.
	old *d3d9.Program
	// table is the constant table of vs, to be extended.
	table *d3d9.ConstantTable
	// wanted are the parameters that it has to read.
	wanted []want
	// added are the registers that its preshader has to compute.
	added []addition
	// places maps the registers of uploads to those that will be set.
	places map[uint16]uint16
	// names are those of the new entries.
	names []string
	// indexed tells that the program reads constants by an index.
	indexed bool
}

// want is a parameter, and the registers that its parts were uploaded to.
// entry is the parameter, parts the uploads: by row of the parameter, the register that reads it.
type want struct {
	entry *d3d9.Constant
	parts map[int]uint16
}

// NewBinder is for a vertex program, which was another one. It has to have a table.
func NewBinder(vs, old *d3d9.Program) (*Binder, error) {
	table, err := TableOf(vs)
	if err != nil {
		return nil, err
	}
	return &Binder{vs: vs, old: old, table: table, places: map[uint16]uint16{}}, nil
}

// Upload tells that the program reads one of c in a register.
func (b *Binder) Upload(c *Constants, from, to uint16) {
	if e := c.entry(from); e != nil {
		b.Need(e, int(from)-e.Index, to)
	} else {
		b.added = append(b.added, addition{c.Computed, from, to})
	}
}

// Need tells that the program reads a part of a parameter in a register.
func (b *Binder) Need(e *d3d9.Constant, part int, to uint16) {
	k := slices.IndexFunc(b.wanted, func(w want) bool { return w.entry == e })
	if k < 0 {
		k = len(b.wanted)
		b.wanted = append(b.wanted, want{e, map[int]uint16{}})
	}
	b.wanted[k].parts[part] = to
}

// Bind has the table and the preshader of the program set what it reads, and has it read that where
// they do. It returns the names that the table gains.
func (b *Binder) Bind() (names []string, err error) {
	if err := b.place(); err != nil {
		return nil, err
	}
	return b.names, b.rewrite()
}

// place gives every parameter its registers: those that the table has for it already, or a
// run of free ones, with an entry.
func (b *Binder) place() error {
	free, err := b.free()
	if err != nil {
		return err
	}
	for _, w := range b.wanted {
		// A parameter is set as a whole, from its first row to the last one that is read.
		n := 0
		for part := range w.parts {
			n = max(n, part+1)
		}
		e := b.table.Named(w.entry.Name)
		switch {
		case e == nil:
			first := run(free, n, b.indexed)
			if first < 0 {
				return fmt.Errorf("there are no %d free registers for %s", n, asm.Shown(w.entry.Name))
			}
			added := *w.entry
			added.Index, added.Count, added.Reserved, added.Default = first, n, 0, nil
			for i := range n {
				free[first+i] = false
			}
			// Tables are sorted by name.
			at, _ := slices.BinarySearchFunc(b.table.Constants, added.Name, func(c d3d9.Constant, name string) int { return cmp.Compare(c.Name, name) })
			b.table.Constants = slices.Insert(b.table.Constants, at, added)
			b.names = append(b.names, added.Name)
			e = &added
		case !e.IsParameter(w.entry) || n > e.Count:
			return fmt.Errorf("the vertex program has another %s", asm.Shown(w.entry.Name))
		}
		for part, to := range w.parts {
			b.places[to] = uint16(e.Index + part)
		}
	}
	// What preshaders compute keeps the register of the upload where that is free.
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
func (b *Binder) free() ([]bool, error) {
	names, err := b.old.ConstantTable()
	if err != nil {
		return nil, err
	}
	free := make([]bool, b.vs.Model.Limits().Regs[d3d9.Const])
	for i := range free {
		r := d3d9.Reg{File: d3d9.Const, Index: uint16(i)}
		free[i] = b.table.Lookup(r) == nil && names.Lookup(r) == nil
	}
	// take notes that a register is in use.
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
	// The registers of uploads are the program's reads that are to move, so they become free.
	for _, w := range b.wanted {
		for _, to := range w.parts {
			free[to] = true // of FreeConstants, so within the limits
		}
	}
	for _, a := range b.added {
		free[a.to] = true
	}
	// What the preshader of the program sets already is not free.
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

// rewrite has the program read constants where they are now, and say so in its table. An access by
// an index to a moved register would have to move the whole array; it is declined.
func (b *Binder) rewrite() error {
	if err := b.vs.SetConstantTable(b.table); err != nil {
		return err
	}
	for i := range b.vs.Insts {
		in := &b.vs.Insts[i]
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
