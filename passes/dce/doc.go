// Package dce removes what no output and no effect depends on: instructions,
// single lanes of them, values that constructs carry or hand over, and constructs
// that are left without effect.
package dce
