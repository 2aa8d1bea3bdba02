package main

import (
	"errors"
	"fmt"
)

// crash is a panic of the command itself. Panics of the library are faults of their input.
type crash struct{ cause any }

func (c *crash) Error() string { return fmt.Sprintf("internal fault: %v", c.cause) }

// errInterrupted is the error of an interrupted command.
var errInterrupted = errors.New("interrupted")

// interruptible calls f on a new goroutine and returns when f does or when the command is
// interrupted. After an interrupt f continues until the process ends, so it must not write before.
func (a *app) interruptible(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- contained(f) }()
	select {
	case err := <-done:
		return err
	case <-a.ctx.Done():
		return errInterrupted
	}
}

// contained calls f, and converts its panic to an error. Every goroutine needs this, because a
// panic in any goroutine ends the process.
func contained(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &crash{p}
		}
	}()
	return f()
}
