package preshader

import (
	"math"

	"github.com/shaderlift/shaderlift/asm"
)

// A section is a comment: its token has the length in words above these bits.
const (
	commentToken = 0xfffe
	maxSection   = 0x7fff
)

// Decode reads the words of a program: for a preshader, those after the mark of its comment block.
// The error is an *asm.Diag whose position is a byte offset from the first of them.
//
// The layout, in words:
//
//	version, sections, end token
//	section      0xfffe | length<<16, name, contents
//	CTAB         a constant table, as in shaders
//	PRSI         3 first registers, 3 counts, then 3 lists: n, n times first and count
//	CLIT         n, n float64, the low word first
//	FXLC         n, n instructions
//	instruction  op<<20 | components, with the highest bit if scalar; n; n inputs; output
//	operand      0, table, offset; or 1, table and offset of the index, table, offset
//
// Wine's preshader.c and MojoShader's parse_preshader read the same layout.
func Decode(file string, words []uint32) (*Program, error) {
	d := decoder{file: file, words: words}
	p := d.program()
	if d.diag != nil {
		return nil, d.diag
	}
	return p, nil
}

// decoder reads words in order. It keeps the first fault in diag. After a fault it yields zeros and
// ends all loops.
type decoder struct {
	file  string
	words []uint32
	at    int
	// end of the current section
	end  int
	diag *asm.Diag
}

// failAt records a fault at a word, unless there is one already.
func (d *decoder) failAt(at int, code asm.Code, format string, args ...any) {
	if d.diag == nil {
		d.diag = asm.Errorf(asm.Pos{File: d.file, Offset: 4 * at}, code, format, args...)
	}
}

// nextWord returns the next word of the section.
func (d *decoder) nextWord() uint32 {
	if d.diag != nil {
		return 0
	}
	if d.at >= d.end {
		d.failAt(d.at, "truncated", "the preshader ends early")
		return 0
	}
	d.at++
	return d.words[d.at-1]
}

// count returns the next word, the number of entries of size words each. It checks the number
// against the rest of the section, so that a false one allocates nothing.
func (d *decoder) count(size int) int {
	at := d.at
	n := d.nextWord()
	if d.diag == nil && uint64(n)*uint64(size) > uint64(d.end-d.at) {
		d.failAt(at, "truncated", "%d entries do not fit into a section of the preshader", n)
		return 0
	}
	return int(n)
}

// program reads all sections. It keeps the words after a section's contents in Words. Data that
// does not look like a section ends the sections.
func (d *decoder) program() *Program {
	d.end = len(d.words)
	p := &Program{Version: Version(d.nextWord())}
	if d.diag == nil && p.Version != constants && p.Version != Expression {
		d.failAt(0, "unknown-version", "%#08x is not a version of preshaders", uint32(p.Version))
	}
	seen := map[SectionName]bool{}
	for d.diag == nil && d.at < len(d.words) && d.words[d.at]&(1<<31|0xffff) == commentToken {
		at, n := d.at, int(d.words[d.at]>>16&maxSection)
		if n == 0 || at+1+n > len(d.words) {
			d.failAt(at, "truncated", "a section of %d words does not fit into the preshader", n)
			break
		}
		d.at, d.end = at+1, at+1+n
		s := Section{Name: SectionName(d.nextWord())}
		if seen[s.Name] {
			d.failAt(at, "duplicate-section", "a section of the preshader occurs twice")
		}
		seen[s.Name] = true
		switch s.Name {
		case SectionTable:
			p.Table = d.words[d.at:d.end:d.end]
			d.at = d.end
		case sectionOutputs:
			d.outputs(&p.Outputs)
		case SectionLiterals:
			p.Literals = make([]float64, d.count(2))
			for i := range p.Literals {
				low, high := d.nextWord(), d.nextWord()
				p.Literals[i] = math.Float64frombits(uint64(high)<<32 | uint64(low))
			}
		case SectionInstructions:
			n := d.count(2)
			for i := 0; i < n && d.diag == nil; i++ {
				p.Insts = append(p.Insts, d.readInstruction())
			}
		}
		s.Words = d.words[d.at:d.end:d.end]
		d.at, d.end = d.end, len(d.words)
		p.Sections = append(p.Sections, s)
	}
	p.Rest = d.words[min(d.at, len(d.words)):]
	return p
}

// outputs reads the set of registers that the program writes.
func (d *decoder) outputs(o *Outputs) {
	for i := range o.First {
		o.First[i] = d.nextWord()
	}
	for i := range o.Count {
		o.Count[i] = d.nextWord()
	}
	for i := range o.Ranges {
		o.Ranges[i] = make([]Range, d.count(2))
		for k := range o.Ranges[i] {
			o.Ranges[i][k] = Range{d.nextWord(), d.nextWord()}
		}
	}
}

// The fields of the word of an operation.
const (
	opShift       = 20
	opMask        = 0x7ff
	scalarBit     = 1 << 31
	componentMask = 0x7
)

// readInstruction reads an instruction. It keeps unknown operations by their number.
func (d *decoder) readInstruction() (in Inst) {
	at := d.at
	word := d.nextWord()
	in.Op, in.Scalar, in.Components = Op(word>>opShift&opMask), word&scalarBit != 0, int(word&componentMask)
	if d.diag == nil && word&^(scalarBit|opMask<<opShift|componentMask) != 0 {
		d.failAt(at, "reserved-bits", "instruction %#08x has reserved bits set", word)
	}
	if d.diag == nil && (in.Components < 1 || in.Components > 4) {
		d.failAt(at, "component-count", "an instruction has %d components", in.Components)
	}
	in.Inputs = make([]Operand, d.count(3))
	if row, ok := ops[in.Op]; ok && row.inputs > 0 && d.diag == nil && len(in.Inputs) != row.inputs {
		d.failAt(at+1, "operand-count", "%s takes %d inputs, not %d", in.Op, row.inputs, len(in.Inputs))
	}
	for i := range in.Inputs {
		in.Inputs[i] = d.operand()
	}
	at = d.at
	if in.Output = d.operand(); d.diag == nil && in.Output.Relative {
		d.failAt(at, "relative-output", "the output of an instruction is relative")
	}
	return in
}

// operand reads an operand.
func (d *decoder) operand() (o Operand) {
	at := d.at
	switch relative := d.nextWord(); {
	case relative == 1:
		o.Relative = true
		o.Index.Table, o.Index.Offset = d.table(), d.nextWord()
	case relative > 1:
		d.failAt(at, "reserved-bits", "an operand begins with %#x", relative)
	}
	o.Table, o.Offset = d.table(), d.nextWord()
	return o
}

// table reads the number of a register file.
func (d *decoder) table() Table {
	at := d.at
	t := Table(d.nextWord())
	if d.diag == nil && (t < Literal || t > Temp) {
		d.failAt(at, "unknown-table", "unknown table of operands %d", uint32(t))
	}
	return t
}
