package budget

import "sync/atomic"

// Emissions counts programs that package vsps has written, and Clones copies of functions of package ir, since the
// process was started. Tests bound them. Unlike times, counts do not depend on the machine.
var Emissions, Clones atomic.Int64
