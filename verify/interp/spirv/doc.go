// Package spirv executes vertex, fragment and compute entry points of SPIR-V modules. It is the ground truth for the optimizer,
// and therefore shares nothing with it: it reads the words of a binary module itself.
//
// [Compile] turns an entry point into a [Program], [Program.Run] runs it over a [Batch] of invocations.
//
// # Execution
//
// A batch has up to 64 invocations, or 16 quads of fragments. Every word of a value is a [Vec] over the batch. The
// blocks of a function have an order in which each construct comes before its merge block. Lanes wait at blocks; the
// first block with waiting lanes runs next. Therefore lanes that diverge meet again at merge blocks. Calls are executed
// where they stand. A limit on steps ([Env]) ends invocations that do not end.
//
// Each invocation runs as if it were alone: it reads its own stores to buffers, and not those of others. Invocations of
// a work group share its memory. They run in step, so that a barrier in uniform control flow needs no action.
//
// # Undefined values
//
// Uninitialized variables, OpUndef, results that the specification leaves undefined, indices out of range, derivatives
// and implicit levels of detail where a quad diverges, and outputs of invocations that reach OpUnreachable are
// undefined. Under a filling ([Env].Fill) they are pseudo-random, so a result that differs between two fillings is
// undefined. Without a filling they are 0, or the results that numerics.go states.
//
// # Limits
//
// Filters do not cross the edges of cubes. Types have 32 bits. Physical pointers, pointers that depend on control flow, subgroups and ray
// queries are errors with the code not-supported.
package spirv
