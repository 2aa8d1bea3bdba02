package interp

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Several machines shade jobs of batches concurrently, and write them in the order of rasterisation. The
// number of machines affects neither the assignment of fragments to batches nor the result, because a batch
// is paid for when it is written. No machine waits for another. If a job is ready before its turn, the
// machine that completes the missing job also writes the waiting one.

// jobBatches is the number of batches in a job.
const jobBatches = 16

// Limits for each machine: the number of jobs that wait for shading, and of jobs that are given out and not
// written.
const (
	waitingJobs = 2
	openJobs    = 16
)

// fewPixels is the target size up to which one machine suffices.
const fewPixels = 1 << 14

// workersFor returns the number of machines that shade a draw.
func (b *bounds) workersFor(img *Image, n *Numerics) int {
	switch {
	case b.trace != nil, b.seen != nil, n.Scatter != 0: // these need a single machine
		return 1
	case b.workers > 0:
		return b.workers
	case img.W*img.H < fewPixels:
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// errStopped ends rasterisation after a failed batch; finish returns the error of the batch.
var errStopped = errors.New("the draw has ended")

// job is a list of batches and their results.
type job struct {
	number  int // in order
	n       int
	batches [jobBatches]fragments
	results [jobBatches]result
}

// idle pools empty jobs.
var idle = sync.Pool{New: func() any { return &job{} }}

// result is the result of a batch.
type result struct {
	out    []*Vec
	depth  Vec
	killed uint64
	steps  int
	err    error
	fault  any // value of a panic
}

// crew is the set of machines of a draw. The rasterising goroutine fills jobs, and shades those for which
// the others have no time.
type crew struct {
	*shading // the one that pays
	hire     func() *shading
	machines int
	left     int // machines that may still be started
	job      *job
	given    int // jobs
	jobs     chan *job
	working  sync.WaitGroup
	stopped  atomic.Bool

	mu      sync.Mutex
	moved   sync.Cond    // signals that written has grown
	shaded  map[int]*job // shaded jobs that wait for their turn
	written int          // jobs
	writing bool         // a machine writes

	err   error // of the first failed batch
	fault any
}

// nextBatch completes a batch of the current job and returns the next one to fill.
func (c *crew) nextBatch(*fragments) (*fragments, error) {
	if c.job.n++; c.job.n == jobBatches {
		c.submitJob()
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

// submitJob submits the current job and starts another.
func (c *crew) submitJob() {
	c.job.number = c.given
	c.given++
	select {
	case c.jobs <- c.job:
		if c.left > 0 {
			c.left--
			c.working.Add(1)
			go c.shadeJobs(c.hire())
		}
	default:
		c.shadeJob(c.shading, c.job)
	}
	c.mu.Lock()
	for c.given-c.written > openJobs*c.machines { // a machine is slow
		c.moved.Wait()
	}
	c.mu.Unlock()
	c.begin()
}

// finish waits for all outstanding jobs.
func (c *crew) finish() error {
	if c.given == 0 { // too little for another machine
		for i := range c.job.n {
			if _, err := c.shading.drawBatch(&c.job.batches[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if c.job.n > 0 {
		c.submitJob()
	}
	close(c.jobs)
	for j := range c.jobs {
		c.shadeJob(c.shading, j)
	}
	c.working.Wait()
	if c.fault != nil {
		panic(c.fault)
	}
	return c.err
}

// shadeJobs shades jobs until there are no more.
func (c *crew) shadeJobs(s *shading) {
	defer c.working.Done()
	defer s.ps.release()
	for j := range c.jobs {
		c.shadeJob(s, j)
	}
}

// shadeJob shades a job, and writes it together with later jobs that waited for it.
func (c *crew) shadeJob(s *shading, j *job) {
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

// write writes a job whose turn it is.
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

// shade runs a batch and keeps its result.
func (s *shading) shade(b *fragments, r *result) {
	defer func() { r.fault = recover() }()
	s.loadBatch(b)
	r.steps, r.err = s.ps.execute(batchSteps)
	for len(r.out) < len(s.out) {
		r.out = append(r.out, new(Vec))
	}
	for i, v := range s.out {
		*r.out[i] = *v
	}
	r.depth, r.killed = s.depth, s.ps.killed
}

// settle pays for a batch and writes it. If the remaining steps do not suffice, it executes the batch again
// with just those steps. The batch then ends where a single machine would have ended.
func (c *crew) settle(s *shading, b *fragments, r *result) {
	pay := c.shading.ps
	switch {
	case r.fault != nil:
		c.fault = r.fault
	case r.steps > pay.left: // up to the last available step
		s.loadBatch(b)
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

// newCrew returns at most n machines like s that write to the same target.
func newCrew(s *shading, env *Env, n int) *crew {
	c := &crew{shading: s, machines: n, left: n - 1, jobs: make(chan *job, waitingJobs*n), shaded: map[int]*job{}}
	c.moved.L = &c.mu
	c.hire = func() *shading { return newShading(s.ps.sh, s.linkage, s.img, env) }
	return c
}
