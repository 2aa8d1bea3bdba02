//go:build nospirv

package asm

// BuiltSPIRV reports whether the build supports SPIR-V.
const BuiltSPIRV = false
