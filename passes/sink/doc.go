// Package sink moves computations down to their first use.
package sink
