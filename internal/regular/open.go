// Package regular opens files that no user named: entries of a cache, journals, included files. By the
// time of reading, such a path may refer to any kind of file.
package regular

import (
	"errors"
	"io"
	"os"
)

// ErrNotRegular is the error for a directory, device, pipe or socket.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file for reading. It returns ErrNotRegular for anything else and never waits; a
// normal open of a pipe blocks until a writer opens it.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a regular file as a whole.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
