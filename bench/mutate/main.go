package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shaderlift/shaderlift/bench/internal/mutate"
	"github.com/shaderlift/shaderlift/bench/internal/root"
	"github.com/shaderlift/shaderlift/bench/internal/series"
	"github.com/shaderlift/shaderlift/verify"
)

func main() {
	err := root.Enter()
	if err == nil {
		err = run(os.Args[1:], os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// options holds the flags. undecided, caught and refuted are thresholds in per cent, beyond which
// the run fails.
type options struct {
	series.Options
	kinds            string
	corpus, testdata string
	examples         string
	json, list       bool
	only             string
	effort           string
	undecided        float64
	caught, refuted  float64
}

func run(args []string, out, progress io.Writer) error {
	var o options
	f := flag.NewFlagSet("mutate", flag.ContinueOnError)
	o.Register(f, "mutant", 1000, time.Minute)
	f.StringVar(&o.kinds, "kinds", "", "`names` of kinds, or their beginnings, separated by commas; all if empty")
	f.StringVar(&o.only, "only", "", "`numbers` of mutants to make, separated by commas, instead of the first -n")
	f.StringVar(&o.effort, "verify", "quick", "`effort` of the verification, quick or full")
	f.StringVar(&o.corpus, "corpus", "../shared/corpus", "a `directory` of programs, where present")
	f.StringVar(&o.testdata, "testdata", "testdata", "another `directory` of programs")
	f.StringVar(&o.examples, "examples", "", "write accepted mutants to this `directory`")
	f.BoolVar(&o.json, "json", false, "print results, one per line, instead of the table")
	f.BoolVar(&o.list, "list", false, "print the table of kinds and exit")
	f.Float64Var(&o.undecided, "undecided", 0.2, "the largest allowed share of mutants that only tests accept, in `percent`")
	f.Float64Var(&o.caught, "caught", 0, "the smallest allowed share of caught mutants among those that no proof accepts, in `percent`")
	f.Float64Var(&o.refuted, "refuted", 0, "the smallest allowed share of refuted mutants among those that an execution can show, in `percent`")
	stop, err := o.Start(f, args)
	if err != nil {
		return err
	}
	defer stop()
	if o.list {
		return list(out)
	}
	kinds, err := o.chosen()
	if err != nil {
		return err
	}
	c := mutate.Config{N: int(o.N), Seed: o.Seed, Kinds: kinds, Jobs: o.Jobs, Limit: o.Limit,
		Subjects: mutate.ReadSubjects(filepath.Join(o.corpus, "d3d9", "pairs"), filepath.Join(o.corpus, "il"), o.testdata)}
	if c.Effort, err = verify.ParseEffort(o.effort); err != nil {
		return err
	}
	if c.Only, err = o.numbers(); err != nil {
		return err
	}
	fmt.Fprintf(progress, "mutate: %d programs from files\n", c.Subjects.Len())
	state, err := o.resume(&c)
	if err != nil {
		return err
	}
	results := mutate.Run(c)
	if state != nil {
		if err := state.close(); err != nil {
			return err
		}
	}
	return o.conclude(results, out)
}

// chosen returns the kinds of mutants to make.
func (o *options) chosen() (kinds []*mutate.Kind, err error) {
	if o.kinds == "" {
		return nil, nil
	}
	for _, name := range strings.Split(o.kinds, ",") {
		n := len(kinds)
		for i := range mutate.Kinds {
			if k := &mutate.Kinds[i]; strings.HasPrefix(k.String(), name) || k.Name == name {
				kinds = append(kinds, k)
			}
		}
		if len(kinds) == n {
			return nil, fmt.Errorf("unknown kind %q", name)
		}
	}
	return kinds, nil
}

// numbers returns the numbers of the mutants to make.
func (o *options) numbers() (list []int, err error) {
	for _, s := range strings.FieldsFunc(o.only, func(r rune) bool { return r == ',' }) {
		j, err := strconv.Atoi(s)
		if err != nil || j < 0 {
			return nil, fmt.Errorf("%q is not the number of a mutant", s)
		}
		list = append(list, j)
	}
	return list, nil
}

// log is the file of results: a line with the head, then one line for each result, as JSON.
type log struct {
	file *os.File
	w    *bufio.Writer
	err  error
}

// head holds the parameters that determine the results. A file with another head belongs to another
// run.
type head struct {
	Seed     uint64 `json:"seed"`
	Kinds    string `json:"kinds"`
	Subjects int    `json:"subjects"`
	Effort   string `json:"verify"`
}

// resume reads the results of an earlier run from the state file, and appends to it.
func (o *options) resume(c *mutate.Config) (*log, error) {
	if o.State == "" {
		return nil, nil
	}
	file, err := os.OpenFile(o.State, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	want := head{o.Seed, o.kinds, c.Subjects.Len(), o.effort}
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 64<<20)
	first := true
	for ; scan.Scan(); first = false {
		if first {
			var h head
			if err := json.Unmarshal(scan.Bytes(), &h); err != nil || h != want {
				return nil, fmt.Errorf("%s belongs to another run: %s", o.State, scan.Text())
			}
			continue
		}
		var r mutate.Result
		// These results are not computed again (Config.Done).
		if json.Unmarshal(scan.Bytes(), &r) == nil { // the last line of a killed run may be incomplete
			c.Done = append(c.Done, r)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	l := &log{file: file, w: bufio.NewWriter(file)}
	if first {
		l.line(want)
	}
	c.Report = func(r mutate.Result) { l.line(r) }
	return l, nil
}

// line writes a value and keeps the first error for close.
func (l *log) line(v any) {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = l.w.Write(append(data, '\n'))
	}
	if err == nil {
		err = l.w.Flush()
	}
	if l.err == nil {
		l.err = err
	}
}

func (l *log) close() error {
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	return l.err
}

// conclude prints the score and returns an error for each threshold that it misses.
func (o *options) conclude(results []mutate.Result, out io.Writer) error {
	t := mutate.Tabulate(results)
	w := bufio.NewWriter(out)
	if o.json {
		e := json.NewEncoder(w)
		for _, r := range results {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
	} else if err := t.Write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := o.write(results); err != nil {
		return err
	}
	for _, r := range results {
		if r.Outcome == mutate.Wrong || r.Outcome == mutate.Crashed {
			fmt.Fprintf(out, "\nmutant %d, %s of %s: %s\n%s %s %s\n%s", r.Number, r.Kind, r.Subject, r.What, r.Outcome,
				r.Verdict, r.Why, r.Difference)
		}
	}
	s := t.Total
	switch {
	case o.only == "" && s.Valid() < int(o.N):
		return fmt.Errorf("%d valid mutants, not %d", s.Valid(), o.N)
	case s.Wrong+s.Crashed > 0:
		return fmt.Errorf("%d accepted mutants are wrong, and the judge failed on %d", s.Wrong, s.Crashed)
	case float64(s.Undecided) > o.undecided/100*float64(s.Valid()):
		return fmt.Errorf("%d of %d mutants are undecided", s.Undecided, s.Valid())
	case 100*s.Share() < o.caught:
		return fmt.Errorf("%.2f %% of the mutants that no proof accepts were caught, not %g %%", 100*s.Share(), o.caught)
	case 100*t.Executable.ShareRefuted() < o.refuted:
		return fmt.Errorf("%.2f %% of the mutants that an execution can show were refuted, not %g %%",
			100*t.Executable.ShareRefuted(), o.refuted)
	}
	return nil
}

// write writes the accepted mutants to files for inspection.
func (o *options) write(results []mutate.Result) error {
	if o.examples == "" {
		return nil
	}
	if err := os.MkdirAll(o.examples, 0o777); err != nil {
		return err
	}
	for _, r := range results {
		if r.After == "" {
			continue
		}
		name := fmt.Sprintf("%05d-%s-%s.txt", r.Number, strings.ReplaceAll(r.Kind, "/", "-"), r.Outcome)
		text := fmt.Sprintf("%s of %s: %s\n%s %s %s\n%s\n-- before --\n%s\n-- after --\n%s", r.Kind, r.Subject, r.What,
			r.Verdict, r.Methods, r.Why, r.Difference, r.Before, r.After)
		if err := os.WriteFile(filepath.Join(o.examples, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// list prints the table of kinds.
func list(out io.Writer) error {
	w := bufio.NewWriter(out)
	for i := range mutate.Kinds {
		k := &mutate.Kinds[i]
		fmt.Fprintf(w, "%-32s %s\n", k, k.Doc)
	}
	return w.Flush()
}
