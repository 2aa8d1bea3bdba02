// Package copyprop lets instructions read what a move copied instead of the copy,
// and saturation move into the instruction whose result it clamps.
package copyprop
