// Package fxtest builds effects for tests from the text of their shaders.
package fxtest

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// Assemble returns the bytecode of an assembly text. It panics if the text is invalid.
func Assemble(text string) []byte {
	p, err := d3d9.Parse("fxtest", []byte(text))
	if err != nil {
		panic(err)
	}
	data, err := d3d9.Encode(p)
	if err != nil {
		panic(err)
	}
	return data
}

// Builder builds an effect part by part. Its zero value is ready for use. No part has a place in
// the pool until Build, so tests may freely change the parts of Effect before.
type Builder struct {
	fx.Effect
	// number of objects so far
	ids uint32
}

// NewID returns the id of a new object. Ids begin with 1; 0 means no object.
func (b *Builder) NewID() uint32 {
	b.ids++
	return b.ids
}

// Vector returns a parameter or annotation of n floats. Missing words are 0.
func Vector(name string, n uint32, words ...uint32) fx.Variable {
	v := fx.Variable{Type: fx.Type{Class: fx.Vector, Type: fx.Float, Name: fx.NewString(name), Rows: 1, Columns: n}}
	v.SetWords(append(words, make([]uint32, n-uint32(len(words)))...)...)
	return v
}

// Matrix returns a parameter or annotation of rows by columns floats.
func Matrix(name string, rows, columns uint32) fx.Variable {
	v := fx.Variable{Type: fx.Type{Class: fx.MatrixRows, Type: fx.Float, Name: fx.NewString(name), Rows: rows,
		Columns: columns}}
	v.SetWords(make([]uint32, rows*columns)...)
	return v
}

// Ints returns an array of integers, or a single integer if there is only one word.
func Ints(name string, words ...uint32) fx.Variable {
	v := fx.Variable{Type: fx.Type{Class: fx.Scalar, Type: fx.Int, Name: fx.NewString(name), Rows: 1, Columns: 1}}
	if len(words) > 1 {
		v.Type.Elements = uint32(len(words))
	}
	v.SetWords(words...)
	return v
}

// objects returns a variable of objects, or of a single object if there is only one id.
func objects(t fx.BaseType, name string, ids ...uint32) fx.Variable {
	v := fx.Variable{Type: fx.Type{Class: fx.ObjectClass, Type: t}}
	if name != "" {
		v.Type.Name = fx.NewString(name)
	}
	if len(ids) > 1 {
		v.Type.Elements = uint32(len(ids))
	}
	v.SetWords(ids...)
	return v
}

// Param appends a parameter and returns its number.
func (b *Builder) Param(v fx.Variable, annotations ...fx.Variable) int {
	b.Parameters = append(b.Parameters, fx.Parameter{Variable: v, Annotations: annotations})
	return len(b.Parameters) - 1
}

// TextVariable returns a variable with a string, which is a separate object.
func (b *Builder) TextVariable(name, text string) fx.Variable {
	id := b.NewID()
	b.Objects = append(b.Objects, fx.Object{ID: id, Data: append([]byte(text), 0)})
	return objects(fx.StringType, name, id)
}

// Sampler appends a texture, and a sampler of it, like fxc for
//
//	texture Tex;
//	sampler2D Samp = sampler_state { Texture = <Tex>; MagFilter = 2; };
func (b *Builder) Sampler(texture, sampler string) {
	id := b.NewID()
	b.Objects = append(b.Objects, fx.Object{ID: id})
	b.Param(objects(fx.Texture2D, texture, id))
	// 169 is MagFilter; fxc writes the index 256 with states of samplers.
	filter := fx.State{Operation: 169, Index: 256, Variable: Ints("", 2)}
	filter.Type.Name = fx.String{}
	v := fx.Variable{Type: fx.Type{Class: fx.ObjectClass, Type: fx.Sampler2D, Name: fx.NewString(sampler)}}
	v.Samplers = [][]fx.State{{{Operation: fx.SetTexture, Index: 256, Variable: objects(fx.Texture2D, "", b.NewID())},
		filter}}
	n := b.Param(v)
	b.Assignments = append(b.Assignments, fx.Assignment{Technique: fx.None, Index: uint32(n), Element: 0, State: 0,
		Usage: fx.Reference, Data: append([]byte(texture), 0)})
}

// Array appends an array of shaders.
func (b *Builder) Array(t fx.BaseType, name string, shaders ...[]byte) {
	var ids []uint32
	for _, data := range shaders {
		ids = append(ids, b.NewID())
		b.Objects = append(b.Objects, fx.Object{ID: b.ids, Data: data})
	}
	b.Param(objects(t, name, ids...))
}

// Technique appends a technique, to which passes are added.
func (b *Builder) Technique(name string, annotations ...fx.Variable) {
	b.Techniques = append(b.Techniques, fx.Technique{Name: fx.NewString(name), Annotations: annotations})
}

// Shader is the value of a pass's shader state: bytecode, a reference or a selection, depending on
// its usage.
type Shader struct {
	Data  []byte
	Usage fx.Usage
}

