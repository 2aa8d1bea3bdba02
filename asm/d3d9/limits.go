package d3d9

import (
	"math"
	"slices"
)

// Unlimited is the value of a limit that cannot be reached.
const Unlimited = math.MaxInt32

// Limits are the hard limits of a shader model.
//
// The models leave some of them to the device. Here vs_2_x and ps_2_x are the most generous device
// of their kind. It has 32 temporaries, 512 pixel slots without a separate texture limit, any
// swizzle, predication, gradients, and four nested loops and calls. No single compiler profile
// offers all of these, but ps_2_a and ps_2_b programs have the same version token. Some devices
// offer more than the guaranteed minimum. Then the field named Max limits inputs, and the plain
// field limits emitted programs.
type Limits struct {
	Slots, MaxSlots int
	// Arithmetic and Texture bound the two kinds of slots in models that count them separately. The
	// values of ps_1_4 are for both phases together.
	Arithmetic, Texture int

	// Regs is the number of registers of each file, 0 if the model lacks the file. A row of the
	// table below has only the differences from the register table.
	Regs [numFiles]int
	// MaxConst is the number of c# on the most generous device.
	MaxConst int
	// ports is the number of different registers of a file that an instruction may read, 0 for any
	// number. ConstReads is the number of its operands that may be c#.
	ports      [numFiles]int
	ConstReads int

	// Nesting depths, and the number of static flow-control statements.
	StaticIf, DynamicIf, Loops, Calls int
	StaticFlow                        int

	// TextureLevels is the longest chain of dependent texture reads, the first
	// one included.
	TextureLevels int

	// Swizzles are the source swizzles the model has; nil means all of them.
	Swizzles               []Swizzle
	Predication, gradients bool
}

// The restricted swizzle sets. The .z replicate of ps_1_1 to ps_1_3, legal under
// the mask .w alone, is left out.
var (
	swizzlesPS11 = []Swizzle{Identity, Replicate(3)}
	swizzlesPS14 = []Swizzle{Identity, Replicate(0), Replicate(1), Replicate(2), Replicate(3)}
	swizzlesPS20 = append(slices.Clone(swizzlesPS14),
		MakeSwizzle(1, 2, 0, 3), MakeSwizzle(2, 0, 1, 3), MakeSwizzle(3, 2, 1, 0))
)

// The ports of vertex programs and of pixel programs from ps_2_0 on. Real programs of every model
// read at most one c#, one v# and one t# per instruction.
var (
	portsVS   = [numFiles]int{Input: 1, Const: 1, Temp: 3}
	portsPS20 = [numFiles]int{Input: 1, Const: 1, Temp: 3, Texture: 1, Sampler: 1}
)

