package main

import "fmt"

// crash is a panic of the command itself. Those of the library arrive as faults of
// their input.
type crash struct{ cause any }

func (c *crash) Error() string { return fmt.Sprintf("internal fault: %v", c.cause) }

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
