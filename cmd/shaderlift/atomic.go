package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// stagedFiles are files that are complete on disk under names of their own, to be
// given their real names together.
type stagedFiles struct {
	temps, paths []string
}

// add writes data next to path. What exists at path and is no ordinary file, such as
// a device, cannot be replaced and is written to at once.
func (s *stagedFiles) add(path string, data []byte) error {
	if isDevice(path) {
		return os.WriteFile(path, data, 0o666)
	}
	if err := s.stage(path, data); err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

// stage writes data to a temporary file next to path.
func (s *stagedFiles) stage(path string, data []byte) error {
	dir, base := filepath.Dir(path), filepath.Base(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(dir, fmt.Sprintf(".%.100s.%s.tmp", base, rand.Text()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	s.temps, s.paths = append(s.temps, temp), append(s.paths, path)
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// commit gives the files their names.
func (s *stagedFiles) commit() error {
	for len(s.temps) > 0 {
		if err := os.Rename(s.temps[0], s.paths[0]); err != nil {
			return cannotWrite(s.paths[0], err)
		}
		s.temps, s.paths = s.temps[1:], s.paths[1:]
	}
	return nil
}

// discard removes what was not committed.
func (s *stagedFiles) discard() {
	for _, temp := range s.temps {
		os.Remove(temp)
	}
	s.temps = nil
}

// isDevice reports whether path is there and neither an ordinary file nor a directory.
func isDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// cannotWrite is err told of the path the user gave: temporary names mean nothing to them.
func cannotWrite(path string, err error) error {
	return fmt.Errorf("%s: cannot be written: %w", path, reason(err))
}

// writable reports why no file could be written to path. A device is left alone: to
// open a pipe and close it again would end it for its reader.
func writable(path string) error {
	if path == stdinName || isDevice(path) {
		return nil
	}
	if isDir(path) {
		return cannotWrite(path, errors.New("it is a directory"))
	}
	var s stagedFiles
	defer s.discard()
	return s.add(path, nil)
}

// write writes a result to the file at path, or to standard output.
func (a *app) write(path string, data []byte) error {
	if path == stdinName {
		_, err := a.out.Write(data)
		return err
	}
	return writeFile(path, data)
}

// writeFile replaces the file at path as a whole.
func writeFile(path string, data []byte) error {
	var s stagedFiles
	defer s.discard()
	if err := s.add(path, data); err != nil {
		return err
	}
	return s.commit()
}
