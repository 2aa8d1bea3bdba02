package d3d9

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxDiags is how many diagnostics a parse reports before it gives up.
const maxDiags = 20

// diagList collects diagnostics up to maxDiags, and forgets the others.
type diagList struct{ list asm.Diags }

func (l *diagList) add(d *asm.Diag) {
	if !l.full() {
		l.list = append(l.list, d)
	}
}

func (l *diagList) full() bool { return len(l.list) >= maxDiags }

// Parse reads assembly text that includes no files, as ParseWith does.
func Parse(file string, src []byte) (*Program, error) { return ParseWith(file, src, nil) }

// ParseWith reads assembly text, with files that it includes from open, which may be nil.
//
// Statements end where their grammar ends: lines do not matter, save to directives and to
// the recovery after an error. The preprocessor is that of D3DX, as far as what vkd3d does
// tells: #define, #undef, #include, #if and its kin, #error; #line and #pragma are skipped.
//
// Every byte of the text ends up in the Head, the Tail or a statement's Lead or Text, so
// that Print gives back the source. Where directives stand between statements, or include
// some, and where macros are more than one statement, there is a text without directives
// instead: comments stay, and the rest is in the statements.
//
// The error is an asm.Diags of the statements that make no sense in the model.
func ParseWith(file string, src []byte, open Opener) (*Program, error) {
	prog, diags := ParsePart(file, src, open)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return prog, nil
}

// ParsePart is [ParseWith], and has the program of the other statements where some make
// no sense; nil if the version does not.
//
// The text is read twice if it turns out on the way that statements cannot be told
// apart in it (see preprocessor): first in place, then flat.
func ParsePart(file string, src []byte, open Opener) (*Program, asm.Diags) {
	for flat := false; ; flat = true {
		var diags diagList
		p := parser{lexer: lexer{source: newSource(file, string(src)), diags: &diags}}
		p.open, p.flat = open, flat
		prog := p.program()
		if p.unfit {
			continue
		}
		return prog, diags.list
	}
}

// parser reads statements from tokens, one of which it looks ahead. A method that reads
// something returns false after it has reported an error; the token of the error then
// decides where reading goes on.
type parser struct {
	lexer
	// of the version, known before the first statement
	model Model
	tok   token // the next token
	last  token // the token before it

	begin    token    // the first of the statement being read
	respelt  bool     // a token of it came out of a macro
	declared declForm // what the dcl being read says
	failed   token    // where the last error in a statement is
}

// advance moves to the next token.
func (p *parser) advance() {
	p.last = p.tok
	p.respelt = p.respelt || p.last.expanded
	p.tok = p.next()
}

// failAt reports an error at t; it returns false for callers to pass on.
func (p *parser) failAt(t token, code asm.Code, format string, args ...any) bool {
	return p.reportAt(t, fault(code, format, args...))
}

// reportAt gives a broken rule of form its place; nil is no error.
func (p *parser) reportAt(t token, d *asm.Diag) bool {
	if d == nil {
		return true
	}
	d.Pos = t.pos()
	if m := t.macro; m != nil {
		d.Msg += fmt.Sprintf(" (in macro %s of %s)", m.name, m.pos)
	}
	p.failed = t
	p.diags.add(d)
	return false
}

// expected reports that the next token is not what the grammar wants. Where that
// token is on another line, the one before it is the better place to look.
func (p *parser) expected(what string) bool {
	if begun := p.tok.pos() != p.begin.pos(); begun && (!p.tok.sameLine(&p.last) || p.tok.kind == tokEOF) {
		return p.failAt(p.last, "syntax", "expected %s after %q", what, asm.Clip(p.last.text))
	}
	return p.failAt(p.tok, "syntax", "expected %s, not %q", what, asm.Clip(p.tok.text))
}

// take consumes the next token if it is the given character.
func (p *parser) take(punct byte) bool {
	if !p.tok.is(punct) {
		return false
	}
	p.advance()
	return true
}

// program reads a whole text, head to tail.
func (p *parser) program() *Program {
	head, ok := p.version()
	if !ok {
		return nil
	}
	prog := &Program{Model: p.model, Head: head}
	// About a line a statement, but no more than a small program has at once: lines may
	// be empty.
	prog.Insts = make([]Inst, 0, min(strings.Count(p.src, "\n")+1, 256))
	end := p.pos
	var size bulk
	for p.advance(); p.tok.kind != tokEOF && !p.diags.full() && !p.unfit; {
		first := p.tok
		prog.Insts = append(prog.Insts, Inst{})
		in := &prog.Insts[len(prog.Insts)-1]
		if first.inner { // of a macro of several statements
			p.needFlat()
		}
		if p.respelt = false; !p.statement(in) {
			prog.Insts = prog.Insts[:len(prog.Insts)-1]
			p.recover()
			continue
		}
		if p.unfit {
			break
		}
		if !p.reportAt(first, size.add(in.Op)) {
			break
		}
		in.Pos = first.pos()
		if p.flat {
			p.spell(in, first)
			continue
		}
		in.Lead = p.src[end:first.start]
		in.Text = p.src[first.start:p.last.end]
		end = p.last.end
	}
	prog.Included = p.included
	if prog.Tail = p.tok.blank; !p.flat {
		prog.Tail = p.src[end:]
	}
	return prog
}

