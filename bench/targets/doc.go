// Targets writes docs/targets.md: the savings on each GPU, the constants of GPU prices with their
// sources, and a comparison of their rankings of changes with those of compilers for these GPUs.
//
//	go run -C bench ./targets COUNTS > docs/targets.md
//
// COUNTS are the counts of the compilers, with a tab-separated line for each changed pair, compiler
// and stage. A line has the folders of the pair before and after (each with a vertex and a pixel
// program), the name of the compiler's target, "pixel" or "vertex", and the count before and after.
// The command computes prices from the folders. page.txt has the text of the page, with marks for the
// two tables that the command computes: {constants} and {comparison}. The latter has pixel programs only.
package main
