package passes

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
)

// Remark is something a pass says to the user: what it did not do, and why.
type Remark struct {
	Pass string
	Pos  asm.Pos
	Code asm.Code
	Msg  string
}

// Remarkf records a remark about the code at pos.
func (c *Ctx) Remarkf(pos asm.Pos, code asm.Code, format string, args ...any) {
	c.remarks = append(c.remarks, Remark{c.Pass.Name, pos, code, fmt.Sprintf(format, args...)})
}
