//go:build !amd64 || purego

package wave

import "github.com/shaderlift/shaderlift/asm/r600"

// Fast tells that there are kernels.
const Fast = false

// Ops are the kernels of operations.
func Ops() (t [r600.Ops]Op) { return t }

func nonzero(*Lanes) uint64       { panic("wave: no kernels") }
func repeats(*Lanes) uint64       { panic("wave: no kernels") }
func blend(_, _ *Lanes, _ uint64) { panic("wave: no kernels") }
