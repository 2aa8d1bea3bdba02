package r600

// Op is an ALU operation of the R600, R700 and Evergreen families.
type Op uint16

// numFamilies is one more than the newest family.
const numFamilies = Evergreen + 1

// SlotClass says which slots of a group an operation may take. The slots x, y, z and w
// write their own channel; t writes any.
type SlotClass uint8

// The slot classes. A unit of several slots goes into one group as a whole: the same
// operation in each of its slots.
const (
	Absent SlotClass = iota // not in this family
	Vector                  // one of x, y, z, w
	Trans                   // t only
	Any                     // any slot
	Pair                    // x and y, or z and w: a double
	Quad                    // x, y, z and w
)

// Width is the number of slots a unit of the class takes.
func (c SlotClass) Width() int {
	switch c {
	case Absent:
		return 0
	case Pair:
		return 2
	case Quad:
		return 4
	}
	return 1
}

// String is a short name: V, S, VS as in AMD's documents, or the width.
func (c SlotClass) String() string { return [...]string{"-", "V", "S", "VS", "2V", "4V"}[c] }

// opFlags are the properties of an operation beside its slots.
type opFlags uint8

const (
	fOnce   opFlags = 1 << iota // at most one such operation in a group
	fMova                       // writes the address register
	fReduce                     // every slot yields the same result, forwarded in PV.x
	fPred                       // writes the predicate
	fKill                       // ends invocations
	fFloat                      // sources take negation as floats
	fMemory                     // reads or writes the local data share
	fOp3                        // three-source encoding: always writes, no absolute values
)

// perFamily is an operation's slots in R600, R700 and Evergreen.
type perFamily [numFamilies]SlotClass

// opInfo is a row of the opcode table, indexed by Op.
type opInfo struct {
	name string
	// source operands, 0 to 3
	srcs  uint8
	slots perFamily
	flags opFlags
}

// String is the mnemonic AMD's listings use.
func (op Op) String() string { return opTable[op].name }

// Sources is the number of source operands of each slot. A dot product of four slots
// has two in each.
func (op Op) Sources() int { return int(opTable[op].srcs) }

// Slots is where op may go in family f, Absent if f has no such operation.
func (op Op) Slots(f Family) SlotClass { return opTable[op].slots[f] }

// Op3 reports the three-source encoding (ALU_WORD1_OP3): its result cannot be masked
// off and its sources have no absolute value, as the bits are needed for the third
// source.
func (op Op) Op3() bool { return opTable[op].flags&fOp3 != 0 }

// Once reports that a group may hold only one such operation: those that write the
// predicate or the address register, or end invocations. A barrier is one, too.
func (op Op) Once() bool { return opTable[op].flags&fOnce != 0 }

// Predicate reports that op writes the predicate and the execution mask.
func (op Op) Predicate() bool { return opTable[op].flags&fPred != 0 }

// Kills reports that op ends invocations.
func (op Op) Kills() bool { return opTable[op].flags&fKill != 0 }

// Address reports that op writes the address register.
func (op Op) Address() bool { return opTable[op].flags&fMova != 0 }

// Reduces reports that all slots of the operation yield one and the same result, as
// those of a dot product. One slot's write is enough.
func (op Op) Reduces() bool { return opTable[op].flags&fReduce != 0 }

// Memory reports that op touches the local data share.
func (op Op) Memory() bool { return opTable[op].flags&fMemory != 0 }

// FloatSources reports that a negated source means the negated float: its sign bit
// flipped. For integers the modifier means nothing.
func (op Op) FloatSources() bool { return opTable[op].flags&fFloat != 0 }

// Ops is the number of operations; they are the integers from 1 below it.
const Ops = int(numOps)
