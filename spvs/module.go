package spvs

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
)

// index is a module with tables to find its parts.
type index struct {
	*spirv.Module
	// defs is the number of the instruction that defines an id, or -1.
	defs  []int32
	types map[spirv.ID]*shape
	// decorations are those of ids, members have their own list.
	decorations map[spirv.ID][]decoration
	members     map[member][]decoration
	functions   map[spirv.ID]*function
	entries     []EntryPoint
	modes       map[spirv.ID][]*spirv.Inst // execution modes by function
	// glsl is the extended instruction set GLSL.std.450, and ignored are the sets without semantics.
	glsl    spirv.ID
	ignored map[spirv.ID]bool
}

// decoration is a decoration with its literals.
type decoration struct {
	kind spirv.Decoration
	args []uint32
}

// member names a member of a struct type.
type member struct {
	of spirv.ID
	n  uint32
}

// EntryPoint is an entry point of a module.
type EntryPoint struct {
	Model     spirv.ExecutionModel
	Name      string
	Function  spirv.ID
	Interface []spirv.ID
}

// function is a function with a body.
type function struct {
	at     int // number of OpFunction
	result spirv.ID
	params []spirv.ID
	blocks []block
	labels map[spirv.ID]int // numbers of blocks
}

// block is a block: the label, then code up to the terminator. All are numbers of instructions.
type block struct {
	label spirv.ID
	first int // behind the label
	phis  int // behind the last OpPhi
	merge int // the merge instruction, or -1
	last  int // the terminator
}

// errorAt returns a diagnostic about an instruction.
func (x *index) errorAt(at int, code asm.Code, format string, args ...any) *asm.Diag {
	return asm.Errorf(x.Pos(&x.Insts[at]), code, format, args...)
}

// maxBound bounds the ids of a module (SPIR-V specification, 2.17).
const maxBound = 1 << 22

// newIndex reads the tables of m in one walk.
func newIndex(m *spirv.Module) (*index, error) {
	if m.Bound > maxBound {
		return nil, asm.Diags{asm.Errorf(asm.Pos{File: m.Name}, "too-large", "the id bound %d exceeds %d", m.Bound, maxBound)}
	}
	x := &index{Module: m, defs: make([]int32, m.Bound), types: map[spirv.ID]*shape{},
		decorations: map[spirv.ID][]decoration{}, members: map[member][]decoration{},
		functions: map[spirv.ID]*function{}, modes: map[spirv.ID][]*spirv.Inst{}, ignored: map[spirv.ID]bool{}}
	for i := range x.defs {
		x.defs[i] = -1
	}
	var groups []int
	for i := range m.Insts {
		in := &m.Insts[i]
		if n := leastArgs(in.Op); len(in.Args) < n {
			return nil, asm.Diags{x.errorAt(i, "not-supported", "%v has %d operands, not %d", in.Op, len(in.Args), n)}
		}
		if in.Result != 0 {
			if uint32(in.Result) >= m.Bound || x.defs[in.Result] >= 0 {
				return nil, asm.Diags{x.errorAt(i, "not-supported", "%%%d is not a new id below the bound", in.Result)}
			}
			x.defs[in.Result] = int32(i)
		}
		switch in.Op {
		case spirv.OpEntryPoint:
			x.entryPoint(in)
		case spirv.OpExecutionMode, spirv.OpExecutionModeId:
			x.modes[spirv.ID(in.Args[0])] = append(x.modes[spirv.ID(in.Args[0])], in)
		case spirv.OpExtInstImport:
			switch name, _ := spirv.String(in.Args); {
			case name == "GLSL.std.450":
				x.glsl = in.Result
			case len(name) > 12 && name[:12] == "NonSemantic.":
				x.ignored[in.Result] = true
			}
		case spirv.OpDecorate:
			x.decorate(spirv.ID(in.Args[0]), in.Args[1:])
		case spirv.OpMemberDecorate:
			x.decorateMember(spirv.ID(in.Args[0]), in.Args[1], in.Args[2:])
		case spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
			groups = append(groups, i)
		}
	}
	if err := x.decorateGroups(groups); err != nil {
		return nil, err
	}
	if err := x.readTypes(); err != nil {
		return nil, err
	}
	return x, x.readFunctions()
}

// leastArgs returns the least number of operands of op behind its result.
func leastArgs(op spirv.Op) (n int) {
	info := op.Info()
	if info == nil {
		return 0
	}
	kinds := info.Operands
	for i := 0; i < len(kinds); i++ {
		switch {
		case i+1 < len(kinds) && (kinds[i+1] == '?' || kinds[i+1] == '*'):
			return n
		case kinds[i] == 't', kinds[i] == 'r':
		default:
			n++
		}
	}
	return n
}

