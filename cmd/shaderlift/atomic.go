package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// stagedFiles are files that are complete on disk under temporary names, to be given their real
// names together. The protocol of a commit, after which either all files are new or none is, even
// if the process is killed or the machine goes down:
//
//  1. write each file under a temporary name beside its place, locked
//  2. lock the directories, in an order that all runs keep to
//  3. finish what a killed run left there (recoverIn)
//  4. sync the files; if there are several, write a journal into each directory
//  5. rename the files; remove the journals; sync the directories
//
// The first journal that is renamed into place is the point of no return: from there on a later run
// completes the commit. A single rename is atomic by itself and needs no journal.
type stagedFiles struct {
	temps, paths []string
	held         []*os.File // the temporary files, locked: whoever holds one is alive
	devices      []*os.File // that are written to at once
}

// add adds a file of data, which gets the name path.
func (s *stagedFiles) add(path string, data []byte) error {
	f, err := s.create(path)
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

// create adds a file to be written before the commit, which closes it: a temporary one next to path,
// or where path is a symbolic link, to what it leads to, so that the link stays. What exists at path
// and is no ordinary file, such as a device, cannot be replaced and is written to at once.
func (s *stagedFiles) create(path string) (*os.File, error) {
	if isDevice(path) {
		f, err := openDevice(path, patience)
		if err == nil {
			s.devices = append(s.devices, f)
		}
		return f, err
	}
	path, err := followed(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := sweepOnce(dir); err != nil {
		return nil, err
	}
	f, err := temporary(path)
	if err == nil {
		s.temps, s.paths, s.held = append(s.temps, f.Name()), append(s.paths, path), append(s.held, f)
	}
	return f, err
}

// temporary creates and locks a file beside path, under a name that isTemporary recognizes. The
// lock tells other runs that the file is in use: whoever sweeps the directory removes only files
// that nobody has locked. Between creation and lock another run may do so; then the name is gone or
// another file, and it is tried again.
func temporary(path string) (*os.File, error) {
	dir, base := filepath.Dir(path), filepath.Base(path)
	for {
		name := filepath.Join(dir, fmt.Sprintf(".%.100s.%s.tmp", base, rand.Text()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil || !locks {
			return f, err
		}
		if err := tryLock(f); err != nil && !errors.Is(err, errLocked) {
			return f, nil // a file system without locks
		}
		now, err := os.Stat(name)
		if own, e := f.Stat(); err == nil && e == nil && os.SameFile(now, own) {
			return f, nil
		}
		f.Close() // another run took it for one left behind before it was locked
	}
}

// commit gives the files their names, all of them or none (see stagedFiles for the protocol).
func (s *stagedFiles) commit() error {
	for _, path := range s.paths {
		if isDir(path) {
			return cannotWrite(path, errors.New("it is a directory"))
		}
	}
	dirs := directories(s.paths)
	unlock, err := lockAll(dirs)
	if err != nil {
		return err
	}
	defer unlock()
	for _, dir := range dirs {
		if err := recoverIn(dir); err != nil {
			return err
		}
	}
	for i, f := range s.held {
		if err := synced(f); err != nil {
			return cannotWrite(s.paths[i], err)
		}
	}
	// The order matters: journals say what the renames below are going to do.
	if len(s.temps) > 1 {
		if err := writeJournals(dirs, s.temps, s.paths); err != nil {
			return err
		}
		defer removeJournals(dirs)
	}
	if err := s.close(); err != nil {
		return err
	}
	for len(s.temps) > 0 {
		if err := os.Rename(s.temps[0], s.paths[0]); err != nil {
			return cannotWrite(s.paths[0], err)
		}
		s.temps, s.paths = s.temps[1:], s.paths[1:]
	}
	syncNames(dirs)
	return nil
}

// same are the files at paths, or where links there lead to, if they hold data byte for byte, else nil.
func same(paths []string, data [][]byte) (found []fs.FileInfo) {
	for i, path := range paths {
		path, err := followed(path)
		if err != nil {
			return nil
		}
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data[i])) {
			return nil
		}
		if was, err := os.ReadFile(path); err != nil || !bytes.Equal(was, data[i]) {
			return nil
		}
		found = append(found, info)
	}
	return found
}

// unchanged reports whether the files at paths are those found there, which nobody has written to
// since, as far as their times tell.
func unchanged(paths []string, found []fs.FileInfo) bool {
	for i, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !os.SameFile(info, found[i]) || keyOf(info) != keyOf(found[i]) {
			return false
		}
	}
	return true
}

// there reports whether files are at their paths already, or where links there lead to, with no
// unfinished commit in their directories; found is what same found there before, if it did. Their time of
// modification is then set to now, so that build tools that compare times take them as up to date.
// Rewriting equal files would also make tools that watch them run.
func there(paths []string, data [][]byte, found []fs.FileInfo) bool {
	if found == nil {
		if found = same(paths, data); found == nil {
			return false // which most often tells without a lock
		}
	}
	paths = slices.Clone(paths)
	for i := range paths {
		var err error
		if paths[i], err = followed(paths[i]); err != nil {
			return false
		}
	}
	dirs := directories(paths)
	for _, dir := range dirs {
		if sweepOnce(dir) != nil {
			return false
		}
	}
	unlock, err := lockAll(dirs)
	if err != nil {
		return false
	}
	defer unlock()
	for _, dir := range dirs {
		if recoverIn(dir) != nil {
			return false
		}
	}
	if !unchanged(paths, found) && same(paths, data) == nil {
		return false
	}
	now := time.Now()
	for _, path := range paths {
		if os.Chtimes(path, now, now) != nil {
			return false
		}
	}
	return true
}

// synced waits until f is on disk, where the file system can tell.
func synced(f *os.File) error {
	if err := f.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// syncNames waits until the entries of directories are on disk. Errors are ignored: where a system
// cannot do it, the files themselves are complete all the same.
func syncNames(dirs []string) {
	for _, dir := range dirs {
		if f, err := os.Open(dir); err == nil {
			f.Sync()
			f.Close()
		}
	}
}

// close closes all files.
func (s *stagedFiles) close() (err error) {
	for i, f := range s.held {
		if e := f.Close(); e != nil && err == nil {
			err = cannotWrite(s.paths[i], e)
		}
	}
	for _, f := range s.devices {
		if e := f.Close(); e != nil && err == nil {
			err = cannotWrite(f.Name(), e)
		}
	}
	s.held, s.devices = nil, nil
	return err
}

// discard removes what was not committed.
func (s *stagedFiles) discard() {
	s.close() // some systems remove no open file
	for _, temp := range s.temps {
		os.Remove(temp)
	}
	s.temps, s.paths = nil, nil
}

// directories are those of paths, in an order that all runs lock them in.
func directories(paths []string) (dirs []string) {
	for _, path := range paths {
		dir := filepath.Dir(path)
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// isDevice reports whether path is there and neither an ordinary file nor a directory.
func isDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// openDevice opens what is there and no ordinary file. A pipe that nobody reads from gets so much
// time; opened as others are it would be waited for without end, and interrupts not be heard.
func openDevice(path string, patience time.Duration) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	}
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		if time.Since(start) > patience {
			return nil, errors.New("nobody reads from this pipe")
		}
	}
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
