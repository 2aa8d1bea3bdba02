// Wasm is the library as the playground calls it: a request with files and options in, the
// report as a page and the programs out, both as JSON. Compiled for js/wasm it is a function
// of the worker that loads it; elsewhere it is a filter.
package main