// entryPoint reads OpEntryPoint.
func (x *index) entryPoint(in *spirv.Inst) {
	name, n := spirv.String(in.Args[2:])
	e := EntryPoint{Model: spirv.ExecutionModel(in.Args[0]), Name: name, Function: spirv.ID(in.Args[1])}
	for _, id := range in.Args[min(2+n, len(in.Args)):] {
		e.Interface = append(e.Interface, spirv.ID(id))
	}
	x.entries = append(x.entries, e)
}

func (x *index) decorate(id spirv.ID, words []uint32) {
	x.decorations[id] = append(x.decorations[id], decoration{spirv.Decoration(words[0]), words[1:]})
}

func (x *index) decorateMember(id spirv.ID, n uint32, words []uint32) {
	k := member{id, n}
	x.members[k] = append(x.members[k], decoration{spirv.Decoration(words[0]), words[1:]})
}

// maxGrouped bounds the decorations that groups add.
const maxGrouped = 1 << 16

// decorateGroups applies decoration groups to their targets.
func (x *index) decorateGroups(groups []int) error {
	added := 0
	for _, i := range groups {
		in := &x.Insts[i]
		list, step := x.decorations[spirv.ID(in.Args[0])], 1
		if in.Op == spirv.OpGroupMemberDecorate {
			step = 2
		}
		for k := 1; k+step <= len(in.Args); k += step {
			if added += len(list); added > maxGrouped {
				return asm.Diags{x.errorAt(i, "too-large", "groups make more than %d decorations", maxGrouped)}
			}
			if step == 1 {
				id := spirv.ID(in.Args[k])
				x.decorations[id] = append(x.decorations[id], list...)
			} else {
				m := member{spirv.ID(in.Args[k]), in.Args[k+1]}
				x.members[m] = append(x.members[m], list...)
			}
		}
	}
	return nil
}

// has reports whether a list has a decoration.
func has(list []decoration, kind spirv.Decoration) bool {
	for _, d := range list {
		if d.kind == kind {
			return true
		}
	}
	return false
}

// number returns the first literal of a decoration.
func number(list []decoration, kind spirv.Decoration) (n uint32, ok bool) {
	for _, d := range list {
		if d.kind == kind && len(d.args) > 0 {
			return d.args[0], true
		}
	}
	return 0, false
}

// definition returns the number of the instruction that defines id, and the instruction. It is nil for an unknown id.
func (x *index) definition(id spirv.ID) (int, *spirv.Inst) {
	if uint32(id) >= x.Bound || x.defs[id] < 0 {
		return -1, nil
	}
	return int(x.defs[id]), &x.Insts[x.defs[id]]
}

// readFunctions finds functions and their blocks.
func (x *index) readFunctions() error {
	var f *function
	var b *block
	for i := range x.Insts {
		in := &x.Insts[i]
		switch {
		case in.Op == spirv.OpFunction:
			f, b = &function{at: i, result: in.Type, labels: map[spirv.ID]int{}}, nil
			x.functions[in.Result] = f
		case f == nil:
		case in.Op == spirv.OpFunctionParameter:
			f.params = append(f.params, in.Result)
		case in.Op == spirv.OpFunctionEnd:
			if b != nil {
				return asm.Diags{x.errorAt(i, "not-supported", "the last block of the function has no terminator")}
			}
			f = nil
		case in.Op == spirv.OpLabel:
			if b != nil {
				return asm.Diags{x.errorAt(i, "not-supported", "the block before %%%d has no terminator", in.Result)}
			}
			f.labels[in.Result] = len(f.blocks)
			f.blocks = append(f.blocks, block{label: in.Result, first: i + 1, phis: i + 1, merge: -1})
			b = &f.blocks[len(f.blocks)-1]
		case b == nil:
		case in.Op == spirv.OpPhi:
			b.phis = i + 1
		case in.Op == spirv.OpSelectionMerge, in.Op == spirv.OpLoopMerge:
			b.merge = i
		case isTerminator(in.Op):
			b.last, b = i, nil
		}
	}
	if f != nil {
		return asm.Diags{x.errorAt(f.at, "not-supported", "the function has no end")}
	}
	return nil
}

// isTerminator reports whether op ends a block.
func isTerminator(op spirv.Op) bool {
	switch op {
	case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue, spirv.OpKill,
		spirv.OpTerminateInvocation, spirv.OpUnreachable, spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR,
		spirv.OpEmitMeshTasksEXT:
		return true
	}
	return false
}
