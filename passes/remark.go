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

// Refusal is the reason why a pass leaves code alone. The position is the zero value if no place is to blame.
type Refusal struct {
	Pos  asm.Pos
	Code asm.Code
	Why  string
}

// Refuse records a remark with the reason why code stays. The text says which code.
func (c *Ctx) Refuse(r *Refusal, format string, args ...any) {
	c.Remarkf(r.Pos, r.Code, "%s: %s", fmt.Sprintf(format, args...), r.Why)
}

// Remarkf records a remark about the code at pos.
func (c *Ctx) Remarkf(pos asm.Pos, code asm.Code, format string, args ...any) {
	c.remarks = append(c.remarks, Remark{c.Pass.Name, pos, code, fmt.Sprintf(format, args...)})
}
