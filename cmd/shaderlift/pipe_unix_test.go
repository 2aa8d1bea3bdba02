//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipe checks that a pipe receives the output once it has a reader, and that the wait is
// bounded.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	if _, err := openDevice(path, time.Millisecond); err == nil {
		t.Error("a pipe without a reader is opened")
	}
	read := make(chan string)
	go func() {
		data, err := os.ReadFile(path)
		read <- string(data)
		if err != nil {
			t.Error(err)
		}
	}()
	if err := writeFile(path, []byte("written")); err != nil {
		t.Error(err)
	}
	if got := <-read; got != "written" {
		t.Errorf("%q is read", got)
	}
}
