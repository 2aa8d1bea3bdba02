// Package suite is the one table of all passes, with the order they need and the
// pipelines behind -O0 to -O3.
package suite
