//go:build nokernels

package asm

// BuiltKernels reports whether the build supports AMD IL.
const BuiltKernels = false
