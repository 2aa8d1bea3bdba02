package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/bench/internal/root"
	"github.com/shaderlift/shaderlift/bench/internal/series"
	"github.com/shaderlift/shaderlift/opt/replay"
)

func main() {
	err := root.Enter()
	if err == nil {
		err = run(os.Args[1:], os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// options holds the flags. every is the number of tasks in a window.
type options struct {
	series.Options
	out    string
	trials int
	every  uint64
}

func run(args []string, progress io.Writer) error {
	var o options
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	o.Register(f, "task", 20000, 2*time.Minute)
	f.StringVar(&o.out, "out", "", "a `directory` for reproducers")
	f.IntVar(&o.trials, "trials", 300, "the most attempts to reduce a reproducer")
	f.Uint64Var(&o.every, "every", 2000, "tasks between two updates of the state")
	stop, err := o.Start(f, args)
	if err != nil {
		return err
	}
	defer stop()
	s, err := load(o.State, o.Seed)
	if err != nil {
		return err
	}
	ctx, done := signal.NotifyContext(context.Background(), os.Interrupt)
	defer done()
	return o.soak(ctx, s, progress)
}

// soak performs the remaining tasks concurrently.
func (o *options) soak(ctx context.Context, s *state, progress io.Writer) error {
	var m memory
	start, first := time.Now(), s.Next
	// Windows bound the loss from an interruption, and the memory in use.
	for s.Next < o.N {
		to := min(s.Next+o.every, o.N)
		if err := o.window(ctx, s, to, progress); err != nil {
			return err
		}
		s.Next = to
		m.measure()
		if err := s.save(o.State); err != nil {
			return err
		}
		rate := float64(s.Next-first) / time.Since(start).Seconds()
		fmt.Fprintf(progress, "soak: %d tasks, %.0f a second, %d MiB between tasks, a peak of %d MiB, %d failures\n",
			s.Next, rate, m.most>>20, m.sys>>20, len(s.Failures))
	}
	fmt.Fprintf(progress, "soak: %d tasks of seed %d: %s; %s; %s\n", s.Next, s.Seed, tally(s.Kinds), tally(s.Statuses),
		tally(s.Verdicts))
	if n := len(s.Failures); n > 0 {
		return fmt.Errorf("%d tasks went wrong, the first is %d, %s: %s", n, s.Failures[0].Task, s.Failures[0].What,
			s.Failures[0].Why)
	}
	return m.check()
}

// tally returns counts as sorted text.
func tally(m map[string]int) string {
	var list []string
	for k, n := range m {
		list = append(list, fmt.Sprintf("%d %s", n, k))
	}
	sort.Strings(list)
	return strings.Join(list, ", ")
}

// window performs the tasks up to number to, and counts them in order, whatever the order in which
// workers finish. A task that exceeds the limit ends the run, because its goroutine cannot be
// stopped.
func (o *options) window(ctx context.Context, s *state, to uint64, progress io.Writer) error {
	type slot struct {
		t *task
		o outcome
	}
	slots := make([]slot, to-s.Next)
	var next atomic.Uint64
	var wg sync.WaitGroup
	stuck, ended := make(chan error, 1), make(chan struct{})
	for range max(1, o.Jobs) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				k := next.Add(1) - 1
				if k >= uint64(len(slots)) {
					return
				}
				j := s.Next + k
				t := makeTask(o.Seed, j)
				what := t.describe()
				watch := time.AfterFunc(o.Limit, func() {
					select {
					case stuck <- fmt.Errorf("task %d, %s, does not end within %v", j, what, o.Limit):
					default: // another task is stuck, too
					}
				})
				slots[k] = slot{&t, t.perform(ctx, j)}
				watch.Stop()
			}
		}()
	}
	go func() { wg.Wait(); close(ended) }()
	select {
	case err := <-stuck:
		return err
	case <-ended:
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted after %d tasks", s.Next)
	}
	for k := range slots {
		s.count(slots[k].t, &slots[k].o)
		if slots[k].o.fault != nil {
			s.Failures = append(s.Failures, o.failure(ctx, s.Next+uint64(k), slots[k].t, slots[k].o.fault, progress))
		}
	}
	return nil
}

// failure writes a reproducer, reduced if possible.
func (o *options) failure(ctx context.Context, j uint64, t *task, f *shaderlift.Fault, progress io.Writer) failure {
	why, _, _ := strings.Cut(f.Err.Error(), "\n")
	x := failure{Task: j, What: t.describe(), Why: why}
	fmt.Fprintf(progress, "soak: task %d, %s: %s\n", j, x.What, why)
	if o.out == "" {
		return x
	}
	if smaller, _, err := replay.Reduce(ctx, f, o.trials); err == nil {
		f = smaller
	}
	x.File = filepath.Join(o.out, fmt.Sprintf("shaderlift-fault-%d.txtar", j))
	err := os.MkdirAll(o.out, 0o777)
	if err == nil {
		err = os.WriteFile(x.File, f.Reproducer(), 0o666)
	}
	if err != nil {
		x.Why += "; " + err.Error()
	}
	return x
}
