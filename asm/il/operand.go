package il

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxIndexDepth bounds the nesting of indices; cb0[x0[r1.x].y] has depth two. Hardware has one
// level, and a compiler splits two.
const maxIndexDepth = 4

// operand reads an operand described by a form letter and sets its field. opInfo explains the
// letters.
func (p *parser) operand(in *Inst, letter byte) bool {
	switch letter {
	case 'd':
		in.HasDst = true
		return p.destination(&in.Dst)
	case 'm', 'M':
		in.HasDst = true
		return p.memory(&in.Dst)
	case 's', 'v', '1', 'O':
		in.NSrc++
		return p.source(&in.Src[in.NSrc-1], 0)
	case 'D', 'R', 'A':
		in.HasDst = true
		return p.declared(in, letter)
	}
	in.NImm++
	return p.immediate(&in.Imm[in.NImm-1], letter)
}

// register reads the name of a register. It leaves the rest of the word, which can only be
// modifiers.
func (p *parser) register(r *Reg) bool {
	first := p.pos
	name := p.takeWhile(isLetter)
	file, ok := fileOf[name]
	// Names that begin with v are case-insensitive.
	if !ok {
		file, ok = builtinOf[strings.ToLower(name)]
	}
	if !ok {
		p.pos = first
		if p.takeWhile(isWord) == "" {
			return p.expected("a register")
		}
		repair := ""
		if strings.EqualFold(name, "vPos") { // in the slides of AMD's tutorial
			repair = "; the position of a pixel is vWinCoord0, declared by dcl_input_position_interp(linear_noperspective)"
		}
		return p.failAt(first, "unknown-register", "unknown register %q%s", asm.Clip(p.src[first:p.pos]), repair)
	}
	r.File = file
	digits := p.takeWhile(isDigit)
	n := 0
	for _, c := range []byte(digits) {
		n = min(n*10+int(c-'0'), 1<<16)
	}
	// The required suffix of the name.
	switch fileTable[file].shape {
	case numbered, numberedArray:
		if digits == "" {
			return p.failAt(first, "unknown-register", "register %q has no number", name)
		}
	case indexed:
		ok = digits == ""
	case single, singleZero:
		ok = n == 0
	}
	switch {
	case !ok:
		return p.failAt(first, "unknown-register", "unknown register %q", asm.Clip(name+digits))
	case n >= 1<<16:
		return p.failAt(first, "register-range", "the number of %s is out of range", asm.Clip(name+digits))
	}
	r.Num = uint16(n)
	return true
}

// index reads [3], [r1.x] or [r1.x + 3].
func (p *parser) index(a *Addr, depth int) bool {
	first := p.pos
	if !p.acceptChar('[') {
		return p.expected("an index")
	}
	if depth == maxIndexDepth {
		return p.failAt(first, "index-depth", "indices are nested too deep")
	}
	if !isDigit(p.peek()) {
		at := p.pos
		a.Rel = new(Src)
		if !p.source(a.Rel, depth+1) {
			return false
		}
		if s := a.Rel; s.Swz.Len() != 1 || s.Swz.SelectionAt(0) > SelW || s.Mods != 0 || s.Div != 0 || s.Neg != 0 {
			return p.failAt(at, "index-component", "an index must be one component of a register")
		}
		if p.acceptChar(']') {
			return true
		}
		if !p.acceptChar('+') {
			return p.expected("+ or ]")
		}
	}
	if !p.number(&a.Offset) {
		return false
	}
	if !p.acceptChar(']') {
		return p.expected("]")
	}
	p.unblank()
	return true
}

// unblank moves back over the blanks after a closing bracket, because the suffixes of the operand
// follow immediately.
func (p *parser) unblank() {
	for isBlank(p.src[p.pos-1]) {
		p.pos--
	}
}

// source reads a source operand at an index depth.
func (p *parser) source(s *Src, depth int) bool {
	first := p.pos
	if !p.register(&s.Reg) {
		return false
	}
	if !fileTable[s.File].read {
		return p.failAt(first, "write-only", "%s cannot be read", s.Reg)
	}
	if s.File.IsArray() && !p.index(&s.Addr, depth) {
		return false
	}
	// An index at a wrong place gets a better message than a blank would.
	if p.peek() == '[' {
		return p.failAt(p.pos, "not-an-array", "%s is not an array", s.Reg)
	}
	for {
		switch {
		case p.peek() == '.' && s.Swz == 0:
			if !p.swizzle(&s.Swz) {
				return false
			}
		case p.peek() == '_':
			if !p.modifier(s) {
				return false
			}
		default:
			return true
		}
	}
}

// swizzle reads a dot and one to four of xyzw01. Letters directly after it are most likely the next
// statement, after a lost line break.
func (p *parser) swizzle(s *Swizzle) bool {
	p.pos++
	first := p.pos
	var places [4]Sel
	n := 0
	for ; n < 4; n++ {
		sel := strings.IndexByte(selNames, p.peek())
		if sel < 0 {
			break
		}
		places[n] = Sel(sel)
		p.pos++
	}
	// Then the text as a whole is not a swizzle.
	if c := p.peek(); isLetter(c) || isDigit(c) {
		if n > 0 && startsStatement(p.rest()) {
			return p.failAt(p.pos, "glued-statement", "a second statement on one line: %q", asm.Clip(p.rest()))
		}
		n = 0
	}
	if n == 0 {
		p.pos = first
		return p.failAt(first, "swizzle", "%q is not a selection of components", asm.Clip(p.takeWhile(isWord)))
	}
	*s = MakeSwizzle(places[:n]...)
	return true
}

