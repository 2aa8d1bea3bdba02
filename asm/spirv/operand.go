package spirv

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// kindRaw is the kind of a word whose meaning is unknown, such as an operand of an unknown extended instruction.
const kindRaw Kind = '!'

// operand is an operand of an instruction: a part of its Args.
type operand struct {
	kind      Kind
	at, words int
}

// index finds the instructions that define ids.
type index struct {
	m     *Module
	first []int32 // by id: number of the first instruction that defines it, plus 1, or 0
	// imports holds the results of extendedSet. A name can be long.
	imports map[ID]imported
}

// newIndex returns an index of all instructions of m.
func newIndex(m *Module) *index {
	x := &index{m: m}
	last := ID(0)
	for i := range m.Insts {
		if id := m.Insts[i].Result; id < maxBound {
			last = max(last, id)
		}
	}
	x.first = make([]int32, last+1)
	for i := range m.Insts {
		x.add(i)
	}
	return x
}

// add adds the instruction of a number to the index, if it is the first that defines its id.
func (x *index) add(i int) {
	id := x.m.Insts[i].Result
	if id == 0 || id >= maxBound {
		return
	}
	if n := int(id) + 1 - len(x.first); n > 0 {
		x.first = append(x.first, make([]int32, n)...)
	}
	if x.first[id] == 0 {
		x.first[id] = int32(i + 1)
	}
}

// def returns the instruction that defines an id, or nil.
func (x *index) def(id ID) *Inst {
	if int64(id) >= int64(len(x.first)) || x.first[id] == 0 {
		return nil
	}
	return &x.m.Insts[x.first[id]-1]
}

// number is a numeric type.
type number struct {
	float, signed bool
	width         uint32 // bits
}

// words returns the number of words of a literal of the type (2.2.1, "Literal").
func (t number) words() int {
	if t.width > 32 {
		return 2
	}
	return 1
}

// number returns the numeric type that id names. It accepts widths of 8 to 64 bits.
func (x *index) number(id ID) (t number, ok bool) {
	in := x.def(id)
	if in == nil || len(in.Args) == 0 {
		return t, false
	}
	t.width = in.Args[0]
	switch {
	case in.Op == OpTypeFloat && len(in.Args) == 1:
		t.float = true
	case in.Op == OpTypeInt && len(in.Args) == 2:
		t.signed = in.Args[1] != 0
	default:
		return t, false
	}
	return t, t.width == 8 && !t.float || t.width == 16 || t.width == 32 || t.width == 64
}

// literal returns the type of the literals of an instruction: the result type of a constant, or the type of the
// selector of OpSwitch.
func (x *index) literal(in *Inst) (number, bool) {
	if in.Op != OpSwitch {
		return x.number(in.Type)
	}
	if len(in.Args) == 0 {
		return number{}, false
	}
	selector := x.def(ID(in.Args[0]))
	if selector == nil {
		return number{}, false
	}
	return x.number(selector.Type)
}

// imported is an extended instruction set of a module. The table is nil if the set has none.
type imported struct {
	name string
	set  *set
}

// extendedSet returns the set that id imports.
func (x *index) extendedSet(id ID) imported {
	if s, ok := x.imports[id]; ok {
		return s
	}
	in := x.def(id)
	if in == nil || in.Op != OpExtInstImport {
		return imported{}
	}
	name, _ := String(in.Args)
	s := imported{name, findSet(name)}
	if x.imports == nil {
		x.imports = map[ID]imported{}
	}
	x.imports[id] = s
	return s
}

// find returns the instruction of a number, or nil.
func (s imported) find(number uint32) *extended {
	if s.set == nil {
		return nil
	}
	return s.set.find(number)
}

// describesSource reports whether in is an extended instruction without effect on results, of a set that describes the
// source.
func (x *index) describesSource(in *Inst) bool {
	if in.Op != OpExtInst {
		return false
	}
	s := x.extendedSet(argument(in, 0))
	return strings.HasPrefix(s.name, "NonSemantic.") || strings.HasSuffix(s.name, "DebugInfo") ||
		strings.HasPrefix(s.name, "OpenCL.DebugInfo")
}

// mismatch describes how the operands of an instruction differ from the grammar.
type mismatch struct {
	code asm.Code
	text string
}

// unknown is the mismatch of operands that are not in the tables, because they are newer or malformed.
var unknown = &mismatch{"unknown-operand", "the operand is unknown"}

// divider divides the words of an instruction into operands.
type divider struct {
	x    *index
	in   *Inst
	list []operand
	at   int
}

