package main

import (
	"errors"
	"os"
	"time"
)

// patience is how long a directory may be locked by other runs, which lock it to rename a
// few files, and how long a pipe may be without a reader.
const patience = 10 * time.Second

// lockAll locks directories in the given order, which has to be the same in all runs, lest two wait
// for each other. A directory that cannot be opened for reading, or on a file system without locks,
// is not locked. Locks end with the process, however it ends.
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
			continue // one may write to it, not read it
		}
		if err == nil {
			files = append(files, f)
			for start := time.Now(); ; time.Sleep(time.Millisecond) {
				if err = tryLock(f); !errors.Is(err, errLocked) {
					err = nil // or no file system that has locks
					break
				}
				if time.Since(start) > patience {
					err = errors.New("another run is writing there")
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
