package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
)

// eachID calls visit for the ids that in uses: its type, and its operands. Literals of OpSpecConstantOp count as ids.
func eachID(in *spirv.Inst, visit func(id spirv.ID)) {
	if in.Type != 0 {
		visit(in.Type)
	}
	info := in.Op.Info()
	if info == nil {
		return
	}
	kinds, args := info.Operands, in.Args
	for len(kinds) > 0 && len(args) > 0 {
		k := kinds[0]
		kinds = kinds[1:]
		repeat := len(kinds) > 0 && kinds[0] == '*'
		if len(kinds) > 0 && (kinds[0] == '?' || repeat) {
			kinds = kinds[1:]
		}
		for first := true; len(args) > 0 && (first || repeat); first = false {
			args = args[visitOperand(k, in.Op, args, visit):]
		}
	}
}

// visitOperand visits the ids of the operand of kind k at the start of args, and returns the number of its words.
func visitOperand(k byte, op spirv.Op, args []uint32, visit func(id spirv.ID)) int {
	all := func(ids []uint32) {
		for _, w := range ids {
			visit(spirv.ID(w))
		}
	}
	switch k {
	case 't', 'r':
		return 0
	case 'i', 'Z', 'F': // scopes and memory semantics are constants
		visit(spirv.ID(args[0]))
	case 's':
		_, n := spirv.String(args)
		return min(n, len(args))
	case 'v':
		return len(args)
	case 'x':
		all(args[1:])
		return len(args)
	case 'o', 'A': // the opcode of a constant, or a mask, and ids
		all(args[1:])
		return len(args)
	case 'X', 'L': // a decoration or an execution mode, with ids if the instruction says so
		if op == spirv.OpDecorateId || op == spirv.OpExecutionModeId {
			all(args[1:])
		}
		return len(args)
	case 'G', 'D': // memory accesses and loop controls have literals
		return len(args)
	case 'l':
		if len(args) > 1 {
			visit(spirv.ID(args[1]))
		}
		return min(2, len(args))
	case 'm':
		visit(spirv.ID(args[0]))
		return min(2, len(args))
	case 'p':
		all(args[:min(2, len(args))])
		return min(2, len(args))
	}
	return 1
}

// funcText is a function of a module: its instructions, and whether the editor replaced them.
type funcText struct {
	id       spirv.ID
	insts    []spirv.Inst
	replaced bool
}

// functionsOf lists the functions of the module, with the new bodies if edited is set.
func (e *editor) functionsOf(edited bool) (list []funcText) {
	insts := e.m.Insts[e.functions:]
	for len(insts) > 0 {
		n := slices.IndexFunc(insts, func(in spirv.Inst) bool { return in.Op == spirv.OpFunctionEnd }) + 1
		if n == 0 {
			n = len(insts)
		}
		f := funcText{insts: insts[:n]}
		for _, in := range f.insts { // lines may precede the function
			if in.Op == spirv.OpFunction {
				f.id = in.Result
				break
			}
		}
		if body, ok := e.bodies[f.id]; ok && edited {
			f.insts, f.replaced = body, true
		}
		list = append(list, f)
		insts = insts[n:]
	}
	return list
}

// usage finds the ids that the module needs.
type usage struct {
	e         *editor
	functions map[spirv.ID]*funcText
	used      map[spirv.ID]bool
	work      []*spirv.Inst
}

// mark marks an id as used, and queues its definition.
func (u *usage) mark(id spirv.ID) {
	if u.used[id] {
		return
	}
	u.used[id] = true
	if f := u.functions[id]; f != nil {
		for i := range f.insts {
			u.used[f.insts[i].Result] = true
			u.work = append(u.work, &f.insts[i])
		}
	} else if in := u.e.global(id); in != nil {
		u.work = append(u.work, in)
	}
}

