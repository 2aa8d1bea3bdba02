package effect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// An upload that code motion requests from the application becomes an entry in the table of the vertex
// program: the same parameter, in unused registers.

// Binder assigns registers of a vertex program to constants of pixel programs that it also reads. Code
// motion has placed each constant in some register (an upload). Bind moves it to a register that the
// effect's runtime sets. This is the parameter's register in the table, or a new run of registers with
// a table entry.
type Binder struct {
	// vs is the program that Bind changes.
	vs *d3d9.Program
	// old is the program before optimization: its table and its registers are in use too.
	old *d3d9.Program
	// table is the constant table of vs, which Bind extends.
	table *d3d9.ConstantTable
	// wanted are the parameters that vs must read.
	wanted []want
	// added are the registers that its preshader must compute.
	added []addition
	// places maps the registers of uploads to the registers that will be set.
	places map[uint16]uint16
	// names are the names of the new entries.
	names []string
	// indexed is set if the program reads constants by an index.
	indexed bool
}

// want is a parameter and its uploads: parts maps rows of the parameter to the registers that read
// them.
type want struct {
	entry *d3d9.Constant
	parts map[int]uint16
}

// NewBinder returns a binder for vs, the optimized version of old. vs must have a table.
func NewBinder(vs, old *d3d9.Program) (*Binder, error) {
	table, err := TableOf(vs)
	if err != nil {
		return nil, err
	}
	return &Binder{vs: vs, old: old, table: table, places: map[uint16]uint16{}}, nil
}

// upload records that the program reads constant from of c in register to.
func (b *Binder) upload(c *Constants, from, to uint16) {
	if e := c.entry(from); e != nil {
		b.Need(e, int(from)-e.Index, to)
	} else {
		b.added = append(b.added, addition{c.Computed, from, to})
	}
}

// Need records that the program reads a part of a parameter in a register.
func (b *Binder) Need(e *d3d9.Constant, part int, to uint16) {
	k := slices.IndexFunc(b.wanted, func(w want) bool { return w.entry == e })
	if k < 0 {
		k = len(b.wanted)
		b.wanted = append(b.wanted, want{e, map[int]uint16{}})
	}
	b.wanted[k].parts[part] = to
}

// Bind makes the table and the preshader of the program set the constants, and rewrites the program to
// read them there. It returns the names added to the table.
func (b *Binder) Bind() (names []string, err error) {
	if err := b.place(); err != nil {
		return nil, err
	}
	return b.names, b.rewrite()
}

// place assigns registers to every parameter: its registers in the table, or a run of free ones with a
// new entry.
func (b *Binder) place() error {
	free, err := b.freeRegisters()
	if err != nil {
		return err
	}
	for _, w := range b.wanted {
		// A parameter is set as a whole, from its first row to the last row that is read.
		n := 0
		for part := range w.parts {
			n = max(n, part+1)
		}
		e := b.table.Named(w.entry.Name)
		switch {
		case e == nil:
			first := findFreeRun(free, n, b.indexed)
			if first < 0 {
				return fmt.Errorf("there are no %d free registers for %s", n, asm.Shown(w.entry.Name))
			}
			added := *w.entry
			added.Index, added.Count, added.Reserved, added.Default = first, n, 0, nil
			for i := range n {
				free[first+i] = false
			}
			// Tables are sorted by name.
			at, _ := slices.BinarySearchFunc(b.table.Constants, added.Name,
				func(c d3d9.Constant, name string) int { return cmp.Compare(c.Name, name) })
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
	// A computed constant keeps the register of its upload if that is free.
	for i := range b.added {
		a := &b.added[i]
		at := int(a.to)
		if !free[at] {
			at = findFreeRun(free, 1, b.indexed)
		}
		if at < 0 {
			return errors.New("there is no free register for what preshaders compute")
		}
		free[at] = false
		b.places[a.to], a.to = uint16(at), uint16(at)
	}
	return nil
}

// freeRegisters reports, for each float constant, whether the program, its old and new tables and its preshader
// leave it unused. Registers of uploads count as free.
func (b *Binder) freeRegisters() ([]bool, error) {
	names, err := b.old.ConstantTable()
	if err != nil {
		return nil, err
	}
	free := make([]bool, b.vs.Model.Limits().Regs[d3d9.Const])
	for i := range free {
		r := d3d9.Reg{File: d3d9.Const, Index: uint16(i)}
		free[i] = b.table.Lookup(r) == nil && names.Lookup(r) == nil
	}
	// take marks a register as used.
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
	// The reads of uploads will move to other registers, so their registers become free.
	for _, w := range b.wanted {
		for _, to := range w.parts {
			free[to] = true // from FreeConstants, so within the limits
		}
	}
	for _, a := range b.added {
		free[a.to] = true
	}
	// Outputs of the program's own preshader are not free.
	q, err := preshader.FromProgram(b.vs)
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

// findFreeRun returns the first register of the lowest run of n free ones, or -1. If arrays are read by an
// index it returns the highest run, far from the registers that may follow them.
func findFreeRun(free []bool, n int, highest bool) int {
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

// rewrite makes the program read constants from their new registers and updates its table. It rejects
// an access by an index to a moved register, because the whole array would have to move.
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
