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
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/regular"
	"github.com/shaderlift/shaderlift/opt/input"
)

// stdinName denotes standard input in arguments and reports.
const stdinName = "-"

// stdin is standard input, which its first reader reads completely.
type stdin struct {
	mu   sync.Mutex
	r    io.Reader
	data []byte // the data read
}

func (s *stdin) readInput() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := readAll(s.r, stdinName)
	if err == nil {
		s.data = data
	}
	return data, err
}

// kept returns the data read.
func (s *stdin) kept() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data
}

// job is an input that has not been read yet.
type job struct {
	input string   // spelling in reports
	name  string   // short name
	paths []string // one program, or vertex and pixel program
	under string   // the root of the directory walk that found it, or empty
	err   error    // reason why it cannot be read
}

// program returns the job of one file.
func program(path string) job { return job{input: path, paths: []string{path}} }

// failure returns a job for an input that cannot be read.
func failure(path string, err error) job {
	j := program(path)
	if j.err = err; !isDiag(err) {
		j.err = cannotRead(path, err)
	}
	return j
}

// expander converts arguments to jobs (files, pairs, directories, patterns, lists) and passes each
// to yield until that returns false. Its methods then return false as well.
type expander struct {
	app   *app
	yield func(job) bool
	lists map[string]bool // lists being read
}

// expand passes the jobs of the arguments to yield, in order.
func (a *app) expand(args []string, yield func(job) bool) {
	e := &expander{app: a, lists: map[string]bool{}}
	e.yield = func(j job) bool { return a.unpack(j, yield) }
	for _, arg := range args {
		if !e.argument(arg) {
			return
		}
	}
}

func (e *expander) argument(arg string) bool {
	if list, ok := strings.CutPrefix(arg, "@"); ok {
		return e.readList(list)
	}
	if arg == stdinName {
		return e.yield(job{input: arg, name: "stdin", paths: []string{arg}})
	}
	info, err := os.Stat(arg)
	switch paths := strings.Split(arg, ","); {
	case err == nil && info.IsDir():
		return e.walkFrom(arg)
	case isPattern(arg):
		return e.pattern(arg)
	case err != nil && len(paths) > 1: // the name of a file may contain a comma
		return e.yield(job{input: arg, paths: paths})
	}
	return e.yield(program(arg))
}

// isPattern reports whether arg is a pattern for file names, which some shells leave to the
// command. The name of an existing file is not a pattern.
func isPattern(arg string) bool {
	_, err := os.Stat(arg)
	return err != nil && strings.ContainsAny(arg, "*?[") && !strings.Contains(arg, ",")
}

// pattern passes the matching files to yield, in the order of names.
func (e *expander) pattern(arg string) bool {
	found, err := filepath.Glob(arg)
	if err == nil && len(found) == 0 {
		err = errors.New("no file matches this pattern")
	}
	if err != nil {
		return e.yield(failure(arg, err))
	}
	for _, path := range found {
		if isTemporary(filepath.Base(path)) || isBackup(path) && !strings.HasSuffix(arg, backupSuffix) {
			continue // see folder
		}
		if isDir(path) && !e.walkFrom(path) || !isDir(path) && !e.yield(program(path)) {
			return false
		}
	}
	return true
}

