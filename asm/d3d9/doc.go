// Package d3d9 holds the concrete syntax of Direct3D 9 shaders, models vs_1_1 to vs_3_0 and ps_1_1
// to ps_3_0. It has the instruction and register tables, reads and writes assembly text and
// bytecode, and checks the rules of each model.
//
// [Read] takes either form, [Write] writes the form that was read; [Parse] and [Print] are for
// text, [Decode] and [Encode] for bytecode. A [Program] holds its statements in order; each is an
// [Inst] with its operands as fields.
//
// Reading loses nothing. A statement remembers how the input spelt it, and an unchanged program is
// written back byte for byte. If you change the fields of a statement, clear its Text and Raw; if
// you insert a statement, leave them empty. [Write] then writes these statements in canonical form,
// and the others unchanged.
//
// Text may define macros, include files and have conditional parts, as in D3DX. [parseWith] and
// [ReadWith] take a function that opens files; a [Program] names those that its text includes.
// [Write] writes such a text without directives, unless they all define macros and precede the
// version.
//
// Comment blocks, which carry the constant table and other notes of the compiler in bytecode, are
// statements too. In text they are lines that begin with "//!", comments to every other assembler,
// so that disassembling and assembling again gives the same tokens.
//
// Parser, decoder and encoder hold programs to the same rules of form: registers and modifiers that
// the model can spell. Beyond those, a program is valid only if it keeps the limits and the
// restrictions of its model.
package d3d9
