package d3d9

import (
	"maps"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/naming"
)

// beginsProgram reports whether the next token begins a version, such as ps_1_1 or ps.1.1. The place of a token of a
// macro may be in another text.
func (p *parser) beginsProgram() bool {
	t := &p.tok
	if t.start > len(t.src) || !strings.HasPrefix(t.src[t.start:], t.text) {
		return false
	}
	_, _, isVersion := scanVersion(t.src[t.start:])
	return isVersion
}

// mnemonic parses the op and its suffixes from a lower-case word such as mad_sat_pp, if_gt or
// dcl_texcoord3_centroid. It sets in.Op, in.Cmp, in.HasDst, in.Decl and the modifiers of in.Dst,
// and does not advance; the operands follow later.
//
// The model and the presence of a comparison select among ops that share a name (tex and texld of
// the versions, if and if_gt). If none fits, mnemonic takes the first one, and checkHead reports
// the error.
func (p *parser) mnemonic(in *Inst, word string) bool {
	base, suffixes, _ := strings.Cut(word, "_")
	if name := p.listedName(base); name != base {
		base = name
		p.inListing()
	}
	ops := opsByName[base]
	// A register instead of an instruction: most likely the comma before it is missing.
	if _, _, _, isReg := lookupReg(word); isReg && len(ops) == 0 {
		return p.expected("an instruction or a comma")
	}
	if p.beginsProgram() {
		p.second = true
		return p.failAt(p.tok, "second-program",
			"a second program begins: put each program into a file of its own, and give a pair as VERTEX,PIXEL")
	}
	if len(ops) == 0 {
		return p.failAt(p.tok, "unknown-opcode", "unknown instruction %q%s", asm.Clip(p.tok.text),
			naming.Suggest(base, slices.Collect(maps.Keys(opsByName))))
	}
	p.declared = declBare
	usage := base != "dcl" // the information of a dcl is complete
	// The first suffix of a dcl may be its semantic or texture type. Later suffixes, and all
	// suffixes of other ops, are comparisons, modifiers and shifts.
	for more := suffixes != ""; more; {
		var suffix string
		suffix, suffixes, more = strings.Cut(suffixes, "_")
		if !usage {
			usage = true
			if p.declared = parseDecl(suffix, &in.Decl); p.declared != declBare {
				continue
			}
		}
		if !p.suffix(in, suffix) {
			return false
		}
	}
	in.Op = ops[0]
	for _, op := range ops {
		if op.Exists(p.model) && (opTable[op].flags&fCmp != 0) == (in.Cmp != CmpNone) {
			in.Op = op
		}
	}
	// The suffixes are in in.Dst, which an op without destination does not use.
	in.HasDst = opTable[in.Op].dst
	if !in.HasDst && (in.Dst.Mods != 0 || in.Dst.Shift != 0) {
		return p.failAt(p.tok, "unknown-suffix", "%s takes no destination modifiers", in.Op)
	}
	return true
}

// suffix reads a comparison, a destination modifier or a shift, each of which may occur once.
func (p *parser) suffix(in *Inst, name string) bool {
	if c, ok := indexOf(cmpNames[:], name); ok && in.Cmp == CmpNone {
		in.Cmp = Cmp(c)
		return true
	}
	for _, m := range dstMods {
		if m.name == name && in.Dst.Mods&m.mod == 0 {
			in.Dst.Mods |= m.mod
			return true
		}
	}
	for _, s := range shiftNames {
		if s.name == name && in.Dst.Shift == 0 {
			in.Dst.Shift = s.shift
			return true
		}
	}
	return p.failAt(p.tok, "unknown-suffix", "unknown or repeated suffix _%s", asm.Clip(name))
}

// parseDecl reads a usage with its index, such as texcoord3, or a texture type, such as 2d. It
// returns declBare if the word is neither. An index that is too large saturates, and checkDecl
// refuses it.
func parseDecl(word string, d *Decl) declForm {
	if t, ok := indexOf(texTypeNames[:], word); ok {
		d.Tex = TexType(t)
		return declTexture
	}
	stem := strings.TrimRight(word, "0123456789")
	u, ok := indexOf(usageNames[:], stem)
	if !ok {
		return declBare
	}
	d.Usage = Usage(u)
	n := 0
	for _, c := range []byte(word[len(stem):]) {
		n = min(n*10+int(c-'0'), 0xff)
	}
	d.Index = uint8(n)
	return declSemantic
}
