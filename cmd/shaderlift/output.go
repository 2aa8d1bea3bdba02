package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
)

// output is where the programs of a run go: to standard output, to a file, or below a directory.
type output struct {
	to      string // -o
	stdout  io.Writer
	dir     bool // to is a directory
	one     bool // there is one argument, so that names need not tell inputs apart
	header  bool // on standard output, name every program
	discard bool
	// Two programs may go to one place only if they are equal, as included files or shared programs
	// are.
	written map[string][sha256.Size]byte // by path, of what is there already
	paths   *paths                       // what the run reads
}

// newOutput decides from the arguments what -o means: a file for a lone program, a directory for
// anything else, or if it is one already.
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

// check refuses, before any work is done, what could not be written.
func (o *output) check(in shaderlift.Input) error {
	if o.discard || o.to != "" && !(o.to == stdinName && o.header) {
		return nil
	}
	for _, f := range in.Files {
		if format := shaderlift.Recognize(f.Data); format == shaderlift.Bytecode || format == shaderlift.Effect {
			return usagef("%s: %s is not written to standard output: give -o", f.Name, format)
		}
	}
	return nil
}

// printed reports whether programs go to standard output.
func (o *output) printed() bool { return !o.discard && (o.to == "" || o.to == stdinName) }

// protect refuses the jobs of which a file would go where the run reads or writes
// something else.
func (o *output) protect(jobs []job, p *paths) {
	o.paths = p
	if o.discard || o.printed() {
		return
	}
	for i := range jobs {
		j := &jobs[i]
		for _, file := range j.paths {
			if j.err == nil {
				j.err = p.free(o.path(j, file))
			}
		}
	}
}

// path is where a file of a job goes. Below a directory that was walked, the tree is kept; with one
// argument there is nothing else to tell apart, so the base name is enough; with several arguments
// each path is kept as it was given, as far as it stays below the output directory.
func (o *output) path(j *job, file string) string {
	if !o.dir {
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
	default: // the tree as given
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

// found are the files where those of a job go, if they hold the same bytes.
func (o *output) found(j *job, files []shaderlift.File) []fs.FileInfo {
	if o.discard || o.printed() {
		return nil
	}
	var paths []string
	var data [][]byte
	for _, f := range files {
		paths, data = append(paths, o.path(j, f.Name)), append(data, f.Data)
	}
	return same(paths, data)
}

// write writes the files of a job, all of them or none, and remembers what went where. Files that
// were found there to be the same are not written.
func (o *output) write(j *job, files []shaderlift.File, found []fs.FileInfo) error {
	switch {
	case o.discard:
		return nil
	case o.printed():
		return o.print(files)
	}
	var paths []string
	var data [][]byte
	for _, f := range files {
		path := o.path(j, f.Name)
		if err := o.paths.free(path); err != nil { // a file that an input includes
			return err
		}
		sum, taken := o.written[path]
		if taken && sum != sha256.Sum256(f.Data) || slices.Contains(paths, path) {
			return usagef("%s: another program goes to %s already", f.Name, path)
		}
		paths, data = append(paths, path), append(data, f.Data)
	}
	if !there(paths, data, found) {
		var staged stagedFiles
		defer staged.discard()
		for i, path := range paths {
			if err := staged.add(path, data[i]); err != nil {
				return err
			}
		}
		if err := staged.commit(); err != nil {
			return err
		}
	}
	for i, path := range paths {
		o.written[path] = sha256.Sum256(data[i])
	}
	return nil
}

// print writes text to standard output, under a comment with its name unless it is
// the only one.
func (o *output) print(files []shaderlift.File) error {
	var b bytes.Buffer
	for _, f := range files {
		if o.header {
			comment := "//"
			if shaderlift.Recognize(f.Data) == shaderlift.IL {
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
	return err
}
