// Package passes defines what a pass is and runs pipelines of them.
//
// A [Pass] rewrites a [Unit]: one program, or the vertex and pixel programs of a
// pair. Before every single rewrite it asks [Ctx.Step]; that one hook is the
// bisect counter, the fuel, the deadline, the trace and the statistics, so that a
// run can be cut short anywhere, or do without one rewrite, and the unit is still
// whole.
//
// [Run] checks the IR before and after each pass, takes back a pass that panics,
// breaks an invariant or makes the unit costlier, and says so in the report.
//
// # What a pass promises
//
//   - It asks [Ctx.Step] before every rewrite, and leaves the unit whole after it,
//     whether the answer was yes or no.
//   - Each rewrite keeps its [Class] on every input: the terms, the float32 bits,
//     the value over the reals, or an approximation of it. Rewrites weaker than the
//     pass's own class ask [Ctx.Allows].
//   - It is a function of the unit, its options and prices: no state survives a
//     run, and no map order, clock or address reaches the result.
//   - Running it again at once changes nothing; package passtest holds fixtures to
//     that.
//
// Soundness does not rest on these promises: results are verified from the written
// bytes. They make what goes wrong small and easy to find. The table, the order
// constraints and the checks around every pass follow cmd/compile/internal/ssa; steps
// that can be counted, cut and skipped follow LLVM's OptBisect and debug counters.
//
// Passes live in folders of their own below this one; package suite lists them.
package passes
