//go:build nokernels

package lang

// Kernels tells that there is AMD IL.
const Kernels = false
