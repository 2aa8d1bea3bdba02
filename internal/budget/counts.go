package budget

import "sync/atomic"

// Emissions counts programs that package vsps has written, Clones copies of functions of package ir, and Walks
// symbolic executions of versions by package verify, since the process was started. Tests bound them. Unlike
// times, counts do not depend on the machine.
var Emissions, Clones, Walks atomic.Int64
