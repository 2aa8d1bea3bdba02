package mir_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// The sum of two channels is exported twice in one output. One value cannot be in two channels of a
// register, so a move copies it.
func Example() {
	c := mir.NewCode("sum")
	x, y := c.Input(0, 0), c.Input(0, 1)
	sum, copied := c.NewVal(), c.NewVal()
	fmt.Println("exported twice:", c.TieExport([4]mir.Val{sum, sum}))
	fmt.Println("with its copy:", c.TieExport([4]mir.Val{sum, copied}))
	c.Body = mir.Region{
		&mir.ALU{Slots: []mir.Slot{{Op: r600.OpAdd, Dst: sum, Args: [3]mir.Arg{mir.V(x), mir.V(y)}}}},
		&mir.ALU{Slots: []mir.Slot{{Op: r600.OpMov, Dst: copied, Args: [3]mir.Arg{mir.V(sum)}}}},
		&mir.Export{Regs: [][4]mir.Val{{sum, copied}}},
	}
	rv670, err := chip.ByName("rv670")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("error:", c.Complete(rv670))
	// Output:
	// exported twice: false
	// with its copy: true
	// error: <nil>
}