// spell gives a statement of a flat program what stood before it, and its own text if
// no macro had a part in it. A statement that begins in one file and ends in another
// has no text.
func (p *parser) spell(in *Inst, first token) {
	if in.Lead = first.blank; in.Lead == "" {
		in.Lead = "\n"
	}
	if last := p.last; !p.respelt && first.src == last.src {
		in.Text = first.src[first.start:last.end]
	}
}

const bom = "\ufeff"

// version reads the text up to the end of the version, which may be the value of a
// macro.
func (p *parser) version() (head string, ok bool) {
	if p.at(bom) {
		p.pos += len(bom)
	}
	p.toToken()
	here := token{file: p.file, line: p.line, col: p.pos - p.lineStart + 1}
	m, n, ok := scanVersion(p.src[p.pos:])
	if n == 0 {
		if head, ok = p.versionByMacro(); ok {
			return head, true
		}
		return "", p.failAt(here, "no-version", "a program begins with its version, such as vs_2_0 or ps_2_0")
	}
	if !ok {
		return "", p.failAt(here, "unknown-version", "there is no version %q", asm.Clip(p.src[p.pos:p.pos+n]))
	}
	p.model = m
	p.pos += n
	p.fresh, p.begun = false, true
	head = p.src[:p.pos]
	if p.flat {
		head = string(p.blank) + p.src[p.pos-n:p.pos]
		p.blank = nil
	}
	return head, true
}

// versionByMacro reads a version that a macro stands for, as in #define VER vs_1_1.
// Several tokens may make one version, as vs.1.1 does; the rest of the expansion stays.
func (p *parser) versionByMacro() (head string, ok bool) {
	t := p.next()
	if p.needFlat(); !t.expanded {
		return "", false
	}
	text := t.text
	for k := 0; ; k++ { // vs.1.1 is several tokens
		if m, _, ok := scanVersion(text); ok {
			p.model, p.begun, p.pending = m, true, p.pending[k:]
			return t.blank + text, true
		}
		if k == min(len(p.pending), 4) {
			return "", false
		}
		text += p.pending[k].text
	}
}

// recover moves on to the line after the error's. Statements need no line of their own,
// but most have one.
func (p *parser) recover() {
	for p.tok.kind != tokEOF && p.tok.file == p.failed.file && p.tok.line <= p.failed.line {
		p.advance()
	}
}

// statement reads one statement up to the token after it:
//
//	[+] [(p0)] mnemonic [dst][, src ...]    or a comment block
func (p *parser) statement(in *Inst) bool {
	first := p.tok
	p.begin = first
	if p.tok.kind == tokComment {
		in.Op, in.Comment = OpComment, p.words
		p.advance()
		return true
	}
	in.CoIssue = p.take('+')
	if p.tok.is('(') && !p.predicate(in) {
		return false
	}
	if p.tok.kind != tokWord {
		return p.expected("an instruction")
	}
	name := p.tok
	if !p.mnemonic(in, lower(name.text)) || !p.reportAt(first, in.checkHead(p.model)) {
		return false
	}
	p.advance()
	if !p.operands(in, name) {
		return false
		// A comma here is one operand too many; anything else begins the next statement.
	}
	if p.tok.is(',') {
		return p.failAt(p.tok, "operand-count", "too many operands for %s in %s", in.Op, p.model)
	}
	return true
}

// predicate reads (p0) or (!p0.x).
func (p *parser) predicate(in *Inst) bool {
	p.advance()
	in.HasPred = true
	if !p.source(&in.Pred) {
		return false
	}
	if !p.take(')') {
		return p.expected("a closing parenthesis")
	}
	return true
}

// operands reads what follows the mnemonic.
func (p *parser) operands(in *Inst, name token) bool {
	// The mnemonic has set them, and destination begins anew.
	mods, shift := in.Dst.Mods, in.Dst.Shift
	if in.HasDst {
		at := p.tok
		if !p.destination(&in.Dst) {
			return false
		}
		in.Dst.Mods, in.Dst.Shift = mods, shift
		if !p.reportAt(at, p.model.checkDst(in.Op, &in.Dst)) {
			return false
		}
		if in.Op == OpDcl && !p.declaration(in, name) {
			return false
		}
	}
	in.NSrc = uint8(in.Op.sources(p.model))
	for i := range in.Src[:in.NSrc] {
		if (in.HasDst || i > 0) && !p.comma(in.Op) || !p.source(&in.Src[i]) {
			return false
		}
	}
	return p.immediates(in)
}

// declaration checks that a dcl says what its register wants said. A sampler may
// leave its texture type open.
func (p *parser) declaration(in *Inst, name token) bool {
	want := p.model.declForm(in.Dst.File)
	if p.declared != want && !(want == declTexture && p.declared == declBare) {
		return p.failAt(name, "declaration", "a dcl of %s names %s in %s", in.Dst.Reg, want, p.model)
	}
	return p.reportAt(name, p.model.checkDecl(in.Dst.File, in.Decl))
}

// comma takes the comma between operands.
func (p *parser) comma(op Op) bool {
	if !p.take(',') {
		return p.failAt(p.last, "operand-count", "too few operands for %s in %s", op, p.model)
	}
	return true
}
