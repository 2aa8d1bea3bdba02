package fx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// Print writes the contents of an effect, similar to an effect file: parameters, and techniques
// with their passes and states. It only summarizes the bytecode of shaders; package d3d9 reads the
// bytecode in assignments and objects.
func Print(e *Effect) []byte {
	p := printer{e: e, x: e.index()}
	for i := range e.Parameters {
		p.parameter(i)
	}
	for i := range e.Techniques {
		p.technique(i)
	}
	return p.Bytes()
}

// printer holds the text so far, with e and an index of its records.
type printer struct {
	bytes.Buffer
	e *Effect
	x *index
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(&p.Buffer, format, args...) }

// parameter writes a parameter like a declaration: type, name, semantic, annotations, value. It
// omits a value of zeros, which is the default.
func (p *printer) parameter(i int) {
	v := &p.e.Parameters[i]
	p.printf("%s", declaration(&v.Type))
	if v.Type.Semantic.Present {
		p.printf(" : %s", quoted(v.Type.Semantic.Text))
	}
	p.annotations(v.Annotations)
	switch {
	case v.Samplers != nil:
		for k, states := range v.Samplers {
			p.printf("%s{", between(k, " = ", ", "))
			for n := range states {
				s := &states[n]
				p.printf(" %s = %s;", s.Operation, p.sampled(i, k, n, s))
			}
			p.printf(" }")
		}
	case v.Type.Class == ObjectClass || !isZero(v.Data):
		p.printf(" = %s", p.value(&v.Variable))
	}
	p.printf(";\n")
}

// between returns first before the first element, and between before all others.
func between(i int, first, between string) string {
	if i == 0 {
		return first
	}
	return between
}

// isZero reports whether a value has no bit set.
func isZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }

// sampled returns the text of a sampler state's value.
func (p *printer) sampled(parameter, element, n int, s *State) string {
	a := p.x.assignments[[...]uint32{None, uint32(parameter), uint32(element), uint32(n)}]
	if a != nil && a.Usage == Reference {
		return "<" + quoted(strings.TrimSuffix(string(a.Data), "\x00")) + ">"
	}
	return p.value(&s.Variable)
}

// technique writes a technique with its passes and their states. It adds numbers to names, because
// names may repeat or be empty.
func (p *printer) technique(t int) {
	technique := &p.e.Techniques[t]
	p.printf("\ntechnique %s // %d", quoted(technique.Name.Text), t)
	p.annotations(technique.Annotations)
	p.printf("\n{\n")
	for i := range technique.Passes {
		pass := &technique.Passes[i]
		p.printf("    pass %s // %d", quoted(pass.Name.Text), i)
		p.annotations(pass.Annotations)
		p.printf("\n    {\n")
		for k := range pass.States {
			s := &pass.States[k]
			p.printf("        %s", s.Operation)
			if s.Index > 0 {
				p.printf("[%d]", s.Index)
			}
			p.printf(" = %s;\n", p.state(t, i, k))
		}
		p.printf("    }\n")
	}
	p.printf("}\n")
}

// state returns the text of a pass state's value, from its assignment if there is one.
func (p *printer) state(t, pass, k int) string {
	s := &p.e.Techniques[t].Passes[pass].States[k]
	a := p.x.assignments[[...]uint32{uint32(t), uint32(pass), None, uint32(k)}]
	switch {
	case a == nil:
		return p.value(&s.Variable)
	case a.Usage == Reference:
		return "<" + quoted(strings.TrimSuffix(string(a.Data), "\x00")) + ">"
	case a.Usage == Selection:
		return selected(a.Data)
	case a.Usage == literal && s.Type.Type.isShader():
		return bytecode(a.Data)
	}
	return fmt.Sprintf("an expression of %d bytes", len(a.Data))
}

// selected returns the text of an array element with the index expression.
func selected(data []byte) string {
	name, code, ok := selector(data)
	if !ok {
		return "an element of an array"
	}
	var words []uint32
	for ; len(code) >= 4; code = code[4:] {
		words = append(words, binary.LittleEndian.Uint32(code))
	}
	index := "an expression"
	if p, err := preshader.Decode("", words); err == nil {
		if text, ok := preshader.Index(p); ok {
			index = text
		}
	}
	return quoted(name) + "[" + index + "]"
}

// bytecode returns a summary of a program: model, slots and size.
func bytecode(data []byte) string {
	p, err := d3d9.Decode("", data)
	if err != nil {
		return fmt.Sprintf("%d bytes that are not a program", len(data))
	}
	return fmt.Sprintf("%s of %d slots in %d bytes", p.Model, d3d9.Measure(p).Slots, len(data))
}

// annotations writes a list in angle brackets, or nothing if the list is empty.
func (p *printer) annotations(list []Variable) {
	for i := range list {
		v := &list[i]
		p.printf("%s%s = %s;", between(i, " <", ""), between(i, "", " ")+declaration(&v.Type), p.value(v))
	}
	if len(list) > 0 {
		p.printf(">")
	}
}

// declaration returns a type with the name that it declares. It writes structures in full at every
// use.
func declaration(t *Type) string {
	s := t.String()
	if t.Class == structClass {
		s += " {"
		for i := range t.Members {
			s += " " + declaration(&t.Members[i]) + ";"
		}
		s += " }"
	}
	if t.Name.Present {
		s += " " + quoted(t.Name.Text)
	}
	if t.Elements > 0 {
		s += fmt.Sprintf("[%d]", t.Elements)
	}
	return s
}

// quoted returns a name, in quotation marks if it is not an HLSL identifier.
func quoted(s string) string {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return fmt.Sprintf("%q", s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

// maxShown bounds the components and objects of a value that are printed.
const maxShown = 16

// value returns the text of a value: its components, or descriptions of its objects.
func (p *printer) value(v *Variable) string {
	words := v.Words()
	var parts []string
	for i, w := range words {
		if i == maxShown {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, p.formatWord(&v.Type, w))
	}
	if len(words) == 1 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// formatWord returns the text of one component of a value of type t. It prints members of structures as
// plain words.
func (p *printer) formatWord(t *Type, w uint32) string {
	switch {
	case t.Class == structClass:
		return fmt.Sprintf("0x%08x", w)
	case t.Class == ObjectClass:
		o := p.x.objects[w]
		switch {
		case o == nil || len(o.Data) == 0:
			return fmt.Sprintf("object %d", w)
		case t.Type == StringType:
			return fmt.Sprintf("%q", strings.TrimSuffix(string(o.Data), "\x00"))
		case t.Type.isShader():
			return bytecode(o.Data)
		}
		return fmt.Sprintf("object %d of %d bytes", w, len(o.Data))
	case t.Type == Float:
		return fmt.Sprint(math.Float32frombits(w))
	}
	return fmt.Sprint(int32(w))
}
