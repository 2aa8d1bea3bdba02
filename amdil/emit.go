package amdil

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// memory is what emission works in: most versions of a kernel are written to be priced, and of
// what leads to them nothing is seen again.
type memory struct {
	alloc regalloc.Scratch
	stmts []stmt
	used  int // of stmts
	out   []written
}

// stmt is room for a statement.
func (m *memory) stmt() *stmt {
	if m.used == len(m.stmts) { // what has been handed out stays where it is
		m.stmts, m.used = make([]stmt, max(64, 2*len(m.stmts))), 0
	}
	m.used++
	return &m.stmts[m.used-1]
}

// idle is memory that nobody uses. What emission ended in half way is not among it.
var idle = sync.Pool{New: func() any { return new(memory) }}

// Emit writes f over orig, the kernel it was lifted from, whose header, declarations
// and spelling it keeps where they still apply. Literals that nothing reads any more
// are no longer declared, new ones are. Functions are gone: their bodies are where they
// were called.
//
// It fails only for what AMD IL has no statement for, see [Dialect.Encodable], and for
// what exceeds a limit that orig keeps, see [il.Limits].
//
// It is linear in the statements but for the allocation of registers. An error leaves
// its memory to the garbage collector.
func Emit(orig *il.Kernel, f *ir.Func) (*il.Kernel, error) {
	memory := idle.Get().(*memory)
	memory.used = 0
	b := newEmitter(orig, f, memory)
	if err := b.region(f.Body); err != nil {
		return nil, err
	}
	b.finish()
	a := &assigner{b: b, memory: &memory.alloc}
	if err := a.run(); err != nil {
		return nil, err
	}
	w := newWriter(orig, b, a, memory.out)
	for i := 1; i < len(b.stmts); i++ { // the start is not written
		f.Budget.Poll()
		w.begin(i)
		if err := w.statement(b.stmts[i]); err != nil {
			return nil, err
		}
	}
	k := w.kernel()
	memory.out = w.out
	idle.Put(memory)
	if d := il.Limits(k); d != nil {
		return nil, d
	}
	return k, nil
}
