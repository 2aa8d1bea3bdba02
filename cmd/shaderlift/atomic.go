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

	"github.com/shaderlift/shaderlift/internal/regular"
)

// stagedFiles are files that are complete on disk under temporary names and get their real names
// together. After a commit, either all files are new or none is, even if the process is killed or
// the machine goes down. The protocol:
//
//  1. write each file under a temporary name next to its place, locked
//  2. lock the directories, in the same order in all runs
//  3. finish the commit of a killed run there (recoverIn)
//  4. sync the files; if there are several, write a journal into each directory
//  5. rename the files; remove the journals; sync the directories
//
// The first journal that is renamed into place is the point of no return: from there on a later run
// completes the commit. A single rename is atomic by itself and needs no journal.
type stagedFiles struct {
	temps, paths []string
	held         []*os.File // the locked temporary files; a lock shows that its owner is alive
	devices      []*os.File // opened for writing immediately
	// prepare, unless nil, runs before the renames, under the locks. If one fails, undo runs.
	prepare func() (undo func(), err error)
}

// stageFile writes data to a new staged file for path.
func (s *stagedFiles) stageFile(path string, data []byte) error {
	f, err := s.create(path)
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

// create adds a file that the caller writes before the commit, which closes it. The temporary file
// is next to path, or, if path is a symbolic link, next to its target, so that the link stays. An
// existing special file at path, such as a device, cannot be replaced and is written immediately.
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
	if info, e := os.Stat(path); e == nil && err == nil {
		f.Chmod(info.Mode().Perm()) // some file systems have no modes
	}
	if err == nil {
		s.temps, s.paths, s.held = append(s.temps, f.Name()), append(s.paths, path), append(s.held, f)
	}
	return f, err
}

// temporary creates and locks a file next to path, under a name that isTemporary recognizes. The
// lock shows other runs that the file is in use: a sweep removes only unlocked files. A sweep may
// remove the file between creation and lock; if the name is then missing or another file, temporary
// tries again.
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
		f.Close() // another run removed it before it was locked
	}
}

// commit renames all files or none (see stagedFiles for the protocol).
func (s *stagedFiles) commit() error {
	for _, path := range s.paths {
		switch info, err := os.Stat(path); {
		case err != nil:
		case info.IsDir():
			return cannotWrite(path, errors.New("it is a directory"))
		case info.Mode().Perm()&0o222 == 0: // a rename would replace it all the same
			return cannotWrite(path, errors.New("it is read-only"))
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
	if s.prepare == nil {
		return s.rename(dirs)
	}
	undo, err := s.prepare()
	if err != nil {
		return err
	}
	if err = s.rename(dirs); err != nil {
		undo()
	}
	return err
}

// rename gives all files their real names, in the locked dirs.
func (s *stagedFiles) rename(dirs []string) error {
	// The order matters: journals describe the renames below.
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

// unchangedFiles returns the files at paths, or at the targets of links, if their contents equal data, and
// else nil.
func unchangedFiles(paths []string, data [][]byte) (found []fs.FileInfo) {
	for i, path := range paths {
		path, err := followed(path)
		if err != nil {
			return nil
		}
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data[i])) {
			return nil
		}
		if was, err := regular.ReadFile(path); err != nil || !bytes.Equal(was, data[i]) {
			return nil
		}
		found = append(found, info)
	}
	return found
}

// unchanged reports whether the files at paths are those in found and, according to their times,
// unmodified.
func unchanged(paths []string, found []fs.FileInfo) bool {
	for i, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !os.SameFile(info, found[i]) || keyOf(info) != keyOf(found[i]) {
			return false
		}
	}
	return true
}

// there reports whether the files at paths, or at the targets of links, already have the given
// contents, with no unfinished commit in their directories. found is the earlier result of same, if
// any. If so, there sets their modification time to now, so that build tools that compare times
// consider them up to date. Rewriting equal files would also trigger tools that watch them.
func there(paths []string, data [][]byte, found []fs.FileInfo) bool {
	if found == nil {
		if found = unchangedFiles(paths, data); found == nil {
			return false // this usually decides without a lock
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
	if !unchanged(paths, found) && unchangedFiles(paths, data) == nil {
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

// synced waits until f is on disk, if the file system supports it.
func synced(f *os.File) error {
	if err := f.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// syncNames waits until the entries of directories are on disk. It ignores errors: if a system does
// not support it, the files themselves are still complete.
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

// discard removes all files that were not committed.
func (s *stagedFiles) discard() {
	s.close() // some systems cannot remove open files
	for _, temp := range s.temps {
		os.Remove(temp)
	}
	s.temps, s.paths = nil, nil
}

// directories returns the directories of paths, in the order in which all runs lock them.
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

// isDevice reports whether path exists and is neither a regular file nor a directory.
func isDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// openDevice opens an existing special file. It waits for the reader of a pipe at most for
// patience; a plain open would block without end and ignore interrupts.
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
			return nil, errors.New("no process reads from this pipe")
		}
	}
}

// cannotWrite returns err with the path that the user gave, because users do not know temporary
// names.
func cannotWrite(path string, err error) error {
	return fmt.Errorf("%s: cannot be written: %w", path, reason(err))
}

// writable returns an error if no file can be written to path. It does not open devices: opening
// and closing a pipe would end it for its reader.
func writable(path string) error {
	if path == stdinName || isDevice(path) {
		return nil
	}
	if isDir(path) {
		return cannotWrite(path, errors.New("it is a directory"))
	}
	var s stagedFiles
	defer s.discard()
	return s.stageFile(path, nil)
}

// write writes a result to the file at path, or to standard output.
func (a *app) write(path string, data []byte) error {
	if path == stdinName {
		_, err := a.out.Write(data)
		return err
	}
	return writeFile(path, data)
}

// writeFile replaces the file at path atomically.
func writeFile(path string, data []byte) error {
	return writeFiles([]string{path}, [][]byte{data}, nil)
}

// writeFiles replaces the files at paths, all or none; prepare is stagedFiles.prepare.
func writeFiles(paths []string, data [][]byte, prepare func() (undo func(), err error)) error {
	s := stagedFiles{prepare: prepare}
	defer s.discard()
	for i, path := range paths {
		if err := s.stageFile(path, data[i]); err != nil {
			return err
		}
	}
	return s.commit()
}
