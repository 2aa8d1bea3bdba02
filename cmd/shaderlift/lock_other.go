//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package main

import (
	"errors"
	"os"
)

// Without locks, pairs that a killed run left half renamed are completed all the same;
// temporary files stay.
const locks = false

var errLocked = errors.New("locked")

func tryLock(*os.File) error { return errLocked }
