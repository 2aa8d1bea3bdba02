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
// any number of them. No machine waits for another: what is shaded before its turn to be written
// is written by the machine that shades what was missing.

// jobBatches is how many batches make a job.
const jobBatches = 16

// For each machine so many jobs may wait to be shaded, and so many be given out and not written.
const (
	waitingJobs = 2
	openJobs    = 16
)

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
	number  int // in order
	n       int
	batches [jobBatches]fragments
	results [jobBatches]result
}

// idle are jobs with nothing in them.
var idle = sync.Pool{New: func() any { return &job{} }}

// result is what a batch leaves.
type result struct {
	out    []*Vec
	depth  Vec
	killed uint64
	steps  int
	err    error
	fault  any // of a panic
}

// crew is the machines of a draw. The goroutine that rasterises fills jobs, and shades those that
// the others have no time for.
type crew struct {
	*shading // that pays
	hire     func() *shading
	machines int
	left     int // machines that may still be started
	job      *job
	given    int // jobs
	jobs     chan *job
	working  sync.WaitGroup
	stopped  atomic.Bool

	mu      sync.Mutex
	moved   sync.Cond    // written has grown
	shaded  map[int]*job // whose turn to be written has not come
	written int          // jobs
	writing bool         // a machine writes

	err   error // of the first batch that has one
	fault any
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
	c.job = idle.Get().(*job)
	c.job.n = 0
	return &c.job.batches[0]
}

// give has the job at hand shaded, and starts another.
func (c *crew) give() {
	c.job.number = c.given
	c.given++
	select {
	case c.jobs <- c.job:
		if c.left > 0 {
			c.left--
			c.working.Add(1)
			go c.work(c.hire())
		}
	default:
		c.do(c.shading, c.job)
	}
	c.mu.Lock()
	for c.given-c.written > openJobs*c.machines { // one of them takes its time
		c.moved.Wait()
	}
	c.mu.Unlock()
	c.begin()
}

// finish waits for all that is under way.
func (c *crew) finish() error {
	if c.given == 0 { // little: not worth a machine
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
	close(c.jobs)
	for j := range c.jobs {
		c.do(c.shading, j)
	}
	c.working.Wait()
	if c.fault != nil {
		panic(c.fault)
	}
	return c.err
}

// work shades jobs as long as there are any.
func (c *crew) work(s *shading) {
	defer c.working.Done()
	defer s.ps.release()
	for j := range c.jobs {
		c.do(s, j)
	}
}

// do shades a job, and writes it and those behind it that have waited for it.
func (c *crew) do(s *shading, j *job) {
	for i := 0; i < j.n && !c.stopped.Load(); i++ {
		s.shade(&j.batches[i], &j.results[i])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shaded[j.number] = j
	if c.writing {
		return
	}
	c.writing = true
	for next := c.shaded[c.written]; next != nil; next = c.shaded[c.written] {
		delete(c.shaded, c.written)
		c.mu.Unlock()
		c.write(s, next)
		c.mu.Lock()
		c.written++
		c.moved.Signal()
	}
	c.writing = false
}

// write writes a job, whose turn it is.
func (c *crew) write(s *shading, j *job) {
	for i := range j.n {
		if !c.stopped.Load() {
			c.settle(s, &j.batches[i], &j.results[i])
		}
		clear(j.batches[i].parts)
		j.batches[i].reset()
	}
	idle.Put(j)
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
	c := &crew{shading: s, machines: n, left: n - 1, jobs: make(chan *job, waitingJobs*n), shaded: map[int]*job{}}
	c.moved.L = &c.mu
	c.hire = func() *shading { return newShading(s.ps.sh, s.linkage, s.img, env) }
	return c
}
