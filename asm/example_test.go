package asm_test

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
)

func Example() {
	read := func() error {
		var ds asm.Diags
		ds = append(ds,
			asm.Errorf(asm.Pos{File: "water.psh", Line: 4, Col: 7}, "unknown-register", "unknown register %q", "q3"),
			asm.Errorf(asm.Pos{File: "water.pso", Offset: 0x40}, "truncated", "no end token"),
			asm.Errorf(asm.Pos{File: "water.il"}, "wrong-pair", "this is a kernel; give it alone, not as part of a pair"))
		return ds.Err()
	}
	err := read()
	fmt.Println(err)

	var first *asm.Diag
	if errors.As(err, &first) {
		fmt.Println(first.Pos.Line, first.Code)
	}

	// Output:
	// water.psh:4:7: unknown register "q3" [unknown-register]
	// water.pso:+0x40: no end token [truncated]
	// water.il: this is a kernel; give it alone, not as part of a pair [wrong-pair]
	// 4 unknown-register
}
