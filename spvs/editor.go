package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
)

// editor changes a module: it adds types, constants and variables, and replaces the bodies of functions.
type editor struct {
	m     *spirv.Module
	bound spirv.ID
	// def is, by id, the number of the defining instruction in m.Insts, or len(m.Insts) plus its number in added,
	// plus 1. It covers the global section only.
	def   map[spirv.ID]int
	added []spirv.Inst // at the end of the global section
	// interned are the types and constants by content. Structures and decorated ids are not among them.
	interned  map[string]spirv.ID
	bodies    map[spirv.ID][]spirv.Inst // new instructions of functions, by their ids
	notes     []spirv.Inst              // decorations to add
	functions int                       // number of the first OpFunction
	gone      map[spirv.ID]bool         // variables to remove
	listed    map[spirv.ID][]spirv.ID   // new variables of the interface, by the functions of entry points
	taken     map[spirv.ID]bool         // ids of the module that functions define
	names     []spirv.Inst              // names to add
	glsl      spirv.ID                  // the import of GLSL.std.450, or 0
}

func newEditor(m *spirv.Module) *editor {
	e := &editor{m: m, bound: spirv.ID(m.Bound), def: map[spirv.ID]int{}, interned: map[string]spirv.ID{},
		bodies: map[spirv.ID][]spirv.Inst{}, gone: map[spirv.ID]bool{}, listed: map[spirv.ID][]spirv.ID{},
		taken: map[spirv.ID]bool{}}
	decorated := map[spirv.ID]bool{}
	e.functions = len(m.Insts)
	for i := range m.Insts {
		in := &m.Insts[i]
		switch in.Op {
		case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString:
			decorated[spirv.ID(in.Args[0])] = true
		case spirv.OpExtInstImport:
			if name, _ := spirv.String(in.Args); name == glslSet {
				e.glsl = in.Result
			}
		case spirv.OpFunction:
			e.functions = i
			return e
		}
		if in.Result == 0 {
			continue
		}
		e.def[in.Result] = i + 1
		if in.Op == spirv.OpTypeStruct || decorated[in.Result] || !interns(in.Op) {
			continue
		}
		if key := contentKey(in); e.interned[key] == 0 {
			e.interned[key] = in.Result
		}
	}
	return e
}

// glslSet is the name of the extended instruction set.
const glslSet = "GLSL.std.450"

// interns reports whether equal instructions with this opcode are one type or constant.
func interns(op spirv.Op) bool {
	switch op {
	case spirv.OpConstant, spirv.OpConstantTrue, spirv.OpConstantFalse, spirv.OpConstantComposite, spirv.OpConstantNull,
		spirv.OpUndef:
		return true
	}
	return spirv.OpTypeVoid <= op && op <= spirv.OpTypeFunction
}

// contentKey identifies a type or constant without its id.
func contentKey(in *spirv.Inst) string {
	b := make([]byte, 0, 16+4*len(in.Args))
	b = appendWord(b, uint32(in.Op))
	b = appendWord(b, uint32(in.Type))
	for _, w := range in.Args {
		b = appendWord(b, w)
	}
	return string(b)
}

// fresh returns a new id.
func (e *editor) fresh() spirv.ID {
	id := e.bound
	e.bound++
	return id
}

// global returns the type, constant or variable with this id, or nil.
func (e *editor) global(id spirv.ID) *spirv.Inst {
	n := e.def[id] - 1
	switch {
	case n < 0:
		return nil
	case n < len(e.m.Insts):
		return &e.m.Insts[n]
	}
	return &e.added[n-len(e.m.Insts)]
}

// add adds an instruction to the global section and returns its new id.
func (e *editor) add(op spirv.Op, typ spirv.ID, args ...uint32) spirv.ID {
	in := spirv.Inst{Op: op, Type: typ, Result: e.fresh(), Args: args}
	e.added = append(e.added, in)
	e.def[in.Result] = len(e.m.Insts) + len(e.added)
	return in.Result
}

// intern returns the id of a type or constant. It adds the instruction if the module lacks it.
func (e *editor) intern(op spirv.Op, typ spirv.ID, args ...uint32) spirv.ID {
	key := contentKey(&spirv.Inst{Op: op, Type: typ, Args: args})
	id := e.interned[key]
	if id == 0 {
		id = e.add(op, typ, args...)
		e.interned[key] = id
	}
	return id
}

// scalar returns the type of one lane.
func (e *editor) scalar(k Scalar) spirv.ID {
	switch k {
	case Float:
		return e.intern(spirv.OpTypeFloat, 0, 32)
	case Int:
		return e.intern(spirv.OpTypeInt, 0, 32, 1)
	case Bool:
		return e.intern(spirv.OpTypeBool, 0)
	}
	return e.intern(spirv.OpTypeInt, 0, 32, 0)
}

