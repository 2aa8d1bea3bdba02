package main

import (
	"errors"
	"fmt"
)

// crash is a panic of the command itself. Those of the library arrive as faults of
// their input.
type crash struct{ cause any }

func (c *crash) Error() string { return fmt.Sprintf("internal fault: %v", c.cause) }

// errInterrupted is the error of a command that was told to end.
var errInterrupted = errors.New("interrupted")

// interruptible calls f on a goroutine of its own and returns when f does or when the command is
// interrupted. In the second case f goes on until the process ends; it must not have begun to
// write.
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

// contained calls f, and returns a panic of it as an error. Every goroutine needs
// one: a panic ends the process whichever it is in.
func contained(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &crash{p}
		}
	}()
	return f()
}
