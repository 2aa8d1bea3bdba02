package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/foreign"
)

// stdinName is how an argument and the reports call standard input.
const stdinName = "-"

// stdin is standard input, which whoever asks first gets as a whole.
type stdin struct {
	mu   sync.Mutex
	r    io.Reader
	data []byte // what was read
}

func (s *stdin) all() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := readAll(s.r, stdinName)
	if err == nil {
		s.data = data
	}
	return data, err
}

// kept is what was read.
func (s *stdin) kept() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data
}

// job is an input that is still on disk.
type job struct {
	input string   // as reports spell it
	name  string   // short
	paths []string // one program, or vertex and pixel
	under string   // the directory that was walked to find it, or empty
	err   error    // why there is nothing to be read
}

// program is the job of one file.
func program(path string) job { return job{input: path, paths: []string{path}} }

// failure is the job of something that cannot be read.
func failure(path string, err error) job {
	j := program(path)
	if j.err = err; !isDiag(err) {
		j.err = cannotRead(path, err)
	}
	return j
}

// expander turns arguments into jobs (files, pairs, directories, patterns, lists), handing each to
// yield until that returns false. Its methods return false as well then.
type expander struct {
	app   *app
	yield func(job) bool
	lists map[string]bool // being read
}

// expand hands the jobs of the arguments to yield, in order.
func (a *app) expand(args []string, yield func(job) bool) {
	e := &expander{app: a, yield: yield, lists: map[string]bool{}}
	for _, arg := range args {
		if !e.argument(arg) {
			return
		}
	}
}

func (e *expander) argument(arg string) bool {
	if list, ok := strings.CutPrefix(arg, "@"); ok {
		return e.list(list)
	}
	if arg == stdinName {
		return e.yield(job{input: arg, name: "stdin", paths: []string{arg}})
	}
	info, err := os.Stat(arg)
	switch paths := strings.Split(arg, ","); {
	case err == nil && info.IsDir():
		return e.walk(arg)
	case isPattern(arg):
		return e.pattern(arg)
	case err != nil && len(paths) > 1: // a file may have a comma in its name
		return e.yield(job{input: arg, paths: paths})
	}
	return e.yield(program(arg))
}

// isPattern reports whether arg stands for the files whose names match it: shells that leave
// that to the command hand it over as it is. A file of that very name is itself.
func isPattern(arg string) bool {
	_, err := os.Stat(arg)
	return err != nil && strings.ContainsAny(arg, "*?[") && !strings.Contains(arg, ",")
}

// pattern hands over what matches, in the order of names.
func (e *expander) pattern(arg string) bool {
	found, err := filepath.Glob(arg)
	if err == nil && len(found) == 0 {
		err = errors.New("no file has a name like this")
	}
	if err != nil {
		return e.yield(failure(arg, err))
	}
	for _, path := range found {
		if isTemporary(filepath.Base(path)) {
			continue // see folder
		}
		if isDir(path) && !e.walk(path) || !isDir(path) && !e.yield(program(path)) {
			return false
		}
	}
	return true
}

// list reads a file of inputs, one a line; a list may name other lists, but not itself. Editors on
// Windows begin it with a byte order mark.
func (e *expander) list(name string) bool {
	if e.lists[name] {
		return e.yield(failure(name, errors.New("the list contains itself")))
	}
	data, err := e.app.readFile(name)
	if err != nil {
		return e.yield(failure(name, err))
	}
	e.lists[name] = true
	defer delete(e.lists, name)
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !e.argument(line) {
			return false
		}
	}
	return true
}

// walk hands over what is in a directory, folder by folder in the order of names. Results that an
// earlier run has put into it are no inputs, or each run would have those of the last one as well.
func (e *expander) walk(root string) (more bool) {
	more = true
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			return nil
		}
		if err == nil && path != root && e.app.isResults(d) {
			return fs.SkipDir
		}
		// An unreadable directory is an input that fails; the walk goes on behind it.
		jobs := []job{failure(path, err)}
		if err == nil {
			jobs = e.app.folder(root, path)
		}
		for _, j := range jobs {
			if more = e.yield(j); !more {
				return fs.SkipAll
			}
		}
		if err != nil && d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return more
}

