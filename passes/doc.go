// Package passes defines passes and runs pipelines of them.
//
// A [Pass] rewrites a [Unit]: one program, or the vertex and pixel programs of a pair. Before every rewrite
// it asks [Ctx.ShouldRewrite]. This one hook implements bisection, fuel, the deadline, the trace and the statistics. A
// run can therefore stop anywhere, or skip one rewrite, and the unit stays valid.
//
// [Run] checks the IR before and after each pass. It reverts a pass that panics, breaks an invariant or makes
// the unit costlier, and records this in the report.
//
// # Contract of a pass
//
//   - It asks [Ctx.ShouldRewrite] before every rewrite, and leaves the unit valid after it, whether the answer was yes
//     or no.
//   - Each rewrite keeps its [Class] on every input: the terms, the float32 bits, the value over the reals,
//     or an approximation of it. Rewrites weaker than the pass's class ask [Ctx.Allows].
//   - It is a function of the unit, its options and prices: no state survives a run, and no map order, clock
//     or address reaches the result.
//   - Running it again at once changes nothing; the fixtures of package passtest check this.
//
// Soundness does not depend on this contract: results are verified from the written bytes. The contract makes
// errors small and easy to find. The table, the order constraints and the checks around every pass follow
// cmd/compile/internal/ssa. Steps that can be counted, cut and skipped follow LLVM's OptBisect and debug
// counters.
//
// The folders below this one hold related passes each. Packages codemotion, unroll and regalloc/merge have
// others. Package suite lists all of them.
package passes
