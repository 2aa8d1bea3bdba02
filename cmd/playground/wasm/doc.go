// Wasm is the library for the playground. It reads a request with files and options, and writes a
// report page and the programs, both as JSON. Compiled for js/wasm it is a function for the worker
// that loads it; elsewhere it is a filter.
package main
