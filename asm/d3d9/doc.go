// Package d3d9 holds the concrete syntax of Direct3D 9 shaders, models vs_1_1 to
// vs_3_0 and ps_1_1 to ps_3_0: the instruction and register tables, assembly text
// and bytecode in both directions, and what each model allows.
//
// [Read] takes either form, [Write] gives back the one that was read; [Parse] and
// [Print] are for text, [Decode] and [Encode] for bytecode. A [Program] is its
// statements in order, each an [Inst] with its operands as fields.
//
// Reading loses nothing. A statement remembers how the input spelt it, and a
// program that nobody changed is written byte for byte as it was. Who changes the
// fields of a statement clears its Text and Raw; who inserts one leaves them empty.
// Such statements are written in canonical form, the others as ever.
//
// Text may define macros, include files and have parts that depend on conditions, as D3DX
// had it. [ParseWith] and [ReadWith] take a function that opens files; a [Program] names
// those that its text includes. Such a text is written without directives, unless they all
// define macros and stand before the version.
//
// Comment blocks, which carry the constant table and other notes of the compiler
// in bytecode, are statements too. In text they stand in lines beginning with
// "//!", comments to every other assembler, so that disassembling and assembling
// again gives the same tokens.
//
// Parser, decoder and encoder hold programs to the same rules of form: registers
// and modifiers that the model can spell. Beyond those, a program is valid only if
// it keeps the limits and the restrictions of its model.
package d3d9
