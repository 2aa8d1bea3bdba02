// Package spirv reads and writes SPIR-V modules, binary and as text. It knows the structure of modules, but not what
// instructions compute.
//
// A [Module] is a header and a list of [Inst]. [Decode] reads a binary module, and [Module.Encode] writes it. The
// result equals the input byte for byte if nothing changed. [Parse] reads the text that spirv-as reads, and
// [Module.Format] writes the text that spirv-dis writes. [Module.Check] reports errors in the structure. The section
// numbers in comments are those of the SPIR-V specification, version 1.6.
//
// The tables of opcodes and enumerations are generated from the grammar in Debian's package spirv-headers.
package spirv

//go:generate go -C ../../bench run ./spirvgen /usr/include/spirv/unified1 ../asm/spirv
