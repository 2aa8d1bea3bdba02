package ir

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// String returns the text form of f, for dumps and failing tests. No parser reads it.
//
//	ps_2_0
//	  %0.x, %1.y = mul.sat (t0.x t0.y), (0.5@c3.x 2@c3.y)
//	  %9 = if.gt %0, %1 {
//	    yield %1
//	  } else {
//	    yield %0
//	  }
//	  out oC0.x = %9
//
// A written lane prints as its value and its position. An operand in parentheses lists the lanes that are
// read, and "_" for the others.
func (f *Func) String() string {
	var b strings.Builder
	f.Fprint(&b)
	return b.String()
}

// Fprint writes the text form of f.
func (f *Func) Fprint(w io.Writer) {
	p := &printer{w: w}
	p.dialect = f.Dialect
	p.line("%s", f.Name)
	p.depth++
	p.printCode(f.Body)
	for _, o := range f.Outs {
		p.line("out %s = %s", p.reg(o.Reg), p.value(o.V))
	}
}

// String returns the text form of in and of the regions within.
func (in *Instr) String() string {
	var b strings.Builder
	p := &printer{w: &b, dialect: Abstract{}}
	p.instr(in)
	return strings.TrimSuffix(b.String(), "\n")
}

// String returns the name of v: its number, or the register or literal of a leaf.
func (v *Value) String() string { return (&printer{dialect: Abstract{}}).value(v) }

// String returns the name of l with its modifiers.
func (l Lane) String() string { return (&printer{dialect: Abstract{}}).formatLane(l) }

// String returns file, index and component: 3[12].x.
func (r Reg) String() string { return Abstract{}.RegName(r) }

// printer writes the text form. depth is the nesting depth of regions, printed as two blanks each.
type printer struct {
	w       io.Writer
	dialect Dialect
	depth   int
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.w, "%*s%s\n", 2*p.depth, "", fmt.Sprintf(format, args...))
}

func (p *printer) reg(r Reg) string { return p.dialect.RegName(r) }

// value returns the name of v: the register of a leaf, the number and register of a literal, else the ID.
func (p *printer) value(v *Value) string {
	switch {
	case v == nil:
		return "_"
	case v.Kind == Literal:
		s := fmt.Sprintf("%g", math.Float32frombits(v.Bits))
		if v.Bits != 0 && v.Bits < 1<<23 { // subnormal: an integer or a boolean more likely
			s = fmt.Sprintf("#%d", v.Bits)
		}
		if v.Home.File != 0 {
			s += "@" + p.reg(v.Home)
		}
		return s
	case v.Kind == Input || v.Kind == Uniform:
		return p.reg(v.Home)
	case v.Kind == Undef:
		return "undef:" + p.reg(v.Home)
	}
	return fmt.Sprintf("%%%d", v.ID)
}

func (p *printer) formatLane(l Lane) string {
	s := p.value(l.V)
	if l.Mod&Abs != 0 {
		s = "|" + s + "|"
	}
	if l.Mod&Neg != 0 {
		s = "-" + s
	}
	if l.Mod&Not != 0 {
		s = "!" + s
	}
	return s
}

// operand lists the lanes up to the last one that is set. An operand with lane 0 alone prints bare.
func (p *printer) operand(o Operand) string {
	last := 0
	for i := range o {
		if o[i].V != nil {
			last = i
		}
	}
	if last == 0 {
		return p.formatLane(o[0])
	}
	words := make([]string, last+1)
	for i := range words {
		words[i] = p.formatLane(o[i])
	}
	return "(" + strings.Join(words, " ") + ")"
}

func (p *printer) values(vs []*Value) string {
	words := make([]string, len(vs))
	for i, v := range vs {
		words[i] = p.value(v)
	}
	return strings.Join(words, ", ")
}

func (p *printer) printCode(r *Region) {
	for _, in := range r.Code {
		p.instr(in)
	}
}

var condNames = [...]string{"", ".gt", ".eq", ".ge", ".lt", ".ne", ".le"}

func (p *printer) instr(in *Instr) {
	var defs []string
	for i, v := range in.Out {
		if v != nil {
			defs = append(defs, fmt.Sprintf("%s.%c", p.value(v), "xyzw"[i]))
		}
	}
	for _, v := range in.Results {
		defs = append(defs, p.value(v))
	}
	var s strings.Builder
	if len(defs) > 0 {
		s.WriteString(strings.Join(defs, ", ") + " = ")
	}
	s.WriteString(in.Op.String() + condNames[in.Cond])
	if in.Mods&Sat != 0 {
		s.WriteString(".sat")
	}
	if in.Mods&Half != 0 {
		s.WriteString(".half")
	}
	if in.Op.Has(IsFetch) {
		fmt.Fprintf(&s, " s%d:%d", in.Res.Unit, in.Res.Dim)
	}
	if in.Op == OpLoad || in.Op.Has(Memory) && in.Base.File != 0 {
		fmt.Fprintf(&s, " %s[]", RegisterName(p.dialect, in.Base))
	}
	if in.Imm != 0 {
		fmt.Fprintf(&s, " #%d", in.Imm)
	}
	for k, o := range in.Src {
		s.WriteString([]string{" ", ", "}[min(k, 1)] + p.operand(o))
	}
	if in.IsPredicated() {
		s.WriteString(" where " + p.operand(in.Pred))
		if in.Mask() != 0 {
			fmt.Fprintf(&s, " else (%s)", strings.ReplaceAll(p.values(in.Keep[:]), ",", ""))
		}
	}
	if in.Op.Has(Memory) && len(in.Args) > 0 {
		s.WriteString(" at " + p.values(in.Args))
	}
	if in.Op == OpBreak && len(in.Args) > 0 {
		s.WriteString(" with " + p.values(in.Args))
	}
	if in.Precise {
		s.WriteString(" !precise")
	}
	if len(in.Sub) == 0 {
		p.line("%s", s.String())
		return
	}
	if in.Op == OpLoop {
		p.params(&s, in)
	}
	for k, r := range in.Sub {
		if k == 0 {
			p.line("%s {", s.String())
		} else {
			p.line("} else {")
		}
		p.depth++
		p.printCode(r)
		if len(r.Results) > 0 {
			p.line("yield %s", p.values(r.Results))
		}
		p.depth--
	}
	p.line("}")
}

// params prints the carried values of a loop as parameter := initial value.
func (p *printer) params(s *strings.Builder, in *Instr) {
	body := in.Sub[0]
	if body.Index != nil {
		s.WriteString(" index " + p.value(body.Index))
	}
	for k, v := range body.Params {
		s.WriteString([]string{" carry ", ", "}[min(k, 1)] + p.value(v))
		if k < len(in.Args) {
			s.WriteString(" := " + p.value(in.Args[k]))
		}
	}
}
