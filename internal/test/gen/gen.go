package gen

import (
	"bytes"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"pgregory.net/rapid"
)

// Program is a Direct3D 9 program.
type Program struct{ *d3d9.Program }

// Pair is the vertex and the pixel program of a draw. The vertex program writes every varying that the
// pixel program declares.
type Pair struct{ Vertex, Pixel Program }

// Bytes returns the program as the contents of a file, text or bytecode.
func (p Program) Bytes() []byte {
	data, err := d3d9.Write(p.Program)
	if err != nil {
		panic("gen: a program that was read cannot be written: " + err.Error())
	}
	return data
}

// GoString returns the text of the program, with which rapid reports its draws.
func (p Program) GoString() string { return string(bytes.TrimSpace(d3d9.Print(p.Program))) }

// GoString returns the text of both programs.
func (p Pair) GoString() string { return p.Vertex.GoString() + "\n" + p.Pixel.GoString() }

// pairings lists the models that Direct3D 9 can draw with: both below 3.0, or both 3.0.
var pairings = []struct{ vertex, pixel d3d9.Model }{
	{d3d9.VS20, d3d9.PS20}, {d3d9.VS30, d3d9.PS30}, {d3d9.VS11, d3d9.PS20}, {d3d9.VS2X, d3d9.PS2X},
	{d3d9.VS20, d3d9.PS2X}, {d3d9.VS30, d3d9.PS30}, {d3d9.VS11, d3d9.PS2X}, {d3d9.VS2X, d3d9.PS20},
	{d3d9.VS11, d3d9.PS11}, {d3d9.VS20, d3d9.PS12}, {d3d9.VS11, d3d9.PS13}, {d3d9.VS20, d3d9.PS14},
}

// models lists the models of single programs.
var models = slices.Concat(Models, FixedModels)

// Pairs generates pairs of all models with about size instructions a program.
func Pairs(size int) *rapid.Generator[Pair] {
	return rapid.Custom(func(t *rapid.T) Pair { return generatePair(Rapid(t), size) })
}

// Programs generates programs of a model, of about size instructions.
func Programs(m d3d9.Model, size int) *rapid.Generator[Program] {
	return rapid.Custom(func(t *rapid.T) Program {
		return Program{ProgramFrom(Rapid(t), m, size)}
	})
}

// Streams of a seed, one for each kind of program.
const (
	pairStream = 0x70a1 + iota
	programStream
)

// NewPair returns the pair of a seed.
func NewPair(seed uint64, size int) Pair { return generatePair(Seeded(seed, pairStream), size) }

// NewProgram returns the program of a seed, of any model.
func NewProgram(seed uint64, size int) Program {
	src := Seeded(seed, programStream)
	return Program{ProgramFrom(src, models[src.IntN(len(models))], size)}
}

func generatePair(src Source, size int) Pair {
	models := pairings[src.IntN(len(pairings))]
	vs, ps := pairFrom(src, models.vertex, models.pixel, size)
	if src.Chance(30) {
		vs, ps = tabled(src, vs), tabled(src, ps)
	}
	return Pair{Program{vs}, Program{ps}}
}
