// Package simulate runs IR programs on made-up inputs, so that the tests of
// passes can compare what a program computes before and after.
package simulate
