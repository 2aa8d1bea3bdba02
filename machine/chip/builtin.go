package chip

// Preload names the value in a channel of a register when a thread starts.
type Preload struct {
	Reg, Chan int
	Holds     Builtin
}

// Builtin is a value the hardware gives a thread.
type Builtin uint8

// The values. Positions are floats at pixel centres, and the face is a float; all others are
// integers.
const (
	Unknown Builtin = iota // such as the number of a primitive
	PositionX
	PositionY
	PositionZ // 0
	PositionW // 1
	FrontFace // 1.0: every thread's primitive faces the front
	ThreadFlat
	ThreadInGroupX
	ThreadInGroupY
	ThreadInGroupZ
	ThreadInGroupFlat
	GroupX
	GroupY
	GroupZ
	GroupFlat
	ThreadX
	ThreadY
	ThreadZ
)
