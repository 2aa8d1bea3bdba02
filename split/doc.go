// Package split takes a kernel apart by conditions that depend on constants alone: a kernel for
// each way that they may come out, so that the host decides once what every invocation would
// (Daga, Scogland and Feng, "Architecture-aware mapping and optimization on a 1600-core GPU",
// 2011).
//
// [Conditions] finds the branches of a kernel whose conditions follow from constant buffers and
// literals by operations that go lane by lane. [Decide] makes the operands of such branches what
// they come to, and is all that is done to the text; what becomes dead is for passes. A [Table]
// says which kernel belongs to which constants: the host evaluates its expressions, or
// [Table.Choose] does.
package split
