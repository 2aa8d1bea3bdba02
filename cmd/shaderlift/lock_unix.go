//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"os"
	"syscall"
)

// locks reports that files and directories can be locked, and open files renamed.
const locks = true

// errLocked is the error if another process holds the lock.
var errLocked error = syscall.EWOULDBLOCK

// tryLock locks an open file or directory until it is closed.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err
		}
	}
}
