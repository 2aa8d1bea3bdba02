package ir

// These functions decode the register of a Direct3D 9 loop ("loop" and "rep" in the instruction reference).
// The trip count and the first value of the counter are unsigned 8-bit numbers; the step is a signed 8-bit
// number. Numbers out of range are clamped (assumed: the reference leaves them open).

// LoopCount returns the trip count that a register with these bits encodes.
func LoopCount(bits uint32) int { return clampInt(bits, 0, 255) }

// LoopStart returns the initial value of the counter that a register with these bits encodes.
func LoopStart(bits uint32) int { return clampInt(bits, 0, 255) }

// LoopStep returns the step of the counter that a register with these bits encodes.
func LoopStep(bits uint32) int { return clampInt(bits, -128, 127) }

func clampInt(bits uint32, low, high int) int { return max(low, min(int(int32(bits)), high)) }
