package chip

// Preload says what a channel of a register holds when a thread starts.
type Preload struct {
	Reg, Chan int
	Holds     Builtin
}

// Builtin is a value the hardware gives a thread.
type Builtin uint8

// The values. Positions are floats at pixel centres, and so is the face; everything else is
// an integer.
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
