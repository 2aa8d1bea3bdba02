package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/asm"
)

// paths is the table of the files that a run reads and writes. Commands note what they read before
// they claim what they write. No file is both read and written, or written for two purposes, under
// whatever name.
type paths struct {
	mu      sync.Mutex           // of read
	read    map[fileKey][]string // names
	stdin   bool                 // standard input is read
	written map[string]string    // by place, what goes there
}

// fileKey narrows down which files may be the same: os.SameFile decides, but needs a stat of each.
type fileKey struct{ size, modified int64 }

func keyOf(info fs.FileInfo) fileKey { return fileKey{info.Size(), info.ModTime().UnixNano()} }

// reads notes that the file at path is read. Standard input has nothing for a second reader.
func (p *paths) reads(path string) error {
	if path == stdinName {
		if p.stdin {
			return asm.Errorf(asm.Pos{File: path}, "cannot-read", "standard input can be read only once")
		}
		p.stdin = true
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // whoever reads it says what is wrong
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		p.read = map[fileKey][]string{}
	}
	p.read[keyOf(info)] = append(p.read[keyOf(info)], path)
	return nil
}

// job notes the files of a job, whose error says which cannot be read.
func (p *paths) job(j *job) {
	for _, path := range j.paths {
		if err := p.reads(path); err != nil && j.err == nil {
			j.err = err
		}
	}
}

// writes claims path, a file or "-" for standard output, for what is named. It refuses
// what the run reads and what is claimed already. Devices take anything.
func (p *paths) writes(path, what string) error {
	if err := p.free(path); err != nil {
		return err
	}
	if path == stdinName || !isDevice(path) {
		if p.written == nil {
			p.written = map[string]string{}
		}
		p.written[place(path)] = what
	}
	return nil
}

// free refuses a path that the run reads, or that is claimed for something else.
func (p *paths) free(path string) error {
	if what, taken := p.claim(path); taken {
		if path == stdinName {
			return usagef("%s goes to standard output already", what)
		}
		return asm.Errorf(asm.Pos{File: path}, "written-twice", "%s goes there already", what)
	}
	info, err := os.Stat(path)
	if err != nil || path == stdinName {
		return nil // not there yet
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range p.read[keyOf(info)] {
		if read, err := os.Stat(other); err == nil && os.SameFile(info, read) {
			return asm.Errorf(asm.Pos{File: path}, "overwrites-input", "this is an input, which is not written over")
		}
	}
	return nil
}

// claim is what is claimed to go to path, if anything is. A batch asks for each file that it writes, and
// to find its place takes a system call for each folder above it; but where path is no link, its place
// has the same last element. (Not so on Windows, where a file has a short name as well.)
func (p *paths) claim(path string) (what string, taken bool) {
	if abs, err := filepath.Abs(path); err == nil && path != stdinName && filepath.Separator == '/' {
		named := false
		for place := range p.written {
			named = named || filepath.Base(place) == filepath.Base(abs)
		}
		if info, err := os.Lstat(abs); !named && (err == nil && info.Mode()&fs.ModeSymlink == 0 || errors.Is(err, fs.ErrNotExist)) {
			return "", false
		}
	}
	what, taken = p.written[place(path)]
	return what, taken
}

// place is a canonical name of a file, the same for all of its names: absolute, with symbolic links
// resolved as far as the path exists.
func place(path string) string {
	if path == stdinName {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if to, err := followed(abs); err == nil {
		abs = to
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	dir := filepath.Dir(abs)
	if dir == abs {
		return abs
	}
	return filepath.Join(place(dir), filepath.Base(abs))
}

// maxLinks bounds how many symbolic links lead on from one to the next, as systems do.
const maxLinks = 40

// followed is the file that path leads to if it is a symbolic link, whether that file is there or not:
// what is opened for writing is found so.
func followed(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil { // it is no link
			return path, nil
		}
		if !filepath.IsAbs(to) {
			// What ".." says depends on where the directory of the link really is.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", errors.New("too many symbolic links")
}

// maxInput bounds the bytes of a file that is read: many times what the longest program
// of any model takes, as text.
const maxInput = 16 << 20

// readFile reads and notes a file, or standard input, as a whole.
func (a *app) readFile(path string) ([]byte, error) {
	if err := a.paths.reads(path); err != nil {
		return nil, err
	}
	return read(path, &a.in)
}

// include opens a file that an assembly text includes, relative to the text; a backslash separates
// as well. Included files are noted as read, so that they are not overwritten. Only regular files
// are opened: a device might never end.
func (a *app) include(from, name string) (string, []byte, error) {
	path := filepath.FromSlash(strings.ReplaceAll(name, "\\", "/"))
	if from != stdinName && !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from), path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return path, nil, errors.New("not a file") // that ends
	}
	f, err := os.Open(path)
	if err != nil {
		return path, nil, reason(err)
	}
	defer f.Close()
	a.paths.reads(path)
	data, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	return path, data, err
}

func read(path string, in *stdin) ([]byte, error) {
	if path == stdinName {
		return in.all()
	}
	if path == "" {
		return nil, asm.Errorf(asm.Pos{File: strconv.Quote(path)}, "empty-name", "a file name is empty")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	defer f.Close()
	return readAll(f, path)
}

// readAll reads what is not too large.
func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, cannotRead(name, err)
	case len(data) > maxInput:
		return nil, asm.Errorf(asm.Pos{File: name}, "too-large", "more than %d MiB", maxInput>>20)
	}
	return data, nil
}

func cannotRead(path string, err error) error {
	return asm.Errorf(asm.Pos{File: path}, "cannot-read", "%v", reason(err))
}

// stream is an output of the process that keeps the first error of writing. A command whose output
// is lost must not exit with status 0, even if no caller looked at the error.
type stream struct {
	io.Writer
	mu  sync.Mutex // of both
	err error
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.Writer.Write(b)
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("cannot be written: %w", reason(err))
	}
	return n, err
}
