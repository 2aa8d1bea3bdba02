package spvs

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/ir/flow"
)

// Options are the options of [Lift].
type Options struct {
	// Names must be shared by all modules of a comparison. If it is nil, the module gets its own.
	Names *Names
	// Models are the stages to find the entry point in; nil means vertex and fragment stages. Two stages may have entry
	// points of one name. Compute stages are for comparisons only: Emit does not write them.
	Models []spirv.ExecutionModel
	// Relaxed makes relaxed precision of values that are only moved visible: a load, for example, is followed by
	// ir.OpMov with ir.Half.
	Relaxed bool
	Budget  *budget.Budget
}

// Program is an entry point of a module and its function. The lists describe the function as it was lifted: they name
// values by [ir.ID], which clones keep.
type Program struct {
	Module *spirv.Module
	Entry  EntryPoint
	Func   *ir.Func
	// Inputs and Outputs are the variables of the interface of the entry point that are used.
	Inputs, Outputs []Variable
	// Blocks are the buffers and push constants that are used.
	Blocks []Block
	// Arrays are the variables that live in memory. The number of one is the index of registers in the file Array.
	Arrays []spirv.ID
	// Definitions are the results of instructions, in the order of the code. An instruction of a function that is
	// called twice has two.
	Definitions []Definition
	relinking   *relinking // of emission
	declared    bool       // see Declare
	// Scalars are the types of values, by ir.ID. Values that passes make have none.
	Scalars []Scalar

	x     *index
	names *Names
}

// Definition is a result of an instruction: its lanes.
type Definition struct {
	Orig  int32 // number of the instruction in the module
	ID    spirv.ID
	Lanes []*ir.Value
	// args are the lanes of operands that are not constants, by word. pointer is the target of a memory access, and path
	// are the lanes of its dynamic indices.
	args    [][]*ir.Value
	pointer *pointer
	path    [][]*ir.Value
	// handle is the image of an image instruction, and sampler the lanes of the indices of its sampler.
	handle  *handle
	sampler [][]*ir.Value
}

// Lift converts an entry point of m, which must have passed Check, to a function. An empty name means the only entry
// point. The error is an [asm.Diags]; it names the instruction that is not supported.
func Lift(m *spirv.Module, entry string, o Options) (*Program, error) {
	x, e, err := find(m, entry, &o)
	if err != nil {
		return nil, err
	}
	p := &places{x: x, entry: e, names: o.Names, variables: map[spirv.ID]*variable{}, crossing: map[spirv.ID]bool{},
		ids: map[spirv.ID]place{}, flags: map[int]int32{}, states: map[ir.Reg]int32{}}
	l, diag := newLifter(p, o)
	if diag == nil {
		diag = l.lift()
	}
	if diag != nil {
		return nil, asm.Diags{diag}
	}
	return l.program(), nil
}

// Declare returns an entry point of a fragment module whose code is not supported, for a pair. Its function stands for any
// code: it reads all components that the entry point declares. The program must not be emitted.
func Declare(m *spirv.Module, o Options) (*Program, error) {
	x, e, err := find(m, "", &o)
	if err != nil {
		return nil, err
	}
	p := &Program{Module: m, Entry: e, Func: ir.NewFunc(e.Name, &Dialect{Names: o.Names}), x: x, names: o.Names, declared: true}
	for _, v := range p.interfaceVariables() {
		if at, _ := x.definition(v.ID); v.Registers == nil {
			return nil, asm.Diags{x.errorAt(at, "not-supported", "the input has a type or a location that is not supported")}
		}
		for _, r := range v.Registers {
			if r.File == Input {
				p.Func.Outs = append(p.Func.Outs, ir.Output{Reg: ir.Reg{File: Output, Index: r.Index, Comp: r.Comp},
					V: p.Func.Leaf(ir.Input, r)})
			}
		}
	}
	return p, nil
}

// find reads the tables of m and finds an entry point. It sets the names in o if there are none.
func find(m *spirv.Module, entry string, o *Options) (x *index, e EntryPoint, err error) {
	makeTables.Do(fillTables)
	if x, err = newIndex(m); err != nil {
		return nil, e, err
	}
	e, diag := x.entry(entry, o.Models)
	if diag != nil {
		return nil, e, asm.Diags{diag}
	}
	if o.Names == nil {
		o.Names = NewNames()
	}
	return x, e, nil
}

// entry returns the entry point with a name, of one of the models.
func (x *index) entry(name string, models []spirv.ExecutionModel) (EntryPoint, *asm.Diag) {
	var found []EntryPoint
	for _, e := range x.entries {
		if (name == "" || e.Name == name) && (models == nil || slices.Contains(models, e.Model)) {
			found = append(found, e)
		}
	}
	at := asm.Pos{File: x.Name}
	if len(found) != 1 {
		return EntryPoint{}, asm.Errorf(at, "not-supported", "the module has %d entry points%s; one must be named",
			len(found), named(name))
	}
	e := found[0]
	switch e.Model {
	case spirv.ExecutionModelVertex, spirv.ExecutionModelFragment:
	default:
		if e.Model == spirv.ExecutionModelGLCompute && models != nil {
			break
		}
		return e, asm.Errorf(at, "not-supported", "entry points of the stage %v are not supported", e.Model)
	}
	if x.functions[e.Function] == nil {
		return e, asm.Errorf(at, "not-supported", "the entry point %s has no function", asm.Shown(e.Name))
	}
	return e, nil
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return " with the name " + asm.Shown(name)
}

