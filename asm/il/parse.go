package il

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxDiags is the number of diagnostics after which a parse stops.
const maxDiags = 20

// Parse reads a kernel. Every byte of src is in the Head, the Tail or a statement's Lead or Text,
// so that Print reproduces the source.
//
// A statement is a line; a semicolon begins a comment. The error is an asm.Diags with one entry for
// each invalid line, or, if there is none, with the errors of the block structure.
func Parse(file string, src []byte) (*Kernel, error) {
	p := newParser(file, string(src))
	k := p.kernel()
	if len(p.diags) == 0 {
		p.diags = checkBlocks(k, p.place(len(p.src)))
	}
	if err := p.diags.Err(); err != nil {
		return nil, err
	}
	return k, nil
}

// parser reads a source line by line. pos to end is the rest of the statement; see lex.go.
type parser struct {
	file string
	src  string
	last int // the end of its last line

	// number of the current line, from 1
	line      int
	lineStart int
	next      int // start of the next line
	pos, end  int

	diags asm.Diags
}

func newParser(file, src string) *parser {
	return &parser{file: file, src: src, last: asm.TextEnd(src)}
}

// place returns the position of an offset in the current line. The end of a source that ends with a
// newline is on the line after it.
func (p *parser) place(at int) asm.Pos {
	if at == len(p.src) && strings.HasSuffix(p.src, "\n") {
		return asm.Pos{File: p.file, Line: p.line + 1, Col: 1}
	}
	return asm.Pos{File: p.file, Line: p.line, Col: at - p.lineStart + 1}
}

// failAt reports an error and returns false, for callers to return.
func (p *parser) failAt(at int, code asm.Code, format string, args ...any) bool {
	p.diags = append(p.diags, asm.Errorf(p.place(at), code, format, args...))
	return false
}

// expected reports that the next text does not fit the grammar.
func (p *parser) expected(what string) bool {
	if p.pos >= p.end {
		return p.failAt(p.pos, "syntax", "expected %s at the end of the line", what)
	}
	return p.failAt(p.pos, "syntax", "expected %s, not %q", what, asm.Clip(p.rest()))
}

// kernel reads the whole source. It drops lines with errors and resumes at the next line, so that
// it reports each error once.
func (p *parser) kernel() *Kernel {
	k := &Kernel{}
	if !p.header(k) {
		return nil
	}
	k.Head = p.src[:p.end]
	const most = 8192 // bounds the allocation for long texts with few statements
	k.Insts = make([]Inst, 0, min(strings.Count(p.src[p.end:], "\n")+1, most))
	done := p.end
	for len(p.diags) < maxDiags && p.nextLine() {
		if len(k.Insts) == MaxStatements {
			p.diags = append(p.diags, tooLarge(p.place(p.pos)))
			break
		}
		k.Insts = append(k.Insts, Inst{})
		in := &k.Insts[len(k.Insts)-1]
		first := p.pos
		in.Pos = p.place(first)
		if !p.statement(in) {
			continue
		}
		in.Lead, in.Text = p.src[done:first], p.src[first:p.end]
		done = p.end
	}
	k.Tail = p.src[done:]
	return k
}

// header reads the optional client tag, and the header line: il_ps or il_cs, the version, and _mp
// and _rt.
func (p *parser) header(k *Kernel) bool {
	const bom = "\ufeff"
	if strings.HasPrefix(p.src, bom) {
		p.next = len(bom)
	}
	if !p.nextLine() {
		p.line = max(p.line, 1)
		return p.failAt(len(p.src), "no-header", "a kernel must begin with il_ps_2_0 or il_cs_2_0")
	}
	for _, name := range clientNames {
		if p.rest() != name {
			continue
		}
		k.Client = name
		if !p.nextLine() {
			return p.failAt(len(p.src), "no-header", "a kernel must begin with il_ps_2_0 or il_cs_2_0")
		}
		break
	}
	first := p.pos
	word := p.takeWhile(isWord)
	rest, ok := strings.CutPrefix(word, "il_")
	if !ok {
		return p.failAt(first, "no-header", "a kernel must begin with il_ps_2_0 or il_cs_2_0, not %q",
			asm.Clip(p.src[first:p.end]))
	}
	rest, k.RealTime = strings.CutSuffix(rest, "_rt")
	rest, k.MultiPass = strings.CutSuffix(rest, "_mp")
	stage := strings.TrimSuffix(rest, "_2_0") // programs written by CAL++ omit it
	if !lookupEnum(stageNames[:], stage, &k.Stage) {
		return p.failAt(first, "unknown-header", "%q is not il_ps_2_0 or il_cs_2_0", asm.Clip(word))
	}
	return p.lineEnds()
}

