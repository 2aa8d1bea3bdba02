package main

import (
	"log"
	"os"
)

func Example_costs() {
	if err := costs(os.Stdout, []string{"../../testdata/conv1d/conv1d.psh"}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ../../testdata/conv1d/conv1d.psh:14: 1 slots, 1 live: mov r0.z, t0.y
	// ../../testdata/conv1d/conv1d.psh:15: 1 slots, 2 live: mov r1.y, c4.x
	// ../../testdata/conv1d/conv1d.psh:16: 1 slots, 3 live: mov r0.y, c4.x
	// ../../testdata/conv1d/conv1d.psh:17: 1 slots, 4 live: rcp r0.w, c3.x
	// ../../testdata/conv1d/conv1d.psh:18: 1 slots, 5 live: mov r0.x, -r0.w
	// ../../testdata/conv1d/conv1d.psh:19: 1 slots, 5 live: add r1.x, r0.w, r0.w
	// ../../testdata/conv1d/conv1d.psh:20: 1 slots, 5 live: add r0.xy, r0, t0
	// ../../testdata/conv1d/conv1d.psh:21: 1 slots, 5 live: add r1.x, r1.x, r0.x
	// ../../testdata/conv1d/conv1d.psh:22: 1 slots, 4 live: add r1.y, r0.z, r1.y
	// ../../testdata/conv1d/conv1d.psh:23: 1 slots, 6 live: texld r2, r0, s0
	// ../../testdata/conv1d/conv1d.psh:24: 1 slots, 8 live: texld r0, r1, s0
	// ../../testdata/conv1d/conv1d.psh:25: 1 slots, 12 live: texld r1, t0, s0
	// ../../testdata/conv1d/conv1d.psh:27: 1 slots, 12 live: mul r2, r2, c0.x
	// ../../testdata/conv1d/conv1d.psh:28: 1 slots, 8 live: mad r1, c1.x, r1, r2
	// ../../testdata/conv1d/conv1d.psh:29: 1 slots, 4 live: mad r0, c2.x, r0, r1
	// ../../testdata/conv1d/conv1d.psh:30: 1 slots, 0 live: mov oC0, r0
}
