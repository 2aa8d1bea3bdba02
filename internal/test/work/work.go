// Package work counts pieces of work of the optimizer, so that tests can bound them. Unlike times, counts do not
// depend on the machine.
package work

import "sync/atomic"

// Emissions counts programs that package vsps has written, and Clones copies of functions of package ir, since the
// process was started.
var Emissions, Clones atomic.Int64
