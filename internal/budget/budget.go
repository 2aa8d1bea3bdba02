package budget

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
)

// The errors of an exhausted budget.
var (
	errWork   = errors.New("the limit of work for one input is reached")
	errMemory = errors.New("the limit of memory for one input is reached")
	ErrTime   = errors.New("the time limit is reached")
)

// Unlimited is an amount that is never exhausted.
const Unlimited = math.MaxInt64

// Budget is an amount of work, memory and time that is left. A nil *Budget has no limits. Several
// goroutines may share a budget, but then the point of exhaustion is not deterministic.
type Budget struct {
	ctx   context.Context
	done  <-chan struct{} // of ctx: checking it takes no lock
	whole *Budget         // the enclosing budget
	steps int64
	bytes int64
	work  atomic.Int64 // steps left
	held  atomic.Int64 // the most bytes held at once
	err   atomic.Pointer[error]
}

// New makes a budget of steps and bytes that ends with ctx.
func New(ctx context.Context, work, memory int64) *Budget {
	b := &Budget{ctx: ctx, done: ctx.Done(), steps: work, bytes: memory}
	b.work.Store(work)
	return b
}

// SubBudget returns a budget within b. Its work also counts in b. Its memory is separate: parts are used one
// after the other and release all memory.
func (b *Budget) SubBudget(work, memory int64) *Budget {
	p := New(b.context(), work, memory)
	p.whole = b
	return p
}

// Until returns b with another, earlier end.
func (b *Budget) Until(ctx context.Context) *Budget {
	p := New(ctx, Unlimited, Unlimited)
	p.whole = b
	return p
}

// context returns the context that ends b.
func (b *Budget) context() context.Context {
	if b == nil || b.ctx == nil {
		return context.Background()
	}
	return b.ctx
}

// glance is the number of steps between two checks of the clock.
const glance = 1 << 8

// SpendSteps spends steps. It returns an error if work or another resource is exhausted.
func (b *Budget) SpendSteps(steps int) error {
	if b == nil {
		return nil
	}
	left := b.work.Add(-int64(steps))
	if left < 0 {
		return b.recordError(errWork)
	}
	if err := b.whole.SpendSteps(steps); err != nil {
		return b.recordError(err)
	}
	if left/glance != (left+int64(steps))/glance {
		return b.Err()
	}
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// HoldBytes records the number of bytes held now.
func (b *Budget) HoldBytes(bytes int) error {
	if b == nil {
		return nil
	}
	b.held.Store(max(b.held.Load(), int64(bytes)))
	if int64(bytes) > b.bytes {
		return b.recordError(errMemory)
	}
	return b.Err()
}

// Err returns the error of the exhausted resource, or nil.
func (b *Budget) Err() error {
	if b == nil {
		return nil
	}
	if err := b.err.Load(); err != nil {
		return *err
	}
	if b.ctx != nil && b.ctx.Err() != nil {
		return b.recordError(ErrTime)
	}
	if err := b.whole.Err(); err != nil {
		return b.recordError(err)
	}
	return nil
}

// Poll panics if b's time is up; [Catch] converts the panic into [ErrTime]. It is for analyses without
// an error result, which poll once per statement. A caller with an error result must catch the panic
// and discard partial results. Poll ignores exhausted work and memory, and does not change b, so it may
// be called concurrently.
func (b *Budget) Poll() {
	if b == nil || b.done == nil {
		return
	}
	select {
	case <-b.done:
		panic(ended{})
	default:
	}
}

// Poller polls a budget at intervals, for short loops that poll at every iteration.
type Poller struct {
	b *Budget
	n uint8
}

// Poller returns a poller of b.
func (b *Budget) Poller() Poller { return Poller{b: b} }

// Poll calls [Budget.Poll] the first time and then every 64th time.
func (p *Poller) Poll() {
	if p.n++; p.n%64 == 1 {
		p.b.Poll()
	}
}

// ended is the panic value of Poll.
type ended struct{}

func (ended) Error() string { return "no one catches that " + ErrTime.Error() }

// Catch, deferred, sets err to ErrTime if [Budget.Poll] panicked.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case ended:
		*err = ErrTime
	default:
		panic(p)
	}
}

// recordError records the first error of b.
func (b *Budget) recordError(err error) error {
	b.err.CompareAndSwap(nil, &err)
	return *b.err.Load()
}

// Used returns the number of steps taken and the most bytes held.
func (b *Budget) Used() (work, memory int64) {
	if b == nil {
		return 0, 0
	}
	return b.steps - b.work.Load(), b.held.Load()
}

// StepsLeft returns the number of steps left.
func (b *Budget) StepsLeft() int64 {
	if b == nil {
		return Unlimited
	}
	return max(0, min(b.work.Load(), b.whole.StepsLeft()))
}

// IsExhausted reports whether err is the error of an exhausted budget.
func IsExhausted(err error) bool {
	return errors.Is(err, errWork) || errors.Is(err, errMemory) || errors.Is(err, ErrTime)
}
