// Targets writes docs/targets.md: what the prices of GPUs count, where each figure comes
// from, and how they rank changes beside compilers of these GPUs.
//
//	go run ./cmd/targets COUNTS > docs/targets.md
//
// COUNTS are the counts of the compilers, tab-separated, a line for a pair that was changed, a
// compiler and a stage: the folder of the pair before and that after (each with a vertex and a
// pixel program), the name of the compiler's target, "pixel" or "vertex", the count before and
// after. Prices are made anew from the folders. Nothing in the document is typed by hand but
// the words.
package main
