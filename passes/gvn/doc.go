// Package gvn numbers values so that equal ones have equal numbers, and removes instructions that recompute
// an available value.
//
//	mul r0, v0, c0;  mul r1, v0, c0;  add r2, r0, r1      mul r0, v0, c0;  add r2, r0, r0
//
// It is hash-based value numbering over the dominator tree (Briggs, Cooper and Simpson, "Value Numbering",
// SP&E 27(6), 1997, section 4). In structured code that tree is the nesting of regions. A table entry made in
// a region is undone at its end, so a value found is always defined before and in scope. Parameters and
// results of constructs represent themselves: the algorithm is pessimistic and never assumes loops to be
// equal. Equal keys compute the same term from the same terms, on any hardware. Memory needs no special
// treatment, as the state that a load reads is one of its operands.
package gvn
