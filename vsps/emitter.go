package vsps

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// Emitter writes versions of one program. It keeps data about the program, and its working memory,
// from one version to the next: most versions are only priced. It is not safe for concurrent use;
// each worker has its own.
type Emitter struct {
	d    *Dialect
	defs []constDef // of the program; for each register only the last one
	host hostConstants
	// busy is set during an emission. If a panic of the budget ended the last one, the memory is
	// invalid.
	busy bool

	stmts    chunk[stmt]
	operands chunk[operand]
	alloc    regalloc.Scratch
	builder  builder
	assigner assigner
	outputs  outputPlan
	legal    legalizer
	pool     constPool
	code     regalloc.Code
	values   []int32 // operands of the points of the code
	body     []d3d9.Inst
	// insts are two lists that emission steps use alternately.
	insts [2][]d3d9.Inst
	// recent are the versions written last; next is the index of the oldest.
	recent [Recent][]d3d9.Inst
	next   int
}

// Recent is the number of versions written last that stay valid: callers compare a few candidates
// and keep the best.
const Recent = 8

// idle holds emitters whose memory is unused.
var idle = sync.Pool{New: func() any { return new(Emitter) }}

// Close releases the memory of e for other emitters. Neither e nor its output may be used
// afterwards.
func (e *Emitter) Close() { idle.Put(e) }

// NewEmitter returns an emitter for versions of orig.
func NewEmitter(orig *d3d9.Program) *Emitter { return NewDialect(orig).NewEmitter() }

// NewEmitter returns an emitter for versions of the program of d. It ignores definitions beyond the
// registers of d, which belong to the model of the input.
func (d *Dialect) NewEmitter() *Emitter {
	e := idle.Get().(*Emitter)
	orig := d.program
	e.d, e.defs = d, e.defs[:0]
	for i := range orig.Insts {
		if in := &orig.Insts[i]; in.Op == d3d9.OpDef && int(in.Dst.Index) < d.limits.MaxConst {
			if k := findDef(e.defs, in.Dst.Index); k >= 0 {
				e.defs[k].bits = in.Imm // the last def of a register wins
				continue
			}
			e.defs = append(e.defs, constDef{reg: in.Dst.Index, bits: in.Imm, set: 0xf})
		}
	}
	e.host = hostConstantsOf(orig)
	return e
}

// Emit works like [Emit] for the program of the emitter. Its result is valid until [Recent] further
// calls. It first tries to compute final values in output registers, which saves moves, and then
// without this if registers do not suffice.
func (e *Emitter) Emit(f *ir.Func, varyings ...ir.Varying) (*d3d9.Program, error) {
	if e.busy { // the last emission was interrupted, see [ir.Func.Budget]
		*e = *e.d.NewEmitter()
	}
	e.busy = true
	p, err := e.emit(f, varyings, true)
	if err != nil { // output registers also constrain values to shared places
		if q, again := e.emit(f, varyings, false); again == nil {
			p, err = q, nil
		}
	}
	e.busy = false
	if err == nil {
		e.storeRecent(p)
	}
	return p, err
}

// storeRecent stores the output as a recent version, in the memory of the oldest one.
func (e *Emitter) storeRecent(p *d3d9.Program) {
	e.recent[e.next] = append(e.recent[e.next][:0], p.Insts...)
	p.Insts = e.recent[e.next]
	e.next = (e.next + 1) % Recent
}

// chunk allocates slices of one array, and a larger array when that is full. Slices stay valid
// until [chunk.again].
type chunk[T any] struct {
	array []T
	used  int
}

// allocZeroed returns n zero elements.
func (c *chunk[T]) allocZeroed(n int) []T {
	if len(c.array)-c.used < n {
		c.array, c.used = make([]T, max(2*len(c.array), n, 64)), 0
	}
	piece := c.array[c.used : c.used+n : c.used+n]
	c.used += n
	clear(piece)
	return piece
}

// reserveSpace ensures capacity for n elements.
func (c *chunk[T]) reserveSpace(n int) {
	if len(c.array)-c.used < n {
		c.array, c.used = make([]T, n), 0
	}
}

// again frees the whole array.
func (c *chunk[T]) again() { c.used = 0 }
