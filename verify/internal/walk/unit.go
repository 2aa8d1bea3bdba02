package walk

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// standalone is a unit without an upstream program: a kernel, or a program of any language.
type standalone interface {
	Unit
	// Stores reports whether anything writes to the memory whose state has this home.
	Stores(state ir.Reg) bool
	// Alike reports whether all invocations that may wait at one fence have the same value of an input, by
	// its key.
	Alike(key uint64) bool
	// Exact reports whether an output has to stay the same term.
	Exact(r ir.Reg) bool
}

// isState reports whether r is the home of a state of memory in the language of u.
func isState(u Unit, r ir.Reg) bool { return u.Function().Dialect.FileRole(r.File) == ir.RoleState }

// Func is a function about which only the IR and its dialect are known.
type Func struct {
	Fn     *ir.Func
	id     uint64            // of its kind, see Space
	known  map[ir.Reg]uint32 // constants that the host is known to set
	stored map[ir.Reg]bool   // memories that something writes to
}

// NewFunc specializes fn to the constants that the host is known to set, and takes it over.
func NewFunc(fn *ir.Func, id uint64, known map[ir.Reg]uint32) (Func, error) {
	fn.Specialize(known)
	if err := fn.Check(); err != nil {
		return Func{}, err
	}
	l := Func{Fn: fn, id: id, known: known, stored: map[ir.Reg]bool{}}
	fn.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic {
			for _, v := range in.Results {
				l.stored[v.Home] = true
			}
		}
	})
	return l, nil
}

func (l *Func) Function() *ir.Func { return l.Fn }

func (l *Func) Space() uint64 { return l.id }

func (l *Func) RegisterKey(r ir.Reg) uint64 { return l.id<<40 | symbolic.RegKey(r) }

func (l *Func) Undefined(r ir.Reg) uint64 { return l.RegisterKey(r) }

func (l *Func) Holds(r ir.Reg) (ir.Kind, uint32) {
	if bits, ok := l.known[r]; ok {
		return ir.Literal, bits
	}
	return ir.Uniform, 0
}

// Indexed returns no register: the result of a load is a function of its index.
func (l *Func) Indexed(*ir.Instr, uint32) (ir.Reg, bool) { return ir.Reg{}, false }

func (l *Func) Reach(*ir.Instr) []uint16 { return nil }

func (l *Func) Gated(in *ir.Instr) bool { return in.Op.Has(ir.Convergent) }

func (l *Func) Array(*ir.Instr) (n uint32, private, ok bool) { return 0, false, false }

func (l *Func) ByWords(*ir.Instr) bool { return false }

func (l *Func) Rounds(*ir.Instr) bool { return false }

func (l *Func) Waits(in *ir.Instr) bool { return in.Op == ir.OpFence }

func (l *Func) Stores(state ir.Reg) bool { return l.stored[state] }

func (l *Func) Alike(uint64) bool { return false }

func (l *Func) Exact(ir.Reg) bool { return false }
