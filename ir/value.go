package ir

import "cmp"

// ID numbers the values of a Func densely from 0 in order of creation. IDs are never
// reused, so a table indexed by ID that was made earlier stays valid for old values.
// They carry no order of the program: moved code keeps its IDs.
type ID int32

// Kind is the origin of a value. Kinds from Input on are leaves ([Value.IsLeaf]): their order matters.
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

// File is a register file, numbered by the dialect; 0 means no file. [Dialect.FileRole] returns its purpose.
type File uint8

// Reg is one component of one register. The zero Reg (File 0) means "no register".
// Where a whole register is meant, Comp is 0 or unused.
type Reg struct {
	Index uint16 // first, to avoid padding, which makes hashing slow
	File  File
	Comp  uint8
}

// packWord packs a register into 32 bits.
func (r Reg) packWord() uint64 { return uint64(r.File)<<24 | uint64(r.Index)<<8 | uint64(r.Comp) }

// Compare orders registers by file, index and component.
func (r Reg) Compare(o Reg) int { return cmp.Compare(r.packWord(), o.packWord()) }

// Value is one 32-bit word. It has no type: ops give it meaning. A float64 is two
// values, the low word in the even lane.
//
// Values are compared by pointer. Leaves are unique per Func ([Func.Leaf],
// [Func.LiteralAt]), so two reads of c3.x are the same *Value; two equal literals with
// different homes are not.
type Value struct {
	ID   ID
	Kind Kind
	Lane uint8  // of a Result: the lane of Def that writes it
	Bits uint32 // of a Literal
	Def  *Instr // of a Result, nil otherwise
	// Home is a register. For leaves (Input, Uniform, Literal) it is binding: the register that is read. For
	// others it is a register hint: where the input program kept the value. It is never identity, since two
	// live values may have the same home after code was moved. A literal without a register has the zero Reg
	// as its home.
	Home Reg
}

// IsLeaf reports whether v is defined outside the code.
func (v *Value) IsLeaf() bool { return v.Kind >= Input }

// IsConst reports whether v is the same for all invocations of a draw.
func (v *Value) IsConst() bool { return v.Kind == Uniform || v.Kind == Literal }

// IsLoaded reports whether v is read through an index (OpLoad). The same read later may return another value.
func (v *Value) IsLoaded() bool { return v.Def != nil && v.Def.Op == OpLoad }

// CopyOf returns the lane that v copies: the source of a move without a predicate, and without modifiers
// other than those ignored. Not ok if v is the result of anything else, or nil.
func (v *Value) CopyOf(ignored Mods) (l Lane, ok bool) {
	if v == nil || v.Def == nil || v.Def.Op != OpMov || v.Def.Mods&^ignored != 0 || v.Def.IsPredicated() {
		return l, false
	}
	return v.Def.Src[0][v.Lane], true
}

// LaneMod is a set of source modifiers of one lane. They are applied in the order of Direct3D 9 source
// modifiers: Abs first, then Neg, so Neg|Abs is -|x|.
type LaneMod uint8

// The modifiers.
const (
	// Neg flips the sign bit, of NaN and zero too.
	Neg LaneMod = 1 << iota
	// Abs clears the sign bit.
	Abs
	Not // of a boolean
)

// ComposeWith returns the modifier that applies m first and n to the result. Abs in n discards every sign of m:
// Neg.Then(Abs) is Abs, as |-x| is |x|. Two negations cancel.
func (m LaneMod) ComposeWith(n LaneMod) LaneMod {
	if n&Abs != 0 {
		m &^= Neg | Abs
	}
	return m ^ n&(Neg|Not) | n&Abs
}

// Apply applies the float modifiers Abs and Neg to bits: they clear and flip the sign.
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

// Lane is one lane of an operand: the value and the modifiers it is read under. The zero Lane is not read.
type Lane struct {
	V   *Value
	Mod LaneMod
}

// Operand is one source of an instruction. Lane i is position i of the swizzle, not component i of a
// register. For example, mul r0.xy, r1.zw, c0.x reads r1.z in lane 0 and r1.w in lane 1, and c0.x in both.
// Only the lanes that the op reads ([Instr.Reads]) are set. Check enforces this, so every set lane is a true
// dependence.
type Operand [4]Lane

// Splat returns an operand that reads l in lane 0 only, as scalar ops do.
func Splat(l Lane) Operand { return Operand{l} }

// EachLane calls f for every lane that is set.
func (o *Operand) EachLane(f func(lane int, l *Lane)) {
	for i := range o {
		if o[i].V != nil {
			f(i, &o[i])
		}
	}
}
