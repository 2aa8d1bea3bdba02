// Package avx writes functions that compute eight lanes at a time with AVX2.
package avx

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of comparisons. All except NotEqual and Unordered are false on NaN.
const (
	Equal     = U8(0)
	Unordered = U8(3)
	NotEqual  = U8(4)
	Less      = U8(0x11)
	AtLeast   = U8(0x1d)
	Greater   = U8(0x1e)
)

// Directions of rounding, without an exception.
const (
	Down        = U8(9)
	Up          = U8(10)
	TowardsZero = U8(11)
)

// Kernel is the function that is being written.
type Kernel struct {
	*build.Context
	Src  [3]Mem          // eight lanes of each operand
	made map[string]bool // the constants
}

// New begins a file of kernels for amd64; purego excludes it.
func New() *Kernel {
	k := &Kernel{Context: build.NewContext(), made: map[string]bool{}}
	k.Constraints(Constraints())
	return k
}

// Constraints returns the build constraints of all kernels.
func Constraints() buildtags.Constraints {
	return buildtags.And(buildtags.Term("amd64"), buildtags.Not("purego")).ToConstraints()
}

// Print returns the assembly of a file of a package.
func Print(ctx *build.Context, pkg string) ([]byte, error) {
	f, err := ctx.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "simdgen", Pkg: pkg}).Print(f)
}

// Write writes the kernels of a package into a directory.
func (k *Kernel) Write(dir, pkg string) error {
	data, err := Print(k.Context, pkg)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "kernels_amd64.s"), data, 0o644)
}

// Data returns the location of a symbol with numbers, and creates it on first use.
func (k *Kernel) Data(name string, values ...Constant) Mem {
	if !k.made[name] {
		k.made[name] = true
		k.StaticGlobal(name)
		k.DataAttributes(attr.RODATA | attr.NOPTR)
		for _, v := range values {
			k.AppendDatum(v)
		}
	}
	return NewDataAddr(NewStaticSymbol(name), 0)
}

// Word returns a register with the same word in all lanes.
func (k *Kernel) Word(w uint32) reg.VecVirtual {
	y := k.YMM()
	k.VPBROADCASTD(k.Data(fmt.Sprintf("word%08x", w), U32(w)), y)
	return y
}

// Long returns a register with the same 64 bits in all four places.
func (k *Kernel) Long(bits uint64) reg.VecVirtual {
	y := k.YMM()
	k.VBROADCASTSD(k.Data(fmt.Sprintf("double%016x", bits), U64(bits)), y)
	return y
}

// Load8 returns eight lanes in a register.
func (k *Kernel) Load8(m Mem) reg.VecVirtual {
	y := k.YMM()
	k.VMOVDQU(m, y)
	return y
}

// Do returns a new register with the result of an instruction. The operands are in the order of the
// reference, not of Go's assembler.
func (k *Kernel) Do(f any, x reg.VecVirtual, y Op) reg.VecVirtual {
	to := k.YMM()
	switch f := f.(type) {
	case func(...Op):
		f(y, x, to)
	case func(y, x, to Op):
		f(y, x, to)
	}
	return to
}

// Zeros returns a register of zeros.
func (k *Kernel) Zeros() reg.VecVirtual {
	y := k.YMM()
	k.VPXOR(y, y, y)
	return y
}

// Compare returns the lanes for which a predicate holds.
func (k *Kernel) Compare(p U8, a, b reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VCMPPS(p, b, a, y)
	return y
}

// Choose returns a in the lanes where the mask has its sign bit set, else b.
func (k *Kernel) Choose(mask reg.VecVirtual, a Op, b reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VBLENDVPS(mask, a, b, y)
	return y
}

// Round returns x rounded in a direction.
func (k *Kernel) Round(direction U8, x Op) reg.VecVirtual {
	y := k.YMM()
	k.VROUNDPS(direction, x, y)
	return y
}
