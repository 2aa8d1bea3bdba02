package ir

// ID numbers the values of a Func densely.
type ID int32

// Kind tells where a value comes from.
type Kind uint8

// The kinds of values.
const (
	Result  Kind = iota // defined by an instruction, as Def.Out[Lane] or as one of Def.Res
	Param               // a parameter of a region
	Input               // an attribute or an interpolated varying
	Uniform             // a constant that the host sets
	Literal             // a constant whose bits the program states
	Undef               // a read of something never written: opaque, equal only to itself
)

// File is a register file, numbered by the dialect. 0 is none.
type File uint8

// Reg is one component of one register.
type Reg struct {
	Index uint16 // first, so that there are no gaps, which make hashing slow
	File  File
	Comp  uint8
}

// Value is one 32-bit word. It has no type: ops give it meaning.
type Value struct {
	ID   ID
	Kind Kind
	Lane uint8  // of a Result: the lane of Def that writes it
	Bits uint32 // of a Literal
	Def  *Instr // of a Result, nil otherwise
	// Home is where the value lives: for leaves (Input, Uniform, Literal) where it
	// is read from; for others where the input program kept it, which is advice to
	// the register allocator and never identity.
	Home Reg
}

// IsLeaf reports whether v is defined outside the code.
func (v *Value) IsLeaf() bool { return v.Kind >= Input }

// IsConst reports whether v is the same for all invocations of a draw.
func (v *Value) IsConst() bool { return v.Kind == Uniform || v.Kind == Literal }

// LaneMod is a set of source modifiers of one lane: Abs is applied before Neg.
type LaneMod uint8

// The modifiers.
const (
	Neg LaneMod = 1 << iota
	Abs
	Not // of a boolean
)

// Then is the modifier that applies m first and n to the outcome.
func (m LaneMod) Then(n LaneMod) LaneMod {
	if n&Abs != 0 {
		m &^= Neg | Abs
	}
	return m ^ n&(Neg|Not) | n&Abs
}

// Apply is what the modifiers of floats make of a value: they set and flip its sign.
func (m LaneMod) Apply(bits uint32) uint32 {
	const sign = 1 << 31
	if m&Abs != 0 {
		bits &^= sign
	}
	if m&Neg != 0 {
		bits ^= sign
	}
	return bits
}

// Lane is one lane of an operand. The zero Lane is not read.
type Lane struct {
	V   *Value
	Mod LaneMod
}

// Operand is what an instruction reads for one source. Only the lanes that the
// op reads are set: Info.Reads tells which.
type Operand [4]Lane

// Splat is an operand that reads l in lane 0 only, as scalar ops do.
func Splat(l Lane) Operand { return Operand{l} }

// Each calls f for every lane that is set.
func (o *Operand) Each(f func(lane int, l *Lane)) {
	for i := range o {
		if o[i].V != nil {
			f(i, &o[i])
		}
	}
}