// isResults reports whether d is the directory that results go to.
func (a *app) isResults(d fs.DirEntry) bool {
	info, err := d.Info()
	return err == nil && os.SameFile(info, a.results)
}

// folder lists the inputs among the files of one directory: a pair if they are exactly one vertex
// and one pixel program, otherwise each by itself. Files of formats that are not read are passed
// over; the first of them is remembered for the message if nothing else is found. So are the temporary
// files of a run that is writing there or was killed: they may be half of a program, and a pair beside
// one would no longer be alone.
func (a *app) folder(root, dir string) []job {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // the walk is told so too
	}
	var jobs []job
	var stages [2][]string
	for _, entry := range entries {
		if isTemporary(entry.Name()) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue // links that lead nowhere among them
		}
		format, other, err := recognize(path)
		if err != nil {
			jobs = append(jobs, failure(path, err))
			continue
		}
		if format == shaderlift.Unrecognized {
			if a.passed == nil {
				a.passed = other
			}
			continue
		}
		j := program(path)
		j.under = root
		jobs = append(jobs, j)
		if stage, ok := a.stageOf(format, path); ok {
			stages[stage] = append(stages[stage], path)
		}
	}
	if len(stages[d3d9.Vertex]) != 1 || len(stages[d3d9.Pixel]) != 1 {
		return jobs
	}
	pair := job{name: filepath.Base(dir), under: root, paths: []string{stages[d3d9.Vertex][0], stages[d3d9.Pixel][0]}}
	pair.input = strings.Join(pair.paths, ",")
	others := []job{pair}
	for _, j := range jobs {
		if j.paths[0] != pair.paths[0] && j.paths[0] != pair.paths[1] {
			others = append(others, j)
		}
	}
	return others
}

// recognize tells what a file is from its beginning, whatever its size; what is not read may be
// something else with a name.
func recognize(path string) (format shaderlift.Format, other, err error) {
	f, err := os.Open(path)
	if err != nil {
		return shaderlift.Unrecognized, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if format = shaderlift.Recognize(data); format == shaderlift.Unrecognized {
		other = foreign.Check(path, data)
	}
	return format, other, err
}

// stageOf is the stage of a program; ok is false for anything else, and for a program
// that cannot be read.
func (a *app) stageOf(format shaderlift.Format, path string) (stage d3d9.Stage, ok bool) {
	if format != shaderlift.Assembly && format != shaderlift.Bytecode {
		return 0, false
	}
	data, err := read(path, nil)
	if err != nil {
		return 0, false
	}
	p, err := d3d9.ReadWith(path, data, a.include)
	if err != nil {
		return 0, false
	}
	return p.Model.Stage, true
}

// load reads the files of a job, which are noted already. What cannot be read is in the
// error.
func (a *app) load(j *job) (shaderlift.Input, error) {
	input := shaderlift.Input{Name: j.name, Include: a.include}
	if j.err != nil {
		input.Files = []shaderlift.File{{Name: j.input}}
		return input, j.err
	}
	var diags asm.Diags
	for _, path := range j.paths {
		if path == "" {
			diags = append(diags, asm.Errorf(asm.Pos{File: strconv.Quote(j.input)}, "empty-name", "a file name is empty"))
			continue
		}
		data, err := read(path, &a.in)
		if d, ok := err.(*asm.Diag); ok {
			diags = append(diags, d)
		}
		input.Files = append(input.Files, shaderlift.File{Name: path, Data: data})
	}
	if len(diags) > 0 {
		return input, diags
	}
	return input, nil
}

// reason is an error without the paths that os puts into it.
func reason(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