// usedIDs returns the ids that the entry points of the module, and further functions, need. Variables count as needed,
// except private ones: they are the interface.
func (e *editor) usedIDs(functions []funcText, roots ...spirv.ID) map[spirv.ID]bool {
	u := &usage{e: e, functions: map[spirv.ID]*funcText{}, used: map[spirv.ID]bool{}}
	for i := range functions {
		u.functions[functions[i].id] = &functions[i]
	}
	root := func(in *spirv.Inst) {
		switch in.Op {
		case spirv.OpEntryPoint:
			u.mark(spirv.ID(in.Args[1]))
		case spirv.OpVariable:
			if spirv.StorageClass(in.Args[0]) != spirv.StorageClassPrivate && !e.gone[in.Result] {
				u.mark(in.Result)
			}
		case spirv.OpExecutionModeId, spirv.OpExtInst:
			eachID(in, u.mark)
		case spirv.OpDecorateId: // the target is no use
			for _, id := range in.Args[2:] {
				u.mark(spirv.ID(id))
			}
		case spirv.OpDecorate:
			if d := spirv.Decoration(in.Args[1]); d == spirv.DecorationSpecId || d == spirv.DecorationBuiltIn {
				u.mark(spirv.ID(in.Args[0]))
			}
		}
	}
	for i := range e.m.Insts[:e.functions] {
		root(&e.m.Insts[i])
	}
	for _, list := range e.listed { // a set
		for _, id := range list {
			u.mark(id)
		}
	}
	for _, id := range roots {
		u.mark(id)
	}
	for len(u.work) > 0 {
		in := u.work[len(u.work)-1]
		u.work = u.work[:len(u.work)-1]
		eachID(in, u.mark)
	}
	return u.used
}

// module returns the edited module. It removes functions, private variables, types and constants that have lost their
// last use, and the names and decorations of all ids that vanished.
func (e *editor) module() *spirv.Module {
	old, now := e.functionsOf(false), e.functionsOf(true)
	before := e.usedIDs(old)
	var uncalled []spirv.ID // functions that no entry point calls stay
	for _, f := range old {
		if !before[f.id] {
			uncalled = append(uncalled, f.id)
		}
	}
	before = e.usedIDs(old, uncalled...)
	used := e.usedIDs(now, uncalled...)
	defined := map[spirv.ID]bool{}
	keep := func(id spirv.ID) bool { return used[id] || !before[id] }
	m := *e.m
	m.Bound, m.Insts = uint32(e.bound), make([]spirv.Inst, 0, len(e.m.Insts))
	for _, f := range now {
		if keep(f.id) {
			for i := range f.insts {
				defined[f.insts[i].Result] = true
			}
		}
	}
	for i := range e.m.Insts[:e.functions] {
		in := &e.m.Insts[i]
		ok := in.Result != 0
		if ok && isContent(in.Op) && !used[in.Result] { // nothing uses it, but its operands may be gone
			ok = !before[in.Result] && !e.gone[in.Result]
			eachID(in, func(id spirv.ID) { ok = ok && (e.global(id) == nil || defined[id]) })
		}
		if ok {
			defined[in.Result] = true
		}
	}
	named, noted := false, false
	for i := range e.m.Insts[:e.functions] {
		in := e.m.Insts[i]
		switch {
		case in.Op == spirv.OpMemoryModel && e.glsl != 0 && e.global(e.glsl) == nil:
			m.Insts = append(m.Insts, spirv.Inst{Op: spirv.OpExtInstImport, Result: e.glsl,
				Args: spirv.AppendString(nil, glslSet)})
		case in.Op == spirv.OpEntryPoint:
			in.Args = e.interfaceOf(in.Args, now)
		case isNote(in.Op) && !defined[spirv.ID(in.Args[0])]:
			continue
		case in.Result != 0 && !defined[in.Result]:
			continue
		}
		if !named && isBehindNames(in.Op) {
			m.Insts, named = append(m.Insts, e.names...), true
		}
		if isContent(in.Op) && !noted {
			m.Insts, noted = append(m.Insts, e.notes...), true
		}
		m.Insts = append(m.Insts, in)
	}
	for _, in := range e.added {
		if used[in.Result] {
			m.Insts = append(m.Insts, in)
		}
	}
	for _, f := range now {
		if keep(f.id) {
			m.Insts = append(m.Insts, f.insts...)
		}
	}
	return &m
}

