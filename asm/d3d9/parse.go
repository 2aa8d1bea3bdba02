package d3d9

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// maxDiags is the number of diagnostics after which a parse stops.
const maxDiags = 20

// diagList collects the first maxDiags diagnostics.
type diagList struct{ list asm.Diags }

func (l *diagList) add(d *asm.Diag) {
	if !l.full() {
		l.list = append(l.list, d)
	}
}

func (l *diagList) full() bool { return len(l.list) >= maxDiags }

// Parse reads assembly text without includes. See [parseWith].
func Parse(file string, src []byte) (*Program, error) { return parseWith(file, src, nil) }

// parseWith reads assembly text. It uses open, which may be nil, to read included files.
//
// The grammar delimits statements; line ends matter only to directives and to error recovery. The
// preprocessor follows D3DX, as far as vkd3d documents it: #define, #undef, #include, #if and
// related directives, #error. It skips #line and #pragma.
//
// Every byte of the text is in the Head, the Tail or a statement's Lead or Text, so that Print
// reproduces the source. This does not hold if directives occur between or within statements, or if
// a macro covers more than one statement. Then Print writes a text without directives, with
// comments and expanded statements.
//
// The error is an asm.Diags for the statements that are invalid in the model.
func parseWith(file string, src []byte, open Opener) (*Program, error) {
	prog, diags := ParsePart(file, src, open)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return prog, nil
}

// ParsePart works like [parseWith], but returns the valid statements as a program even if others
// are invalid. The program is nil if the version is invalid.
//
// It reads the text a second time if the first reading cannot map statements to the source (see
// preprocessor): first in place, then flat.
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

// parser reads statements from tokens, with one token of lookahead. A parsing method returns false
// after it has reported an error. The token of the error then determines where reading resumes.
type parser struct {
	lexer
	// from the version line, known before the first statement
	model Model
	tok   token // the next token
	last  token // the token before it

	begin    token    // the first of the statement being read
	respelt  bool     // a token of the statement came out of a macro
	declared declForm // the kind of information in the dcl being read
	failed   token    // the token of the last error in a statement
	second   bool     // a second program begins
}

// advance moves to the next token.
func (p *parser) advance() {
	p.last = p.tok
	p.respelt = p.respelt || p.last.expanded
	p.tok = p.next()
}

// failAt reports an error at t and returns false, for callers to return.
func (p *parser) failAt(t token, code asm.Code, format string, args ...any) bool {
	return p.reportAt(t, fault(code, format, args...))
}

// reportAt sets the position of a diagnostic and reports it. It returns true if the diagnostic is
// nil.
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

// expected reports that the next token does not fit the grammar. If that token is on another line,
// expected points to the previous token instead.
func (p *parser) expected(what string) bool {
	if begun := p.tok.pos() != p.begin.pos(); begun && (!p.tok.sameLine(&p.last) || p.tok.kind == tokEOF) {
		return p.failAt(p.last, "syntax", "expected %s after %q", what, asm.Clip(p.last.text))
	}
	return p.failAt(p.tok, "syntax", "expected %s, not %q", what, asm.Clip(p.tok.text))
}

// acceptPunct consumes the next token if it is the given character.
func (p *parser) acceptPunct(punct byte) bool {
	if !p.tok.isPunct(punct) {
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
	// Assume one statement per line. The bound of 256 guards against texts of empty lines.
	prog.Insts = make([]Inst, 0, min(strings.Count(p.src, "\n")+1, 256))
	end := p.pos
	var size bulk
	for p.advance(); p.tok.kind != tokEOF && !p.diags.full() && !p.unfit && !p.second; {
		first := p.tok
		prog.Insts = append(prog.Insts, Inst{})
		in := &prog.Insts[len(prog.Insts)-1]
		if first.inner { // from a macro of several statements
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
		if !p.reportAt(first, size.countStatement(in.Op)) {
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

// spell sets the Lead of a statement of a flat program, and its Text if no macro took part in it. A
// statement that begins in one file and ends in another has no Text.
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
	if p.hasPrefix(bom) {
		p.pos += len(bom)
	}
	p.toToken()
	here := token{file: p.file, line: p.line, col: p.pos - p.lineStart + 1}
	m, n, ok := scanVersion(p.src[p.pos:])
	if n == 0 {
		if head, ok = p.versionByMacro(); ok {
			return head, true
		}
		return "", p.failAt(here, "no-version", "a program must begin with its version, such as vs_2_0 or ps_2_0")
	}
	if !ok {
		return "", p.failAt(here, "unknown-version", "unknown version %q", asm.Clip(p.src[p.pos:p.pos+n]))
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

// versionByMacro reads a version from a macro, as in #define VER vs_1_1. Several tokens may form
// one version, as in vs.1.1; the rest of the expansion stays pending.
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

// recover skips to the line after the error. Statements may share a line, but most do not.
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
	in.CoIssue = p.acceptPunct('+')
	if p.tok.isPunct('(') && !p.predicate(in) {
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
		// A comma here means one operand too many; anything else begins the next statement.
	}
	if p.tok.isPunct(',') {
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
	if !p.acceptPunct(')') {
		return p.expected("a closing parenthesis")
	}
	return true
}

// operands reads the operands after the mnemonic.
func (p *parser) operands(in *Inst, name token) bool {
	// The mnemonic has set them, and destination overwrites them.
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

// declaration checks that a dcl gives the information that its register needs. A sampler may omit
// its texture type.
func (p *parser) declaration(in *Inst, name token) bool {
	want := p.model.declForm(in.Dst.File)
	if p.declared != want && !(want == declTexture && p.declared == declBare) {
		return p.failAt(name, "declaration", "a dcl of %s must name %s in %s", in.Dst.Reg, want, p.model)
	}
	return p.reportAt(name, p.model.checkDecl(in.Dst.File, in.Decl))
}

// comma takes the comma between operands.
func (p *parser) comma(op Op) bool {
	if !p.acceptPunct(',') {
		return p.failAt(p.last, "operand-count", "too few operands for %s in %s", op, p.model)
	}
	return true
}
