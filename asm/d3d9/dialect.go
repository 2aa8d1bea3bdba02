package d3d9

// vkd3d lists programs in a dialect that no assembler accepts. A def has an = after its register,
// bars enclose absolute values, and instructions have the names of opcodes. The parser reads this
// dialect; the printer writes standard assembly.

// inListing records that the statement has the spelling of a listing, which is not valid assembly.
// The parser drops its text, and the printer writes the statement in canonical form.
func (p *parser) inListing() {
	p.needFlat()
	p.respelt = true
}

// listed takes a character that only listings have at this place.
func (p *parser) listed(punct byte) bool {
	if !p.acceptPunct(punct) {
		return false
	}
	p.inListing()
	return true
}

// listedName returns the mnemonic for the name base in a listing, or base itself if they agree.
// Opcodes that two mnemonics share have one name there: TEXCRD is texcoord, TEX is texld.
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
