package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("no such luck") }

// A panic while inputs are listed, read or worked on ends in a message and the
// status of a fault, in whichever goroutine it is.
func TestCrash(t *testing.T) {
	for _, args := range [][]string{
		{"stats", "@-"},
		{"opt", "-"},
		{"run", "-"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(context.Background(), args, panicking{}, &stdout, &stderr); status != statusFault {
			t.Errorf("%v ends with %d, want %d", args, status, statusFault)
		}
		if text := stderr.String(); !strings.Contains(text, "internal fault: no such luck") || strings.Contains(text, "goroutine") {
			t.Errorf("%v says:\n%s", args, text)
		}
	}
}
