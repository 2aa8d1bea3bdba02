package main

import (
	"fmt"
	"runtime"
)

// memory measures the memory in use between tasks, after a collection, to find leaks, and the
// memory obtained from the system, which is the peak.
type memory struct {
	first, most   uint64 // in use after the warm-up tasks, and the later maximum
	firstSys, sys uint64
}

// slack is the allowed growth beyond the first tasks: caches fill up, and a larger task may occur.
const slack, sysSlack = 32 << 20, 256 << 20

// measure takes a sample between tasks; the first is the base.
func (m *memory) measure() {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	if m.first == 0 {
		m.first, m.firstSys = s.HeapAlloc, s.Sys
	}
	m.most, m.sys = max(m.most, s.HeapAlloc), max(m.sys, s.Sys)
}

// check fails if memory has grown beyond twice the base and the slack.
func (m *memory) check() error {
	if m.most > 2*m.first+slack {
		return fmt.Errorf("memory grows: %d MiB in use between tasks at first, %d MiB later", m.first>>20, m.most>>20)
	}
	if m.sys > 2*m.firstSys+sysSlack {
		return fmt.Errorf("memory grows: a peak of %d MiB at first, %d MiB later", m.firstSys>>20, m.sys>>20)
	}
	return nil
}
