// Package il holds the concrete syntax of AMD IL text, il_ps_2_0 and il_cs_2_0. It has the
// instruction, control and register tables, a parser, a printer and the rules of block structure
// and declaration.
//
// [Parse] reads a kernel and [Print] writes it; a [Kernel] is its statements in order, each an
// [Inst] with its operands as fields. A statement is a line; a semicolon begins a comment. The
// parser rejects invalid text with its position, and never repairs it.
//
// Reading loses nothing. A statement remembers how the input spelt it, and an unchanged kernel is
// written back byte for byte. If you change the fields of a statement, clear its Text; if you
// insert one, leave Lead and Text empty. [Print] writes these statements in canonical form, and the
// others unchanged.
//
// Three properties of operands are easy to miss, so the types make them explicit. A write mask can
// put constants in lanes: a [Mask] holds a [Write] for each lane. The written lanes consume a
// swizzle of two or three places in order, so it is kept as written, and [Inst.Reads] returns the
// component that each lane reads. A 0 or 1 in a swizzle is the bits of 0.0 or 1.0, whatever the
// instruction's type.
//
// Literals are bit patterns: 2.0, 0x40000000 and 1073741824 are the same word.
//
// The files lex, parse, operand and number read text, with the tables of optable, control, reg and
// enum. The files format and print write it. The files blocks, check and limits check the rules
// beyond single statements. The "AMD IL Specification" defines the instructions and the meaning of
// controls; where it leaves the spelling open, the package follows existing kernels.
package il