// AddPass appends a pass with a vertex and a pixel program; it does not set a program without bytes. A
// state that turns culling off follows them.
func (b *Builder) AddPass(name string, vertex, pixel Shader) {
	t := len(b.Techniques) - 1
	passes := &b.Techniques[t].Passes
	pass := fx.Pass{Name: fx.NewString(name)}
	for i, s := range [...]Shader{vertex, pixel} {
		if s.Data == nil {
			continue
		}
		b.Assignments = append(b.Assignments, fx.Assignment{Technique: uint32(t), Index: uint32(len(*passes)),
			Element: fx.None,
			State:   uint32(len(pass.States)), Usage: s.Usage, Data: s.Data})
		typ := [...]fx.BaseType{fx.VertexShader, fx.PixelShader}[i]
		pass.States = append(pass.States, fx.State{Operation: fx.SetVertexShader + fx.Operation(i),
			Variable: objects(typ, "", b.NewID())})
	}
	// 8 is CullMode, 1 is none.
	cull := fx.State{Operation: 8, Variable: Ints("", 1)}
	cull.Type.Name = fx.String{}
	pass.States = append(pass.States, cull)
	*passes = append(*passes, pass)
}

// Build returns the encoded effect. It panics if Encode refuses it.
func (b *Builder) Build() []byte {
	b.ShaderSlots = b.CountShaderSlots()
	data, err := fx.Encode(&b.Effect)
	if err != nil {
		panic(err)
	}
	return data
}

// Selector returns a Selection of the array element array[indices[index]], with four integers in
// indices.
func Selector(array, indices, index string) []byte { return SelectorOf(array, indices, 4, index) }

// SelectorOf works like Selector, with n integers in indices.
func SelectorOf(array, indices string, n int, index string) []byte {
	o := preshader.Operand{Table: preshader.Input, Relative: true}
	o.Index.Table, o.Index.Offset = preshader.Input, uint32(4*n)
	return selector(array, o, integers(index, n, 1), integers(indices, 0, n))
}

// PlainSelector returns a Selection of the element array[index].
func PlainSelector(array, index string) []byte {
	return selector(array, preshader.Operand{Table: preshader.Input}, integers(index, 0, 1))
}

// integers returns the table entry of n integers in an expression, each in the x component of a
// register.
func integers(name string, at, n int) d3d9.Constant {
	return d3d9.Constant{Name: name, Set: d3d9.SetFloat4, Index: at, Count: n, Type: uint16(fx.Int), Rows: 1, Columns: 1,
		Elements: n}
}

// selector returns a Selection by an expression of a single mov.
func selector(array string, from preshader.Operand, inputs ...d3d9.Constant) []byte {
	table := d3d9.ConstantTable{Target: "tx", Version: uint32(preshader.Expression), Constants: inputs}
	words, err := d3d9.EncodeConstantTable(&table)
	if err != nil {
		panic(err)
	}
	p := preshader.Program{Version: preshader.Expression, Table: words, Rest: []uint32{0xffff},
		Sections: []preshader.Section{{Name: preshader.SectionTable}, {Name: preshader.SectionLiterals},
			{Name: preshader.SectionInstructions, Words: []uint32{0xf0f0f0f0, 0x0f0f0f0f}}},
		Insts: []preshader.Inst{{Op: preshader.Mov, Components: 1, Inputs: []preshader.Operand{from},
			Output: preshader.Operand{Table: preshader.Output}}}}
	code, err := preshader.Encode(&p)
	if err != nil {
		panic(err)
	}
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(array)+1))
	data = append(append(data, array...), 0)
	data = append(data, make([]byte, -len(data)&3)...)
	for _, w := range code {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// WithTable returns the bytecode of a program with a constant table. Constants without a count have
// one register, constants without a class are vectors of four floats.
func WithTable(data []byte, constants ...d3d9.Constant) []byte {
	p, err := d3d9.Decode("fxtest", data)
	if err != nil {
		panic(err)
	}
	for i := range constants {
		if c := &constants[i]; c.Class == 0 {
			c.Set, c.Class, c.Type, c.Rows, c.Columns = d3d9.SetFloat4, uint16(fx.Vector), uint16(fx.Float), 1, 4
			c.Count = max(c.Count, 1)
			c.Elements = max(c.Elements, 1)
		}
	}
	words, err := d3d9.EncodeConstantTable(&d3d9.ConstantTable{Target: p.Model.String(), Version: p.Model.Token(),
		Constants: constants})
	if err != nil {
		panic(err)
	}
	block := d3d9.Inst{Op: d3d9.OpComment, Comment: append([]uint32{'C' | 'T'<<8 | 'A'<<16 | 'B'<<24}, words...)}
	p.Insts = append([]d3d9.Inst{block}, p.Insts...)
	if data, err = d3d9.Encode(p); err != nil {
		panic(err)
	}
	return data
}
