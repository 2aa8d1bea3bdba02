package ir

// What a register says of a Direct3D 9 loop ("loop" and "rep" in the instruction
// reference): the number of trips and the first value of the counter are of eight bits
// without a sign, what a trip adds to it of eight bits with one. Numbers out of range
// count as the nearest in range (assumed: the reference leaves them open).

// LoopCount is how many trips a register with these bits stands for.
func LoopCount(bits uint32) int { return clampInt(bits, 0, 255) }

// LoopStart is where a register with these bits makes a counter start.
func LoopStart(bits uint32) int { return clampInt(bits, 0, 255) }

// LoopStep is what a register with these bits makes a trip add to a counter.
func LoopStep(bits uint32) int { return clampInt(bits, -128, 127) }

func clampInt(bits uint32, low, high int) int { return max(low, min(int(int32(bits)), high)) }
