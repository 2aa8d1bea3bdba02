package passtest_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// A Source is lifted, rewritten by passes, emitted and priced.
func ExampleSource() {
	p, err := d3d9.Parse("unused.asm", []byte(`ps_2_0
dcl v0
mul r0, v0, c0
add r1, r0, c1
mov oC0, r0
`))
	if err != nil {
		panic(err)
	}
	s := &passtest.Source{Pixel: p}
	u, err := s.Lift()
	if err != nil {
		panic(err)
	}
	report, err := passes.Run(u, passes.Pipeline{{Pass: cleanup.DCE}}, passes.Config{Measure: s.Measure})
	if err != nil {
		panic(err)
	}
	fmt.Println("pixel and vertex slots, runs of reads, temporaries, interpolators:", report.Before, "->", report.After)
	// Output:
	// pixel and vertex slots, runs of reads, temporaries, interpolators: [3 0 0 2 0] -> [2 0 0 1 0]
}
