package verify

import "github.com/shaderlift/shaderlift/ir"

// standalone is a unit that no other program feeds: a kernel, or a program of any language.
type standalone interface {
	unit
	// stores reports whether anything writes to the memory whose state has this home.
	stores(state ir.Reg) bool
	// alike reports whether an input, by its key, is the same for all invocations that a fence
	// may have wait for each other.
	alike(key uint64) bool
	// exact reports whether an output has to stay the same term.
	exact(r ir.Reg) bool
}

// isState reports whether r is the home of a state of memory in the language of u.
func isState(u unit, r ir.Reg) bool { return u.function().Dialect.Role(r.File) == ir.RoleState }

// lone is a function of which no more is known than the IR and its dialect say.
type lone struct {
	fn     *ir.Func
	id     uint64            // of its kind, see space
	known  map[ir.Reg]uint32 // constants that the host is known to set
	stored map[ir.Reg]bool   // memories that something writes to
}

// newLone takes fn, with constants that the host is known to set.
func newLone(fn *ir.Func, id uint64, known map[ir.Reg]uint32) (lone, error) {
	fn.Specialize(known)
	if err := fn.Check(); err != nil {
		return lone{}, err
	}
	l := lone{fn: fn, id: id, known: known, stored: map[ir.Reg]bool{}}
	fn.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic {
			for _, v := range in.Results {
				l.stored[v.Home] = true
			}
		}
	})
	return l, nil
}

func (l *lone) function() *ir.Func { return l.fn }

func (l *lone) space() uint64 { return l.id }

func (l *lone) key(r ir.Reg) uint64 { return l.id<<40 | regKey(r) }

func (l *lone) undefined(r ir.Reg) uint64 { return l.key(r) }

func (l *lone) holds(r ir.Reg) (ir.Kind, uint32) {
	if bits, ok := l.known[r]; ok {
		return ir.Literal, bits
	}
	return ir.Uniform, 0
}

// indexed names no register: what a load reads is a function of its index.
func (l *lone) indexed(*ir.Instr, uint32) (ir.Reg, bool) { return ir.Reg{}, false }

func (l *lone) reach(*ir.Instr) []uint16 { return nil }

func (l *lone) gated(in *ir.Instr) bool { return in.Op.Has(ir.Convergent) }

func (l *lone) array(*ir.Instr) (n uint32, private, ok bool) { return 0, false, false }

func (l *lone) waits(in *ir.Instr) bool { return in.Op == ir.OpFence }

func (l *lone) stores(state ir.Reg) bool { return l.stored[state] }

func (l *lone) alike(uint64) bool { return false }

func (l *lone) exact(ir.Reg) bool { return false }

// CheckFunc decides whether the program after may take the place of before by proofs alone, for
// languages whose programs package interp does not execute: nothing guards against what the lift of
// either may have got wrong. The functions are cloned. The verdict is Proved, ProvedReal or Unknown.
func CheckFunc(before, after *ir.Func, o Options) Report {
	c := &ladder{Options: o}
	return c.within(func() {
		c.Options = c.seeded([]byte(before.String()), []byte(after.String()))
		c.prove(c.functions(before, after))
		if c.open(execution{}) {
			c.deepen()
		}
		c.conclude(execution{why: "programs of this language are not executed"})
	})
}

// functions prepares both sides for symbolic execution.
func (c *ladder) functions(list ...*ir.Func) error {
	for i, fn := range list {
		p, err := newLone(fn.Clone(), 0, nil)
		if err != nil {
			return err
		}
		p.fn.Budget = c.Budget
		c.sides[i] = observe(side{kernel: &p})
		c.sides[i].first = i == 0
	}
	return nil
}
