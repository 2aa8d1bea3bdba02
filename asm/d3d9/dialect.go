package d3d9

// vkd3d lists programs in a dialect that no assembler takes: a def has an = behind its register,
// absolute values stand between bars, and instructions have the names of opcodes. It is read, and
// written as assemblers take it.

// inListing notes that the statement is spelt as in a listing, so that its text is no
// assembly: it is dropped, and the statement written in canonical form.
func (p *parser) inListing() {
	p.needFlat()
	p.respelt = true
}

// listed takes a character that listings alone have there.
func (p *parser) listed(punct byte) bool {
	if !p.take(punct) {
		return false
	}
	p.inListing()
	return true
}

// listedName is the mnemonic of what a listing calls base, base itself for all others.
// Opcodes that two mnemonics share have one name there: TEXCRD is texcoord, TEX is
// texld.
func (p *parser) listedName(base string) string {
	first := p.model.Stage == Pixel && p.model.Major == 1 && p.model.Minor < 4
	switch {
	case base == "ifc", base == "breakc":
		return base[:len(base)-1]
	case base == "texld" && first:
		return "tex"
	case base == "texcoord" && p.model == PS14:
		return "texcrd"
	}
	return base
}
