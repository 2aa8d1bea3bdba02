package preshader

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// The names of tables in text. Inputs are in; outputs are registers of the shader.
var tableNames = [...]string{Literal: "lit", Input: "in", vertexInput: "v", Output: "c", OutputBool: "b",
	OutputInt: "i", Temp: "r"}

// Print writes a program as text: the parameters that are its inputs, and its
// instructions, as in
//
//	preshader
//	// in0..in3: World
//	mul c0.xyzw, in0.xyzw, (2, 2, 2, 2)
func Print(p *Program) []byte {
	var b bytes.Buffer
	b.WriteString("preshader\n")
	if t, ok := d3d9.ReadConstantTable(p.Table); ok {
		for i := range t.Constants {
			c := &t.Constants[i]
			fmt.Fprintf(&b, "// in%d", c.Index)
			if c.Count > 1 {
				fmt.Fprintf(&b, "..in%d", c.Index+c.Count-1)
			}
			fmt.Fprintf(&b, ": %s\n", asm.Shown(c.Name))
		}
	}
	for i := range p.Insts {
		fmt.Fprintf(&b, "%s\n", p.format(&p.Insts[i]))
	}
	return b.Bytes()
}

// Index returns the index that an expression selects, with the names of parameters, as in
// "Indices[ShaderIndex]". ok is false for a computed index.
func Index(p *Program) (text string, ok bool) {
	t, ok := d3d9.ReadConstantTable(p.Table)
	if !ok || len(p.Insts) != 1 || p.Insts[0].Op != Mov || len(p.Insts[0].Inputs) != 1 {
		return "", false
	}
	name := func(table Table, offset uint32) string {
		for i := range t.Constants {
			if c := &t.Constants[i]; table == Input && uint64(c.Index)*4 == uint64(offset) {
				return asm.Shown(c.Name)
			}
		}
		ok = false
		return ""
	}
	o := &p.Insts[0].Inputs[0]
	text = name(o.Table, o.Offset)
	if o.Relative {
		text += "[" + name(o.Index.Table, o.Index.Offset) + "]"
	}
	return text, ok
}

// format returns the text of an instruction.
func (p *Program) format(in *Inst) string {
	parts := []string{p.operand(&in.Output, in.Components)}
	for i := range in.Inputs {
		n := in.Components
		if i == 0 && in.Scalar {
			n = 1
		}
		parts = append(parts, p.operand(&in.Inputs[i], n))
	}
	return in.Op.String() + " " + strings.Join(parts, ", ")
}

// operand returns the text of n components of an operand.
func (p *Program) operand(o *Operand, n int) string {
	if o.Table == Literal && !o.Relative && uint64(o.Offset)+uint64(n) <= uint64(len(p.Literals)) {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprint(p.Literals[int(o.Offset)+i])
		}
		return "(" + strings.Join(values, ", ") + ")"
	}
	text := tableNames[o.Table]
	if o.Relative {
		text += fmt.Sprintf("[%s + %d]", place(tableNames[o.Index.Table], o.Index.Offset, 1), o.Offset/4)
		return text + "." + swizzle(o.Offset%4, n)
	}
	return place(text, o.Offset, n)
}

// place returns the text of n components from an offset on: c3.yz, or c3.w..c4.x if they span two
// registers.
func place(table string, offset uint32, n int) string {
	first := offset % 4
	if int(first)+n > 4 { // they span two registers
		return fmt.Sprintf("%s%d.%s..%s", table, offset/4, swizzle(first, 4-int(first)),
			place(table, offset/4*4+4, n-4+int(first)))
	}
	return fmt.Sprintf("%s%d.%s", table, offset/4, swizzle(first, n))
}

// swizzle returns up to n letters, from first on.
func swizzle(first uint32, n int) string {
	return "xyzw"[first:min(int(first)+n, 4)]
}
