package ir

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// Output is one component of one output register and its final value. Outputs are not effects: only the final
// value counts, and they are not ordered. The states of memories that others can see are outputs too.
type Output struct {
	Reg Reg
	V   *Value
	// Also lists the removed moves to Reg, the input's move first.
	Also *asm.Origin
}

// Func is one program: a tree of regions, the leaves it reads and the outputs it
// defines. It owns its values; a value must not be used in another Func, except where
// [Func.Clone] keeps IDs. A Func is not safe for concurrent use, not even for reading:
// looking up leaves builds an index.
type Func struct {
	Name    string
	Dialect Dialect // never nil
	Body    *Region
	// Outs is in register order and holds no component twice.
	Outs []Output
	// Threads are the sides of a work group that a kernel declares, 0 if it declares none.
	Threads [3]uint32
	// LocalBytes is the size of the local memory of a group that a pass has added ([Launch.Local]).
	LocalBytes uint32

	// Budget, if set, ends work on the program when its time is up. Code that walks, copies or writes the
	// program polls it. The code that sets it catches the panic ([budget.Catch]).
	Budget *budget.Budget

	// leaves holds every leaf ever requested in order of creation, read or not.
	leaves []*Value
	index  map[leafKey]*Value // of leaves, nil until the first lookup
	nextID ID
	// spare are values allocated ahead, sixteen in one array, to reduce garbage collection.
	spare []Value
}

// leafKey is the identity of a leaf. bits is 0 except for literals.
type leafKey struct {
	kind Kind
	bits uint32
	home Reg
}

// NewFunc returns an empty program of a dialect.
func NewFunc(name string, d Dialect) *Func {
	return &Func{Name: name, Dialect: d, Body: &Region{}}
}

// NumValues returns an upper bound of the IDs in use, for tables indexed by ID.
func (f *Func) NumValues() int { return int(f.nextID) }

// NewValue returns a new value of kind Result or Param with a register hint.
func (f *Func) NewValue(kind Kind, home Reg) *Value {
	if len(f.spare) == 0 {
		f.spare = make([]Value, 16)
	}
	v := &f.spare[0]
	f.spare = f.spare[1:]
	*v = Value{ID: f.nextID, Kind: kind, Home: home}
	f.nextID++
	return v
}

// Define returns a new value that lane of in writes.
func (f *Func) Define(in *Instr, lane int, home Reg) *Value {
	v := f.NewValue(Result, home)
	v.Def, v.Lane = in, uint8(lane)
	in.Out[lane] = v
	return v
}

// Leaf returns the one Input, Uniform or Undef value of a register component.
func (f *Func) Leaf(kind Kind, home Reg) *Value { return f.internLeaf(leafKey{kind, 0, home}) }

// LiteralAt returns the literal with these bits that the program keeps at home. Literals with equal bits but
// different homes are different values, so that an unchanged program reads the same registers as before.
func (f *Func) LiteralAt(bits uint32, home Reg) *Value {
	return f.internLeaf(leafKey{Literal, bits, home})
}

// Const returns a literal without a home: emission assigns one.
func (f *Func) Const(bits uint32) *Value { return f.internLeaf(leafKey{Literal, bits, Reg{}}) }

func (f *Func) internLeaf(k leafKey) *Value {
	if v := f.known(k); v != nil {
		return v
	}
	v := f.NewValue(k.kind, k.home)
	v.Bits = k.bits
	f.leaves = append(f.leaves, v)
	f.index[k] = v
	return v
}

// HasLeaf reports whether any leaf satisfies wanted. The leaf may have lost all its readers.
func (f *Func) HasLeaf(wanted func(v *Value) bool) bool { return slices.ContainsFunc(f.leaves, wanted) }

// known returns the leaf for k, or nil.
func (f *Func) known(k leafKey) *Value {
	if f.index == nil {
		f.index = make(map[leafKey]*Value, len(f.leaves)+1)
		for _, v := range f.leaves {
			f.index[leafKey{v.Kind, v.Bits, v.Home}] = v
		}
	}
	return f.index[k]
}

// OutputValue returns the final value of an output component, or nil.
func (f *Func) OutputValue(r Reg) *Value {
	for i := range f.Outs {
		if f.Outs[i].Reg == r {
			return f.Outs[i].V
		}
	}
	return nil
}

