package preshader

// Version is the first word of a program.
type Version uint32

// The versions.
const (
	Constants  Version = 0x46580201 // a preshader
	Expression Version = 0x46580200 // the index of an array
)

// Table is the register file of an operand.
type Table uint32

// The register files.
const (
	Literal Table = 1 + iota
	Input
	VertexInput // of texture shaders
	Output
	OutputBool
	OutputInt
	Temp
)

// Operand is consecutive components of a table, the first of which is Offset: component
// y of register 3 is 13. There are as many as the instruction has components, and they
// may go on in the next register.
type Operand struct {
	Table  Table
	Offset uint32
	// Relative operands are so many registers further on as the component of Index
	// says, rounded towards zero.
	Relative bool
	Index    struct {
		Table  Table
		Offset uint32
	}
}

// Inst is an instruction. It computes its results from all inputs before it writes one.
type Inst struct {
	Op Op
	// Scalar operations take the first input from one component, for all components.
	Scalar     bool
	Components int
	Inputs     []Operand
	Output     Operand
}

// Range is so many registers from First on.
type Range struct{ First, Count uint32 }

// Outputs says which registers of the shader are written.
type Outputs struct {
	// First is the first register and Count how many there are from it to the last, of
	// floats, bools and integers.
	First, Count [3]uint32
	// Ranges are the registers, of floats, bools and integers.
	Ranges [3][]Range
}

// SectionName is the four letters of a section, the first one lowest: CTAB, PRSI, CLIT
// and FXLC.
type SectionName uint32

// The sections.
const (
	SectionTable        SectionName = 'C' | 'T'<<8 | 'A'<<16 | 'B'<<24
	SectionOutputs      SectionName = 'P' | 'R'<<8 | 'S'<<16 | 'I'<<24
	SectionLiterals     SectionName = 'C' | 'L'<<8 | 'I'<<16 | 'T'<<24
	SectionInstructions SectionName = 'F' | 'X'<<8 | 'L'<<16 | 'C'<<24
)

// Section is a section, in the order of the program. Its contents are in the field of
// Program that is for it.
type Section struct {
	Name SectionName
	// Words are those of a section that no field of Program is for, and those behind the
	// contents of one that a field is for.
	Words []uint32
}

// Program is a preshader or an expression. A section counts only if Sections names it:
// who adds literals to a program without CLIT adds the section, too.
type Program struct {
	Version  Version
	Sections []Section
	// Table holds the words of the constant table, which maps parameters to inputs. Package
	// d3d9 reads them.
	Table    []uint32
	Outputs  Outputs
	Literals []float64
	Insts    []Inst
	// Rest is what follows the last section: the end token, and anything behind it.
	Rest []uint32
}
