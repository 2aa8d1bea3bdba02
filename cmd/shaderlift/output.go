package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
)

// output is the destination of a run's programs: standard output, a file, or a directory.
type output struct {
	to      string // -o
	stdout  io.Writer
	dir     bool // to is a directory
	one     bool // there is one argument, so names need not distinguish inputs
	header  bool // on standard output, print the name of every program
	discard bool
	inPlace bool // -w: programs replace their files
	backup  bool // keep replaced files (see backUp)
	// check compares files with the results instead of writing; stale has a line for each file that differs.
	check  bool
	stale  []string
	differ int // number of lines printed
	// Two programs with the same destination must be equal, as shared programs are, and are written
	// once.
	written map[string][sha256.Size]byte // checksums of written programs, by path, or by name on standard output
	paths   *paths                       // the files that the run reads
}

// newOutput interprets -o: a file for a single program, and a directory for other arguments or if
// it already is one.
func newOutput(to string, args []string, stdout io.Writer, discard bool) *output {
	o := &output{to: to, stdout: stdout, discard: discard, written: map[string][sha256.Size]byte{}}
	o.one = len(args) == 1 && !strings.HasPrefix(args[0], "@") && !isPattern(args[0])
	single := o.one && !isDir(args[0])
	pair := single && !isFile(args[0]) && strings.Contains(args[0], ",")
	o.dir = to != "" && (!single || pair || isDir(to) || strings.HasSuffix(to, string(filepath.Separator)))
	o.header = !single || pair
	return o
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// checkForm returns an error before any work for output that cannot be written: bytecode to a terminal,
// or bytecode of several programs, which would be indistinguishable, to standard output.
func (o *output) checkForm(in shaderlift.Input) error {
	if o.inPlace {
		return replaceable(in)
	}
	if !o.printed() {
		return nil
	}
	for _, f := range in.Files {
		format := shaderlift.Recognize(f.Data)
		if err := refuseBytes(f.Name, format, o.to, o.stdout); err != nil {
			return err
		}
		if o.header && isBinary(format) {
			return usagef("%s: cannot write %s of several inputs to standard output; give -o DIR, or -n for the report alone", asm.Shown(f.Name), format)
		}
	}
	return nil
}

// checkFirst returns the error of checkForm for the first of several inputs: the others probably share it, and one
// message is enough.
func (a *app) checkFirst(jobs []job, out *output) error {
	if len(jobs) < 2 || !out.printed() || jobs[0].err != nil || slices.Contains(jobs[0].paths, stdinName) {
		return nil
	}
	in, err := a.loadFiles(&jobs[0])
	if err != nil {
		return nil
	}
	return out.checkForm(in)
}

// isBinary reports whether files of a format are binary.
func isBinary(format shaderlift.Format) bool {
	return format == input.Bytecode || format == input.Effect || format == input.SPIRV
}

// refuseBytes returns an error for bytecode to a terminal, unless -o (to) names standard output.
func refuseBytes(name string, format shaderlift.Format, to string, stdout io.Writer) error {
	if to != "" || !isBinary(format) || !isTerminal(stdout) {
		return nil
	}
	return usagef("%s: cannot write %s to a terminal; redirect standard output or give -o", asm.Shown(name), format)
}

// printed reports whether programs go to standard output.
func (o *output) printed() bool {
	return !o.discard && !o.inPlace && (o.to == "" || o.to == stdinName)
}

// claimStdout claims standard output for the named purpose, if programs go there.
func (o *output) claimStdout(p *paths, what string) error {
	switch {
	case !o.printed():
		return nil
	case o.to == stdinName:
		return p.writes(stdinName, what)
	}
	return p.prints(stdinName, what)
}

// protect marks jobs as failed if one of their outputs is a file that the run reads, or writes for
// another purpose.
func (o *output) protect(jobs []job, p *paths) {
	if o.paths = p; o.discard || o.inPlace || o.printed() {
		return
	}
	for i := range jobs {
		j := &jobs[i]
		for _, file := range j.paths {
			if j.err == nil {
				j.err = p.checkFree(o.destinationOf(j, file))
			}
		}
	}
}

// destinationOf returns the destination of a job's file. For a directory walk, it keeps the tree. With one
// argument, the base name is enough. With several arguments, it keeps each path as given, if it
// stays below the output directory.
func (o *output) destinationOf(j *job, file string) string {
	switch {
	case o.inPlace:
		return file
	case !o.dir:
		return o.to
	}
	name := file
	if name == stdinName {
		name = "stdin"
	}
	switch rel, err := filepath.Rel(j.under, name); {
	case o.one && j.under != "" && err == nil:
		name = rel
	case o.one:
		name = filepath.Base(name)
	default: // keep the path as given
		name = strings.TrimPrefix(filepath.Clean(name), filepath.VolumeName(name))
		// Drop leading elements such as .. or / until the rest is local.
		for !filepath.IsLocal(name) {
			_, rest, ok := strings.Cut(name, string(filepath.Separator))
			if !ok {
				return filepath.Join(o.to, filepath.Base(file))
			}
			name = rest
		}
	}
	return filepath.Join(o.to, name)
}

// found returns the files at the destinations of a job, if they already have the same content.
func (o *output) found(j *job, files []shaderlift.File) []fs.FileInfo {
	if o.discard || o.inPlace || o.printed() {
		return nil
	}
	var paths []string
	var data [][]byte
	for _, f := range files {
		paths, data = append(paths, o.destinationOf(j, f.Name)), append(data, f.Data)
	}
	return unchangedFiles(paths, data)
}

// write writes files of a finished job, all of them or none, and records their destinations. It skips
// files that found has shown to be equal.
func (o *output) write(d *outcome, files []shaderlift.File, found []fs.FileInfo) error {
	switch {
	case o.discard:
		return nil
	case o.printed():
		return o.print(files)
	}
	var paths []string
	var data [][]byte
	var kept []fs.FileInfo // the files of found that remain
	for i, f := range files {
		path := o.destinationOf(&d.job, f.Name)
		if o.inPlace {
			if string(f.Data) == string(d.read[i].Data) {
				continue
			}
			if err := keepsDirectives(d.read[i], f); err != nil {
				return err
			}
		} else if err := o.paths.checkFree(path); err != nil { // a file that an input includes
			return err
		}
		sum, taken := o.written[path]
		if taken && sum != sha256.Sum256(f.Data) || slices.Contains(paths, path) {
			return usagef("%s: another program is already written to %s", f.Name, path)
		}
		if taken {
			continue
		}
		if paths, data = append(paths, path), append(data, f.Data); found != nil {
			kept = append(kept, found[i])
		}
	}
	if len(paths) == 0 {
		return nil
	}
	var err error
	switch {
	case o.check:
		o.compare(paths, data)
	case o.inPlace:
		err = replaceFiles(paths, data, d.read, o.backup)
	case !there(paths, data, kept):
		err = writeFiles(paths, data, nil)
	}
	if err != nil {
		return err
	}
	for i, path := range paths {
		o.written[path] = sha256.Sum256(data[i])
	}
	return nil
}

// print writes text to standard output, below a comment with its name unless there is only one
// program.
func (o *output) print(files []shaderlift.File) error {
	var b bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		if o.header && o.written[f.Name] == sum {
			continue
		}
		o.written[f.Name] = sum
		if o.header {
			comment := "//"
			if shaderlift.Recognize(f.Data) == input.IL {
				comment = ";"
			}
			fmt.Fprintf(&b, "%s %s\n", comment, asm.Shown(f.Name))
		}
		b.Write(f.Data)
		if o.header && !bytes.HasSuffix(f.Data, []byte("\n")) {
			b.WriteByte('\n')
		}
	}
	_, err := o.stdout.Write(b.Bytes())
	if errors.Is(err, syscall.EPIPE) {
		return nil // the stream keeps the error, and run ends with its status
	}
	return err
}
