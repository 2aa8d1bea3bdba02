//go:build !purego

package eights

import "golang.org/x/sys/cpu"

// Fast reports whether kernels are available.
var Fast = cpu.X86.HasAVX2

// The kernels. All operands have as many lanes as d, a multiple of eight, and d may be one of them.

//go:noescape
func Add(d, a, b, c []uint32)

//go:noescape
func Sub(d, a, b, c []uint32)

//go:noescape
func Mul(d, a, b, c []uint32)

//go:noescape
func MulIEEE(d, a, b, c []uint32)

//go:noescape
func Mad(d, a, b, c []uint32)

//go:noescape
func MadIEEE(d, a, b, c []uint32)

//go:noescape
func Min(d, a, b, c []uint32)

//go:noescape
func Max(d, a, b, c []uint32)

//go:noescape
func MinIEEE(d, a, b, c []uint32)

//go:noescape
func MaxIEEE(d, a, b, c []uint32)

//go:noescape
func Equal(d, a, b, c []uint32)

//go:noescape
func Unequal(d, a, b, c []uint32)

//go:noescape
func Less(d, a, b, c []uint32)

//go:noescape
func AtLeast(d, a, b, c []uint32)

//go:noescape
func Select(d, a, b, c []uint32)

//go:noescape
func Fraction(d, a, b, c []uint32)

//go:noescape
func Floor(d, a, b, c []uint32)

//go:noescape
func Sqrt(d, a, b, c []uint32)

// circular computes the sine shifted by on quadrants, and returns the lanes with an uncertain result.
//
//go:noescape
func circular(d, a *[8]uint32, on uint64) (missed uint32)