// vector returns the type of n lanes: a scalar for one.
func (e *editor) vector(k Scalar, n int) spirv.ID {
	t := e.scalar(k)
	if n == 1 {
		return t
	}
	return e.intern(spirv.OpTypeVector, 0, uint32(t), uint32(n))
}

func (e *editor) pointer(class spirv.StorageClass, to spirv.ID) spirv.ID {
	return e.intern(spirv.OpTypePointer, 0, uint32(class), uint32(to))
}

// word returns the constant of one lane.
func (e *editor) word(k Scalar, bits uint32) spirv.ID {
	t := e.scalar(k)
	switch {
	case k == Bool && bits == 0:
		return e.intern(spirv.OpConstantFalse, t)
	case k == Bool:
		return e.intern(spirv.OpConstantTrue, t)
	}
	return e.intern(spirv.OpConstant, t, bits)
}

// undef returns the undefined value of a type.
func (e *editor) undef(typ spirv.ID) spirv.ID { return e.intern(spirv.OpUndef, typ) }

// glslImport returns the import of GLSL.std.450. It adds the import if the module lacks it.
func (e *editor) glslImport() spirv.ID {
	if e.glsl == 0 {
		e.glsl = e.fresh()
	}
	return e.glsl
}

// kindOf returns the kind of the lanes of a type, and their number, if it is a scalar or a vector.
func (e *editor) kindOf(typ spirv.ID) (k Scalar, n int) {
	in := e.global(typ)
	if in == nil {
		return NoScalar, 0
	}
	switch in.Op {
	case spirv.OpTypeBool:
		return Bool, 1
	case spirv.OpTypeFloat:
		if in.Args[0] == 32 {
			return Float, 1
		}
	case spirv.OpTypeInt:
		if in.Args[0] == 32 {
			return [2]Scalar{Uint, Int}[in.Args[1]&1], 1
		}
	case spirv.OpTypeVector:
		if k, n := e.kindOf(spirv.ID(in.Args[0])); n == 1 {
			return k, int(in.Args[1])
		}
	}
	return NoScalar, 0
}

// lanes returns the number of lanes in a type, and their kinds if all are the same. It is 0 for types of unknown size.
func (e *editor) lanes(typ spirv.ID) int {
	if _, n := e.kindOf(typ); n > 0 {
		return n
	}
	in := e.global(typ)
	if in == nil {
		return 0
	}
	switch in.Op {
	case spirv.OpTypeMatrix:
		return int(in.Args[1]) * e.lanes(spirv.ID(in.Args[0]))
	case spirv.OpTypeArray:
		return e.length(in) * e.lanes(spirv.ID(in.Args[0]))
	case spirv.OpTypeStruct:
		sum := 0
		for _, t := range in.Args {
			sum += e.lanes(spirv.ID(t))
		}
		return sum
	}
	return 0
}

// length returns the length of an array type, or 0 if it is not a literal.
func (e *editor) length(in *spirv.Inst) int {
	if c := e.global(spirv.ID(in.Args[1])); c != nil && c.Op == spirv.OpConstant {
		return int(c.Args[0])
	}
	return 0
}

// part returns the type of member k of a composite type, or 0.
func (e *editor) part(typ spirv.ID, k int) spirv.ID {
	in := e.global(typ)
	if in == nil {
		return 0
	}
	switch in.Op {
	case spirv.OpTypeVector, spirv.OpTypeMatrix, spirv.OpTypeArray, spirv.OpTypeRuntimeArray:
		return spirv.ID(in.Args[0])
	case spirv.OpTypeStruct:
		if k < len(in.Args) {
			return spirv.ID(in.Args[k])
		}
	}
	return 0
}

// parts returns the number of members of a composite type, 0 for others.
func (e *editor) parts(typ spirv.ID) int {
	in := e.global(typ)
	if in == nil {
		return 0
	}
	switch in.Op {
	case spirv.OpTypeVector, spirv.OpTypeMatrix:
		return int(in.Args[1])
	case spirv.OpTypeArray:
		return e.length(in)
	case spirv.OpTypeStruct:
		return len(in.Args)
	}
	return 0
}

// appendWord appends the bytes of a word.
func appendWord(b []byte, w uint32) []byte {
	return append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
}

// targetOf returns the type that a pointer type points to.
func (e *editor) targetOf(pointer spirv.ID) spirv.ID { return spirv.ID(e.global(pointer).Args[1]) }

// scalars appends the kinds of the lanes of a type.
func (e *editor) scalars(typ spirv.ID, list []Scalar) []Scalar {
	if k, n := e.kindOf(typ); n > 0 {
		return append(list, slices.Repeat([]Scalar{k}, n)...)
	}
	for k := range e.parts(typ) {
		list = e.scalars(e.part(typ, k), list)
	}
	return list
}
