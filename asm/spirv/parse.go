package spirv

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/asm"
)

// maxDiags bounds the diagnostics of a module.
const maxDiags = 20

// parser reads a text.
type parser struct {
	m         *Module
	x         *index
	lex       lexer
	tok, peek token
	ids       idTable
	words     []uint32 // operands of the current instruction
	raw       bool     // the current instruction ends with words by number
	slab      []uint32 // memory for Args
	diags     asm.Diags
}

// Parse reads the text of a module, in the syntax of spirv-as and as Format writes it. It keeps numeric ids, such as
// %12. It gives other ids the lowest free numbers, in order of appearance, unless a comment of Format states them. Comments
// at the start that state the version, the generator and the id bound are read too; the default version is 1.0. Parse
// checks the operands against the grammar, and Check the rest. An error is an asm.Diags with lines and columns.
func Parse(name string, text []byte) (*Module, error) {
	src := string(text)
	p := &parser{m: &Module{Name: name, Version: 1 << 16, text: true}, lex: newLexer(src)}
	p.x = &index{m: p.m}
	p.m.Insts = make([]Inst, 0, min(p.ids.read(p.m, src), maxInsts))
	p.tok, p.peek = p.lex.next(), p.lex.next()
	for !p.tok.end && len(p.diags) < maxDiags {
		if diag := p.inst(); diag != nil {
			p.diags = append(p.diags, diag)
			p.skip()
		}
	}
	if len(p.diags) > 0 {
		return nil, p.diags
	}
	p.m.Bound = max(p.m.Bound, uint32(p.ids.last)+1)
	return p.m, nil
}

// advance moves to the next token.
func (p *parser) advance() token {
	t := p.tok
	p.tok, p.peek = p.peek, p.lex.next()
	return t
}

// atStart reports whether an instruction, or the end of the text, is next.
func (p *parser) atStart() bool {
	return p.tok.end || p.tok.isOpcode() || p.tok.isID() && p.peek.text == "=" && !p.peek.quoted
}

// skip moves to the next instruction after an error.
func (p *parser) skip() {
	for !p.atStart() {
		p.advance()
	}
}

// errorf returns a diagnostic at a token.
func (p *parser) errorf(t token, code asm.Code, format string, args ...any) *asm.Diag {
	return asm.Errorf(asm.Pos{File: p.m.Name, Line: t.line, Col: t.col}, code, format, args...)
}

// named holds the opcodes by name. The first call of opcodeNumbers fills it. An initial value would keep the tables in
// programs that leave out SPIR-V.
var named struct {
	sync.Once
	numbers map[string]Op
}

// opcodeNumbers returns the opcodes by name.
func opcodeNumbers() map[string]Op {
	named.Do(func() {
		named.numbers = make(map[string]Op, len(opcodes))
		for _, x := range opcodes {
			named.numbers[x.Name] = x.Op
		}
	})
	return named.numbers
}

// inst reads an instruction.
func (p *parser) inst() *asm.Diag {
	if len(p.m.Insts) == maxInsts {
		return p.errorf(p.tok, "too-large", "a module has at most %d instructions", maxInsts)
	}
	p.words, p.raw = p.words[:0], false
	start := p.tok
	var result token
	if p.tok.isID() && p.atStart() {
		result = p.advance()
		p.advance()
	}
	t := p.tok
	if t.isWord() && result.text == "" {
		return p.rawInsts()
	}
	op, ok := opcodeNumbers()[t.text]
	if !ok || t.quoted {
		return p.errorf(t, "unknown-opcode", "%q is not an instruction of SPIR-V", asm.Clip(t.text))
	}
	p.advance()
	in := Inst{Op: op, place: uint32(start.line), column: uint16(min(start.col, 1<<16-1))}
	info := op.Info()
	if info.HasResult() != (result.text != "") {
		return p.errorf(t, "wrong-operand", "%s", map[bool]string{true: t.text + " needs a result: %name = " + t.text,
			false: t.text + " has no result"}[info.HasResult()])
	}
	var diag *asm.Diag
	if info.HasType() {
		if in.Type, diag = p.id(); diag != nil {
			return diag
		}
	}
	if info.HasResult() {
		if in.Result, diag = p.ids.id(p, result); diag != nil {
			return diag
		}
	}
	if diag := p.signature(&in, strings.TrimLeft(info.Operands, "tr")); diag != nil {
		return diag
	}
	if !p.atStart() && !p.tok.isWord() {
		return p.errorf(p.tok, "instruction-size", "%s takes no operand here: %q", t.text, asm.Clip(p.tok.text))
	}
	in.Args = p.keep(p.words)
	if in.words() > maxWords {
		return p.errorf(t, "instruction-size", "the instruction has more than %d words", maxWords)
	}
	p.append(in)
	return nil
}

// append appends an instruction to the module.
func (p *parser) append(in Inst) {
	p.m.Insts = append(p.m.Insts, in)
	p.x.add(len(p.m.Insts) - 1)
}

