package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
)

// A loop over tiles. Each trip stores a loaded value to local memory, between barriers, and adds the value
// that its neighbour has stored. The loop starts at FROM, counts by l0.y and ends at r9.x.
const (
	roundHead = "ishl r6.x, r11.x, l0.z; ixor r6.y, r6.x, l1.x; mov r2, l0.x; mov r3.x, FROM;"
	roundTrip = "iadd r8.x, r3.x, r10.x; uav_raw_load_id(0) r4, r8.x; fence_threads_lds; lds_store_id(1) r6.x, r4.x; fence_threads_lds; lds_load_id(1) r5.x, r6.y; imad r2.x, r2.x, l0.w, r5.x; iadd r3.x, r3.x, l0.y;"
	roundOne  = "whileloop; ige r3.y, r3.x, r9.x; break_logicalnz r3.y;" + roundTrip + "endloop;"
	roundTwo  = "whileloop; iadd r3.y, r3.x, l0.y; ige r3.y, r3.y, r7.x; break_logicalnz r3.y;" + roundTrip +
		"SECOND endloop;"
	roundGuard = "ige r7.x, l6.x, r9.x; ige r7.y, l6.x, r3.x; iand r7.x, r7.x, r7.y; cmov_logical r7.x, r7.x, r9.x, l6.y;" // makes single trips where r3.x+1 could wrap round
	roundTail  = "mov g[r10.x], r2"
)

// rounds returns the kernel with the loop alone, or behind a loop of two trips whose second trip is second.
func rounds(t *testing.T, bound, from, second string) string {
	head := "dcl_literal l6, 0x7ffffff0, 0x80000000, 0, 0;" + bound + strings.Replace(roundHead, "FROM", from, 1)
	if second == "" {
		return csKernel(head + roundOne + roundTail)
	}
	return csKernel(head + roundGuard + strings.Replace(roundTwo, "SECOND", second, 1) + roundOne + roundTail)
}

// Bounds that all threads of a group share, and some that differ between threads.
const (
	sameBound  = "mov r9.x, cb0[0].x;"
	computed   = "ishr r9.x, cb0[0].x, l0.y; iadd r9.x, r9.x, cb0[0].y;"
	groupBound = "iadd r9.x, vThreadGrpIDFlat.x, l0.w;"
	ownBound   = "iand r9.x, vTidInGrpFlat.x, l0.y;"
	loadBound  = "uav_raw_load_id(0) r9, l0.x;"
)

// TestFencesUnrolled checks that a loop with barriers may make two trips at a time if all threads make the
// same number of trips.
func TestFencesUnrolled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, bound, from string
		want              Verdict
	}{
		{"a constant", sameBound, "l0.x", Proved},
		{"computed from constants", computed, "l0.x", Proved},
		{"the number of the group", groupBound, "l0.x", Proved},
		{"from the number of the group on", sameBound, "vThreadGrpIDFlat.x", Proved},
		{"the number of the thread", ownBound, "l0.x", Unknown},
		{"from the number of the thread on", sameBound, "r11.x", Unknown},
		{"what memory holds", loadBound, "l0.x", Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := parseKernel(t, rounds(t, c.bound, c.from, "")), parseKernel(t,
				rounds(t, c.bound, c.from, roundTrip))
			r := CheckKernel(before, after, Options{Numerics: Real, Seed: 1})
			if r.Verdict != c.want && !(c.want == Unknown && r.Verdict < ProvedReal) {
				t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
			}
		})
	}
}

// TestFencesOfMemoryUnrolled checks that fences of memory alone, which do not wait, allow different trip
// counts.
func TestFencesOfMemoryUnrolled(t *testing.T) {
	alone := func(s string) string { return strings.ReplaceAll(s, "fence_threads_lds", "fence_lds") }
	before, after := rounds(t, ownBound, "l0.x", ""), rounds(t, ownBound, "l0.x", roundTrip)
	r := CheckKernel(parseKernel(t, alone(before)), parseKernel(t, alone(after)), Options{Numerics: Real, Seed: 1})
	if r.Verdict != Proved {
		t.Errorf("%v (%s)", r.Verdict, r.Why)
	}
}

