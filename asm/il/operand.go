package il

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxIndexDepth bounds how deep an index can be nested, cb0[x0[r1.x].y] being two.
// Hardware has one level; a compiler unnests two.
const maxIndexDepth = 4

// operand reads the operand that a letter of the form of in stands for into the field
// that is for it. Letters are explained at opInfo.
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

// register reads the name of a register. What is left of the word, which can only
// be modifiers, stays.
func (p *parser) register(r *Reg) bool {
	first := p.pos
	name := p.run(isLetter)
	file, ok := fileOf[name]
	// Names that begin with v are in any case.
	if !ok {
		file, ok = builtinOf[strings.ToLower(name)]
	}
	if !ok {
		p.pos = first
		if p.run(isWord) == "" {
			return p.expected("a register")
		}
		return p.failAt(first, "unknown-register", "unknown register %q", asm.Clip(p.src[first:p.pos]))
	}
	r.File = file
	digits := p.run(isDigit)
	n := 0
	for _, c := range []byte(digits) {
		n = min(n*10+int(c-'0'), 1<<16)
	}
	// What has to follow the name.
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
		return p.failAt(first, "unknown-register", "there is no register %q", asm.Clip(name+digits))
	case n >= 1<<16:
		return p.failAt(first, "register-range", "the number of %s is out of range", asm.Clip(name+digits))
	}
	r.Num = uint16(n)
	return true
}

// index reads [3], [r1.x] or [r1.x + 3].
func (p *parser) index(a *Addr, depth int) bool {
	first := p.pos
	if !p.take('[') {
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
		if s := a.Rel; s.Swz.Len() != 1 || s.Swz.At(0) > SelW || s.Mods != 0 || s.Div != 0 || s.Neg != 0 {
			return p.failAt(at, "index-component", "an index is one component of a register")
		}
		if p.take(']') {
			return true
		}
		if !p.take('+') {
			return p.expected("+ or ]")
		}
	}
	if !p.number(&a.Offset) {
		return false
	}
	if !p.take(']') {
		return p.expected("]")
	}
	p.unblank()
	return true
}

// unblank takes back the blanks after a closing bracket: what belongs to the operand
// follows at once.
func (p *parser) unblank() {
	for isBlank(p.src[p.pos-1]) {
		p.pos--
	}
}

// source reads a source operand, depth indices deep.
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
	// An index where none belongs, for a better message than that of a blank.
	if p.peek() == '[' {
		return p.failAt(p.pos, "not-an-array", "%s is no array", s.Reg)
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

// swizzle reads a dot and one to four of xyzw01. Letters right behind it are most
// likely the next statement, on a line that has lost its break.
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
	// Then what stands there is no swizzle as a whole.
	if c := p.peek(); isLetter(c) || isDigit(c) {
		if n > 0 && startsStatement(p.rest()) {
			return p.failAt(p.pos, "glued-statement", "a second statement on one line: %q", asm.Clip(p.rest()))
		}
		n = 0
	}
	if n == 0 {
		p.pos = first
		return p.failAt(first, "swizzle", "%q is no selection of components", asm.Clip(p.run(isWord)))
	}
	*s = MakeSwizzle(places[:n]...)
	return true
}

// modifier reads a source modifier: _neg(xy), _abs, _bx2, _divComp(w). Each may stand
// there once.
func (p *parser) modifier(s *Src) bool {
	first := p.pos
	p.pos++
	word := p.run(func(c byte) bool { return isLetter(c) || isDigit(c) })
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
		ok = s.Div == NoDivComp && find(divNames[:], arg, &s.Div)
	case word == "bx2" && !hasArg:
		ok = s.Mods&(Bias|X2) == 0
		s.Mods |= Bias | X2
	case !hasArg && find(srcModNames[:], word, &bit):
		ok = s.Mods>>bit&1 == 0
		s.Mods |= 1 << bit
	}
	if !ok {
		return p.failAt(first, "source-modifier", "%q is no modifier here", asm.Clip(p.src[first:p.pos]))
	}
	return true
}

// destination reads a destination operand. The result modifiers may stand here
// instead of at the opcode.
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
		switch word := p.run(func(c byte) bool { return isLetter(c) || isDigit(c) }); {
		case word == "sat" && !d.Sat:
			d.Sat = true
		case d.Shift == 0 && find(shiftNames[:], word, &shift):
			d.Shift = shift - 3
		default:
			return p.failAt(at, "destination-modifier", "%q is no modifier here", asm.Clip(p.src[at:p.pos]))
		}
	}
	return p.mask(d)
}

// memory reads mem with a mask, what stores write to.
func (p *parser) memory(d *Dst) bool {
	first := p.pos
	if !p.register(&d.Reg) {
		return false
	}
	if d.File != Memory {
		return p.failAt(first, "store-target", "a store writes to mem, not to %s", d.Reg)
	}
	return p.mask(d)
}

// declared reads the register that a declaration is about.
func (p *parser) declared(in *Inst, letter byte) bool {
	first := p.pos
	if !p.register(&in.Dst.Reg) {
		return false
	}
	if !opTable[in.Op].declares.has(in.Dst.File) {
		return p.failAt(first, "declaration", "%s does not declare %s", in.Op, in.Dst.Reg)
		// A declaration names a register of its files only.
	}
	in.Dst.Mask = MaskAll
	switch letter {
	case 'D':
		return p.mask(&in.Dst)
	case 'A':
		if !p.take('[') {
			return p.expected("the size of the array")
		}
		in.NImm = 1
		if !p.number(&in.Imm[0]) {
			return false
		}
		if !p.take(']') {
			return p.expected("]")
		}
	}
	return true
}

// mask reads the write mask after a register, all lanes where there is none.
func (p *parser) mask(d *Dst) bool {
	d.Mask = MaskAll
	switch p.peek() {
	case '[':
		return p.failAt(p.pos, "not-an-array", "%s is no array", d.Reg)
	case '.':
	default:
		return true
	}
	p.pos++
	first := p.pos
	word := p.run(isWord)
	m, ok := readMask(word)
	if !ok || m.Written() == 0 {
		return p.failAt(first, "write-mask", "%q is no write mask", asm.Clip(word))
	}
	d.Mask = m
	return true
}

// readMask reads a write mask. Each character has a lane: letters their own, in order,
// and _, 0 and 1 the one before or after their neighbours. Where that leaves a choice,
// or no lane, there is no mask.
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
