// Package il holds the concrete syntax of AMD IL text, il_ps_2_0 and il_cs_2_0: the
// instruction, control and register tables, a parser, a printer and the rules of
// block structure and declaration.
//
// [Parse] reads a kernel and [Print] writes it; a [Kernel] is its statements in order,
// each an [Inst] with its operands as fields. A statement is a line, and what follows
// a semicolon on it a comment. Broken text is refused with the place of the break,
// never mended.
//
// Reading loses nothing. A statement remembers how the input spelt it, and a kernel
// that nobody changed is written byte for byte as it was. Who changes the fields of a
// statement clears its Text; who inserts one leaves Lead and Text empty. Such
// statements are written in canonical form, the others as ever.
//
// Three things about operands are easily got wrong, so the types spell them out. A
// write mask can put constants in lanes: a [Mask] holds a [Write] for each. A swizzle of
// two or three places is dealt out to the written lanes in order, so it is kept as
// written, and [Inst.Reads] tells what each lane reads. And 0 and 1 in a swizzle are
// the bits of 0.0 and 1.0, whatever the instruction works on.
//
// Literals are bit patterns: 2.0, 0x40000000 and 1073741824 are the same word.
//
// The files: lex, parse, operand and number read text, with the tables of optable,
// control, reg and enum; format and print write it; blocks, check and limits hold a
// kernel to what goes beyond a statement. The "AMD IL Specification" is the source of
// the instructions and of what controls mean; where it leaves the spelling open,
// kernels in the field decide.
package il
