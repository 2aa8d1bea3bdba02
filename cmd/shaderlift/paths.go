package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"github.com/shaderlift/shaderlift/asm"
)

// paths records the files that a run reads and writes. Commands record reads before they claim
// writes. No file may be both read and written, or written for two purposes, under any name.
type paths struct {
	mu      sync.Mutex           // guards read
	read    map[fileKey][]string // names
	stdin   bool                 // standard input is read
	written map[string]string    // purpose by canonical path
	closed  bool                 // standard output was closed when the command started
}

// fileKey restricts the candidates for equal files: os.SameFile decides, but needs a stat of each.
type fileKey struct{ size, modified int64 }

func keyOf(info fs.FileInfo) fileKey { return fileKey{info.Size(), info.ModTime().UnixNano()} }

// reads records that the file at path is read. Standard input can be read only once.
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
		return nil // reading it will report the error
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		p.read = map[fileKey][]string{}
	}
	p.read[keyOf(info)] = append(p.read[keyOf(info)], path)
	return nil
}

// recordJob records the files of a job, and sets the job's error if one cannot be read.
func (p *paths) recordJob(j *job) {
	for _, path := range j.paths {
		if err := p.reads(path); err != nil && j.err == nil {
			j.err = err
		}
	}
}

// writes claims path, a file or "-" for standard output, for the named purpose. It refuses files
// that the run reads and files that are already claimed. Devices may be claimed repeatedly.
func (p *paths) writes(path, what string) error {
	if path == stdinName && p.closed {
		return usagef("cannot write %s: standard output is closed", what)
	}
	return p.prints(path, what)
}

// prints claims path like writes, without checking that standard output is open. It is for text
// that goes there by default: a caller that discards the text may open the null device in a way
// that looks closed.
func (p *paths) prints(path, what string) error {
	if err := p.checkFree(path); err != nil {
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

// checkFree returns an error for a path that the run reads, or that is claimed for another purpose.
func (p *paths) checkFree(path string) error {
	if what, taken := p.claim(path); taken {
		if path == stdinName {
			return usagef("%s is already written to standard output", what)
		}
		return asm.Errorf(asm.Pos{File: path}, "written-twice", "%s is already written to this file", what)
	}
	info, err := os.Stat(path)
	if err != nil || path == stdinName {
		return nil // it does not exist yet
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range p.read[keyOf(info)] {
		if read, err := os.Stat(other); err == nil && os.SameFile(info, read) {
			return asm.Errorf(asm.Pos{File: path}, "overwrites-input", "this is an input; choose another output")
		}
	}
	return nil
}

// claim returns the purpose for which path is claimed, if any. A batch calls it for each file that
// it writes, and a canonical path takes a system call for each parent folder. claim avoids this if
// no claimed file has the same last element, which suffices if path is not a link. (This does not
// hold on Windows, where a file also has a short name.)
func (p *paths) claim(path string) (what string, taken bool) {
	if abs, err := filepath.Abs(path); err == nil && path != stdinName && filepath.Separator == '/' {
		named := false
		for place := range p.written {
			named = named || filepath.Base(place) == filepath.Base(abs)
		}
		if info, err := os.Lstat(abs); !named &&
			(err == nil && info.Mode()&fs.ModeSymlink == 0 || errors.Is(err, fs.ErrNotExist)) {
			return "", false
		}
	}
	what, taken = p.written[place(path)]
	return what, taken
}

// place returns the canonical name of a file: absolute, with symbolic links resolved as far as the
// path exists.
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

// maxLinks bounds chains of symbolic links, as systems do.
const maxLinks = 40

// followed returns the target of path if it is a symbolic link, even if the target does not exist.
// Opening path for writing uses this file.
func followed(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil { // not a link
			return path, nil
		}
		if !filepath.IsAbs(to) {
			// The meaning of ".." depends on the real directory of the link.
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

// maxInput bounds the size of an input file in bytes. It is many times the size of the longest
// program of any model, as text.
const maxInput = 16 << 20

// readFile records and reads a file, or standard input.
func (a *app) readFile(path string) ([]byte, error) {
	if err := a.paths.reads(path); err != nil {
		return nil, err
	}
	return readPath(path, &a.in)
}

func readPath(path string, in *stdin) ([]byte, error) {
	if path == stdinName {
		return in.readInput()
	}
	if path == "" {
		return nil, asm.Errorf(asm.Pos{File: strconv.Quote(path)}, "empty-name", "the file name is empty")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	defer f.Close()
	return readAll(f, path)
}

// readAll reads all data up to maxInput, and returns an error for more.
func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, cannotRead(name, err)
	case len(data) > maxInput:
		return nil, asm.Errorf(asm.Pos{File: name}, "too-large", "the file is larger than %d MiB", maxInput>>20)
	}
	return data, nil
}

func cannotRead(path string, err error) error {
	return asm.Errorf(asm.Pos{File: path}, "cannot-read", "%v", reason(err))
}

// stream is an output of the process that keeps the first write error. A command whose output is
// lost must not exit with status 0, even if no caller checked the error.
type stream struct {
	io.Writer
	mu     sync.Mutex // guards what follows
	err    error
	closed bool // the reader of a pipe has gone, such as head
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.Writer.Write(b)
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("cannot be written: %w", reason(err))
		s.closed = errors.Is(err, syscall.EPIPE)
	}
	return n, err
}