// keep copies words to memory that many instructions share.
func (p *parser) keep(words []uint32) []uint32 {
	if len(words) > cap(p.slab)-len(p.slab) {
		p.slab = make([]uint32, 0, max(len(words), 1<<12))
	}
	n := len(p.slab)
	p.slab = append(p.slab, words...)
	return p.slab[n:len(p.slab):len(p.slab)]
}

// rawInsts reads instructions that are written as words only, from a word to the next opcode.
func (p *parser) rawInsts() *asm.Diag {
	start := p.tok
	if diag := p.rest(); diag != nil {
		return diag
	}
	words := p.keep(p.words)
	for len(words) > 0 {
		n := int(words[0] >> 16)
		if n == 0 || n > len(words) {
			return p.errorf(start, "instruction-size", "the first word states %d words, but %d are left", n, len(words))
		}
		in := Inst{place: uint32(start.line), column: uint16(min(start.col, 1<<16-1))}
		if !in.setWords(words[:n:n]) {
			return p.errorf(start, "instruction-size", "%s lacks its result or the type of it", in.Op)
		}
		if in.Result < maxBound {
			p.ids.last = max(p.ids.last, in.Result)
		}
		p.append(in)
		words = words[n:]
	}
	return nil
}

// rest reads the tokens up to the next instruction as words, without the grammar.
func (p *parser) rest() *asm.Diag {
	for !p.atStart() {
		t := p.advance()
		switch {
		case t.open:
			return p.errorf(t, "literal", "the string has no end")
		case t.quoted:
			p.words = AppendString(p.words, t.text)
		case t.isID():
			id, diag := p.ids.id(p, t)
			if diag != nil {
				return diag
			}
			p.words = append(p.words, uint32(id))
		default:
			words, ok := parseNumber(p.words, number{width: 32}, strings.TrimPrefix(t.text, "!"))
			if !ok {
				words, ok = parseNumber(p.words, number{width: 32, signed: true}, t.text)
			}
			if !ok {
				words, ok = parseNumber(p.words, number{width: 32, float: true}, t.text)
			}
			if !ok {
				return p.errorf(t, "literal", "%q is neither an id, a string nor a number", asm.Clip(t.text))
			}
			p.words = words
		}
	}
	return nil
}

// signature reads operands of these kinds. A word by number ends the grammar of an instruction.
func (p *parser) signature(in *Inst, kinds string) *asm.Diag {
	for i := 0; i < len(kinds) && !p.raw; i++ {
		kind, repeat, optional := Kind(kinds[i]), false, false
		if i+1 < len(kinds) {
			repeat, optional = kinds[i+1] == '*', kinds[i+1] == '?'
		}
		if repeat || optional {
			i++
		}
		for !(repeat || optional) || !p.atStart() {
			if diag := p.operand(in, kind); diag != nil {
				return diag
			}
			if kind == kindExtended || p.raw {
				return nil
			}
			if !repeat {
				break
			}
		}
	}
	return nil
}

// id reads an id.
func (p *parser) id() (ID, *asm.Diag) {
	if p.atStart() || !p.tok.isID() {
		return 0, p.errorf(p.tok, "wrong-operand", "an id such as %%1 is missing before %s", p.found())
	}
	return p.ids.id(p, p.advance())
}

// found describes the current token in a message.
func (p *parser) found() string {
	if p.tok.end {
		return "the end"
	}
	return strconv.Quote(asm.Clip(p.tok.text))
}

// operand reads an operand of a kind, and the operands that it requires.
func (p *parser) operand(in *Inst, kind Kind) *asm.Diag {
	if p.tok.isWord() {
		p.raw = true
		return p.rest()
	}
	if p.atStart() {
		return p.errorf(p.tok, "instruction-size", "%s lacks operands", in.Op)
	}
	switch kind {
	case kindID:
		id, diag := p.id()
		p.words = append(p.words, uint32(id))
		return diag
	case kindString:
		if !p.tok.quoted || p.tok.open {
			return p.errorf(p.tok, "literal", "a string in quotation marks is missing before %s", p.found())
		}
		p.words = AppendString(p.words, p.advance().text)
		return nil
	case kindInteger:
		return p.number(number{width: 32})
	case kindNumber:
		in.Args = p.words
		t, ok := p.x.literal(in)
		if !ok {
			return p.errorf(p.tok, "wrong-operand", "the type of this literal is not a number")
		}
		return p.number(t)
	case kindLiteralID:
		return p.signature(in, "vi")
	case kindIDLiteral:
		return p.signature(in, "in")
	case kindIDs:
		return p.signature(in, "ii")
	case kindExtended:
		return p.extended(in)
	case kindSpecOp:
		info := opcodeNumbers()["Op"+p.tok.text].Info()
		if p.tok.quoted || info.Name != "Op"+p.tok.text || info.Op == OpSpecConstantOp {
			return p.errorf(p.tok, "unknown-opcode", "%s is not an instruction of SPIR-V", p.found())
		}
		p.advance()
		p.words = append(p.words, uint32(info.Op))
		return p.signature(in, strings.TrimLeft(info.Operands, "tr"))
	}
	return p.enumerants(in, kind.enumeration())
}