// TestFencesWrong checks that wrong fences in an unrolled trip are not proved.
func TestFencesWrong(t *testing.T) {
	t.Parallel()
	first := func(old, by string) string { return strings.Replace(roundTrip, old, by, 1) }
	last := func(old, by string) string {
		at := strings.LastIndex(roundTrip, old)
		return roundTrip[:at] + by + roundTrip[at+len(old):]
	}
	const fence, store, load = "fence_threads_lds; ", "lds_store_id(1) r6.x, r4.x; ", "lds_load_id(1) r5.x, r6.y; "
	for i, c := range []struct{ name, second string }{
		{"the first fence dropped", first(fence, "")},
		{"the last fence dropped", last(fence, "")},
		{"both fences dropped", strings.ReplaceAll(roundTrip, fence, "")},
		{"a fence more", first(fence, fence+fence)},
		{"a fence behind the trip", roundTrip + fence},
		{"a store moved over the fence before it", first(fence+store, store+fence)},
		{"a store moved over the fence behind it", first(store+fence, fence+store)},
		{"a load moved over the fence before it", first(fence+load, load+fence)},
		{"a load of the view moved behind a fence",
			first("uav_raw_load_id(0) r4, r8.x; "+fence, fence+"uav_raw_load_id(0) r4, r8.x; ")},
		{"a fence that orders less", first("fence_threads_lds", "fence_threads")},
		{"a fence that holds nobody up", last("fence_threads_lds", "fence_lds")},
		{"a fence for some threads", last(fence, "ult r5.y, r11.x, l3.x; if_logicalnz r5.y; fence_threads_lds; endif; ")},
		{"a store and fence for some threads",
			first(store+fence, "ult r5.y, r11.x, l3.x; if_logicalnz r5.y; "+store+fence+"endif; ")},
		{"left by some threads", first(fence, "ult r5.y, r11.x, l3.x; break_logicalnz r5.y; "+fence)},
		{"three trips", roundTrip + roundTrip},
		{"a trip without its store", first(store, "")},
		{"the store of the first trip twice", strings.Replace(roundTrip, "uav_raw_load_id(0) r4, r8.x; ", "", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			both := func(bound string) (before, after *il.Kernel) {
				return parseKernel(t, rounds(t, bound, "l0.x", "")), parseKernel(t, rounds(t, bound, "l0.x", c.second))
			}
			before, after := both(sameBound)
			if i%6 > 0 && !long { // executing both takes long
				if v := proofOf(t, before, after); v >= ProvedReal {
					t.Errorf("as many trips as a constant says: %v", v)
				}
			} else if r := CheckKernel(before, after, Options{Numerics: Real, Seed: 1}); r.Verdict >= Tested {
				t.Errorf("%v (%s)", r.Verdict, r.Why)
			}
			before, after = both(groupBound)
			if v := proofOf(t, before, after); v >= ProvedReal {
				t.Errorf("as many trips as the group says: %v", v)
			}
		})
	}
}

// TestFencesCounted compares trips of literal count one by one, or many at a time.
func TestFencesCounted(t *testing.T) {
	t.Parallel()
	const one, two = "whileloop; ige r3.y, r3.x, r9.x; break_logicalnz r3.y;" + roundTrip, roundTrip + roundTrip
	loop := func(trips, body string) string {
		return csKernel("dcl_literal l6, " + trips + ", 0, 0, 0; mov r9.x, l6.x;" +
			strings.Replace(roundHead, "FROM", "l0.x", 1) + body + roundTail)
	}
	drop := func(s string) string { return strings.Replace(s, "fence_threads_lds; ", "", 1) }
	for _, c := range []struct {
		name, trips, after string
		want               bool
	}{
		{"all of four", "4", two + two, true},
		{"two of four at a time", "4", one + roundTrip + "endloop;", true},
		{"two of 4000 at a time", "4000", one + roundTrip + "endloop;", true},
		{"all of four, a fence less", "4", two + drop(two), false},
		{"all of four, a trip more", "4", two + two + roundTrip, false},
		{"all of four, a trip less", "4", two + roundTrip, false},
		{"two of 4000 at a time, a fence less", "4000", one + drop(roundTrip) + "endloop;", false},
		{"two of 4000 at a time, and one more", "4000", one + roundTrip + "endloop;" + roundTrip, false},
		{"two of 4000 at a time, all fences in one", "4000",
			one + strings.ReplaceAll(roundTrip, "fence_threads_lds; ", "") +
				"fence_threads_lds; fence_threads_lds; endloop;", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := parseKernel(t, loop(c.trips, one+"endloop;")), parseKernel(t, loop(c.trips, c.after))
			if v := proofOf(t, before, after); v >= ProvedReal != c.want {
				t.Errorf("%v, want a proof: %v", v, c.want)
			}
		})
	}
}
