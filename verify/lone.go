package verify

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// standalone is a unit without an upstream program: a kernel, or a program of any language.
type standalone interface {
	unit
	// stores reports whether anything writes to the memory whose state has this home.
	stores(state ir.Reg) bool
	// alike reports whether all invocations that may wait at one fence have the same value of an input, by
	// its key.
	alike(key uint64) bool
	// exact reports whether an output has to stay the same term.
	exact(r ir.Reg) bool
}

// isState reports whether r is the home of a state of memory in the language of u.
func isState(u unit, r ir.Reg) bool { return u.function().Dialect.FileRole(r.File) == ir.RoleState }

// lone is a function about which only the IR and its dialect are known.
type lone struct {
	fn     *ir.Func
	id     uint64            // of its kind, see space
	known  map[ir.Reg]uint32 // constants that the host is known to set
	stored map[ir.Reg]bool   // memories that something writes to
}

// newLone specializes fn to the constants that the host is known to set, and takes it over.
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

func (l *lone) Space() uint64 { return l.id }

func (l *lone) RegisterKey(r ir.Reg) uint64 { return l.id<<40 | symbolic.RegKey(r) }

func (l *lone) undefined(r ir.Reg) uint64 { return l.RegisterKey(r) }

func (l *lone) holds(r ir.Reg) (ir.Kind, uint32) {
	if bits, ok := l.known[r]; ok {
		return ir.Literal, bits
	}
	return ir.Uniform, 0
}

// indexed returns no register: the result of a load is a function of its index.
func (l *lone) indexed(*ir.Instr, uint32) (ir.Reg, bool) { return ir.Reg{}, false }

func (l *lone) reach(*ir.Instr) []uint16 { return nil }

func (l *lone) gated(in *ir.Instr) bool { return in.Op.Has(ir.Convergent) }

func (l *lone) array(*ir.Instr) (n uint32, private, ok bool) { return 0, false, false }

func (l *lone) waits(in *ir.Instr) bool { return in.Op == ir.OpFence }

func (l *lone) stores(state ir.Reg) bool { return l.stored[state] }

func (l *lone) alike(uint64) bool { return false }

func (l *lone) exact(ir.Reg) bool { return false }

// CheckFunc decides by proofs alone whether after may replace before, for languages that package interp does
// not execute. Nothing guards against faults of either lift. The functions are cloned. The verdict is Proved,
// ProvedReal or Unknown.
func CheckFunc(before, after *ir.Func, o Options) Report {
	c := &ladder{Options: o}
	return c.within(func() {
		c.Options = c.seeded([]byte(before.String()), []byte(after.String()))
		c.prove(c.functions(before, after))
		if c.remainsOpen(execution{}) {
			c.deepen()
		}
		c.conclude(execution{why: "programs of this language are not executed"})
	})
}

// functions prepares both versions for symbolic execution.
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
