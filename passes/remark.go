package passes

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
)

// Remark is a message of a pass to the user: a rewrite that it did not make, and why.
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
