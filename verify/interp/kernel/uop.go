package kernel

import "slices"

// uop is one step of an instruction over all lanes of a batch: one of fn, pair and ext. Its operands are in
// d and s rather than in closures, so that finish can redirect a result.
type uop struct {
	fn     vecFn   // of d[0] from s[0], s[1], s[2]
	pair   pairVec // of the double d[0], d[1] from those in s
	ext    func(m *machine, u *uop)
	d      [4]slot
	s      [6]slot
	nd, ns uint8
	cross  bool // reads other lanes than the one it writes
	masked bool // depends on the active lanes
}

// reads reports whether u reads slot at.
func (u *uop) reads(at slot) bool { return slices.Contains(u.s[:u.ns], at) }

func (u *uop) writes(at slot) bool { return slices.Contains(u.d[:u.nd], at) }

// rename replaces one slot by another.
func (u *uop) rename(from, to slot) {
	for i := range u.d[:u.nd] {
		if u.d[i] == from {
			u.d[i] = to
		}
	}
	for i := range u.s[:u.ns] {
		if u.s[i] == from {
			u.s[i] = to
		}
	}
}

// vecUop returns a step with a vecFn.
func vecUop(fn vecFn, d slot, s ...slot) uop {
	u := uop{fn: fn, nd: 1, ns: uint8(len(s))}
	u.d[0] = d
	for i := range u.s {
		u.s[i] = d // an unused source
	}
	copy(u.s[:], s)
	return u
}

func copyUop(d, s slot) uop { return vecUop(moveVec, d, s) }

// blendUop returns a step that copies in the active lanes.
func blendUop(d, s slot) uop {
	return uop{ext: blend, d: [4]slot{d}, s: [6]slot{s}, nd: 1, ns: 1, masked: true}
}

// canWrite reports whether code, which leaves a result in temp, could leave it in reg directly. This
// requires that nothing behind the first write reads the old contents of reg. So add r0.x, r0.x, r1.x needs
// no copy, while mov r0.xy, r0.yx needs one.
func canWrite(code []uop, temp, reg slot) bool {
	written := false
	for i := range code {
		u := &code[i]
		if (written || u.cross && u.writes(temp)) && u.reads(reg) {
			return false
		}
		written = written || u.writes(temp)
		if u.writes(reg) {
			return false
		}
	}
	return true
}

// assignment is a result in temp and its destination register.
type assignment struct{ reg, temp slot }

// finish creates the two forms of code, which leaves results in temporaries. direct writes registers
// directly, or by a copy where that would be wrong. masked blends results into registers in the active
// lanes.
func finish(code []uop, results []assignment) (direct, masked []uop) {
	masked = slices.Clone(code)
	for _, r := range results {
		masked = append(masked, blendUop(r.reg, r.temp))
	}
	direct = code
	for _, r := range results {
		if canWrite(direct, r.temp, r.reg) && written(direct, r.temp) {
			for i := range direct {
				direct[i].rename(r.temp, r.reg)
			}
			continue
		}
		direct = append(direct, copyUop(r.reg, r.temp))
	}
	return direct, masked
}

// written reports whether code writes temp; otherwise a result is an unmodified source.
func written(code []uop, temp slot) bool {
	return slices.ContainsFunc(code, func(u uop) bool { return u.writes(temp) })
}
