//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed reports whether f represents a descriptor that the caller had closed. The Go runtime
// opens the null device for reading and writing in its place (runtime.checkfds), while a shell
// opens it only for writing.
func wasClosed(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	if err != nil || !os.SameFile(info, null) {
		return false
	}
	mode, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && mode&unix.O_ACCMODE == unix.O_RDWR
}
