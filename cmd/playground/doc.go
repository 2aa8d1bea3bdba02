// Playground serves, or writes as a static folder, a page that optimizes programs in the browser:
// the library as WebAssembly in a worker, with examples. Once loaded, it works without a network.
// It sends no input anywhere.
//
//	go run ./cmd/playground                 serve it on 127.0.0.1:8377
//	go run ./cmd/playground -o site         write it, for any server of files
package main