// limitTable has a row per column of the instruction table's slots.
var limitTable = [...]Limits{
	0: { // vs_1_1
		Slots: 128, MaxSlots: 128, Arithmetic: Unlimited, Texture: Unlimited, MaxConst: 256,
		Regs:  [numFiles]int{Temp: 12, Const: 96},
		ports: portsVS, ConstReads: Unlimited,
	},
	1: { // vs_2_0
		Slots: 256, MaxSlots: 256, Arithmetic: Unlimited, Texture: Unlimited, MaxConst: 256,
		Regs:  [numFiles]int{Temp: 12, Const: 256, Label: 16},
		ports: portsVS, ConstReads: 2,
		StaticIf: Unlimited, Loops: 1, Calls: 1, StaticFlow: 16,
	},
	2: { // vs_2_x
		Slots: 256, MaxSlots: 256, Arithmetic: Unlimited, Texture: Unlimited, MaxConst: 256,
		Regs:  [numFiles]int{Const: 256, Label: 16},
		ports: portsVS, ConstReads: 2,
		StaticIf: Unlimited, DynamicIf: 24, Loops: 4, Calls: 4, StaticFlow: 16,
	},
	3: { // vs_3_0
		Slots: 512, MaxSlots: 32768, Arithmetic: Unlimited, Texture: Unlimited, MaxConst: 256,
		Regs:  [numFiles]int{Const: 256},
		ports: portsVS, ConstReads: Unlimited,
		StaticIf: 24, DynamicIf: 24, Loops: 4, Calls: 4, StaticFlow: Unlimited,
		TextureLevels: Unlimited,
	},
	5: { // ps_1_1
		Slots: 12, MaxSlots: 12, Arithmetic: 8, Texture: 4,
		ports: [numFiles]int{Temp: 2, Input: 2, Const: 2, Texture: 2}, ConstReads: Unlimited,
		TextureLevels: Unlimited, Swizzles: swizzlesPS11,
	},
	6: { // ps_1_2
		Slots: 12, MaxSlots: 12, Arithmetic: 8, Texture: 4,
		ports: [numFiles]int{Temp: 2, Input: 2, Const: 2, Texture: 3}, ConstReads: Unlimited,
		TextureLevels: Unlimited, Swizzles: swizzlesPS11,
	},
	7: { // ps_1_3
		Slots: 12, MaxSlots: 12, Arithmetic: 8, Texture: 4,
		ports: [numFiles]int{Temp: 2, Input: 2, Const: 2, Texture: 3}, ConstReads: Unlimited,
		TextureLevels: Unlimited, Swizzles: swizzlesPS11,
	},
	8: { // ps_1_4
		Slots: 28, MaxSlots: 28, Arithmetic: 16, Texture: 12,
		ports: [numFiles]int{Temp: 3, Input: 2, Const: 2, Texture: 1}, ConstReads: Unlimited,
		TextureLevels: 2, Swizzles: swizzlesPS14,
	},
	10: { // ps_2_0
		Slots: 96, MaxSlots: 96, Arithmetic: 64, Texture: 32,
		Regs:  [numFiles]int{Temp: 12},
		ports: portsPS20, ConstReads: 2,
		TextureLevels: 4, Swizzles: swizzlesPS20,
	},
	11: { // ps_2_x
		Slots: 512, MaxSlots: 512, Arithmetic: Unlimited, Texture: Unlimited,
		Regs:  [numFiles]int{Label: 16},
		ports: portsPS20, ConstReads: 2,
		StaticIf: 24, DynamicIf: 24, Loops: 4, Calls: 4, StaticFlow: Unlimited,
		TextureLevels: Unlimited, gradients: true,
	},
	12: { // ps_3_0
		Slots: 512, MaxSlots: 32768, Arithmetic: Unlimited, Texture: Unlimited,
		Regs:  [numFiles]int{Input: 10},
		ports: portsPS20, ConstReads: Unlimited,
		StaticIf: 24, DynamicIf: 24, Loops: 4, Calls: 4, StaticFlow: Unlimited,
		TextureLevels: Unlimited, gradients: true,
	},
}

// Limits returns the limits of m. A software profile has the limits of the richest hardware profile
// of its version, without slot, port and dependency limits and with more constants.
func (m Model) Limits() Limits {
	l := limitTable[m.class()]
	if m.Software() {
		l.Slots, l.MaxSlots, l.StaticFlow, l.TextureLevels = Unlimited, Unlimited, Unlimited, Unlimited
		l.ports, l.ConstReads = [numFiles]int{}, Unlimited
		l.Regs = [numFiles]int{Input: l.Regs[Input]}
	}
	for f := NoFile + 1; f < numFiles; f++ {
		if l.Regs[f] == 0 {
			l.Regs[f] = m.nameable(f)
		}
	}
	l.MaxConst = max(l.MaxConst, l.Regs[Const])
	l.Predication = m.hasPredicate()
	return l
}

// PortLimit returns the number of different registers of file f that one instruction may read in m,
// 0 for any number. A relative address counts as a separate register. The matrix macros and the
// constants of sincos do not count.
func PortLimit(m Model, f File) int {
	if m.Software() {
		return 0
	}
	return limitTable[m.class()].ports[f]
}

// swizzleAllowed reports whether m has source swizzle s. Some instructions have further
// restrictions: see SwizzleFits.
func swizzleAllowed(m Model, s Swizzle) bool {
	set := limitTable[m.class()].Swizzles
	return set == nil || slices.Contains(set, s)
}

// CanPredicate reports whether m has predicated instructions.
func CanPredicate(m Model) bool { return m.hasPredicate() }
