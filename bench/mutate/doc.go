// Command mutate measures how reliable the verifier is. It makes programs with one error each, of
// the kinds in the table of package bench/internal/mutate, and counts the verdicts of package verify.
//
//	go run -C bench ./mutate -n 5000 -jobs 2 -state mutants.jsonl
//
// It ends with status 1 if an accepted mutant is wrong. With -state it resumes an earlier run with
// the same options. -only makes single mutants by their numbers, and -list prints the table of
// kinds.
package main
