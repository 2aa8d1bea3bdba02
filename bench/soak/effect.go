package main

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/gen"
)

// names is the number of parameters for the registers of programs without a constant table. It is
// smaller than the number of registers, so that programs have the same parameter in different
// registers.
const names = 7

// randomEffect returns an effect of a few pairs. Passes have their own programs or share some,
// select from arrays, or inherit programs. Some programs have parameters that the host sets by
// name, perhaps through a preshader.
func randomEffect(src gen.Source, seed uint64, size int) []byte {
	e := effectBuilder{src: src, known: map[string]bool{}}
	var vertex, pixel [][]byte
	for range 1 + src.IntN(3) {
		seed++
		p := gen.NewPair(seed, size)
		vertex, pixel = append(vertex, e.program(p.Vertex)), append(pixel, e.program(p.Pixel))
	}
	e.Param(fxtest.Ints("Index", 0))
	e.Array(fx.VertexShader, "Vertex", vertex...)
	e.Array(fx.PixelShader, "Pixel", pixel...)
	for t := range 1 + src.IntN(2) {
		e.Technique(fmt.Sprint("T", t))
		for p := range 1 + src.IntN(2) {
			k := src.IntN(len(vertex))
			vs, ps := fxtest.Shader{Data: vertex[k]}, fxtest.Shader{Data: pixel[k]}
			switch src.IntN(8) {
			case 0:
				vs = fxtest.Shader{}
			case 1:
				ps = fxtest.Shader{}
			case 2:
				vs = fxtest.Shader{Data: fxtest.PlainSelector("Vertex", "Index"), Usage: fx.Selection}
				ps = fxtest.Shader{Data: fxtest.PlainSelector("Pixel", "Index"), Usage: fx.Selection}
			case 3:
				ps.Data = pixel[src.IntN(len(pixel))]
			}
			e.AddPass(fmt.Sprint("P", p), vs, ps)
		}
	}
	return e.Build()
}

// effectBuilder builds an effect, and records its parameters.
type effectBuilder struct {
	fxtest.Builder
	src   gen.Source
	known map[string]bool
}

// program returns p as bytecode. It declares the names in the table as parameters; a program
// without a table may get one.
func (e *effectBuilder) program(p gen.Program) []byte {
	q := *p.Program
	q.Binary = true
	data := gen.Program{Program: &q}.Bytes()
	table, err := q.ConstantTable()
	switch {
	case err != nil:
		panic("soak: a table that was made cannot be read: " + err.Error())
	case table != nil:
		for _, c := range table.Constants {
			e.parameter(c.Name)
		}
	case e.src.Chance(60):
		data = e.tabled(data, hostSet(&q))
	}
	return data
}

func (e *effectBuilder) parameter(name string) {
	if !e.known[name] {
		e.known[name] = true
		e.Param(fxtest.Vector(name, 4))
	}
}

// tabled returns a program with names for its registers. It may use a preshader for one of them.
func (e *effectBuilder) tabled(data []byte, registers []int) []byte {
	if len(registers) == 0 {
		return data
	}
	computed := -1
	if e.src.Chance(30) {
		computed = pick(e.src, registers...)
	}
	var constants []d3d9.Constant
	shift, used := e.src.IntN(2), map[string]bool{}
	for _, r := range registers {
		c := d3d9.Constant{Name: fmt.Sprint("P", (r+shift)%names), Index: r}
		if r == computed || used[c.Name] {
			continue
		}
		used[c.Name] = true
		e.parameter(c.Name)
		constants = append(constants, c)
	}
	if len(constants) > 0 {
		data = fxtest.WithTable(data, constants...)
	}
	if computed >= 0 {
		in := d3d9.Constant{Name: fmt.Sprint("P", e.src.IntN(names)), Set: d3d9.SetFloat4, Count: 1,
			Class: uint16(fx.Vector), Type: uint16(fx.Float), Rows: 1, Columns: 4, Elements: 1}
		e.parameter(in.Name)
		op := pick(e.src, "add", "mul", "min")
		data = fxtest.Attach(data, fxtest.Preshader([]d3d9.Constant{in},
			fmt.Sprintf("%s c%d.xyzw, in0.xyzw, (0.5, 2, 1, -1)", op, computed)))
	}
	return data
}

// hostSet returns the float constants that p reads but does not define. It returns none for a
// program that reads constants through an index, because no table bounds such reads.
func hostSet(p *d3d9.Program) (list []int) {
	const most = 256 // of all models
	var read, defined [most]bool
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == d3d9.OpDef {
			defined[in.Dst.Index] = true
		}
		for k, s := range in.Sources() {
			if s.Rel.File != d3d9.NoFile {
				return nil
			}
			for row := range in.SourceRegisters(k) {
				if s.File == d3d9.Const {
					read[int(s.Index)+row] = true
				}
			}
		}
	}
	for r := range read {
		if read[r] && !defined[r] {
			list = append(list, r)
		}
	}
	return list
}
