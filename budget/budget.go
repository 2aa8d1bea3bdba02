package budget

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
)

// What a budget can be out of.
var (
	ErrWork   = errors.New("the work that one input may take is used up")
	ErrMemory = errors.New("the memory that one input may take is used up")
	ErrTime   = errors.New("the time is up")
)

// Unlimited is an amount that is never used up.
const Unlimited = math.MaxInt64

// Budget is what is left to be spent. A nil *Budget has no bounds. It can be used by
// several goroutines, though what is cut off is then no longer a function of the input.
type Budget struct {
	ctx   context.Context
	done  <-chan struct{} // of ctx: to look at that takes no lock
	whole *Budget         // that this is a part of
	steps int64
	bytes int64
	work  atomic.Int64 // steps left
	held  atomic.Int64 // the most bytes at once
	err   atomic.Pointer[error]
}

// New makes a budget of so many steps and bytes that ends with ctx.
func New(ctx context.Context, work, memory int64) *Budget {
	b := &Budget{ctx: ctx, done: ctx.Done(), steps: work, bytes: memory}
	b.work.Store(work)
	return b
}

// Part is a budget within b. What is spent of its work is spent of b's too. Its memory is
// its own: parts are taken one after the other, and each leaves nothing behind.
func (b *Budget) Part(work, memory int64) *Budget {
	p := New(b.context(), work, memory)
	p.whole = b
	return p
}

// Until is b with an end of its own, where that comes first.
func (b *Budget) Until(ctx context.Context) *Budget {
	p := New(ctx, Unlimited, Unlimited)
	p.whole = b
	return p
}

// context is what b ends with.
func (b *Budget) context() context.Context {
	if b == nil || b.ctx == nil {
		return context.Background()
	}
	return b.ctx
}

// glance is how many steps are taken between looks at the clock.
const glance = 1 << 8

// Work spends steps. The error says that they, or something else, are used up.
func (b *Budget) Work(steps int) error {
	if b == nil {
		return nil
	}
	left := b.work.Add(-int64(steps))
	if left < 0 {
		return b.out(ErrWork)
	}
	if err := b.whole.Work(steps); err != nil {
		return b.out(err)
	}
	if left/glance != (left+int64(steps))/glance {
		return b.Err()
	}
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Hold says that so many bytes are held now.
func (b *Budget) Hold(bytes int) error {
	if b == nil {
		return nil
	}
	b.held.Store(max(b.held.Load(), int64(bytes)))
	if int64(bytes) > b.bytes {
		return b.out(ErrMemory)
	}
	return b.Err()
}

// Err is what b is out of, nil if it is not.
func (b *Budget) Err() error {
	if b == nil {
		return nil
	}
	if err := b.err.Load(); err != nil {
		return *err
	}
	if b.ctx != nil && b.ctx.Err() != nil {
		return b.out(ErrTime)
	}
	if err := b.whole.Err(); err != nil {
		return b.out(err)
	}
	return nil
}

// Poll ends what runs where b's time is up, by a panic that [Catch] makes [ErrTime] of. It is
// for code that has no error to return: analyses, which ask once a statement, below whoever
// has an error to return and leaves no half of what was begun behind. Work and memory that
// are used up do not count, nor does b's own state: all who work on something may ask.
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

// Poller polls a budget once in a while, for code that asks at every step of a short loop.
type Poller struct {
	b *Budget
	n uint8
}

// Poller is one for b.
func (b *Budget) Poller() Poller { return Poller{b: b} }

// Poll is [Budget.Poll], the first time and then each time that n comes round.
func (p *Poller) Poll() {
	if p.n++; p.n%64 == 1 {
		p.b.Poll()
	}
}

// ended is what Poll panics with.
type ended struct{}

func (ended) Error() string { return "no one catches that " + ErrTime.Error() }

// Catch, deferred, sets err to ErrTime where [Budget.Poll] ended what ran.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case ended:
		*err = ErrTime
	default:
		panic(p)
	}
}

// out notes what b is out of, the first time.
func (b *Budget) out(err error) error {
	b.err.CompareAndSwap(nil, &err)
	return *b.err.Load()
}

// Used is how many steps were taken, and how many bytes were held at most.
func (b *Budget) Used() (work, memory int64) {
	if b == nil {
		return 0, 0
	}
	return b.steps - b.work.Load(), b.held.Load()
}

// Left is how many steps there are to take.
func (b *Budget) Left() int64 {
	if b == nil {
		return Unlimited
	}
	return max(0, min(b.work.Load(), b.whole.Left()))
}

// Is reports whether err says that a budget is used up.
func Is(err error) bool {
	return errors.Is(err, ErrWork) || errors.Is(err, ErrMemory) || errors.Is(err, ErrTime)
}
