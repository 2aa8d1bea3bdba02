package preshader

// Version is the first word of a program.
type Version uint32

// The versions.
const (
	constants  Version = 0x46580201 // a preshader
	Expression Version = 0x46580200 // the index of an array
)

// Table is the register file of an operand.
type Table uint32

// The register files.
const (
	Literal Table = 1 + iota
	Input
	vertexInput // for texture shaders
	Output
	OutputBool
	OutputInt
	Temp
)

// Operand is a sequence of consecutive components of a table; Offset is the first: component y of
// register 3 is 13. Their number is that of the instruction's components, and they may span two
// registers.
type Operand struct {
	Table  Table
	Offset uint32
	// A Relative operand is displaced by a number of registers: the component in Index, rounded
	// towards zero.
	Relative bool
	Index    struct {
		Table  Table
		Offset uint32
	}
}

// Inst is an instruction. It reads all inputs before it writes a result.
type Inst struct {
	Op Op
	// A Scalar operation uses one component of the first input for all components.
	Scalar     bool
	Components int
	Inputs     []Operand
	Output     Operand
}

// Range is a sequence of Count registers from First on.
type Range struct{ First, Count uint32 }

// Outputs is the set of shader registers that the program writes.
type Outputs struct {
	// First is the first register and Count the number of registers up to the last, for floats,
	// bools and integers.
	First, Count [3]uint32
	// Ranges are the registers, for floats, bools and integers.
	Ranges [3][]Range
}

// SectionName consists of the four letters of a section, the first one lowest: CTAB, PRSI, CLIT and
// FXLC.
type SectionName uint32

// The sections.
const (
	SectionTable        SectionName = 'C' | 'T'<<8 | 'A'<<16 | 'B'<<24
	sectionOutputs      SectionName = 'P' | 'R'<<8 | 'S'<<16 | 'I'<<24
	SectionLiterals     SectionName = 'C' | 'L'<<8 | 'I'<<16 | 'T'<<24
	SectionInstructions SectionName = 'F' | 'X'<<8 | 'L'<<16 | 'C'<<24
)

// Section is a section of the program, in order. Its contents are in the corresponding field of
// Program.
type Section struct {
	Name SectionName
	// Words holds the contents of an unknown section, or the words after the contents of a known
	// one.
	Words []uint32
}

// Program is a preshader or an expression. A section exists only if Sections names it: to add
// literals to a program without CLIT, add the section, too.
type Program struct {
	Version  Version
	Sections []Section
	// Table holds the words of the constant table, which maps parameters to inputs. Package
	// d3d9 reads them.
	Table    []uint32
	Outputs  Outputs
	Literals []float64
	Insts    []Inst
	// Rest holds the words after the last section, beginning with the end token.
	Rest []uint32
}
