package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/bench/internal/root"
)

// garbage is the percentage of live memory that may be allocated between collections: inputs are small.
const garbage = 400

// options holds the flags, and the folders of the inputs and of the stored lines.
type options struct {
	sweep, input, out string
	update            bool
	corpus, stored    string
}

func main() {
	debug.SetGCPercent(garbage)
	o := options{corpus: "../shared/corpus", stored: "bench/golden/testdata"}
	flag.StringVar(&o.sweep, "sweep", "", "run the sweep of this `name` only, such as effects-d3d9")
	flag.StringVar(&o.input, "input", "", "write the results for the input of this `name` to -out, without a comparison")
	flag.StringVar(&o.out, "out", "", "the `directory` for -input; each sweep gets a folder in it")
	flag.BoolVar(&o.update, "update", false, "store the computed lines")
	flag.Parse()
	err := root.Enter()
	if err == nil {
		err = o.run(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

// run runs the chosen sweeps.
func (o *options) run(w io.Writer) error {
	if (o.input == "") != (o.out == "") || o.input != "" && o.update {
		return errors.New("-input needs -out, and -update takes neither")
	}
	lines, differ := 0, 0
	for _, s := range sweeps {
		if o.sweep != "" && o.sweep != s.name {
			continue
		}
		tasks, err := s.tasks(o.corpus)
		if err != nil {
			return err
		}
		if o.input != "" {
			tasks = slices.DeleteFunc(tasks, func(t *task) bool { return t.Name != o.input })
		}
		lines += len(tasks)
		if err := o.compute(&s, tasks); err != nil {
			return err
		}
		if o.input == "" {
			n, err := o.compare(&s, tasks, w)
			if differ += n; err != nil {
				return err
			}
		}
	}
	switch {
	case lines == 0:
		return fmt.Errorf("there is no input %q in sweep %q: %s lists them", o.input, o.sweep, o.stored)
	case differ > 0:
		return fmt.Errorf("%d lines differ: if this is intended, run go run -C bench ./golden -update", differ)
	case o.update:
		fmt.Fprintf(w, "stored %d lines\n", lines)
	case o.input != "":
		fmt.Fprintf(w, "wrote the results of %d lines\n", lines)
	default:
		fmt.Fprintf(w, "no difference in %d lines\n", lines)
	}
	return nil
}

// compute runs tasks concurrently.
func (o *options) compute(s *sweep, tasks []*task) error {
	var wait sync.WaitGroup
	workers, errs := make(chan bool, runtime.GOMAXPROCS(0)), make([]error, len(tasks))
	for i, t := range tasks {
		workers <- true
		wait.Add(1)
		go func() {
			defer wait.Done()
			errs[i] = t.run(o.out, s.name)
			<-workers
		}()
	}
	wait.Wait()
	return errors.Join(errs...)
}

// compare stores the computed lines of a sweep, or prints those that differ and returns their number.
func (o *options) compare(s *sweep, tasks []*task, w io.Writer) (differ int, err error) {
	path, stored, computed := filepath.Join(o.stored, s.name+".txt"), map[string]string{}, ""
	data, err := os.ReadFile(path)
	if err != nil && !o.update {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		name, _, _ := strings.Cut(line, "\t")
		stored[name] = line
	}
	for _, t := range tasks {
		computed += t.line
		if old := stored[t.Name]; t.line != old && !o.update {
			fmt.Fprintf(w, "%s:\n- %s\n+ %s", s.name, strings.TrimSpace(old), t.line)
			differ++
		}
		delete(stored, t.Name)
	}
	if o.update {
		return 0, os.WriteFile(path, []byte(computed), 0o666)
	}
	for name := range stored {
		fmt.Fprintf(w, "%s: the corpus lacks %d inputs that have lines, such as %s\n", s.name, len(stored), name)
		break
	}
	return differ + len(stored), nil
}
