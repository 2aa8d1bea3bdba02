package il

import "strings"

// Kind groups ops by what they work on. It says what the bits of the operands mean;
// 32-bit ops of all kinds share registers.
type Kind uint8

// The kinds of ops.
const (
	Move        Kind = iota // copies and choices, whatever the bits mean
	Float                   // float32 arithmetic
	Integer                 // 32-bit integers and bit fields
	Double                  // float64 in pairs of lanes, the low word first
	Convert                 // between the former
	Fetch                   // reads a resource
	MemoryOp                // reads or writes unordered-access views, local memory and the global data share
	Flow                    // control flow
	Declaration             // dcl_*
)

// Role is what a statement does to the block structure.
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

// The ways to read a source.
const (
	LaneWise SourceShape = iota // lane by lane, beside the destination
	Vector                      // as a vector of its own
	Scalar                      // its first component
)

// space is what the number in _id() or _resource() numbers. Each space has its own
// numbers.
type space uint8

const (
	noSpace space = iota
	resources
	views  // unordered-access views
	local  // local memory
	shared // the global data share
	numSpaces
)

// opInfo is one row of the instruction table, indexed by Op. Parser, printer and checks
// all go by it, so an instruction is added by its row alone.
type opInfo struct {
	// names are the spellings, the canonical one first. A % in it stands for every
	// atomic operation.
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
	// need are the controls that must be written, may those that can be.
	need, may control
	space     space
	declares  fileSet // of a declaration: the register files it is about
}

// fileSet is a set of register files, a bit each.
type fileSet uint32

// files is the set of the given files.
func files(fs ...File) (set fileSet) {
	for _, f := range fs {
		set |= 1 << f
	}
	return set
}

// has reports whether f is in the set.
func (s fileSet) has(f File) bool { return s>>f&1 != 0 }

// String is the canonical mnemonic, without controls. Families of atomic operations
// have a % in it; see [Inst.Name].
func (op Op) String() string {
	if op == OpInvalid || op >= numOps {
		return "invalid"
	}
	name, _, _ := strings.Cut(opTable[op].names, " ")
	return name
}

// Name spells the operation of a statement, without its controls.
func (in *Inst) Name() string {
	return strings.Replace(in.Op.String(), "%", in.Ctl.Atomic.String(), 1)
}

// Kind tells what op works on.
func (op Op) Kind() Kind { return opTable[op].kind }

// Role tells what op does to the block structure.
func (op Op) Role() Role { return opTable[op].role }

// SourceShape tells how op reads its source operand i, by its form. Operands beyond it
// are vectors.
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

// sourceShape is what a letter of a form says about a source, if it is one.
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

// spelling is what a mnemonic without its controls stands for.
type spelling struct {
	op     Op
	atomic Atomic
}

// spellings finds an op by mnemonic; longest bounds the length of one.
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
					continue // without its result it would be a store
				}
				add(strings.Replace(name, "%", atomicNames[a], 1), spelling{Op(op), Atomic(a)})
			}
		}
	}
	return m, most
}()
