package d3d9

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// Decode reads bytecode, as described in MSDN's "Direct3D Shader Codes": a version token,
// statements of an instruction token and its operand tokens, and an end token. Every statement
// keeps its tokens in Raw, a part of the words of data, so that unchanged statements are written
// back exactly. Decode refuses tokens that no field of Inst can express, so the result re-encodes
// to the same words from its fields alone. It stops at the first error because later tokens have no
// certain boundaries. The error is an *asm.Diag whose position is a byte offset.
func Decode(file string, data []byte) (*Program, error) {
	d := decoder{file: file}
	if len(data)%4 != 0 {
		return nil, d.errorf(len(data)/4, "truncated", "%d bytes are not a whole number of tokens", len(data))
	}
	d.words = make([]uint32, len(data)/4)
	for i := range d.words {
		d.words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	if len(d.words) == 0 {
		return nil, d.errorf(0, "truncated", "no version token")
	}
	m, ok := modelOf(d.words[0])
	if !ok {
		return nil, d.errorf(0, "unknown-version", "%#08x is not a version of vertex or pixel programs", d.words[0])
	}
	d.model = m
	// Allocate all statements at once: an Inst is large, and a growing slice would copy them.
	p := &Program{Model: m, Binary: true, Insts: make([]Inst, 0, d.statements())}
	var size bulk
	for at := 1; ; {
		if at >= len(d.words) {
			return nil, d.errorf(at, "truncated", "no end token")
		}
		if d.words[at] == endToken {
			p.Rest = d.words[at+1:]
			return p, nil
		}
		n, diag := d.extent(at)
		if diag != nil {
			return nil, diag
		}
		// The capacity ends with the statement, so that an append to Raw cannot overwrite the next
		// one.
		p.Insts = append(p.Insts, Inst{Raw: d.words[at : at+n : at+n], Pos: asm.Pos{File: file, Offset: 4 * at}})
		if diag := d.statement(at, &p.Insts[len(p.Insts)-1]); diag != nil {
			return nil, diag
		}
		if diag := d.setPosition(at, size.countStatement(p.Insts[len(p.Insts)-1].Op)); diag != nil {
			return nil, diag
		}
		at += n
	}
}

// statements counts the statements up to the end or the first malformed token, as far as there is
// room for them. The count is a hint for an allocation; Decode reports errors.
func (d *decoder) statements() (count int) {
	for at := 1; count < maxStatements && at < len(d.words) && d.words[at] != endToken; count++ {
		n, diag := d.extent(at)
		if diag != nil {
			break
		}
		at += n
	}
	return count
}

// decoder holds the words of a program and its model. Positions are word indices.
type decoder struct {
	file  string
	model Model
	words []uint32
}

func (d *decoder) errorf(at int, code asm.Code, format string, args ...any) *asm.Diag {
	return asm.Errorf(asm.Pos{File: d.file, Offset: 4 * at}, code, format, args...)
}

// setPosition sets the position of a diagnostic.
func (d *decoder) setPosition(at int, diag *asm.Diag) *asm.Diag {
	if diag != nil {
		diag.Pos = asm.Pos{File: d.file, Offset: 4 * at}
	}
	return diag
}

// extent returns the number of words of the statement at the given word, including the first. A
// comment states its length in bits 16 to 30, an instruction of version 2 and later in bits 24 to
// 27. Version 1 has no length: the statement continues while words have their top bit set, which
// instruction tokens never have.
func (d *decoder) extent(at int) (int, *asm.Diag) {
	tok := d.words[at]
	n := 1
	switch op := tok & opcodeMask; {
	case op == uint32(opTable[OpComment].code):
		n += int(tok >> 16 & maxComment)
	case d.model.Major >= 2:
		n += int(tok >> lengthShift & 0xf)
	case op == uint32(opTable[OpDef].code):
		// A destination and four numbers. A number may have its top bit clear, and so
		// look like an instruction.
		n += 5
	default:
		for at+n < len(d.words) && d.words[at+n]&operandBit != 0 {
			n++
		}
	}
	if at+n > len(d.words) {
		return 0, d.errorf(at, "truncated", "the statement needs %d more tokens", at+n-len(d.words))
	}
	return n, nil
}

// statement reads the fields of in from in.Raw, whose first word is word at of the program.
// Reserved bits must be clear because no field can hold them.
func (d *decoder) statement(at int, in *Inst) *asm.Diag {
	tok := in.Raw[0]
	if tok&opcodeMask == uint32(opTable[OpComment].code) {
		if tok&operandBit != 0 {
			return d.errorf(at, "reserved-bits", "comment token %#08x has its last bit set", tok)
		}
		in.Op, in.Comment = OpComment, in.Raw[1:]
		return nil
	}
	if tok&reservedInst != 0 || d.model.Major == 1 && tok>>lengthShift&0xf != 0 {
		return d.errorf(at, "reserved-bits", "instruction token %#08x has reserved bits set", tok)
	}
	if in.Op = d.model.decodeOp(tok); in.Op == OpInvalid {
		return d.errorf(at, "unknown-opcode", "%s has no instruction %d with control %d", d.model, tok&opcodeMask,
			tok>>controlShift&0xff)
	}
	// The control bits of these ops are the comparison (D3DSHADER_COMPARISON), which opOf ignores.
	if opTable[in.Op].flags&fCmp != 0 {
		in.Cmp = Cmp(tok >> controlShift)
	}
	in.CoIssue = tok&coIssueBit != 0
	in.HasPred = tok&predicatedBit != 0

	o := operands{model: d.model, words: in.Raw, next: 1}
	o.readOperands(in)
	switch {
	// next is one past the refused token.
	case o.reserved:
		return d.errorf(at+o.next-1, "reserved-bits", "operand token %#08x has reserved bits set", in.Raw[o.next-1])
	case o.short || o.next != len(in.Raw):
		return d.errorf(at, "operand-count", "%s does not take %d operand tokens in %s", in.Op, len(in.Raw)-1, d.model)
	}
	return d.setPosition(at, in.check(d.model))
}

// operands reads the operand tokens of a statement, from next on. Reading past the end sets short
// and yields zeros except for the operand bit. A token that no field can express sets reserved.
// Either ends the reading and makes the fields read so far meaningless; callers check once, at the
// end.
type operands struct {
	model           Model
	words           []uint32
	next            int
	short, reserved bool
}

// readOperands fills the operands of in, in the order of their tokens: declaration,
// destination, predicate, sources, numbers.
func (o *operands) readOperands(in *Inst) {
	info := &opTable[in.Op]
	if in.Op == OpDcl {
		in.Decl = o.readDeclaration()
	}
	if info.dst {
		in.HasDst = true
		in.Dst = o.readDestination()
	}
	if in.HasPred {
		in.Pred = o.readSource()
	}
	in.NSrc = uint8(in.Op.sources(o.model))
	for i := range in.Src[:in.NSrc] {
		in.Src[i] = o.readSource()
	}
	switch in.Op {
	case OpDef, OpDefI:
		for i := range in.Imm {
			in.Imm[i] = o.nextWord()
		}
	case OpDefB:
		in.Imm[0] = o.nextWord()
	}
}

// nextWord returns the next word, whatever it holds. After an error it keeps next, for the diagnostic.
func (o *operands) nextWord() uint32 {
	if o.reserved || o.short || o.next >= len(o.words) {
		o.short = !o.reserved
		return operandBit
	}
	o.next++
	return o.words[o.next-1]
}

// operand returns the next word, which must have its top bit set and its reserved bits clear.
func (o *operands) operand(reserved uint32) uint32 {
	tok := o.nextWord()
	if tok&operandBit == 0 || tok&reserved != 0 {
		o.reserved = true
	}
	return tok
}

// readDeclaration reads the token of a dcl: usage in bits 0 to 4 (bit 4 is always 0), usage index in bits 16
// to 19, texture type in bits 27 to 30.
func (o *operands) readDeclaration() Decl {
	const used = operandBit | 0xf | 0xf<<usageIndexShift | 0xf<<texTypeShift
	tok := o.operand(^uint32(used))
	return Decl{Usage: Usage(tok & 0xf), Index: uint8(tok >> usageIndexShift & 0xf),
		Tex: TexType(tok >> texTypeShift & 0xf)}
}

// readDestination reads a destination token, and the token of its index register after it.
func (o *operands) readDestination() Dst {
	tok := o.operand(reservedOperand)
	return Dst{
		Reg:  o.model.regOf(tok),
		Mask: Mask(tok >> maskShift & 0xf),
		Mods: DstMod(tok >> dstModShift & 0xf),
		// The shift is a signed 4-bit number.
		Shift: int8(tok>>dstShiftShift&0xf<<4) >> 4,
		Rel:   o.readRelative(tok),
	}
}

// readSource reads a source token, and the token of its index register after it.
func (o *operands) readSource() Src {
	tok := o.operand(reservedOperand)
	return Src{
		Reg: o.model.regOf(tok),
		Swz: Swizzle(tok >> swizzleShift),
		Mod: SrcMod(tok >> srcModShift & 0xf),
		Rel: o.readRelative(tok),
	}
}

// readRelative reads the relative part of the address in tok. In version 1 it is always a0.x; later versions
// have a separate token.
func (o *operands) readRelative(tok uint32) Rel {
	if tok&relativeBit == 0 {
		return Rel{}
	}
	if o.model.Major == 1 {
		return Rel{Addr, Replicate(0)}
	}
	// Only type and swizzle of the index register's token have a meaning: its number is 0, and it
	// has no modifier and no index register.
	index := o.operand(reservedOperand | relativeBit | 0xf<<srcModShift | maxNumber)
	r := Rel{o.model.regOf(index).File, Swizzle(index >> swizzleShift)}
	if r.File == NoFile {
		o.reserved = true
	}
	return r
}
