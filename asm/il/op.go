package il

import "strings"

// Kind groups ops by the type of their operands, that is, by the meaning of the bits. 32-bit ops of
// all kinds share registers.
type Kind uint8

// The kinds of ops.
const (
	Move        Kind = iota // copies and selections, whatever the meaning of the bits
	Float                   // float32 arithmetic
	Integer                 // 32-bit integers and bit fields
	Double                  // float64 in pairs of lanes, the low word first
	Convert                 // conversions between these types
	Fetch                   // reads a resource
	MemoryOp                // reads or writes unordered-access views, local memory and the global data share
	Flow                    // control flow
	Declaration             // dcl_*
)

// Role is the effect of a statement on the block structure.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	If
	Else
	EndIf
	Loop
	EndLoop
	Switch
	Case // or default
	EndSwitch
	Break
	Continue
	Func
	EndFunc
	Call
	Return
	EndMain
	End
	Discard // ends a pixel, not a block
)

// SourceShape is how an operation reads a source operand; see [Inst.Reads].
type SourceShape uint8

// The shapes of a source.
const (
	LaneWise SourceShape = iota // lane by lane, matching the destination
	Vector                      // as a separate vector
	Scalar                      // its first component
)

// space is a numbering for _id() or _resource(). The spaces are independent.
type space uint8

const (
	noSpace space = iota
	resources
	views  // unordered-access views
	local  // local memory
	shared // the global data share
	numSpaces
)

// opInfo is one row of the instruction table, indexed by Op. The row completely describes an
// instruction for parser, printer and checks.
type opInfo struct {
	// names are the spellings, the canonical one first. A % represents every atomic operation.
	names string
	// form lists the operands:
	//
	//	d  destination            s  source read lane by lane
	//	m  mem with a mask        v  source read as a vector
	//	M  the same, optional     1  source of which one component is read
	//	                          O  the same, optional
	//	D  register declared, with a mask or without
	//	R  register declared      n  number        i  signed number
	//	A  array with its size    N  the same, optional
	//	L  word of a literal      F  global flags  W  local memory sharing mode
	form string
	kind Kind
	role Role
	// need are the required controls, may the optional ones.
	need, may control
	space     space
	declares  fileSet // of a declaration: the register files it can declare
}

// fileSet is a bit set of register files.
type fileSet uint32

// files returns the set of the given files.
func files(fs ...File) (set fileSet) {
	for _, f := range fs {
		set |= 1 << f
	}
	return set
}

// has reports whether f is in the set.
func (s fileSet) has(f File) bool { return s>>f&1 != 0 }

// String returns the canonical mnemonic, without controls. Families of atomic operations contain a
// %; see [Inst.Name].
func (op Op) String() string {
	if op == OpInvalid || op >= numOps {
		return "invalid"
	}
	name, _, _ := strings.Cut(opTable[op].names, " ")
	return name
}

// Name returns the operation of a statement, without its controls.
func (in *Inst) Name() string {
	return strings.Replace(in.Op.String(), "%", in.Ctl.Atomic.String(), 1)
}

// Kind returns the kind of op.
func (op Op) Kind() Kind { return opTable[op].kind }

// Role returns the role of op in the block structure.
func (op Op) Role() Role { return opTable[op].role }

// SourceShape returns the shape in which op reads its source operand i, according to its form.
// Operands beyond the form are vectors.
func (op Op) SourceShape(i int) SourceShape {
	for _, c := range []byte(opTable[op].form) {
		shape, isSource := sourceShape(c)
		if !isSource {
			continue
		}
		if i == 0 {
			return shape
		}
		i--
	}
	return Vector
}

// sourceShape returns the source shape of a form letter; ok is false if the letter is not a source.
func sourceShape(letter byte) (SourceShape, bool) {
	switch letter {
	case 's':
		return LaneWise, true
	case 'v':
		return Vector, true
	case '1', 'O':
		return Scalar, true
	}
	return 0, false
}

// spelling is the meaning of a mnemonic without its controls.
type spelling struct {
	op     Op
	atomic Atomic
}

// spellings maps mnemonics to ops; longest is the length of the longest one.
var spellings, longest = func() (map[string]spelling, int) {
	m, most := map[string]spelling{}, 0
	add := func(name string, s spelling) {
		m[name] = s
		most = max(most, len(name))
	}
	for op := range opTable {
		for _, name := range strings.Fields(opTable[op].names) {
			if !strings.Contains(name, "%") {
				add(name, spelling{op: Op(op)})
				continue
			}
			for a := range atomicNames {
				if Atomic(a) == AtomicXchg && !strings.Contains(name, "read") {
					continue // without its result it equals a store
				}
				add(strings.Replace(name, "%", atomicNames[a], 1), spelling{Op(op), Atomic(a)})
			}
		}
	}
	return m, most
}()
