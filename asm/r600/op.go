package r600

// Op is an ALU operation of the R600, R700 and Evergreen families.
type Op uint16

// numFamilies is one more than the newest family.
const numFamilies = Evergreen + 1

// SlotClass is the set of group slots that an operation may take. The slots x, y, z and w write
// their own channel; t writes any.
type SlotClass uint8

// The slot classes. A unit of several slots is placed in one group: the same operation in each of
// its slots.
const (
	Absent SlotClass = iota // not in this family
	Vector                  // one of x, y, z, w
	Trans                   // t only
	Any                     // any slot
	Pair                    // x and y, or z and w: a double
	Quad                    // x, y, z and w
)

// Width returns the number of slots of a unit of the class.
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

// String returns a short name: V, S, VS as in AMD's documents, or the width.
func (c SlotClass) String() string { return [...]string{"-", "V", "S", "VS", "2V", "4V"}[c] }

// opFlags are the properties of an operation other than its slots.
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

// perFamily holds an operation's slots in R600, R700 and Evergreen.
type perFamily [numFamilies]SlotClass

// opInfo is a row of the opcode table, indexed by Op.
type opInfo struct {
	name string
	// source operands, 0 to 3
	srcs  uint8
	slots perFamily
	flags opFlags
}

// String returns the mnemonic of AMD's listings.
func (op Op) String() string { return opTable[op].name }

// Sources returns the number of source operands of each slot. A dot product of four slots has two
// in each.
func (op Op) Sources() int { return int(opTable[op].srcs) }

// Slots returns the slots of op in family f, or Absent if f does not have op.
func (op Op) Slots(f Family) SlotClass { return opTable[op].slots[f] }

// ThreeSource reports whether op has the three-source encoding (ALU_WORD1_OP3): its result cannot be masked
// and its sources have no absolute value, because the third source takes these bits.
func (op Op) ThreeSource() bool { return opTable[op].flags&fOp3 != 0 }

// OncePerGroup reports whether a group may hold only one such operation: those that write the predicate or
// the address register, end invocations, or are barriers.
func (op Op) OncePerGroup() bool { return opTable[op].flags&fOnce != 0 }

// Predicate reports whether op writes the predicate and the execution mask.
func (op Op) Predicate() bool { return opTable[op].flags&fPred != 0 }

// Kills reports whether op ends invocations.
func (op Op) Kills() bool { return opTable[op].flags&fKill != 0 }

// Address reports whether op writes the address register.
func (op Op) Address() bool { return opTable[op].flags&fMova != 0 }

// Reduces reports whether all slots of the operation yield the same result, as in a dot product.
// One slot's write is enough.
func (op Op) Reduces() bool { return opTable[op].flags&fReduce != 0 }

// Memory reports whether op accesses the local data share.
func (op Op) Memory() bool { return opTable[op].flags&fMemory != 0 }

// FloatSources reports whether a negated source means the negated float, with its sign bit flipped.
// Integer operations ignore the modifier.
func (op Op) FloatSources() bool { return opTable[op].flags&fFloat != 0 }

// Ops is an exclusive upper bound of the operations, which are numbered from 1.
const Ops = int(numOps)