// number reads a literal of a type.
func (p *parser) number(t number) *asm.Diag {
	words, ok := parseNumber(p.words, t, p.tok.text)
	if !ok || p.tok.quoted {
		return p.errorf(p.tok, "literal", "%s is not a number of its type, %s", p.found(), t)
	}
	p.words = words
	p.advance()
	return nil
}

// enumerants reads a value of an enumeration, or values of a mask with | between them.
func (p *parser) enumerants(in *Inst, e *enumeration) *asm.Diag {
	t := p.advance()
	names := []string{t.text}
	if e.mask {
		names = strings.Split(t.text, "|")
	}
	var value uint32
	var rows []*enumerant
	for _, name := range names {
		i := slices.IndexFunc(e.values, func(x enumerant) bool { return x.name == name })
		if i < 0 || t.quoted {
			return p.errorf(t, "unknown-operand", "%s has no operand %q here", in.Op, asm.Clip(name))
		}
		value |= e.values[i].value
		rows = append(rows, &e.values[i])
	}
	p.words = append(p.words, value)
	slices.SortStableFunc(rows, func(a, b *enumerant) int { return int(int64(a.value) - int64(b.value)) })
	for i, row := range rows {
		if i > 0 && row.value == rows[i-1].value {
			continue
		}
		if diag := p.signature(in, row.operands); diag != nil {
			return diag
		}
	}
	return nil
}

// extended reads the name or the number of an extended instruction, and its operands.
func (p *parser) extended(in *Inst) *asm.Diag {
	if s := p.x.extendedSet(ID(p.words[0])); s.set != nil {
		i := slices.IndexFunc(s.set.insts, func(x extended) bool { return x.name == p.tok.text })
		if i < 0 {
			return p.errorf(p.tok, "unknown-operand", "%s has no instruction %s", s.name, p.found())
		}
		p.advance()
		p.words = append(p.words, s.set.insts[i].number)
		return p.signature(in, s.set.insts[i].operands)
	}
	if diag := p.number(number{width: 32}); diag != nil {
		return diag
	}
	return p.rest()
}

// idTable gives numbers to ids.
type idTable struct {
	of         map[string]ID // by name
	used       []uint64      // bits of the numbers in use
	free, last ID            // no number below free is free; last is the largest in use
}

// id returns the number of the id at a token.
func (x *idTable) id(p *parser, t token) (ID, *asm.Diag) {
	name := t.text[1:]
	if n, ok := numericID(name); ok {
		x.last = max(x.last, n)
		return n, nil
	}
	if isDigits(name) {
		return 0, p.errorf(t, "id-range", "the id %s is above the limit of %d", asm.Clip(t.text), maxBound-1)
	}
	id, ok := x.of[name]
	if !ok {
		for x.free = max(x.free, 1); x.isUsed(x.free); x.free++ {
		}
		if x.free >= maxBound {
			return 0, p.errorf(t, "id-range", "a module has at most %d ids", maxBound-1)
		}
		id = x.free
		x.use(id)
		x.of[name] = id
	}
	x.last = max(x.last, id)
	return id, nil
}

func isDigits(name string) bool { return strings.Trim(name, "0123456789") == "" }

// numericID returns the number that a name is, if it is one without leading zeros and within the limit of ids.
func numericID(name string) (ID, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	if err != nil || n >= maxBound || name[0] == '0' && name != "0" {
		return 0, false
	}
	return ID(n), true
}

func (x *idTable) isUsed(id ID) bool {
	return int(id/64) < len(x.used) && x.used[id/64]>>(id%64)&1 != 0
}

func (x *idTable) use(id ID) {
	if n := int(id/64) + 1 - len(x.used); n > 0 {
		x.used = append(x.used, make([]uint64, n)...)
	}
	x.used[id/64] |= 1 << (id % 64)
}

// read reads the comments of a text, and marks the numeric ids as used. It returns the number of opcodes in the text.
func (x *idTable) read(m *Module, src string) (opcodes int) {
	x.of = map[string]ID{}
	var stated []string
	started := false
	l := newLexer(src)
	l.comment = func(text string) {
		if list, ok := strings.CutPrefix(text, idsComment); ok {
			stated = append(stated, list)
		} else if !started {
			m.readHeader(text)
		}
	}
	for t := l.next(); !t.end; t = l.next() {
		started = true
		if t.isOpcode() {
			opcodes++
		}
		if n, ok := ID(0), t.isID(); ok {
			if n, ok = numericID(t.text[1:]); ok {
				x.use(n)
			}
		}
	}
	for _, list := range stated {
		for _, entry := range strings.Fields(list) {
			name, number, _ := strings.Cut(strings.TrimPrefix(entry, "%"), "=")
			if n, ok := numericID(number); ok && n != 0 && !x.isUsed(n) && !isDigits(name) {
				x.use(n)
				x.of[name] = n
			}
		}
	}
	return opcodes
}
