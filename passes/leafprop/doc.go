// Package leafprop forwards constants and inputs into whatever reads a move of
// them, whether or not the reader can take them directly.
package leafprop
