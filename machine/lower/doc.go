// Package lower translates a kernel from the IR to hardware operations: a program of package mir
// for one chip. Function [Kernel] documents its assumptions about the compilers of the time.
//
// A table (table.go) maps each op to operations of a family, with the source of each row. The draft
// is in SSA form, with copies where control flow meets. Three steps complete it: live ranges
// (live.go), coalescing of values into registers (coalesce.go, settle.go, tie.go), and sequencing
// of parallel copies (finish.go).
package lower
