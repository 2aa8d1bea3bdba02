//go:build !purego

package wave

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"golang.org/x/sys/cpu"
)

// fast reports whether there are assembly kernels.
var fast = cpu.X86.HasAVX2

// KernelTable returns the assembly kernels by operation, nil for those without one.
func KernelTable() (t [r600.Ops]Op) {
	if !fast {
		return t
	}
	for op, f := range map[r600.Op]Op{
		r600.OpAndInt:        and,
		r600.OpOrInt:         or,
		r600.OpXorInt:        xor,
		r600.OpNotInt:        not,
		r600.OpAddInt:        addInt,
		r600.OpSubInt:        subInt,
		r600.OpMulLoInt:      mulLo,
		r600.OpMulLoUint:     mulLo,
		r600.OpMulHiUint:     mulHi,
		r600.OpMaxInt:        maxInt,
		r600.OpMinInt:        minInt,
		r600.OpMaxUint:       maxUint,
		r600.OpMinUint:       minUint,
		r600.OpAShrInt:       aShr,
		r600.OpLShrInt:       lShr,
		r600.OpLShlInt:       lShl,
		r600.OpBitAlignInt:   bitAlign,
		r600.OpBFIInt:        insert,
		r600.OpSetEInt:       setEInt,
		r600.OpPredSetEInt:   setEInt,
		r600.OpKillEInt:      setEInt,
		r600.OpSetNEInt:      setNEInt,
		r600.OpPredSetNEInt:  setNEInt,
		r600.OpKillNEInt:     setNEInt,
		r600.OpSetGTInt:      setGTInt,
		r600.OpPredSetGTInt:  setGTInt,
		r600.OpKillGTInt:     setGTInt,
		r600.OpSetGEInt:      setGEInt,
		r600.OpPredSetGEInt:  setGEInt,
		r600.OpKillGEInt:     setGEInt,
		r600.OpSetGTUint:     setGTUint,
		r600.OpPredSetGTUint: setGTUint,
		r600.OpKillGTUint:    setGTUint,
		r600.OpSetGEUint:     setGEUint,
		r600.OpPredSetGEUint: setGEUint,
		r600.OpKillGEUint:    setGEUint,
		r600.OpCndEInt:       chooseEInt,
		r600.OpCndGTInt:      chooseGTInt,
		r600.OpCndGEInt:      chooseGEInt,
		r600.OpAdd:           add,
		r600.OpMulIEEE:       mulIEEE,
		r600.OpMul:           mul,
		r600.OpMulAdd:        mulAdd,
		r600.OpMulAddIEEE:    mulAdd,
		r600.OpMax:           max,
		r600.OpMaxDX10:       max,
		r600.OpMin:           min,
		r600.OpMinDX10:       min,
		r600.OpFloor:         floor,
		r600.OpCeil:          ceil,
		r600.OpTrunc:         trunc,
		r600.OpFract:         fract,
		r600.OpSqrtIEEE:      sqrt,
		r600.OpRecipIEEE:     recip,
		r600.OpRecipClamped:  recip,
		r600.OpRecipFF:       recip,
		r600.OpRecipUint:     recipUint,
		r600.OpSetEDX10:      setEDX10,
		r600.OpSetNEDX10:     setNEDX10,
		r600.OpSetGTDX10:     setGTDX10,
		r600.OpSetGEDX10:     setGEDX10,
		r600.OpCndE:          chooseE,
		r600.OpCndGT:         chooseGT,
		r600.OpCndGE:         chooseGE,
		r600.OpFltToInt:      toInt,
		r600.OpIntToFlt:      fromInt,
		r600.OpUintToFlt:     fromUint,
	} {
		t[op] = f
	}
	return t
}

//go:noescape
func and(to, a, b, c *Lanes)

//go:noescape
func or(to, a, b, c *Lanes)

//go:noescape
func xor(to, a, b, c *Lanes)

//go:noescape
func not(to, a, b, c *Lanes)

//go:noescape
func addInt(to, a, b, c *Lanes)

//go:noescape
func subInt(to, a, b, c *Lanes)

//go:noescape
func mulLo(to, a, b, c *Lanes)

//go:noescape
func mulHi(to, a, b, c *Lanes)

//go:noescape
func maxInt(to, a, b, c *Lanes)

//go:noescape
func minInt(to, a, b, c *Lanes)

//go:noescape
func maxUint(to, a, b, c *Lanes)

//go:noescape
func minUint(to, a, b, c *Lanes)

//go:noescape
func aShr(to, a, b, c *Lanes)

//go:noescape
func lShr(to, a, b, c *Lanes)

//go:noescape
func lShl(to, a, b, c *Lanes)

//go:noescape
func bitAlign(to, a, b, c *Lanes)

//go:noescape
func insert(to, a, b, c *Lanes)

//go:noescape
func setEInt(to, a, b, c *Lanes)

//go:noescape
func setNEInt(to, a, b, c *Lanes)

//go:noescape
func setGTInt(to, a, b, c *Lanes)

//go:noescape
func setGEInt(to, a, b, c *Lanes)

//go:noescape
func setGTUint(to, a, b, c *Lanes)

//go:noescape
func setGEUint(to, a, b, c *Lanes)

//go:noescape
func chooseEInt(to, a, b, c *Lanes)

//go:noescape
func chooseGTInt(to, a, b, c *Lanes)

//go:noescape
func chooseGEInt(to, a, b, c *Lanes)

//go:noescape
func add(to, a, b, c *Lanes)

//go:noescape
func mulIEEE(to, a, b, c *Lanes)

//go:noescape
func mul(to, a, b, c *Lanes)

//go:noescape
func mulAdd(to, a, b, c *Lanes)

//go:noescape
func max(to, a, b, c *Lanes)

//go:noescape
func min(to, a, b, c *Lanes)

//go:noescape
func floor(to, a, b, c *Lanes)

//go:noescape
func ceil(to, a, b, c *Lanes)

//go:noescape
func trunc(to, a, b, c *Lanes)

//go:noescape
func fract(to, a, b, c *Lanes)

//go:noescape
func sqrt(to, a, b, c *Lanes)

//go:noescape
func recip(to, a, b, c *Lanes)

//go:noescape
func recipUint(to, a, b, c *Lanes)

//go:noescape
func setEDX10(to, a, b, c *Lanes)

//go:noescape
func setNEDX10(to, a, b, c *Lanes)

//go:noescape
func setGTDX10(to, a, b, c *Lanes)

//go:noescape
func setGEDX10(to, a, b, c *Lanes)

//go:noescape
func chooseE(to, a, b, c *Lanes)

//go:noescape
func chooseGT(to, a, b, c *Lanes)

//go:noescape
func chooseGE(to, a, b, c *Lanes)

//go:noescape
func toInt(to, a, b, c *Lanes)

//go:noescape
func fromInt(to, a, b, c *Lanes)

//go:noescape
func fromUint(to, a, b, c *Lanes)

//go:noescape
func nonzero(a *Lanes) (mask uint64)

//go:noescape
func repeats(a *Lanes) (mask uint64)

//go:noescape
func blend(to, from *Lanes, mask uint64)
