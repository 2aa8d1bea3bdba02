package spirv

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// indent is the column of the opcodes.
const indent = 15

// printer writes the text of a module.
type printer struct {
	x        *index
	names    *names
	w        bytes.Buffer
	operands []operand
	// open is 1 plus the number of the first of the last instructions that take any number of operands, or 0. It starts
	// at openAt.
	open, openAt int
}

// Format returns the text of the module as spirv-dis prints it, with names of ids. Comments keep the fields of the
// header, and at the end the numbers of the named ids, so that Parse returns the same module. Words that
// the tables do not cover are numbers behind an exclamation mark, such as OpCapability !4484.
func (m *Module) Format() []byte { return m.format(false) }

// format returns the text with names or with numbers of ids.
func (m *Module) format(numeric bool) []byte {
	x := newIndex(m)
	p := printer{x: x, names: newNames(x)}
	p.names.numeric = numeric
	p.w.WriteString(m.header())
	for i := range m.Insts {
		p.inst(i)
	}
	if !numeric {
		p.ids()
	}
	return p.w.Bytes()
}

// ids writes the numbers of the named ids as comments.
func (p *printer) ids() {
	const width = 116
	column := 0
	for id := range p.x.first {
		name, ok := p.names.of[ID(id)]
		if !ok {
			continue
		}
		text := " %" + name + "=" + strconv.Itoa(id)
		if column == 0 || column+len(text) > width {
			if column > 0 {
				p.w.WriteByte('\n')
			}
			p.w.WriteString(idsComment)
			column = len(idsComment)
		}
		p.w.WriteString(text)
		column += len(text)
	}
	if len(p.names.of) > 0 {
		p.w.WriteByte('\n')
	}
}

// inst writes the instruction of a number.
func (p *printer) inst(i int) {
	in, start := &p.x.m.Insts[i], p.w.Len()
	info := in.Op.Info()
	var bad *mismatch
	p.operands, bad = p.x.operands(in, p.operands[:0])
	if bad != nil && bad != unknown || info == nil || info.HasType() && in.Type == 0 ||
		info.HasResult() && in.Result == 0 {
		p.raw(i)
		return
	}
	if in.Result != 0 {
		name := p.names.id(in.Result)
		p.w.WriteString(strings.Repeat(" ", max(0, indent-4-len(name))))
		p.w.WriteByte('%')
		p.w.WriteString(name)
		p.w.WriteString(" = ")
	} else {
		p.w.WriteString(strings.Repeat(" ", indent))
	}
	p.w.WriteString(info.Name)
	if in.Type != 0 {
		p.id(uint32(in.Type))
	}
	at := 0
	for _, o := range p.operands {
		p.operand(in, o)
		at = o.at + o.words
	}
	for _, w := range in.Args[at:] {
		fmt.Fprintf(&p.w, " !%d", w)
	}
	p.w.WriteByte('\n')
	switch {
	case bad == nil && info.class != classAnnotation && !strings.ContainsAny(info.Operands, "?*xo"):
		p.open = 0
	case p.open == 0:
		p.open, p.openAt = i+1, start
	}
}

// raw writes the instruction of a number as a list of words. A word by number would continue an instruction before it
// that takes any number of operands, so raw writes these as words, too.
func (p *printer) raw(i int) {
	first := i
	if p.open > 0 {
		first = p.open - 1
		p.w.Truncate(p.openAt)
	}
	p.open = 0
	for ; first <= i; first++ {
		in := &p.x.m.Insts[first]
		p.w.WriteString(strings.Repeat(" ", indent))
		for at, w := range in.appendTo(nil) {
			if at == 0 {
				fmt.Fprintf(&p.w, "!%#08x", w)
			} else {
				fmt.Fprintf(&p.w, " !%d", w)
			}
		}
		fmt.Fprintf(&p.w, " ; %s\n", in.Op)
	}
}

// id writes the name of an id.
func (p *printer) id(id uint32) {
	p.w.WriteString(" %")
	p.w.WriteString(p.names.id(ID(id)))
}

// operand writes an operand behind a blank.
func (p *printer) operand(in *Inst, o operand) {
	words := in.Args[o.at : o.at+o.words]
	switch o.kind {
	case kindID:
		p.id(words[0])
		return
	case kindRaw:
		fmt.Fprintf(&p.w, " !%d", words[0])
		return
	}
	p.w.WriteByte(' ')
	switch o.kind {
	case kindString:
		s, _ := String(words)
		p.w.WriteString(quote(s))
	case kindNumber:
		t, _ := p.x.literal(in)
		p.w.WriteString(formatNumber(t, words))
	case kindExtended:
		p.extended(in, words[0])
	case kindSpecOp:
		p.w.WriteString(strings.TrimPrefix(Op(words[0]).String(), "Op"))
	case kindInteger:
		p.w.WriteString(strconv.FormatUint(uint64(words[0]), 10))
	default:
		p.w.WriteString(o.kind.name(words[0]))
	}
}

// extended writes the name of an extended instruction, or its number if it has no name.
func (p *printer) extended(in *Inst, number uint32) {
	s := p.x.extendedSet(ID(in.Args[0]))
	if row := s.find(number); row != nil {
		p.w.WriteString(row.name)
		return
	}
	if s.set != nil || !strings.HasPrefix(s.name, "NonSemantic.") {
		p.w.WriteByte('!')
	}
	p.w.WriteString(strconv.FormatUint(uint64(number), 10))
}

// quote returns a string in quotation marks.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
