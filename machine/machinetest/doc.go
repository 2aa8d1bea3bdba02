// Package machinetest is what tests of the machine share: the rules that finished programs
// are under and what operations compute, both from the text of the documents rather than
// from the tables of the packages that are tested, and kernels to run.
package machinetest
