package amdil

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// memory is reusable memory for emission: most versions of a kernel are written only to be priced, and their
// intermediate data is dropped.
type memory struct {
	alloc regalloc.Scratch
	stmts []stmt
	used  int // of stmts
	out   []written
}

// stmt returns memory for a statement.
func (m *memory) stmt() *stmt {
	if m.used == len(m.stmts) { // existing statements do not move
		m.stmts, m.used = make([]stmt, max(64, 2*len(m.stmts))), 0
	}
	m.used++
	return &m.stmts[m.used-1]
}

// idle holds unused memory. Memory of an emission that failed is not returned to it.
var idle = sync.Pool{New: func() any { return new(memory) }}

// Emit writes f over orig, the kernel it was lifted from. It keeps the header, declarations and spelling of
// orig where they still apply. It drops declarations of unread literals and adds new ones. Functions
// disappear: their bodies are inlined at the calls.
//
// It fails only for functions that AMD IL cannot express, see [Dialect.Encodable], and for limits that orig
// satisfies but the result exceeds, see [il.Limits].
//
// It is linear in the statements except for register allocation. An error leaves its memory to the garbage
// collector.
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
