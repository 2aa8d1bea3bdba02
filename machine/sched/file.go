package sched

import "slices"

// file is the register file over time: for each register and channel the occupied segments, sorted
// by start.
type file struct{ regs [][4][]channelSegment }

// empty makes all registers free.
func (f *file) empty() {
	for r := range f.regs {
		for ch := range f.regs[r] {
			f.regs[r][ch] = f.regs[r][ch][:0]
		}
	}
	f.regs = f.regs[:0]
}

// fitsWeb reports whether register r is free wherever w needs it.
func (f *file) fitsWeb(r int, w *web) bool {
	if r >= len(f.regs) {
		return true
	}
	reg := &f.regs[r]
	for _, s := range w.segs {
		taken := reg[s.ch]
		n := len(taken)
		if n == 0 || taken[n-1].end < s.start { // after all others, the common case
			continue
		}
		if i := before(taken, s.end+1); i > 0 && taken[i-1].end >= s.start {
			return false
		}
	}
	return true
}

// before returns the number of segments in a list that begin before a moment.
func before(list []channelSegment, at int32) int {
	from, to := 0, len(list)
	for from < to {
		if mid := int(uint(from+to) >> 1); list[mid].start < at {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

// assignRegister assigns register r to w.
func (f *file) assignRegister(r int, w *web) {
	for r >= len(f.regs) {
		if n := len(f.regs); n < cap(f.regs) {
			f.regs = f.regs[:n+1] // as [file.empty] left it
			continue
		}
		f.regs = append(f.regs, [4][]channelSegment{})
	}
	for _, s := range w.segs {
		taken := &f.regs[r][s.ch]
		if n := len(*taken); n == 0 || (*taken)[n-1].start < s.start {
			*taken = append(*taken, s)
			continue
		}
		*taken = slices.Insert(*taken, before(*taken, s.start), s)
	}
}