// readList reads a file of inputs, one per line. A list may name other lists, but not itself. It may
// begin with a byte order mark, as editors on Windows write it.
func (e *expander) readList(name string) bool {
	if e.lists[name] {
		return e.yield(failure(name, errors.New("the list includes itself")))
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

// folder returns the inputs among the files of one directory: a pair if they are exactly one vertex
// and one pixel program, and otherwise each file separately. It skips files of unknown formats, and
// keeps the first of them for the message if there is nothing else. It also skips temporary files
// of a running or killed run, which may be incomplete, and backups: both would prevent a pair.
func (a *app) folder(root, dir string, entries []fs.DirEntry) []job {
	var jobs []job
	var stages [2][]string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if isTemporary(entry.Name()) || isBackup(path) {
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue // includes broken links
		}
		format, other, err := recognize(path)
		if err != nil {
			jobs = append(jobs, failure(path, err))
			continue
		}
		if format == input.Unrecognized {
			o, err := a.open(path)
			if d := (*asm.Diag)(nil); errors.As(err, &d) && d.Code != "foreign-format" {
				jobs = append(jobs, failure(path, err))
				continue
			}
			if o == nil {
				if a.passed == nil {
					a.passed = other
				}
				continue
			}
		}
		j := program(path)
		j.under = root
		jobs = append(jobs, j)
		if stage, ok := a.stageOf(format, path); ok {
			stages[stage] = append(stages[stage], path)
		}
	}
	jobs = pairModules(jobs, root)
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

// Endings of the names of SPIR-V modules that form a pair, as glslang's users write them.
const (
	vertexSuffix   = ".vert.spv"
	fragmentSuffix = ".frag.spv"
)

// pairModules joins the jobs of NAME.vert.spv and NAME.frag.spv in a folder, if both can be read.
func pairModules(jobs []job, root string) (list []job) {
	readable := map[string]bool{}
	for _, j := range jobs {
		readable[j.paths[0]] = j.err == nil
	}
	other := func(path, suffix, want string) (partner string, ok bool) {
		stem, ok := strings.CutSuffix(path, suffix)
		return stem + want, ok && readable[stem+want]
	}
	for _, j := range jobs {
		path := j.paths[0]
		if _, paired := other(path, fragmentSuffix, vertexSuffix); paired && j.err == nil {
			continue
		}
		if partner, paired := other(path, vertexSuffix, fragmentSuffix); paired && j.err == nil {
			name, _ := strings.CutSuffix(filepath.Base(path), vertexSuffix)
			j = job{name: name, under: root, paths: []string{path, partner}, input: path + "," + partner}
		}
		list = append(list, j)
	}
	return list
}

// recognize returns the format of a file, from its beginning. For a file that is not read, other
// describes its format if it is known.
func recognize(path string) (format shaderlift.Format, other, err error) {
	data, err := readHead(path)
	if format = shaderlift.Recognize(data); format == input.Unrecognized {
		other = containers.CheckForeign(path, data)
	}
	return format, other, err
}

// readHead reads the first 64 KiB of a regular file. A pipe must be read only once, as a whole.
func readHead(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<16))
}

// stageOf returns the stage of a program; ok is false for other files and for unreadable programs.
func (a *app) stageOf(format shaderlift.Format, path string) (stage d3d9.Stage, ok bool) {
	if format != input.Assembly && format != input.Bytecode {
		return 0, false
	}
	data, err := readPath(path, nil)
	if err != nil {
		return 0, false
	}
	p, err := d3d9.ReadWith(path, data, a.include)
	if err != nil {
		return 0, false
	}
	return p.Model.Stage, true
}

// loadFiles reads the files of a job, which are already recorded. The error names a file that cannot be
// read.
func (a *app) loadFiles(j *job) (shaderlift.Input, error) {
	input := shaderlift.Input{Name: j.name, Include: a.include}
	if j.err != nil {
		input.Files = []shaderlift.File{{Name: j.input}}
		return input, j.err
	}
	var diags asm.Diags
	for i, path := range j.paths {
		if path == "" {
			diags = append(diags, asm.Errorf(asm.Pos{File: strconv.Quote(j.input)}, "empty-name", "the file name is empty"))
			continue
		}
		data, held := a.held[path]
		var err error
		switch o, p := a.containerOf(path); {
		case p != nil:
			data = p.Data
			if len(j.paths) == 1 && j.name == "" {
				input.Name = filepath.Base(path) // whole: .1 of program 0.1 is no extension
			}
		case o != nil:
			err = o.lacks(path)
		case !held:
			data, err = readPath(path, &a.in)
		}
		f := shaderlift.File{Name: path, Data: data}
		if err == nil {
			f, err = a.compile(f, i)
		}
		switch err := err.(type) {
		case *asm.Diag:
			diags = append(diags, err)
		case asm.Diags:
			diags = append(diags, err...)
		case nil:
		default:
			return input, err
		}
		input.Files = append(input.Files, f)
	}
	if len(diags) > 0 {
		return input, diags
	}
	a.unused.observeInput(input.Kind())
	return input, nil
}

// reason returns an error without the paths that package os adds.
func reason(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
