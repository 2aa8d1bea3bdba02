// Package simulate runs IR programs on random inputs, so that tests of passes can compare results before and
// after.
package passtest
