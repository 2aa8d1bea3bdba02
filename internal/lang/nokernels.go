//go:build nokernels

package lang

// Kernels reports whether the build supports AMD IL.
const Kernels = false
