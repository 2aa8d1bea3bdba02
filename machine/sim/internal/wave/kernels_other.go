//go:build !amd64 || purego

package wave

import "github.com/shaderlift/shaderlift/asm/r600"

// fast reports whether there are assembly kernels.
const fast = false

// KernelTable returns the assembly kernels by operation.
func KernelTable() (t [r600.Ops]Op) { return t }

func nonzero(*Lanes) uint64       { panic("wave: no kernels") }
func repeats(*Lanes) uint64       { panic("wave: no kernels") }
func blend(_, _ *Lanes, _ uint64) { panic("wave: no kernels") }