// modifier reads a source modifier: _neg(xy), _abs, _bx2, _divComp(w). Each may occur once.
func (p *parser) modifier(s *Src) bool {
	first := p.pos
	p.pos++
	word := p.takeWhile(func(c byte) bool { return isLetter(c) || isDigit(c) })
	arg, hasArg := "", p.peek() == '('
	if hasArg {
		var closed bool
		if arg, _, closed = strings.Cut(p.rest()[1:], ")"); !closed {
			return p.failAt(p.pos, "syntax", "this parenthesis is not closed")
		}
		p.pos += len(arg) + 2
	}
	var bit uint8
	ok := false
	switch {
	case word == "neg":
		ok = s.Neg == 0 && (!hasArg || readLanes(arg, &s.Neg))
		if !hasArg {
			s.Neg = AllLanes
		}
	case word == "divComp" && hasArg:
		ok = s.Div == NoDivComp && lookupEnum(divNames[:], arg, &s.Div)
	case word == "bx2" && !hasArg:
		ok = s.Mods&(Bias|X2) == 0
		s.Mods |= Bias | X2
	case !hasArg && lookupEnum(srcModNames[:], word, &bit):
		ok = s.Mods>>bit&1 == 0
		s.Mods |= 1 << bit
	}
	if !ok {
		return p.failAt(first, "source-modifier", "%q is not a modifier here", asm.Clip(p.src[first:p.pos]))
	}
	return true
}

// destination reads a destination operand. It may have the result modifiers instead of the opcode.
func (p *parser) destination(d *Dst) bool {
	first := p.pos
	if !p.register(&d.Reg) {
		return false
	}
	if !fileTable[d.File].write {
		return p.failAt(first, "read-only", "%s cannot be written by this instruction", d.Reg)
	}
	if d.File.IsArray() && !p.index(&d.Addr, 0) {
		return false
	}
	for p.peek() == '_' {
		at := p.pos
		p.pos++
		var shift int8
		switch word := p.takeWhile(func(c byte) bool { return isLetter(c) || isDigit(c) }); {
		case word == "sat" && !d.Sat:
			d.Sat = true
		case d.Shift == 0 && lookupEnum(shiftNames[:], word, &shift):
			d.Shift = shift - 3
		default:
			return p.failAt(at, "destination-modifier", "%q is not a modifier here", asm.Clip(p.src[at:p.pos]))
		}
	}
	return p.parseMask(d)
}

// memory reads mem with a mask, the destination of stores.
func (p *parser) memory(d *Dst) bool {
	first := p.pos
	if !p.register(&d.Reg) {
		return false
	}
	if d.File != Memory {
		return p.failAt(first, "store-target", "a store must write to mem, not to %s", d.Reg)
	}
	return p.parseMask(d)
}

// declared reads the register of a declaration.
func (p *parser) declared(in *Inst, letter byte) bool {
	first := p.pos
	if !p.register(&in.Dst.Reg) {
		return false
	}
	if !opTable[in.Op].declares.has(in.Dst.File) {
		return p.failAt(first, "declaration", "%s does not declare %s", in.Op, in.Dst.Reg)
		// A declaration only names registers of its files.
	}
	in.Dst.Mask = MaskAll
	switch letter {
	case 'D':
		return p.parseMask(&in.Dst)
	case 'A':
		if !p.acceptChar('[') {
			return p.expected("the size of the array")
		}
		in.NImm = 1
		if !p.number(&in.Imm[0]) {
			return false
		}
		if !p.acceptChar(']') {
			return p.expected("]")
		}
	}
	return true
}

// parseMask reads the write mask after a register; without one, all lanes are written.
func (p *parser) parseMask(d *Dst) bool {
	d.Mask = MaskAll
	switch p.peek() {
	case '[':
		return p.failAt(p.pos, "not-an-array", "%s is not an array", d.Reg)
	case '.':
	default:
		return true
	}
	p.pos++
	first := p.pos
	word := p.takeWhile(isWord)
	m, ok := readMask(word)
	if !ok || m.Written() == 0 {
		return p.failAt(first, "write-mask", "%q is not a write mask", asm.Clip(word))
	}
	d.Mask = m
	return true
}

// readMask reads a write mask. Each character has a lane: a letter its own, in order, and _, 0 or 1
// the lane next to its neighbours'. If the lane is ambiguous or does not exist, ok is false.
//
//	.xz  .x_z    both are .x_z_
//	.y1  .0w     .y is followed by 1.0 in z, .w preceded by 0.0 in z
//	.x_w         none: _ could be y or z
func readMask(word string) (m Mask, ok bool) {
	if word == "" || len(word) > 4 {
		return 0, false
	}
	lane := 0
	if i := strings.IndexAny(word, selNames[:4]); i >= 0 {
		lane = strings.IndexByte(selNames[:4], word[i]) - i
	} else if len(word) < 4 {
		return 0, false
	}
	if lane < 0 {
		return 0, false
	}
	afterLetter := true
	for _, c := range []byte(word) {
		write := Keep
		switch k := strings.IndexByte(selNames[:4], c); {
		case k >= 0:
			if k < lane || k > lane && !afterLetter {
				return 0, false
			}
			lane, write = k, Result
		case c == '0':
			write = Zero
		case c == '1':
			write = One
		case c != '_':
			return 0, false
		}
		if lane > 3 {
			return 0, false
		}
		afterLetter = write == Result
		m.set(lane, write)
		lane++
	}
	return m, true
}
