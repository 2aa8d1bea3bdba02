// Package lower makes hardware operations of a kernel: a program of package mir, for one
// chip, of a function in the IR. [Kernel] says what it assumes of the compilers of the time.
//
// How an op is spelt in operations of a family is a table (table.go), each row with where
// it is from. The draft in SSA form, with copies where control flow meets, is settled in
// three steps: what is alive when (live.go), which values share a register (coalesce.go,
// settle.go, tie.go), and copies as moves one after the other (finish.go).
package lower
