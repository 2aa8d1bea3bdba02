package main

import (
	"errors"
	"os"
	"time"
)

// patience is the time for which other runs, which rename a few files, may hold the lock of a
// directory, and for which a pipe may be without a reader.
const patience = 10 * time.Second

// lockAll locks directories in the given order, which has to be the same in all runs to avoid
// deadlock. It skips a directory that cannot be opened for reading, or is on a file system without
// locks. Locks end with the process, however it ends.
func lockAll(dirs []string) (unlock func(), err error) {
	var files []*os.File
	unlock = func() {
		for _, f := range files {
			f.Close()
		}
	}
	if !locks {
		return unlock, nil
	}
	for _, dir := range dirs {
		f, err := os.Open(dir)
		if os.IsPermission(err) {
			continue // it may be writable but unreadable
		}
		if err == nil {
			files = append(files, f)
			for start := time.Now(); ; time.Sleep(time.Millisecond) {
				if err = tryLock(f); !errors.Is(err, errLocked) {
					err = nil // or the file system has no locks
					break
				}
				if time.Since(start) > patience {
					err = errors.New("another run writes to this directory")
					break
				}
			}
		}
		if err != nil {
			unlock()
			return nil, cannotWrite(dir, err)
		}
	}
	return unlock, nil
}
