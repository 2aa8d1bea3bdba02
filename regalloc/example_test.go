package regalloc_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/regalloc"
)

// One register holds all five values: two vectors of two lanes with disjoint live ranges, and a
// scalar that is live throughout.
func Example() {
	code := regalloc.Code{NumValues: 5, Points: []regalloc.Point{
		{Defs: []int32{4}},                         // s = ...
		{Defs: []int32{0, 1}},                      // a.xy = ...
		{Uses: []int32{0, 1}, Defs: []int32{2, 3}}, // b.xy = a.xy
		{Uses: []int32{2, 3, 4}},                   // ... = b.xy, s
	}}
	comp := []uint8{0, 1, 0, 1, 0} // s prefers component x as well
	webs := regalloc.NewWebs(regalloc.LiveIntervals(&code), comp, make([]uint8, 5))
	webs.Join(0, 1) // the lanes of one instruction share a register
	webs.Join(2, 3)
	webs.Join(2, 4) // and so do the lanes of one operand
	regs, err := webs.Colour(func(uint8) int { return 12 }, func(int32) int { return -1 })
	if err != nil {
		fmt.Println(err)
		return
	}
	for v, name := range []string{"a.x", "a.y", "b.x", "b.y", "s"} {
		fmt.Printf("%-3s is in r%d.%c\n", name, regs[v], "xyzw"[webs.ComponentOf(int32(v))])
	}
	// Output:
	// a.x is in r0.x
	// a.y is in r0.y
	// b.x is in r0.x
	// b.y is in r0.y
	// s   is in r0.z
}