// lineEnds checks that nothing follows a statement on its line.
func (p *parser) lineEnds() bool {
	p.skipBlank()
	switch {
	case p.pos == p.end:
		return true
	case startsStatement(p.rest()):
		return p.failAt(p.pos, "glued-statement", "a second statement on one line: %q", asm.Clip(p.rest()))
	case p.peek() == ',':
		return p.failAt(p.pos, "operand-count", "too many operands")
	}
	return p.expected("the end of the line")
}

// statement reads the statement of the current line: the mnemonic, then the comma-separated
// operands of its form.
func (p *parser) statement(in *Inst) bool {
	if !p.mnemonic(in) {
		return false
	}
	separator := byte(0)
	for _, letter := range []byte(opTable[in.Op].form) {
		p.skipBlank()
		// Optional operands at the end.
		if letter == 'N' || letter == 'O' {
			if p.pos == p.end {
				break
			}
		}
		if separator != 0 && !p.acceptChar(separator) {
			return p.missing(in.Op)
		}
		// A store may omit mem.
		if letter == 'M' && !strings.HasPrefix(p.rest(), Memory.String()) {
			continue
		}
		if p.pos == p.end {
			return p.missing(in.Op)
		}
		if !p.operand(in, letter) {
			return false
		}
		separator = ','
	}
	return p.lineEnds()
}

// missing reports a missing operand of op, or that other text is in its place.
func (p *parser) missing(op Op) bool {
	p.skipBlank()
	if p.pos < p.end {
		if startsStatement(p.rest()) {
			return p.lineEnds()
		}
		return p.expected("a comma")
	}
	return p.failAt(p.pos, "operand-count", "too few operands for %s", op)
}

// mnemonic reads the opcode with its controls, all of which begin with an underscore. Required
// controls may be in any order.
func (p *parser) mnemonic(in *Inst) bool {
	first := p.pos
	var s spelling
	n := longestName(p.rest(), longest, func(name string) (ok bool) { s, ok = spellings[name]; return ok })
	if n == 0 {
		return p.failAt(first, "unknown-opcode", "unknown instruction %q", asm.Clip(strings.Fields(p.rest())[0]))
	}
	in.Op, in.Ctl.Atomic = s.op, s.atomic
	info := &opTable[in.Op]
	mnemonic := p.rest()[:n]
	p.pos += n
	var seen control
	for p.peek() == '_' {
		if !p.control(in, mnemonic, info.need|info.may, &seen) {
			return false
		}
	}
	if lacking := info.need &^ seen; lacking != 0 {
		return p.failAt(first, "control", "%s lacks %s", mnemonic, lacking)
	}
	if p.pos < p.end && !isBlank(p.peek()) {
		p.pos = first
		return p.failAt(first, "unknown-opcode", "unknown instruction %q", asm.Clip(strings.Fields(p.rest())[0]))
	}
	return true
}

// control reads one suffix of an opcode, spelt mnemonic, that allows the controls in may. It splits
// the arguments, and the control's table row reads them.
func (p *parser) control(in *Inst, mnemonic string, may control, seen *control) bool {
	first := p.pos
	p.pos++
	n := longestName(p.rest(), longestControl, func(name string) bool { _, ok := controlOf[name]; return ok })
	i, ok := controlOf[p.rest()[:n]]
	if opTable[in.Op].space == local && p.rest()[:n] == "resource" {
		i = controlOf["id"] // the spelling of atomic operations in CAL++ and Ocelot
	}
	// fence has a control of several words.
	if bit := control(1) << i; !ok || may&bit == 0 || *seen&bit != 0 && bit != cFence {
		what := "does not take"
		if ok && *seen&bit != 0 {
			what = "has already"
		}
		return p.failAt(first, "unknown-suffix", "%s %s %q", mnemonic, what, asm.Clip(p.src[first:p.pos]+p.takeWhile(isWord)))
	}
	*seen |= 1 << i
	word := p.rest()[:n]
	p.pos += n
	var args [3]string
	count := 0
	if p.peek() == '(' {
		text, _, closed := strings.Cut(p.rest()[1:], ")")
		if !closed {
			return p.failAt(p.pos, "syntax", "this parenthesis is not closed")
		}
		p.pos += len(text) + 2
		for more := true; more; count++ {
			if count == len(args) {
				return p.failAt(first, "control", "too many arguments to _%s", word)
			}
			args[count], text, more = strings.Cut(text, ",")
			args[count] = strings.TrimFunc(args[count], func(r rune) bool { return r < 0x80 && isBlank(byte(r)) })
		}
	}
	info := &controlTable[i]
	if count < info.least || count > info.args || !info.read(in, word, args[:count]) {
		return p.failAt(first, "control", "%q is unknown", asm.Clip(p.src[first:p.pos]))
	}
	return true
}

// String returns the names of the controls, for messages.
func (c control) String() string {
	var names []string
	for i := range controlTable {
		if c>>i&1 != 0 {
			name, _, _ := strings.Cut(controlTable[i].names, " ")
			names = append(names, "_"+name)
		}
	}
	return strings.Join(names, " ")
}
