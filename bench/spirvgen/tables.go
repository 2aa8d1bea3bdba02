package main

import (
	"bytes"
	"cmp"
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

// vendorsLast compares two names of one number. The first row of a number has the name that is printed, as spirv-dis
// chooses it.
func vendorsLast(a, b string) int {
	switch {
	case named(a) == named(b):
		return 0
	case named(a):
		return -1
	}
	return 1
}

// tables holds the input, and the enumerations in order of their letters.
type tables struct {
	core     grammar
	sets     []set
	registry registry
	kinds    []kind
	err      error
}

// chooseLetters gives letters to the enumerations that operands use, and to those that constants use.
func (t *tables) chooseLetters() {
	used := map[string]bool{"Scope": true, "MemorySemantics": true}
	mark := func(list []operand) {
		for _, o := range list {
			used[o.Kind] = true
		}
	}
	for _, in := range t.core.Instructions {
		mark(in.Operands)
	}
	for _, k := range t.core.Kinds {
		for _, e := range k.Enumerants {
			mark(e.Parameters)
		}
	}
	for _, k := range t.core.Kinds {
		if len(k.Enumerants) == 0 || !used[k.Name] {
			continue
		}
		if len(t.kinds) == len(free) {
			t.err = fmt.Errorf("no letter is left for %s", k.Name)
			return
		}
		slices.SortStableFunc(k.Enumerants, func(a, b enumerant) int {
			return cmp.Or(cmp.Compare(a.Value, b.Value), vendorsLast(a.Name, b.Name))
		})
		letters[k.Name] = free[len(t.kinds)]
		t.kinds = append(t.kinds, k)
	}
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

// writeOpcodes writes the constants of the opcodes and the table of their operands.
func (t *tables) writeOpcodes(w *bytes.Buffer) {
	fmt.Fprintf(w, "// grammarVersion is the version of SPIR-V, and the revision, that the tables are made from.\n")
	fmt.Fprintf(w, "const grammarVersion = \"%d.%d revision %d\"\n\n", t.core.Major, t.core.Minor, t.core.Revision)
	list := slices.Clone(t.core.Instructions)
	slices.SortStableFunc(list, func(a, b instruction) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), vendorsLast(a.Name, b.Name))
	})
	fmt.Fprintf(w, "// Opcodes, without those of vendors.\nconst (\n")
	for _, in := range list {
		if named(in.Name) {
			fmt.Fprintf(w, "%s Op = %d\n", in.Name, in.Number)
		}
	}
	fmt.Fprintf(w, ")\n\n// opcodes lists the instructions by number.")
	fmt.Fprintf(w, " An instruction with several names has several rows.\nvar opcodes = [...]Info{\n")
	row := newRow(w)
	for _, in := range list {
		row.add("{%d, %q, class%s, %q}", in.Number, in.Name, class(in), t.signature(in.Operands))
	}
	row.end()
	fmt.Fprintf(w, "}\n")
}

// sections are the sections of opcodes in their order (2.4 of the specification). Those that are not here are in the
// section that class returns.
var sections = map[string]string{
	"OpCapability": "Capability", "OpExtension": "Extension", "OpExtInstImport": "Import",
	"OpMemoryModel": "MemoryModel", "OpEntryPoint": "EntryPoint", "OpExecutionMode": "Mode", "OpExecutionModeId": "Mode",
	"OpString": "Source", "OpSource": "Source", "OpSourceContinued": "Source", "OpSourceExtension": "Source",
	"OpName": "Name", "OpMemberName": "Name", "OpModuleProcessed": "Process", "OpConstantPipeStorage": "Constant",
	"OpNop": "Anywhere", "OpLine": "Anywhere", "OpNoLine": "Anywhere", "OpUndef": "Anywhere", "OpVariable": "Anywhere",
	"OpExtInst": "Anywhere",
}

// class returns the section of a module that an instruction belongs to. Instructions of extensions, which have numbers
// above 4095, may be anywhere unless they are types, constants or annotations.
func class(in instruction) string {
	s, ok := sections[in.Name]
	switch {
	case ok:
		return s
	case strings.HasPrefix(in.Name, "OpType"): // some types of extensions are in the class Reserved
		return "Type"
	case in.Class == "Constant-Creation":
		return "Constant"
	case in.Class == "Annotation":
		return in.Class
	case in.Number > 4095:
		return "Anywhere"
	}
	return "Body"
}

// writeEnumerants writes the constants and tables of the enumerations.
func (t *tables) writeEnumerants(w *bytes.Buffer) {
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
	fmt.Fprintf(w, ")\n\n// enumerations lists the enumerations by kind, and their values in order.\n")
	fmt.Fprintf(w, "var enumerations = [...]*enumeration{\n")
	for _, k := range t.kinds {
		fmt.Fprintf(w, "kind%s: {%t, []enumerant{\n", k.Name, k.Category == "BitEnum")
		row := newRow(w)
		for _, e := range k.Enumerants {
			row.add("{%#x, %q, %q}", e.Value, e.Name, t.signature(e.Parameters))
		}
		row.end()
		fmt.Fprintf(w, "}},\n")
	}
	fmt.Fprintf(w, "}\n")
}

// writeSets writes the extended instruction sets, and constants for the first, GLSL.std.450.
func (t *tables) writeSets(w *bytes.Buffer) {
	fmt.Fprintf(w, "// Instructions of GLSL.std.450.\nconst (\n")
	for _, in := range t.sets[0].Instructions {
		fmt.Fprintf(w, "GLSL%s GLSL = %d\n", in.Name, in.Number)
	}
	fmt.Fprintf(w, ")\n\n// sets lists extended instruction sets, and their instructions by number.\n")
	fmt.Fprintf(w, "var sets = [...]set{\n")
	for _, s := range t.sets {
		slices.SortStableFunc(s.Instructions, func(a, b instruction) int { return a.Number - b.Number })
		fmt.Fprintf(w, "{%q, []extended{\n", s.name)
		row := newRow(w)
		for _, in := range s.Instructions {
			row.add("{%d, %q, %q}", in.Number, in.Name, t.signature(in.Operands))
		}
		row.end()
		fmt.Fprintf(w, "}},\n")
	}
	fmt.Fprintf(w, "}\n")
}

// writeTools writes the names of the tools that write modules.
func (t *tables) writeTools(w *bytes.Buffer) {
	fmt.Fprintf(w, "// tools lists the names of the tools that write modules by their numbers in headers.\n")
	fmt.Fprintf(w, "var tools = [...]string{\n")
	for _, ids := range t.registry.IDs {
		if ids.Type != "vendor" {
			continue
		}
		for _, x := range ids.List {
			fmt.Fprintf(w, "%d: %q,\n", x.Value, strings.TrimSpace(x.Vendor+" "+x.Tool))
		}
	}
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
