package spirv

import "slices"

// SpecConstant is a scalar constant whose value the application may set when it creates a pipeline (SPIR-V
// specification, 2.12).
type SpecConstant struct {
	SpecID uint32
	ID     ID
	// Type is OpTypeBool, OpTypeInt or OpTypeFloat.
	Type Op
	// Width is the number of bits of a number, and 0 for booleans.
	Width uint32
}

// SpecConstants returns the specialization constants of m that have a SpecId.
func (m *Module) SpecConstants() (list []SpecConstant) {
	ids, types := map[ID]uint32{}, map[ID]*Inst{}
	for i := range m.Insts {
		in := &m.Insts[i]
		switch in.Op {
		case OpDecorate:
			if len(in.Args) == 3 && Decoration(in.Args[1]) == DecorationSpecId {
				ids[ID(in.Args[0])] = in.Args[2]
			}
		case OpTypeBool, OpTypeInt, OpTypeFloat:
			types[in.Result] = in
		case OpSpecConstantTrue, OpSpecConstantFalse, OpSpecConstant:
			n, named := ids[in.Result]
			if t := types[in.Type]; named && t != nil {
				c := SpecConstant{SpecID: n, ID: in.Result, Type: t.Op}
				if len(t.Args) > 0 {
					c.Width = t.Args[0]
				}
				list = append(list, c)
			}
		case OpFunction:
			return list
		}
	}
	return list
}

// Specialize returns a copy of m in which constants replace the specialization constants that are keys of words. A
// word holds the bits of a number of at most 32 bits, or a truth value that is not 0.
func (m *Module) Specialize(words map[ID]uint32) *Module {
	frozen := *m
	frozen.Insts = slices.Clone(m.Insts)
	for i := range frozen.Insts {
		in := &frozen.Insts[i]
		w, given := words[in.Result]
		switch {
		case !given || in.Result == 0:
		case in.Op == OpSpecConstant:
			in.Op, in.Args = OpConstant, []uint32{w}
		case w != 0:
			in.Op = OpConstantTrue
		default:
			in.Op = OpConstantFalse
		}
	}
	frozen.Insts = slices.DeleteFunc(frozen.Insts, func(in Inst) bool {
		if in.Op != OpDecorate || Decoration(in.Args[1]) != DecorationSpecId {
			return false
		}
		_, given := words[ID(in.Args[0])]
		return given
	})
	return &frozen
}
