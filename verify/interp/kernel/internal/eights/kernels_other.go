//go:build !amd64 || purego

package eights

// Fast reports whether kernels are available.
const Fast = false

func Add(_, _, _, _ []uint32)      { panic(none) }
func Sub(_, _, _, _ []uint32)      { panic(none) }
func Mul(_, _, _, _ []uint32)      { panic(none) }
func MulIEEE(_, _, _, _ []uint32)  { panic(none) }
func Mad(_, _, _, _ []uint32)      { panic(none) }
func MadIEEE(_, _, _, _ []uint32)  { panic(none) }
func Min(_, _, _, _ []uint32)      { panic(none) }
func Max(_, _, _, _ []uint32)      { panic(none) }
func MinIEEE(_, _, _, _ []uint32)  { panic(none) }
func MaxIEEE(_, _, _, _ []uint32)  { panic(none) }
func Equal(_, _, _, _ []uint32)    { panic(none) }
func Unequal(_, _, _, _ []uint32)  { panic(none) }
func Less(_, _, _, _ []uint32)     { panic(none) }
func AtLeast(_, _, _, _ []uint32)  { panic(none) }
func Select(_, _, _, _ []uint32)   { panic(none) }
func Fraction(_, _, _, _ []uint32) { panic(none) }
func Floor(_, _, _, _ []uint32)    { panic(none) }
func Sqrt(_, _, _, _ []uint32)     { panic(none) }

func circular(_, _ *[8]uint32, _ uint64) uint32 { panic(none) }

const none = "eights: no kernels"
