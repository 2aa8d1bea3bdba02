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
// Passes live in folders of their own below this one; package suite lists them.
package passes