// operands divides the words of in into operands, appended to list. If they do not match the grammar, it returns the
// operands before the first mismatch.
func (x *index) operands(in *Inst, list []operand) ([]operand, *mismatch) {
	info := in.Op.Info()
	if info == nil {
		return list, unknown
	}
	d := divider{x: x, in: in, list: list}
	bad := d.signature(strings.TrimLeft(info.Operands, "tr"))
	if bad == nil && d.at < len(in.Args) {
		bad = &mismatch{"instruction-size", "it has more operands than its opcode takes"}
	}
	return d.list, bad
}

// signature reads operands of these kinds.
func (d *divider) signature(kinds string) *mismatch {
	for i := 0; i < len(kinds); i++ {
		if Kind(kinds[i]) == kindExtended {
			return d.operand(kindExtended) // it also reads the operands behind it
		}
		kind, repeat, optional := Kind(kinds[i]), false, false
		if i+1 < len(kinds) {
			repeat, optional = kinds[i+1] == '*', kinds[i+1] == '?'
		}
		if repeat || optional {
			i++
		}
		for {
			if d.at == len(d.in.Args) && (repeat || optional) {
				break
			}
			if bad := d.operand(kind); bad != nil {
				return bad
			}
			if !repeat {
				break
			}
		}
	}
	return nil
}

// take reads an operand of a number of words.
func (d *divider) take(kind Kind, words int) *mismatch {
	if words > len(d.in.Args)-d.at {
		return &mismatch{"instruction-size", "it has fewer operands than its opcode takes"}
	}
	d.list = append(d.list, operand{kind, d.at, words})
	d.at += words
	return nil
}

// operand reads an operand of a kind, and the operands that it requires.
func (d *divider) operand(kind Kind) *mismatch {
	at := d.at
	switch kind {
	case kindString:
		return d.text()
	case kindNumber:
		t, ok := d.x.literal(d.in)
		if !ok {
			return &mismatch{"wrong-operand", "the type of its literal is not a number"}
		}
		return d.take(kind, t.words())
	case kindLiteralID:
		return d.pair(kindNumber, kindID)
	case kindIDLiteral:
		return d.pair(kindID, kindInteger)
	case kindIDs:
		return d.pair(kindID, kindID)
	}
	if bad := d.take(kind, 1); bad != nil {
		return bad
	}
	value := d.in.Args[at]
	switch kind {
	case kindExtended:
		return d.extended(value)
	case kindSpecOp:
		info := Op(value).Info()
		if info == nil || value > maxWords || info.Op == OpSpecConstantOp {
			return d.undo()
		}
		return d.signature(strings.TrimLeft(info.Operands, "tr"))
	}
	if e := kind.enumeration(); e != nil {
		return d.parameters(e, value)
	}
	return nil
}

// pair reads two operands.
func (d *divider) pair(a, b Kind) *mismatch {
	if bad := d.operand(a); bad != nil {
		return bad
	}
	return d.operand(b)
}

// text reads a string. Its last word is padded with zeros (2.2.1).
func (d *divider) text() *mismatch {
	rest := d.in.Args[d.at:]
	s, n := String(rest)
	if n > len(rest) {
		return &mismatch{"instruction-size", "its string has no end"}
	}
	if rest[n-1]>>(8*(len(s)%4)) != 0 {
		return &mismatch{"unknown-operand", "its string is not padded with zeros"}
	}
	return d.take(kindString, n)
}

// extended reads the operands of an extended instruction.
func (d *divider) extended(number uint32) *mismatch {
	s := d.x.extendedSet(ID(d.in.Args[0]))
	if row := s.find(number); row != nil {
		return d.signature(row.operands)
	}
	if strings.HasPrefix(s.name, "NonSemantic.") {
		return d.signature("i*")
	}
	return d.signature("!*")
}

// parameters reads the operands that follow a value of an enumeration. Those of a mask follow in the order of its bits
// (2.2.1, "Operand").
func (d *divider) parameters(e *enumeration, value uint32) *mismatch {
	if !e.mask {
		row := e.find(value)
		if row == nil {
			return d.undo()
		}
		return d.signature(row.operands)
	}
	for rest := value; rest != 0; rest &= rest - 1 {
		if e.find(rest&-rest) == nil {
			return d.undo()
		}
	}
	for rest := value; rest != 0; rest &= rest - 1 {
		row := e.find(rest & -rest)
		if bad := d.signature(row.operands); bad != nil {
			return bad
		}
	}
	return nil
}

// undo removes the last operand, of one word, because its value is unknown.
func (d *divider) undo() *mismatch {
	d.list = d.list[:len(d.list)-1]
	d.at--
	return unknown
}
