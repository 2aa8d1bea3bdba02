package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// letters are the kinds of operands that are not enumerations, as in kind.go of asm/spirv. The kinds of ids share one
// letter.
var letters = map[string]byte{
	"IdResultType": 't', "IdResult": 'r', "IdRef": 'i', "IdScope": 'i', "IdMemorySemantics": 'i', "LiteralInteger": 'n',
	"LiteralString": 's', "LiteralContextDependentNumber": 'v', "LiteralExtInstInteger": 'x',
	"LiteralSpecConstantOpInteger": 'o', "PairLiteralIntegerIdRef": 'l', "PairIdRefLiteralInteger": 'm',
	"PairIdRefIdRef": 'p',
}

// free are the letters that enumerations get, in this order.
const free = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghjkquwyz"

// vendors are the endings of names that get no constant.
var vendors = []string{"INTEL", "INTELMask", "NV", "NVX", "AMD", "AMDX", "QCOM", "ARM", "ALTERA", "HUAWEI"}

// named reports whether a name gets a constant.
func named(name string) bool {
	return !slices.ContainsFunc(vendors, func(v string) bool { return strings.HasSuffix(name, v) })
}

// tables holds what the files are written from.
type tables struct {
	core  *grammar
	kinds []kind // in order of their letters
	err   error
}

// newTables gives letters to the enumerations that operands and parameters of enumerants use, and to those that
// constants use.
func newTables(g *grammar) *tables {
	t := &tables{core: g}
	used := map[string]bool{"Scope": true, "MemorySemantics": true}
	mark := func(list []operand) {
		for _, o := range list {
			used[o.Kind] = true
		}
	}
	for _, in := range g.Instructions {
		mark(in.Operands)
	}
	for _, k := range g.Kinds {
		for _, e := range k.Enumerants {
			mark(e.Parameters)
		}
	}
	for _, k := range g.Kinds {
		if len(k.Enumerants) == 0 || !used[k.Name] {
			continue
		}
		if len(t.kinds) == len(free) {
			t.err = fmt.Errorf("no letter is left for %s", k.Name)
			return t
		}
		letters[k.Name] = free[len(t.kinds)]
		t.kinds = append(t.kinds, k)
	}
	return t
}

// signature returns the letters of operands, each with its quantifier.
func (t *tables) signature(list []operand) string {
	var b strings.Builder
	for _, o := range list {
		letter, ok := letters[o.Kind]
		if !ok {
			t.err = fmt.Errorf("unknown kind of operand %s", o.Kind)
		}
		b.WriteByte(letter)
		b.WriteString(o.Quantifier)
	}
	return b.String()
}

// opcodes writes the constants of the opcodes and the table of their operands.
func (t *tables) opcodes(w *bytes.Buffer) {
	fmt.Fprintf(w, "// grammarVersion is the version of SPIR-V, and the revision, that the tables are made from.\n")
	fmt.Fprintf(w, "const grammarVersion = \"%d.%d revision %d\"\n\n", t.core.Major, t.core.Minor, t.core.Revision)
	list := slices.Clone(t.core.Instructions)
	slices.SortStableFunc(list, func(a, b instruction) int { return a.Number - b.Number })
	fmt.Fprintf(w, "// Opcodes, without those of vendors.\nconst (\n")
	for _, in := range list {
		if named(in.Name) {
			fmt.Fprintf(w, "%s Op = %d\n", in.Name, in.Number)
		}
	}
	fmt.Fprintf(w, ")\n\n// opcodes lists the instructions by number. An instruction with several names has several rows.\n")
	fmt.Fprintf(w, "var opcodes = [...]Info{\n")
	row := newRow(w)
	for _, in := range list {
		row.add("{%d, %q, class%s, %q}", in.Number, in.Name, class(in), t.signature(in.Operands))
	}
	row.end()
	fmt.Fprintf(w, "}\n")
}

// class returns the part of the module to which an instruction belongs.
func class(in instruction) string {
	switch in.Class {
	case "Type-Declaration":
		return "Type"
	case "Constant-Creation":
		return "Constant"
	case "Annotation", "Debug", "Extension":
		return in.Class
	case "Mode-Setting":
		return "Mode"
	case "Control-Flow":
		return "Flow"
	}
	return "Other"
}

// enumerants writes the constants and tables of the enumerations.
func (t *tables) enumerants(w *bytes.Buffer) {
	for _, k := range t.kinds {
		fmt.Fprintf(w, "// %s is an enumeration of the specification%s.\ntype %s uint32\n\n", k.Name,
			map[string]string{"BitEnum": ", a mask"}[k.Category], k.Name)
		fmt.Fprintf(w, "// Values of %s, without those of vendors.\nconst (\n", k.Name)
		for _, e := range k.Enumerants {
			if named(e.Name) {
				fmt.Fprintf(w, "%s%s %s = %#x\n", k.Name, e.Name, k.Name, e.Value)
			}
		}
		fmt.Fprintf(w, ")\n\n// String returns the name of the value.\n")
		fmt.Fprintf(w, "func (x %s) String() string { return kind%s.name(uint32(x)) }\n\n", k.Name, k.Name)
	}
	fmt.Fprintf(w, "// Kinds of operands that are enumerations.\nconst (\n")
	for i, k := range t.kinds {
		fmt.Fprintf(w, "kind%s Kind = '%c'\n", k.Name, free[i])
	}
	fmt.Fprintf(w, ")\n\n// enumerations lists the kinds of operands that are enumerations.\nvar enumerations = [...]enumeration{\n")
	for _, k := range t.kinds {
		fmt.Fprintf(w, "{kind%s, %q, %t, []enumerant{\n", k.Name, k.Name, k.Category == "BitEnum")
		row := newRow(w)
		for _, e := range k.Enumerants {
			row.add("{%#x, %q, %q}", e.Value, e.Name, t.signature(e.Parameters))
		}
		row.end()
		fmt.Fprintf(w, "}},\n")
	}
	fmt.Fprintf(w, "}\n")
}

// writeGLSL writes the numbers of the extended instructions of GLSL.std.450.
func writeGLSL(w *bytes.Buffer, g *grammar) {
	fmt.Fprintf(w, "// Instructions of GLSL.std.450.\nconst (\n")
	for _, in := range g.Instructions {
		fmt.Fprintf(w, "GLSL%s GLSL = %d\n", in.Name, in.Number)
	}
	fmt.Fprintf(w, ")\n\n// glsl lists the instructions by number, with their numbers of operands.\nvar glsl = [...]extended{\n")
	row := newRow(w)
	for _, in := range g.Instructions {
		row.add("{%d, %q, %d}", in.Number, in.Name, len(in.Operands))
	}
	row.end()
	fmt.Fprintf(w, "}\n")
}

// row writes elements of a table, several a line.
type row struct {
	w     *bytes.Buffer
	width int
}

func newRow(w *bytes.Buffer) *row { return &row{w: w} }

// add writes an element, on a new line if the line would exceed 116 columns.
func (r *row) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...) + ","
	if r.width > 0 && r.width+1+len(text) > 112 {
		r.end()
	}
	if r.width > 0 {
		r.w.WriteByte(' ')
		r.width++
	}
	r.w.WriteString(text)
	r.width += len(text)
}

// end ends the line.
func (r *row) end() {
	if r.width > 0 {
		r.w.WriteByte('\n')
	}
	r.width = 0
}
