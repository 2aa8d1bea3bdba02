// Command golden compares the results of the optimizer on ../shared/corpus with stored ones. A change
// that must keep behaviour, such as a new name in the code, changes no line.
//
//	go run -C bench ./golden                        compare all sweeps: two minutes on two cores
//	go run -C bench ./golden -sweep effects-d3d9    compare one sweep
//	go run -C bench ./golden -update                store the computed lines
//	go run -C bench ./golden -input caldgemm_tB.il -out /tmp/a
//
// A sweep is a set of inputs under fixed options. testdata has a file for each sweep, and in it a line
// for each input. Its fields, between tabs, are the name of the input, the status, the verdict, the
// SHA-256 of each output file, and costs. A changed cost has two values, such as ps.slots=14>9. An
// effect has the sums over its programs. A failed input has the code of its first diagnostic.
//
// Lines that differ are printed, with - before the stored and + before the computed one; the status is
// then 1. To see why, run -input in both source trees and compare the folders with diff. A relative
// path begins in the root folder of the repository. GOMAXPROCS sets the number of workers, which does
// not affect results.
package main