// Walk calls visit for every instruction in program order, a construct before the code of its regions.
//
// A visitor may replace the code of regions that Walk has not entered, but not the list that Walk is
// iterating over.
func (f *Func) Walk(visit func(in *Instr)) {
	budget := f.Budget.Poller()
	f.Body.Walk(func(in *Instr) {
		budget.Poll()
		visit(in)
	})
}

// Len returns the number of instructions of f, nested ones included.
func (f *Func) Len() (n int) {
	f.Walk(func(*Instr) { n++ })
	return n
}

// Walk calls visit for every instruction of r and of the regions within.
func (r *Region) Walk(visit func(in *Instr)) {
	for _, in := range r.Code {
		visit(in)
		for _, sub := range in.Sub {
			sub.Walk(visit)
		}
	}
}

// EachRegion calls visit for every region, inner ones before their owner's.
func (f *Func) EachRegion(visit func(r *Region)) {
	budget := f.Budget.Poller()
	f.Body.eachRegion(func(r *Region) {
		budget.Poll()
		visit(r)
	})
}

// TakeSides replaces each branch in r for which side returns 0 or 1 by that side, from the inside out. It adds the
// results of the branch to same.
func (r *Region) TakeSides(side func(branch *Instr) int, same map[*Value]Lane) {
	var code []*Instr
	for _, in := range r.Code {
		for _, sub := range in.Sub {
			sub.TakeSides(side, same)
		}
		taken := -1
		if in.Op == OpIf {
			taken = side(in)
		}
		if taken < 0 {
			code = append(code, in)
			continue
		}
		code = append(code, in.Sub[taken].Code...)
		for k, v := range in.Results {
			same[v] = Lane{V: in.Sub[taken].Results[k]}
		}
	}
	r.Code = code
}

// EachBreak calls visit for the breaks of the loop whose body is r, without the breaks of inner loops.
func (r *Region) EachBreak(visit func(*Instr)) {
	for _, in := range r.Code {
		switch in.Op {
		case OpBreak:
			visit(in)
		case OpIf:
			for _, sub := range in.Sub {
				sub.EachBreak(visit)
			}
		}
	}
}

func (r *Region) eachRegion(visit func(r *Region)) {
	for _, in := range r.Code {
		for _, sub := range in.Sub {
			sub.eachRegion(visit)
		}
	}
	visit(r)
}

// UseCounts counts, by value ID, the lanes that read each value, outputs included.
func (f *Func) UseCounts() []int32 {
	n := make([]int32, f.nextID)
	f.Walk(func(in *Instr) {
		in.EachUse(func(l *Lane) { n[l.V.ID]++ })
	})
	for _, o := range f.Outs {
		n[o.V.ID]++
	}
	return n
}

// Replace makes every reader of a key of m read the lane it maps to instead, composing modifiers. Some
// readers cannot carry a modifier: outputs, region results, pass-through values, arguments and predicates.
// Replace gives them only lanes without one, so a definition may keep readers and must stay until dead code
// elimination. Chains in m (a to b, b to c) are followed to their end; m must have no cycles.
//
// One walk replaces all keys: passes collect a map and call this once.
func (f *Func) Replace(m map[*Value]Lane) {
	if len(m) == 0 {
		return
	}
	// get follows the chain from v. The modifier nearer the reader applies last.
	get := func(v *Value) (Lane, bool) {
		to, ok := m[v]
		for ok {
			next, more := m[to.V]
			if !more {
				break
			}
			to = Lane{next.V, next.Mod.ComposeWith(to.Mod)}
		}
		return to, ok
	}
	plain := func(v **Value) {
		if to, ok := get(*v); ok && to.Mod == 0 {
			*v = to.V
		}
	}
	f.Walk(func(in *Instr) {
		for s := range in.Src {
			in.Src[s].EachLane(func(_ int, l *Lane) {
				if to, ok := get(l.V); ok {
					*l = Lane{to.V, to.Mod.ComposeWith(l.Mod)}
				}
			})
		}
		for i := range in.Pred {
			if in.Pred[i].V != nil {
				plain(&in.Pred[i].V)
			}
		}
		for i := range in.Keep {
			if in.Keep[i] != nil {
				plain(&in.Keep[i])
			}
		}
		for i := range in.Args {
			plain(&in.Args[i])
		}
		for _, r := range in.Sub {
			for i := range r.Results {
				plain(&r.Results[i])
			}
		}
	})
	for i := range f.Outs {
		plain(&f.Outs[i].V)
	}
}
