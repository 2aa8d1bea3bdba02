package preshader_test

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// sound returns a program that every client accepts.
func sound(t *testing.T) *preshader.Program {
	t.Helper()
	p := program([]float64{0.5, 1, 0, 0}, in(preshader.Mul, 3, at(preshader.Output, 8), at(preshader.Input, 0),
		at(preshader.Input, 0)))
	table := d3d9.ConstantTable{Target: "tx", Version: uint32(preshader.Constants),
		Constants: []d3d9.Constant{{Name: "Tint", Set: d3d9.SetFloat4, Count: 1, Class: 1, Type: 3, Rows: 1, Columns: 3,
			Elements: 1}}}
	words, err := d3d9.EncodeConstantTable(&table)
	if err != nil {
		t.Fatal(err)
	}
	p.Table = words
	return p
}

func TestCheck(t *testing.T) {
	for name, change := range map[string]func(*preshader.Program){
		"sections in another order": func(p *preshader.Program) {
			p.Sections[0], p.Sections[1] = p.Sections[1],
				p.Sections[0]
		},
		"no section of outputs":    func(p *preshader.Program) { p.Sections = append(p.Sections[:1], p.Sections[2:]...) },
		"a version of expressions": func(p *preshader.Program) { p.Version = preshader.Expression },
		"no inputs":                func(p *preshader.Program) { p.Table = program(nil).Table },
		"no table":                 func(p *preshader.Program) { p.Table = nil },
		"three literals":           func(p *preshader.Program) { p.Literals = []float64{1, 2, math.Pi} },
		"an output in two registers": func(p *preshader.Program) {
			p.Insts[0].Output.Offset = 10
			p.Outputs = preshader.OutputsOf(p.Insts)
		},
		"an output that is not declared":        func(p *preshader.Program) { p.Insts[0].Output.Offset = 12 },
		"a declared output that is not written": func(p *preshader.Program) { p.Outputs.Ranges[0][0].Count = 2 },
		"an input without a parameter":          func(p *preshader.Program) { p.Insts[0].Inputs[1].Offset = 4 },
		"one component of a negation": func(p *preshader.Program) {
			p.Insts[0].Op, p.Insts[0].Inputs, p.Insts[0].Scalar = preshader.Neg, p.Insts[0].Inputs[:1], true
		},
	} {
		p := sound(t)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if change(p); p.Check() == nil {
			t.Errorf("%s: it passes", name)
		}
	}
}

// TestCheckCorpus checks that preshaders of compilers pass Check.
func TestCheckCorpus(t *testing.T) {
	for _, words := range programs(t) {
		p, err := preshader.Decode("corpus", words)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Errorf("%v\n%s", err, preshader.Print(p))
		}
	}
}
