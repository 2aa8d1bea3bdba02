package fxtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// Preshader returns a preshader with the given instructions, in the syntax of preshader.Print, one
// per line: "mul c8.xyz, in0.x, (0.5, 1, 2)". An operand's first component is its offset.
func Preshader(inputs []d3d9.Constant, text string) *preshader.Program {
	var insts []preshader.Inst
	var literals []float64
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" {
			continue
		}
		in := preshader.Inst{Op: opNamed(name)}
		for i, field := range operands(rest) {
			o, n := operand(field, &literals)
			switch {
			case i == 0:
				in.Output, in.Components = o, n
				continue
			case i == 1:
				// Fewer components than the result: the first input is a scalar.
				in.Scalar = n < in.Components
			}
			in.Inputs = append(in.Inputs, o)
		}
		insts = append(insts, in)
	}
	p, err := preshader.New(inputs, literals, insts)
	if err != nil {
		panic(err)
	}
	return p
}

// Attach returns bytecode with a preshader.
func Attach(data []byte, q *preshader.Program) []byte {
	p, err := d3d9.Decode("fxtest", data)
	if err != nil {
		panic(err)
	}
	if err := preshader.Attach(p, q); err != nil {
		panic(err)
	}
	if data, err = d3d9.Encode(p); err != nil {
		panic(err)
	}
	return data
}

// opNamed returns the operation with a name. Codes have eleven bits.
func opNamed(name string) preshader.Op {
	for op := range preshader.Op(0x800) {
		if op.String() == name {
			return op
		}
	}
	panic("there is no operation " + name)
}

// operands splits a list at commas outside brackets.
func operands(text string) (list []string) {
	depth, from := 0, 0
	for i, r := range text + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			list, from = append(list, strings.TrimSpace(text[from:i])), i+1
		}
	}
	return list
}

// tables maps the table names of Print to tables.
var tables = map[string]preshader.Table{"in": preshader.Input, "c": preshader.Output, "b": preshader.OutputBool,
	"i": preshader.OutputInt, "r": preshader.Temp}

// operand reads an operand, and returns its number of components. It appends literals at any
// offset.
func operand(text string, literals *[]float64) (preshader.Operand, int) {
	if strings.HasPrefix(text, "(") {
		at := len(*literals)
		for _, field := range strings.Split(strings.Trim(text, "()"), ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
			if err != nil {
				panic(err)
			}
			*literals = append(*literals, x)
		}
		return preshader.Operand{Table: preshader.Literal, Offset: uint32(at)}, len(*literals) - at
	}
	reg, comps, _ := strings.Cut(text, ".")
	name := strings.TrimRight(reg, "0123456789")
	n, err := strconv.Atoi(reg[len(name):])
	table, ok := tables[name]
	first := slices.Index([]byte("xyzw"), comps[0])
	if err != nil || !ok || first < 0 {
		panic(fmt.Sprintf("%q is no operand", text))
	}
	return preshader.Operand{Table: table, Offset: uint32(4*n + first)}, len(comps)
}
