// Results writes docs/results.md, which compares measurements of this project with published
// figures.
//
//	go run -C bench ./results > docs/results.md          plots go into docs/results
//	go run -C bench ./results -only jang-time,volkov
//
// The program computes all figures except the published ones, which are in published.go with their
// sources.
package main
