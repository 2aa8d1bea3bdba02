// Results writes docs/results.md: what this project measures beside what was published.
//
//	go run ./cmd/results > docs/results.md          plots go into docs/results
//	go run ./cmd/results -only jang-time,volkov
//
// Nothing in the document is typed by hand but the published figures, which are in
// published.go with their sources, and the words between the tables.
package main
