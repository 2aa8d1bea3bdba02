// Package permute moves results to other components, so that the few swizzles which some
// models have can read them.
package permute
