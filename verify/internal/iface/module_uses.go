package iface

import "github.com/shaderlift/shaderlift/asm/spirv"

// used returns the variables of the module that the entry point uses: those in its functions and in all functions that
// these call. It also finds statements OpUnreachable that control flow may lead to.
func (f *face) used() map[spirv.ID]bool {
	bodies := f.bodies()
	used, called := map[spirv.ID]bool{}, map[spirv.ID]bool{}
	for work := []spirv.ID{f.function}; len(work) > 0; {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		if called[fn] {
			continue
		}
		called[fn] = true
		f.unreachable = f.unreachable || leadsToUnreachable(bodies[fn])
		for i := range bodies[fn] {
			in := &bodies[fn][i]
			eachID(in, func(id spirv.ID) {
				if v := f.defs[id]; v != nil && v.Op == spirv.OpVariable {
					used[id] = true
				}
			})
			if in.Op == spirv.OpFunctionCall && len(in.Args) > 0 {
				work = append(work, spirv.ID(in.Args[0]))
			}
		}
	}
	return used
}

// bodies returns the instructions of functions.
func (f *face) bodies() map[spirv.ID][]spirv.Inst {
	list := map[spirv.ID][]spirv.Inst{}
	first := 0
	for i := range f.Insts {
		switch in := &f.Insts[i]; in.Op {
		case spirv.OpFunction:
			first = i
		case spirv.OpFunctionEnd:
			list[f.Insts[first].Result] = f.Insts[first:i]
		}
	}
	return list
}

// eachID visits the operands of an instruction in a function that can be variables. They precede all literals, except
// for the number of an extended instruction.
func eachID(in *spirv.Inst, visit func(spirv.ID)) {
	info := in.Op.Info()
	if info == nil {
		return
	}
	i, last := 0, byte(0)
	for k := range len(info.Operands) {
		switch c := info.Operands[k]; {
		case c == 't' || c == 'r':
		case c == 'i' && i < len(in.Args):
			visit(spirv.ID(in.Args[i]))
			i++
		case c == 'x' || c == '*' && (last == 'i' || last == 'x'):
			if c == 'x' {
				i++
			}
			for ; i < len(in.Args); i++ {
				visit(spirv.ID(in.Args[i]))
			}
		case c == '?':
		default:
			return
		}
		last = info.Operands[k]
	}
}

// leadsToUnreachable reports whether branches from the first block of a function lead to OpUnreachable.
func leadsToUnreachable(body []spirv.Inst) bool {
	blocks := map[uint32]int{} // by label: number of the instruction behind it
	var work []int
	for i := range body {
		if body[i].Op == spirv.OpLabel {
			blocks[uint32(body[i].Result)] = i + 1
			if len(work) == 0 {
				work = append(work, i+1)
			}
		}
	}
	visited := map[int]bool{}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if visited[i] {
			continue
		}
		visited[i] = true
		for ; i < len(body) && body[i].Op != spirv.OpLabel; i++ {
			switch in := &body[i]; in.Op {
			case spirv.OpUnreachable:
				return true
			case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch:
				for _, word := range in.Args {
					if to, ok := blocks[word]; ok {
						work = append(work, to)
					}
				}
			}
		}
	}
	return false
}
