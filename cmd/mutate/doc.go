// Command mutate asks how far the verifier can be trusted: it makes programs with one
// error each, of the kinds in the table of package verify/mutate, and counts what
// package verify makes of them.
//
//	go run ./cmd/mutate -n 5000 -jobs 2 -state mutants.jsonl
//
// It ends with status 1 if a mutant that was let through is wrong. With -state it goes on
// where an earlier run with the same options stopped, -only makes single mutants by their
// numbers, and -list prints the table of kinds.
package main
