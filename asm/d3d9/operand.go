package d3d9

import (
	"strconv"
	"strings"
)

// source reads a source operand and checks its form.
func (p *parser) source(s *Src) bool {
	first := p.tok
	prefix := ""
	switch {
	case p.take('-'):
		prefix = "-"
	case p.take('!'):
		prefix = "!"
	case p.tok.kind == tokNumber && p.tok.text == "1":
		p.advance()
		if !p.take('-') {
			return p.expected("the - of 1-register")
		}
		prefix = "1-"
	}
	abs := p.listed('|')
	suffix, ok := p.register(&s.Reg, &s.Rel)
	if !ok {
		return false
	}
	if abs {
		suffix += "_abs"
	}
	if s.Mod, ok = modOf(prefix, suffix); !ok {
		return p.failAt(first, "source-modifier", "%s%s%s is no combination of modifiers", prefix, s.Reg, clip(suffix))
	}
	s.Swz = Identity
	if p.tok.is('.') {
		comps, n, ok := p.components()
		if !ok {
			return false
		}
		for i := n; i < 4; i++ {
			comps[i] = comps[n-1]
		}
		s.Swz = MakeSwizzle(comps[0], comps[1], comps[2], comps[3])
	}
	if abs && !p.take('|') {
		return p.expected("the second |")
	}
	return p.reportAt(first, p.model.checkSrc(s))
}

// modOf is the modifier spelt by what stands before and after a register.
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

// destination reads a destination register with its write mask.
func (p *parser) destination(d *Dst) bool {
	first := p.tok
	suffix, ok := p.register(&d.Reg, &d.Rel)
	if !ok {
		return false
	}
	if suffix != "" {
		return p.failAt(first, "destination-modifier", "a destination cannot have the modifier %s", clip(suffix))
	}
	d.Mask = MaskAll
	if !p.tok.is('.') {
		return true
	}
	at := p.tok
	comps, n, ok := p.components()
	if !ok {
		return false
	}
	d.Mask = 0
	for i, c := range comps[:n] {
		if i > 0 && c <= comps[i-1] {
			return p.failAt(at, "write-mask", "the components of a write mask stand in order, each once")
		}
		d.Mask |= 1 << c
	}
	return true
}

// register reads a register with its relative address, if any, and the modifier
// spelt after its name or after the address.
func (p *parser) register(r *Reg, rel *Rel) (suffix string, ok bool) {
	if p.tok.kind != tokWord {
		return "", p.expected("a register")
	}
	at := p.tok
	reg, numbered, suffix, ok := lookupReg(lower(p.tok.text))
	if !ok {
		return "", p.failAt(at, "unknown-register", "unknown register %q", clip(at.text))
	}
	p.advance()
	if p.tok.is('[') {
		if len(fileTable[reg.File].names) > 0 {
			return "", p.failAt(at, "relative-address", "%s is no array", reg)
		}
		offset, ok := p.address(rel)
		if !ok {
			return "", false
		}
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

// address reads [a0.x + 3]: numbers and at most one index register, added up.
func (p *parser) address(rel *Rel) (offset int, ok bool) {
	p.advance()
	for {
		at := p.tok
		switch {
		case p.tok.kind == tokNumber:
			n, err := strconv.ParseUint(p.tok.text, 10, 16)
			if err != nil {
				return 0, p.failAt(at, "syntax", "%q is no register number", clip(at.text))
			}
			offset = min(offset+int(n), 1<<16-1)
			p.advance()
		case p.tok.kind == tokWord && *rel == (Rel{}):
			if !p.index(rel) {
				return 0, false
			}
		default:
			return 0, p.expected("a number or an index register")
		}
		switch {
		case p.take(']'):
			return offset, true
		case !p.take('+'):
			return 0, p.expected("+ or ]")
		}
	}
}

// index reads the index register of a relative address.
func (p *parser) index(rel *Rel) bool {
	at := p.tok
	reg, numbered, suffix, ok := lookupReg(lower(at.text))
	if !ok || !numbered || suffix != "" || reg.File != Addr && reg.File != Loop || reg.Index != 0 {
		return p.failAt(at, "relative-address", "%q is no index register", clip(at.text))
	}
	p.advance()
	*rel = Rel{reg.File, Identity}
	if !p.tok.is('.') {
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

// components reads .xyzw or .rgba, one to four letters.
func (p *parser) components() (comps [4]int, n int, ok bool) {
	p.advance()
	at := p.tok
	if at.kind != tokWord {
		return comps, 0, p.expected("components")
	}
	if len(at.text) > 4 {
		return comps, 0, p.failAt(at, "components", "%q is no selection of components", clip(at.text))
	}
	for i, c := range []byte(at.text) {
		k := strings.IndexByte("xyzwrgba", lowerByte(c))
		if k < 0 {
			return comps, 0, p.failAt(at, "components", "%q is no selection of components", clip(at.text))
		}
		comps[i] = k & 3
	}
	p.advance()
	return comps, len(at.text), true
}
