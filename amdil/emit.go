package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Emit writes f over orig, the kernel it was lifted from, whose header, declarations
// and spelling it keeps where they still apply. Literals that nothing reads any more
// are no longer declared, new ones are. Functions are gone: their bodies are where they
// were called.
//
// It fails only for what AMD IL has no statement for, see [Dialect.Encodable], and for
// what exceeds a limit that orig keeps, see [il.Limits].
func Emit(orig *il.Kernel, f *ir.Func) (*il.Kernel, error) {
	b := newEmitter(orig, f)
	if err := b.region(f.Body); err != nil {
		return nil, err
	}
	b.finish()
	a := &assigner{b: b}
	if err := a.run(); err != nil {
		return nil, err
	}
	w := newWriter(orig, b, a)
	for i := 1; i < len(b.stmts); i++ { // the start is not written
		f.Budget.Poll()
		w.begin(i)
		if err := w.statement(b.stmts[i]); err != nil {
			return nil, err
		}
	}
	k := w.kernel()
	if d := il.Limits(k); d != nil {
		return nil, d
	}
	return k, nil
}
