package d3d9

import "github.com/shaderlift/shaderlift/asm"

// maxStatements bounds a program, comments and declarations included. No model has more than 32768
// instruction slots; the same amount is allowed for statements without slots.
const maxStatements = 1 << 16

// maxOpen bounds the blocks that are open at once. It exceeds every model's limit of 24 static and
// 24 dynamic ifs and 4 loops (D3DVS20_MAX_STATICFLOWCONTROLDEPTH and related constants in
// d3d9caps.h; MSDN, "Flow Control Limitations"). Validate checks the limits of the model itself.
const maxOpen = 64

// bulk counts the statements and the open blocks of a program during reading.
type bulk struct{ statements, open int }

// countStatement counts a statement and returns a diagnostic, without position, if a bound is exceeded.
func (e *bulk) countStatement(op Op) *asm.Diag {
	if e.statements++; e.statements > maxStatements {
		return fault("too-large", "a program has at most %d statements", maxStatements)
	}
	switch opTable[op].flags & (fOpen | fClose) { // else has both flags
	case fOpen:
		if e.open++; e.open > maxOpen {
			return fault("nesting-too-deep", "blocks nest more than %d deep: no shader model has room for that", maxOpen)
		}
	case fClose:
		e.open = max(e.open-1, 0)
	}
	return nil
}