// lifter walks the tree with the current value of every slot.
type lifter struct {
	*liveness
	*flow.Lifter[statement]
	f    *ir.Func
	tree []node
	main *frame
	// values are the lanes of ids that only their own block reads, and constants those of constants.
	values    map[spirv.ID][]*ir.Value
	constants map[spirv.ID][]*ir.Value
	entryCode []*ir.Instr // computes constants before all other code
	undefs    int
	made      int // lanes of results and constants

	definitions []Definition
	types       []Scalar         // by ir.ID
	blocks      map[blockKey]int // numbers in blockList
	blockList   []Block
	relaxed     bool // see Options
	// Memory that the function keeps.
	instrs   container.Slab[ir.Instr]
	operands container.Slab[ir.Operand]

	at  int // the instruction being lifted
	err *asm.Diag
}

// newLifter builds and analyses the tree.
func newLifter(p *places, o Options) (*lifter, *asm.Diag) {
	b := &builder{places: p, calls: map[spirv.ID]bool{p.entry.Function: true}}
	main := newFrame(p.x.functions[p.entry.Function])
	root := b.tree(main)
	if b.err != nil {
		return nil, b.err
	}
	list, ok := flow.Structure(root)
	if !ok {
		return nil, p.x.errorAt(main.fn.at, "too-large", "early exits nest more than %d branches deep", flow.MaxDepth)
	}
	live, err := analyse(p, list)
	if err != nil {
		return nil, err
	}
	f := ir.NewFunc(p.entry.Name, &Dialect{Names: p.names})
	f.Budget = o.Budget
	l := &lifter{liveness: live, f: f, tree: list, main: main,
		values: map[spirv.ID][]*ir.Value{}, constants: map[spirv.ID][]*ir.Value{}, blocks: map[blockKey]int{},
		relaxed: o.Relaxed}
	l.instrs.Again(16)
	l.operands.Again(32)
	l.Lifter = l.newFlow()
	return l, nil
}

// lift lifts the tree, with the initial values of global variables before it, and outputs behind it.
func (l *lifter) lift() *asm.Diag {
	l.at = l.main.fn.at
	l.globals()
	l.Lift(l.tree)
	l.outputs()
	l.f.Body.Code = append(l.entryCode, l.f.Body.Code...)
	if l.err == nil {
		l.markPrecise()
	}
	return l.err
}

// program returns the result.
func (l *lifter) program() *Program {
	p := &Program{Module: l.x.Module, Entry: l.entry, Func: l.f, Blocks: l.blockList, Definitions: l.definitions,
		Scalars: l.types, x: l.x, names: l.names}
	for _, id := range l.entry.Interface { // those that no code uses, too
		l.variable(id)
	}
	for _, v := range l.used {
		switch v.class {
		case spirv.StorageClassInput:
			p.Inputs = append(p.Inputs, l.x.describe(v))
		case spirv.StorageClassOutput:
			p.Outputs = append(p.Outputs, l.x.describe(v))
		}
	}
	for _, v := range l.arrays {
		p.Arrays = append(p.Arrays, v.id)
	}
	return p
}

// fail records the first reason why the program is not supported.
func (l *lifter) fail(code asm.Code, format string, args ...any) {
	if l.err == nil {
		l.err = l.x.errorAt(l.at, code, "%s", fmt.Sprintf(format, args...))
	}
}

// unsupported records that the current instruction is not supported, and why.
func (l *lifter) unsupported(why string) {
	l.fail("not-supported", "%v is not supported: %s", l.x.Insts[l.at].Op, why)
}

// note records the types of lanes.
func (l *lifter) note(lanes []*ir.Value, types ...Scalar) {
	for i, v := range lanes {
		if v == nil {
			continue
		}
		for int(v.ID) >= len(l.types) {
			l.types = append(l.types, NoScalar)
		}
		if l.types[v.ID] == NoScalar {
			l.types[v.ID] = types[min(i, len(types)-1)]
		}
	}
}

// unwritten returns the value of a slot that was not written. The state of a memory is an input.
func (l *lifter) unwritten(slot int32) *ir.Value {
	switch home := l.homes[slot]; home.File {
	case Temp:
		return l.undefinedSlot(slot)
	case Array:
		return l.f.Leaf(ir.Undef, home)
	default:
		return l.f.Leaf(ir.Input, home)
	}
}

// undefinedSlot returns the value of a slot that was not written.
func (l *lifter) undefinedSlot(slot int32) *ir.Value {
	v := l.f.Leaf(ir.Undef, ir.Reg{File: UndefVariable, Index: uint16(slot), Comp: uint8(slot >> 16)})
	l.note([]*ir.Value{v}, l.slotTypes[slot])
	return v
}

// undef returns a new undefined value.
func (l *lifter) undef() *ir.Value {
	l.undefs++
	return l.f.Leaf(ir.Undef, ir.Reg{File: UndefValue, Index: uint16(l.undefs), Comp: uint8(l.undefs >> 16)})
}
