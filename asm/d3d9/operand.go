package d3d9

import (
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// source reads a source operand and checks its form. It accepts two spellings of modifiers, the one
// of the Direct3D assemblers and the one of listings (see [parser.listed]):
//
//	-r0_bx2.x   !b0   1-r0   r0_abs   -|r0|
//
// A swizzle of fewer than four letters repeats its last one, so .xy means .xyyy (MSDN, "Vertex
// Shader Source Register Swizzling").
func (p *parser) source(s *Src) bool {
	first := p.tok
	prefix := ""
	// The prefix of the register. The lexer has no negative numbers, so 1-r0 is the number 1, then
	// a minus.
	switch {
	case p.acceptPunct('-'):
		prefix = "-"
	case p.acceptPunct('!'):
		prefix = "!"
	case p.tok.kind == tokNumber && p.tok.text == "1":
		p.advance()
		if !p.acceptPunct('-') {
			return p.expected("the - of 1-register")
		}
		prefix = "1-"
	}
	// |r0| is another spelling of r0_abs. It closes after the swizzle.
	abs := p.listed('|')
	suffix, ok := p.register(&s.Reg, &s.Rel)
	if !ok {
		return false
	}
	if abs {
		suffix += "_abs"
	}
	if s.Mod, ok = modOf(prefix, suffix); !ok {
		return p.failAt(first, "source-modifier", "%s%s%s is not a combination of modifiers", prefix, s.Reg, asm.Clip(suffix))
	}
	s.Swz = Identity
	if p.tok.isPunct('.') {
		comps, n, ok := p.components()
		if !ok {
			return false
			// .x is .xxxx and .xy is .xyyy.
		}
		for i := n; i < 4; i++ {
			comps[i] = comps[n-1]
		}
		s.Swz = MakeSwizzle(comps[0], comps[1], comps[2], comps[3])
	}
	if abs && !p.acceptPunct('|') {
		return p.expected("the second |")
	}
	return p.reportAt(first, p.model.checkSrc(s))
}

// modOf returns the modifier with the given prefix and suffix. It handles ModNone, which has two
// empty spellings, first. Some suffixes have two names (modAliases).
func modOf(prefix, suffix string) (SrcMod, bool) {
	if prefix == "" && suffix == "" {
		return ModNone, true
	}
	if alias, ok := modAliases[suffix]; ok {
		suffix = alias
	}
	for m, s := range srcMods {
		if s.prefix == prefix && s.suffix == suffix && SrcMod(m) != ModNone {
			return SrcMod(m), true
		}
	}
	return ModNone, false
}

// destination reads a destination register with its write mask; no mask means all four components.
// The modifiers of the result (_sat, _pp, _x2) belong to the mnemonic, so destination rejects them.
// A mask lists its components in order: .xz is valid and .zx is not (MSDN, "Destination Register
// Masking").
func (p *parser) destination(d *Dst) bool {
	first := p.tok
	suffix, ok := p.register(&d.Reg, &d.Rel)
	if !ok {
		return false
	}
	if suffix != "" {
		return p.failAt(first, "destination-modifier", "a destination cannot have the modifier %s", asm.Clip(suffix))
	}
	d.Mask = MaskAll
	if !p.tok.isPunct('.') {
		return true
	}
	at := p.tok
	comps, n, ok := p.components()
	if !ok {
		return false
		// Each component occurs once and in order, so c has to grow.
	}
	d.Mask = 0
	for i, c := range comps[:n] {
		if i > 0 && c <= comps[i-1] {
			return p.failAt(at, "write-mask", "the components of a write mask must be in order, each once")
		}
		d.Mask |= 1 << c
	}
	return true
}

// register reads a register with its relative address, if any, and the modifier after its name or
// after the address: c4_abs, c[a0.x + 4]_abs. A number before the bracket is added to the offset:
// c4[a0.x] is c[a0.x + 4]. Numbers that do not fit saturate, so that checkReg reports them as out
// of range.
func (p *parser) register(r *Reg, rel *Rel) (suffix string, ok bool) {
	if p.tok.kind != tokWord {
		return "", p.expected("a register")
	}
	at := p.tok
	reg, numbered, suffix, ok := lookupReg(lower(p.tok.text))
	if !ok {
		return "", p.failAt(at, "unknown-register", "unknown register %q", asm.Clip(at.text))
	}
	p.advance()
	if p.tok.isPunct('[') {
		// oPos, aL and similar names are single registers.
		if len(fileTable[reg.File].names) > 0 {
			return "", p.failAt(at, "relative-address", "%s is not an array", reg)
		}
		offset, ok := p.address(rel)
		if !ok {
			return "", false
		}
		// Both are below 1<<16, so the sum cannot overflow an int.
		reg.Index = uint16(min(int(reg.Index)+offset, 1<<16-1))
		if suffix == "" && p.tok.kind == tokWord && strings.HasPrefix(p.tok.text, "_") {
			suffix = lower(p.tok.text)
			p.advance()
		}
	} else if !numbered {
		return "", p.failAt(at, "unknown-register", "register %q has no number", at.text)
	}
	*r = reg
	return suffix, true
}

// address reads [a0.x + 3]: a sum of numbers and at most one index register, in any order. rel
// stays the zero Rel if there are only numbers; c[3] is c3.
func (p *parser) address(rel *Rel) (offset int, ok bool) {
	p.advance()
	for {
		at := p.tok
		switch {
		case p.tok.kind == tokNumber:
			n, err := strconv.ParseUint(p.tok.text, 10, 16)
			if err != nil {
				return 0, p.failAt(at, "syntax", "%q is not a register number", asm.Clip(at.text))
			}
			offset = min(offset+int(n), 1<<16-1)
			p.advance()
		// A second index register falls through to the default case.
		case p.tok.kind == tokWord && *rel == (Rel{}):
			if !p.index(rel) {
				return 0, false
			}
		default:
			return 0, p.expected("a number or an index register")
		}
		switch {
		case p.acceptPunct(']'):
			return offset, true
		case !p.acceptPunct('+'):
			return 0, p.expected("+ or ]")
		}
	}
}

// index reads the index register of a relative address: a0 with a component, or the scalar aL. A
// bare a0 has the identity swizzle here; checkReg decides whether the model allows it.
func (p *parser) index(rel *Rel) bool {
	at := p.tok
	reg, numbered, suffix, ok := lookupReg(lower(at.text))
	if !ok || !numbered || suffix != "" || reg.File != Addr && reg.File != Loop || reg.Index != 0 {
		return p.failAt(at, "relative-address", "%q is not an index register", asm.Clip(at.text))
	}
	p.advance()
	*rel = Rel{reg.File, Identity}
	if !p.tok.isPunct('.') {
		return true
	}
	if reg.File == Loop {
		return p.failAt(at, "index-component", "aL has no components")
	}
	comps, n, ok := p.components()
	if !ok {
		return false
	}
	for i := n; i < 4; i++ {
		comps[i] = comps[n-1]
	}
	rel.Swz = MakeSwizzle(comps[0], comps[1], comps[2], comps[3])
	return true
}

// components reads one to four letters of .xyzw or .rgba, in any mixture, and sets comps[:n].
func (p *parser) components() (comps [4]int, n int, ok bool) {
	p.advance()
	at := p.tok
	if at.kind != tokWord {
		return comps, 0, p.expected("components")
	}
	if len(at.text) > 4 {
		return comps, 0, p.failAt(at, "components", "%q is not a selection of components", asm.Clip(at.text))
	}
	for i, c := range []byte(at.text) {
		k := strings.IndexByte("xyzwrgba", lowerByte(c))
		if k < 0 {
			return comps, 0, p.failAt(at, "components", "%q is not a selection of components", asm.Clip(at.text))
		}
		// The letters r, g, b, a follow x, y, z, w, so the low two bits are the component.
		comps[i] = k & 3
	}
	p.advance()
	return comps, len(at.text), true
}
