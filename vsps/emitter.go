package vsps

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// Emitter writes versions of one program. It keeps what it knows of that, and the
// memory that it works in, from one version to the next: most are written to be priced,
// and never seen again. Not safe for concurrent use; each worker has its own.
type Emitter struct {
	d    *Dialect
	defs []constDef // of the program; of those of one register the last
	host hostConstants
	// busy tells that an emission was cut short (by a panic of the budget), so that the
	// memory cannot be trusted.
	busy bool
	// anchors are of the program, if it is one of ps_1_x that was written before.
	anchors map[int]*anchor

	stmts    chunk[stmt]
	operands chunk[operand]
	alloc    regalloc.Scratch
	builder  builder
	assigner assigner
	outputs  outputPlan
	legal    legalizer
	pool     constPool
	code     regalloc.Code
	values   []int32 // that points of the code read and write
	body     []d3d9.Inst
	// insts are two lists that steps of emission write to in turn.
	insts [2][]d3d9.Inst
	// recent are what was written last, next the place of the oldest.
	recent [Recent][]d3d9.Inst
	next   int
}

// Recent is how many of the versions that an emitter wrote last are good: callers
// compare a few candidates and keep the best.
const Recent = 8

// idle are emitters whose memory nobody uses.
var idle = sync.Pool{New: func() any { return new(Emitter) }}

// Close gives the memory of e to other emitters: neither e nor what it wrote is used any more.
func (e *Emitter) Close() { idle.Put(e) }

// NewEmitter is for versions of orig.
func NewEmitter(orig *d3d9.Program) *Emitter { return NewDialect(orig).NewEmitter() }

// NewEmitter is for versions of the program of d. Definitions beyond the registers that d
// has are of what it was written in first.
func (d *Dialect) NewEmitter() *Emitter {
	e := idle.Get().(*Emitter)
	orig := d.Program
	e.d, e.defs, e.anchors = d, e.defs[:0], nil
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

// Emit is [Emit] for the program of the emitter. What it returns is good until it has
// been called [Recent] times more. It tries with final values computed in output
// registers first, which saves moves, and without if registers do not suffice so.
func (e *Emitter) Emit(f *ir.Func, varyings ...ir.Varying) (*d3d9.Program, error) {
	if e.busy { // the last one ended half way, see [ir.Func.Budget]
		*e = *e.d.NewEmitter()
	}
	e.busy = true
	p, err := e.emit(f, varyings, true)
	if err != nil { // output registers too are places that values may have to share
		if q, again := e.emit(f, varyings, false); again == nil {
			p, err = q, nil
		}
	}
	e.busy = false
	if err == nil {
		e.keep(p)
	}
	return p, err
}

// keep puts what was written among the recent versions, in memory of the oldest of them.
func (e *Emitter) keep(p *d3d9.Program) {
	e.recent[e.next] = append(e.recent[e.next][:0], p.Insts...)
	p.Insts = e.recent[e.next]
	e.next = (e.next + 1) % Recent
}

// chunk hands out pieces of one array, until it is used up and a larger one comes.
// Pieces handed out before stay valid until [chunk.again].
type chunk[T any] struct {
	array []T
	used  int
}

// take returns n zeros.
func (c *chunk[T]) take(n int) []T {
	if len(c.array)-c.used < n {
		c.array, c.used = make([]T, max(2*len(c.array), n, 64)), 0
	}
	piece := c.array[c.used : c.used+n : c.used+n]
	c.used += n
	clear(piece)
	return piece
}

// room makes room for n at once.
func (c *chunk[T]) room(n int) {
	if len(c.array)-c.used < n {
		c.array, c.used = make([]T, n), 0
	}
}

// again makes all of the array free.
func (c *chunk[T]) again() { c.used = 0 }
