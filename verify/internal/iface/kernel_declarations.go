package iface

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// Declarations define the names of a kernel. The host binds constant buffers, resources, views and outputs by
// number. Their types, sizes and interpolation are declared. An optimizer may
//
//   - drop a declaration that the kernel no longer uses;
//   - add, drop and change literals, which are values, and add arrays of temporaries, which are private;
//   - add local memory, if a proof removes all accesses to it ([StagesLocal]);
//   - split the declaration of an output into components, or join them.
//
// Every other declaration of after is in before too, in the same words. Sizes of work groups and of local
// memory, the global data share that launches leave to others, and flags concern the whole kernel and stay.

// declared identifies the object of a declaration.
type declared struct {
	op  il.Op
	id  uint16
	reg il.Reg
}

// sameKernelInterface checks that before has the declarations of after, and that after has those of before
// that concern the whole kernel.
func sameKernelInterface(before, after *il.Kernel) error {
	old, now := declarations(before), declarations(after)
	for _, in := range statements(after) {
		d := declaredBy(in)
		switch list := old[d]; {
		case in.Op.Kind() != il.Declaration || in.Op == il.OpDclLiteral:
		case len(list) == 0 && (in.Op == il.OpDclIndexedTempArray || in.Op == il.OpDclLds && StagesLocal(before, after)):
		case len(list) == 0:
			return fmt.Errorf("%s is declared only in the new version", declaredName(in))
		case !sameDeclared(list, now[d]):
			return fmt.Errorf("%s is declared differently", declaredName(in))
		}
	}
	for _, in := range statements(before) {
		if in.Op.Kind() == il.Declaration && global(in.Op) && len(now[declaredBy(in)]) == 0 {
			return fmt.Errorf("%s is no longer declared", declaredName(in))
		}
	}
	return nil
}

// localBytes is the local memory of a group on HD 4000 GPUs (R700-Family Instruction Set Architecture). Later ones have
// more.
const localBytes = 16 << 10

// StagesLocal reports whether only after has local memory, no more than all GPUs have.
func StagesLocal(before, after *il.Kernel) bool {
	bytes := [2]uint64{}
	for i, k := range [...]*il.Kernel{before, after} {
		for _, in := range statements(k) {
			switch in.Op {
			case il.OpDclLds:
				bytes[i] += uint64(in.Imm[0])
			case il.OpDclStructLds, il.OpDclLdsSizePerThread:
				bytes[i] += localBytes + 1
			}
		}
	}
	return bytes[0] == 0 && bytes[1] > 0 && bytes[1] <= localBytes
}

func declaredBy(in *il.Inst) declared { return declared{in.Op, in.Ctl.ID, in.Dst.Reg} }

// declarations lists the declarations of a kernel by object.
func declarations(k *il.Kernel) map[declared][]*il.Inst {
	list := map[declared][]*il.Inst{}
	for _, in := range statements(k) {
		if in.Op.Kind() == il.Declaration {
			list[declaredBy(in)] = append(list[declaredBy(in)], in)
		}
	}
	return list
}

// sameDeclared compares the declarations of one object.
func sameDeclared(a, b []*il.Inst) bool {
	if a[0].Op == il.OpDclOutput {
		return sameOutput(a, b)
	}
	return slices.EqualFunc(a, b, (*il.Inst).Same)
}

// sameOutput compares the usage and the components of one output.
func sameOutput(a, b []*il.Inst) bool {
	usage := a[0].Ctl.Usage
	var lanes [2][2]il.Lanes
	for i, list := range [][]*il.Inst{a, b} {
		for _, in := range list {
			if in.Ctl.Usage != usage {
				return false
			}
			lanes[i][0] |= in.Dst.Mask.Written()
			lanes[i][1] |= in.Dst.Mask.Computed()
		}
	}
	return lanes[0] == lanes[1]
}

// global reports whether a declaration concerns the whole kernel.
func global(op il.Op) bool {
	switch op {
	case il.OpDclGds, il.OpDclStructGds, il.OpDclGlobalFlags, il.OpDclLdsSharingMode, il.OpDclLdsSizePerThread,
		il.OpDclMaxThreadPerGroup,
		il.OpDclNumThreadPerGroup, il.OpDclTotalNumThreadGroup:
		return true
	}
	return false
}

// declaredName formats the object of a declaration.
func declaredName(in *il.Inst) string {
	if in.HasDst {
		return in.Op.String() + " " + in.Dst.Reg.String()
	}
	return in.Op.String()
}

// SameHeader reports whether two kernels are of one kind.
func SameHeader(a, b *il.Kernel) bool {
	return a.Stage == b.Stage && a.MultiPass == b.MultiPass && a.RealTime == b.RealTime && a.Client == b.Client
}

// SameStatements reports whether two kernels consist of the same statements.
func SameStatements(a, b *il.Kernel) bool {
	return slices.EqualFunc(statements(a), statements(b), (*il.Inst).Same)
}

// statements lists pointers to the statements of a kernel.
func statements(k *il.Kernel) []*il.Inst {
	list := make([]*il.Inst, len(k.Insts))
	for i := range k.Insts {
		list[i] = &k.Insts[i]
	}
	return list
}
