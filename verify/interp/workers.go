package interp

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Batches are shaded in jobs, by several machines at once, and written in the order in which
// they were rasterised. Which fragments share a batch does not depend on how many machines
// there are, and what a batch takes is paid for as it is written: everything is the same for
// any number of them.

// jobBatches is how many batches make a job.
const jobBatches = 16

// fewPixels is the size of targets for which one machine does.
const fewPixels = 1 << 14

// workersFor is how many machines shade a draw.
func (b *bounds) workersFor(img *Image, n *Numerics) int {
	switch {
	case b.trace != nil, b.seen != nil, n.Scatter != 0: // one after the other
		return 1
	case b.workers > 0:
		return b.workers
	case img.W*img.H < fewPixels:
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// errStopped ends rasterising where a batch has gone wrong; finish returns the error of the batch.
var errStopped = errors.New("the draw has ended")

// job is batches, and what the pixel program makes of them.
type job struct {
	n       int
	batches [jobBatches]fragments
	results [jobBatches]result
	before  chan struct{} // closed when the jobs before it are written
	written chan struct{}
}

// result is what a batch leaves.
type result struct {
	out    []*Vec
	depth  Vec
	killed uint64
	steps  int
	err    error
	fault  any // of a panic
}

// crew is the machines of a draw. The goroutine that rasterises fills jobs; a machine shades a job when one
// is free, and writes it when the job before it is written, as channels in a chain tell.
type crew struct {
	*shading // that pays
	hire     func() *shading
	left     int // machines that may still be started
	job      *job
	jobs     chan *job
	idle     sync.Pool
	last     chan struct{} // written of the last job that was given out
	stopped  atomic.Bool
	err      error // of the first batch that has one; after last
	fault    any
}

// take hands on a batch of the job at hand, which is filled, and returns the next one to fill.
func (c *crew) take(*fragments) (*fragments, error) {
	if c.job.n++; c.job.n == jobBatches {
		c.give()
	}
	if c.stopped.Load() {
		return &c.job.batches[c.job.n], errStopped
	}
	return &c.job.batches[c.job.n], nil
}

// begin starts a job.
func (c *crew) begin() *fragments {
	if c.job, _ = c.idle.Get().(*job); c.job == nil {
		c.job = &job{}
	}
	c.job.n = 0
	return &c.job.batches[0]
}

// give gives the job at hand to a machine, and starts another.
func (c *crew) give() {
	if c.jobs == nil {
		c.jobs = make(chan *job)
	}
	j := c.job
	j.before, j.written = c.last, make(chan struct{})
	c.last = j.written
	select {
	case c.jobs <- j:
	default:
		if c.left > 0 {
			c.left--
			go c.work(c.hire())
		}
		c.jobs <- j
	}
	c.begin()
}

// finish waits for all that is under way.
func (c *crew) finish() error {
	if c.job.n > 0 && c.jobs == nil { // little: not worth a machine
		for i := range c.job.n {
			if _, err := c.shading.draw(&c.job.batches[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if c.job.n > 0 {
		c.give()
	}
	if c.jobs != nil {
		close(c.jobs)
		<-c.last
	}
	if c.fault != nil {
		panic(c.fault)
	}
	return c.err
}

// work shades jobs and writes them when it is their turn.
func (c *crew) work(s *shading) {
	defer s.ps.release()
	for j := range c.jobs {
		for i := 0; i < j.n && !c.stopped.Load(); i++ {
			s.shade(&j.batches[i], &j.results[i])
		}
		<-j.before
		for i := 0; i < j.n && !c.stopped.Load(); i++ {
			c.settle(s, &j.batches[i], &j.results[i])
		}
		for i := range j.n {
			j.batches[i].reset()
		}
		done := j.written
		c.idle.Put(j)
		close(done)
	}
}

// shade runs a batch and keeps what it leaves.
func (s *shading) shade(b *fragments, r *result) {
	defer func() { r.fault = recover() }()
	s.load(b)
	r.steps, r.err = s.ps.execute(batchSteps)
	for len(r.out) < len(s.out) {
		r.out = append(r.out, new(Vec))
	}
	for i, v := range s.out {
		*r.out[i] = *v
	}
	r.depth, r.killed = s.depth, s.ps.killed
}

// settle pays for a batch and writes it. A batch for which there are not steps enough is executed again
// with those that are left, so that it ends where one machine would have ended.
func (c *crew) settle(s *shading, b *fragments, r *result) {
	pay := c.shading.ps
	switch {
	case r.fault != nil:
		c.fault = r.fault
	case r.steps > pay.left: // as far as it would have come
		s.load(b)
		_, c.err = s.ps.execute(pay.left)
	default:
		c.err = pay.spend(r.steps, r.err)
	}
	if c.fault != nil || c.err != nil {
		c.stopped.Store(true)
		return
	}
	depth := &r.depth
	if s.depthOut != 0 {
		depth = r.out[len(r.out)-1]
	}
	s.write(b, r.out, depth, r.killed)
}

// newCrew is machines that are like s and write to the same target, at most n of them.
func newCrew(s *shading, env *Env, n int) *crew {
	c := &crew{shading: s, left: n, last: make(chan struct{})}
	close(c.last)
	c.hire = func() *shading { return newShading(s.ps.sh, s.linkage, s.img, env) }
	return c
}