// isNote reports whether an instruction names or decorates an id, its first operand.
func isNote(op spirv.Op) bool {
	switch op {
	case spirv.OpName, spirv.OpMemberName, spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString,
		spirv.OpMemberDecorate, spirv.OpMemberDecorateString:
		return true
	}
	return false
}

// isBehindNames reports whether op stands in a section behind that of names.
func isBehindNames(op spirv.Op) bool {
	return isContent(op) || op == spirv.OpModuleProcessed || isNote(op) && op != spirv.OpName && op != spirv.OpMemberName ||
		op == spirv.OpDecorationGroup
}

// isContent reports whether op is a type, a constant or a global variable: the section behind the decorations.
func isContent(op spirv.Op) bool {
	switch op {
	case spirv.OpVariable, spirv.OpTypeForwardPointer:
		return true
	}
	return interns(op) || spirv.OpTypeVoid <= op && op <= spirv.OpTypePipe ||
		spirv.OpConstantTrue <= op && op <= spirv.OpSpecConstantOp
}

// interfaceOf returns the operands of an entry point with the variables that its functions use. Up to version 1.3 these
// are the inputs and outputs. The old variables stay if they are such ones and exist, even if nothing uses them.
func (e *editor) interfaceOf(args []uint32, functions []funcText) []uint32 {
	if _, edited := e.bodies[spirv.ID(args[1])]; !edited {
		return args
	}
	_, n := spirv.String(args[2:])
	used := map[spirv.ID]bool{}
	var order []spirv.ID
	for _, f := range callees(spirv.ID(args[1]), functions) {
		for i := range f.insts {
			eachID(&f.insts[i], func(id spirv.ID) {
				if v := e.global(id); v != nil && v.Op == spirv.OpVariable && !used[id] && e.isListed(v) {
					used[id] = true
					order = append(order, id)
				}
			})
		}
	}
	out := slices.Clone(args[:2+n])
	for _, w := range args[2+n:] {
		if v := e.global(spirv.ID(w)); v != nil && (used[v.Result] || isStage(v)) && !e.gone[v.Result] {
			out = append(out, w)
			used[v.Result] = false
		}
	}
	for _, id := range e.listed[spirv.ID(args[1])] {
		if !used[id] {
			order, used[id] = append(order, id), true
		}
	}
	for _, id := range order {
		if used[id] {
			out = append(out, uint32(id))
		}
	}
	return out
}

// isStage reports whether a variable is an input or output of a stage.
func isStage(v *spirv.Inst) bool {
	class := spirv.StorageClass(v.Args[0])
	return class == spirv.StorageClassInput || class == spirv.StorageClassOutput
}

// isListed reports whether an entry point lists a variable that it uses.
func (e *editor) isListed(v *spirv.Inst) bool { return e.m.Version >= 0x00010400 || isStage(v) }

// callees lists a function and the functions that it calls, directly or not.
func callees(id spirv.ID, functions []funcText) (list []*funcText) {
	byID := map[spirv.ID]*funcText{}
	for i := range functions {
		byID[functions[i].id] = &functions[i]
	}
	seen := map[spirv.ID]bool{id: true}
	for work := []spirv.ID{id}; len(work) > 0; work = work[1:] {
		f := byID[work[0]]
		if f == nil {
			continue
		}
		list = append(list, f)
		for i := range f.insts {
			if in := &f.insts[i]; in.Op == spirv.OpFunctionCall && !seen[spirv.ID(in.Args[0])] {
				seen[spirv.ID(in.Args[0])] = true
				work = append(work, spirv.ID(in.Args[0]))
			}
		}
	}
	return list
}
