package d3d9

import "github.com/shaderlift/shaderlift/asm"

// MaxStatements bounds a program, comments and declarations included. No model has more
// than 32768 instruction slots; as much again is left for what takes none.
const MaxStatements = 1 << 16

// maxOpen bounds the blocks that are open at once: more than any model has room for,
// which is 24 static and 24 dynamic ifs and 4 loops (D3DVS20_MAX_STATICFLOWCONTROLDEPTH
// and its like in d3d9caps.h; MSDN, "Flow Control Limitations"). What a model itself
// allows is for Validate to say.
const maxOpen = 64

// bulk counts the statements of a program as it is read, and the blocks that are open.
type bulk struct{ statements, open int }

// add takes in a statement; the diagnostic has no place yet.
func (e *bulk) add(op Op) *asm.Diag {
	if e.statements++; e.statements > MaxStatements {
		return fault("too-large", "a program has at most %d statements", MaxStatements)
	}
	switch opTable[op].flags & (fOpen | fClose) { // else is both
	case fOpen:
		if e.open++; e.open > maxOpen {
			return fault("nesting-too-deep", "blocks nest more than %d deep: no shader model has room for that", maxOpen)
		}
	case fClose:
		e.open = max(e.open-1, 0)
	}
	return nil
}
