package iface

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/spirv"
)

// ModuleStage is an entry point of a SPIR-V module: its execution model and its name.
type ModuleStage struct {
	Module *spirv.Module
	Model  spirv.ExecutionModel
	Entry  string
}

// face is the part of a module that the application and other stages see.
type face struct {
	*moduleIndex
	model    spirv.ExecutionModel
	function spirv.ID
	modes    []string
	// requires has the capabilities, extensions and sets of extended instructions, and the memory model.
	requires map[string]bool
	memory   string
	inputs   map[string]port
	outputs  map[string]port
	// resources describes the descriptors and push constants that the entry point uses, by set and binding.
	resources map[string][]string
	constants map[uint32]string // specialization constants by number
	relaxed   bool              // something has the decoration RelaxedPrecision
	// unreachable: branches lead to OpUnreachable.
	unreachable bool
}

// port is an interface variable, or a member of an interface block.
type port struct {
	kind      int // number of its type
	how       string
	location  uint32
	end       uint32 // behind its last location
	component uint32
	width     uint32 // number of components in each location
	builtin   bool
	relaxed   bool
	flat      bool
	integer   bool
}

// roles are the decorations of interface variables that have to stay.
var roles = []spirv.Decoration{spirv.DecorationFlat, spirv.DecorationNoPerspective, spirv.DecorationCentroid,
	spirv.DecorationSample, spirv.DecorationPatch, spirv.DecorationPerVertexKHR, spirv.DecorationPerPrimitiveEXT,
	spirv.DecorationInvariant, spirv.DecorationIndex, spirv.DecorationStream, spirv.DecorationXfbBuffer,
	spirv.DecorationXfbStride, spirv.DecorationOffset}

// newFace reads the interface of an entry point.
func newFace(s ModuleStage, types moduleTypes) (*face, error) {
	x, err := indexModule(s.Module, types)
	if err != nil {
		return nil, err
	}
	f := &face{moduleIndex: x, model: s.Model, requires: map[string]bool{}, inputs: map[string]port{},
		outputs: map[string]port{}, resources: map[string][]string{}, constants: map[uint32]string{}}
	var ids []uint32
	for i := range s.Module.Insts {
		in := &s.Module.Insts[i]
		switch in.Op {
		case spirv.OpCapability:
			f.requires[fmt.Sprint("capability ", spirv.Capability(in.Args[0]))] = true
		case spirv.OpExtension:
			name, _ := spirv.String(in.Args)
			f.requires["extension "+name] = true
		case spirv.OpExtInstImport:
			if name, _ := spirv.String(in.Args); name != "GLSL.std.450" && !strings.HasPrefix(name, "NonSemantic.") {
				f.requires["instructions of "+name] = true
			}
		case spirv.OpMemoryModel:
			f.memory = fmt.Sprint(in.Args)
		case spirv.OpEntryPoint:
			name, n := spirv.String(in.Args[2:])
			if spirv.ExecutionModel(in.Args[0]) == s.Model && name == s.Entry && f.function == 0 {
				f.function, ids = spirv.ID(in.Args[1]), in.Args[min(2+n, len(in.Args)):]
			}
		case spirv.OpSpecConstant, spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse:
			if n, ok := x.literal(target{id: in.Result}, spirv.DecorationSpecId); ok {
				f.constants[n] = fmt.Sprint(in.Op, x.typeNumber(in.Type, 0), in.Args)
			}
		}
	}
	if f.function == 0 {
		return nil, fmt.Errorf("%v has no entry point %q", s.Model, s.Entry)
	}
	f.readModes()
	for t := range f.decorations { // any
		f.relaxed = f.relaxed || f.find(t, spirv.DecorationRelaxedPrecision) != nil
	}
	for _, id := range ids {
		f.readVariable(spirv.ID(id))
	}
	f.readResources()
	return f, nil
}

// readModes reads the execution modes of the entry point. Operands that are ids are described as constants.
func (f *face) readModes() {
	for i := range f.Insts {
		in := &f.Insts[i]
		if in.Op != spirv.OpExecutionMode && in.Op != spirv.OpExecutionModeId || spirv.ID(in.Args[0]) != f.function {
			continue
		}
		mode := fmt.Sprint(spirv.ExecutionMode(in.Args[1]))
		for _, word := range in.Args[2:] {
			if in.Op == spirv.OpExecutionModeId {
				mode += " " + f.constant(spirv.ID(word))
			} else {
				mode += fmt.Sprint(" ", word)
			}
		}
		f.modes = append(f.modes, mode)
	}
	f.readGroupSize()
	slices.Sort(f.modes)
	f.modes = slices.Compact(f.modes)
}

// readGroupSize reads the size of work groups that a constant with the decoration WorkgroupSize has. It overrides the
// mode LocalSize.
func (f *face) readGroupSize() {
	for i := range f.Insts {
		in := &f.Insts[i]
		if in.Op != spirv.OpDecorate || len(in.Args) < 3 || spirv.Decoration(in.Args[1]) != spirv.DecorationBuiltIn ||
			spirv.BuiltIn(in.Args[2]) != spirv.BuiltInWorkgroupSize {
			continue
		}
		mode := "WorkgroupSize"
		if c := f.defs[spirv.ID(in.Args[0])]; c != nil {
			for _, part := range c.Args {
				mode += " " + f.constant(spirv.ID(part))
			}
		}
		f.modes = append(f.modes, mode)
	}
}

// pointee returns the type of a variable, or nil.
func (x *moduleIndex) pointee(id spirv.ID) *spirv.Inst {
	v := x.defs[id]
	if v == nil || v.Op != spirv.OpVariable {
		return nil
	}
	if p := x.defs[v.Type]; p != nil && p.Op == spirv.OpTypePointer && len(p.Args) > 1 {
		return x.defs[spirv.ID(p.Args[1])]
	}
	return nil
}

// readVariable reads an input or output.
func (f *face) readVariable(id spirv.ID) {
	t := f.pointee(id)
	if t == nil {
		return
	}
	switch spirv.StorageClass(f.defs[id].Args[0]) {
	case spirv.StorageClassInput:
		f.readPort(f.inputs, target{id: id}, t.Result, port{})
	case spirv.StorageClassOutput:
		f.readPort(f.outputs, target{id: id}, t.Result, port{})
	}
}

// maxPorts bounds the ports of an entry point, and maxElements the elements of an array that become ports of their own.
const (
	maxPorts    = 1 << 12
	maxElements = 64
)

// readPort reads a variable, or a member of outer. Members of structs are ports of their own, also in arrays. It returns
// the location behind it.
func (f *face) readPort(list map[string]port, at target, kind spirv.ID, outer port) uint32 {
	if t := f.defs[kind]; f.find(at, spirv.DecorationPerVertexKHR) != nil && t != nil && t.Op == spirv.OpTypeArray {
		kind = spirv.ID(t.Args[0]) // of one vertex
	}
	p := outer
	p.kind, p.how = f.typeNumber(kind, 0), f.describe(at, roles)+outer.how
	p.relaxed = p.relaxed || f.find(at, spirv.DecorationRelaxedPrecision) != nil
	if n, ok := f.literal(at, spirv.DecorationBuiltIn); ok {
		p.builtin = true
		list[fmt.Sprint(spirv.BuiltIn(n))] = p
		return p.location
	}
	if n, ok := f.literal(at, spirv.DecorationLocation); ok {
		p.location = n
	}
	if t, n := f.structIn(kind); t != nil && len(list) < maxPorts {
		p.how += fmt.Sprint(" ", n)
		for range min(n, maxElements) {
			for i, word := range t.Args {
				p.location = f.readPort(list, target{t.Result, uint32(i) + 1}, spirv.ID(word), p)
			}
		}
		return p.location
	}
	p.flat, p.integer = p.has(spirv.DecorationFlat), f.isInteger(kind)
	p.end, p.width = p.location+uint32(f.locations(kind)), f.width(kind)
	p.component, _ = f.literal(at, spirv.DecorationComponent)
	key := fmt.Sprintf("location %d, component %d", p.location, p.component)
	if n, ok := f.literal(at, spirv.DecorationIndex); ok && n > 0 {
		key += fmt.Sprintf(", index %d", n)
	}
	list[key] = p
	return p.end
}

// structIn returns the struct that a type is, or that it is an array of, and the number of elements. It is nil for other
// types.
func (f *face) structIn(kind spirv.ID) (t *spirv.Inst, n int) {
	t, n = f.defs[kind], 1
	for t != nil && t.Op == spirv.OpTypeArray && len(t.Args) > 1 {
		count := f.defs[spirv.ID(t.Args[1])]
		if count == nil || count.Op != spirv.OpConstant || len(count.Args) == 0 {
			return nil, 0
		}
		t, n = f.defs[spirv.ID(t.Args[0])], min(n*int(count.Args[0]), maxLocations)
	}
	if t == nil || t.Op != spirv.OpTypeStruct {
		return nil, 0
	}
	return t, n
}

// width returns the number of components that a type takes in each of its locations.
func (f *face) width(kind spirv.ID) uint32 {
	for range maxTypeDepth {
		in := f.defs[kind]
		if in == nil || len(in.Args) == 0 {
			break
		}
		switch {
		case in.Op == spirv.OpTypeMatrix || in.Op == spirv.OpTypeArray:
			kind = spirv.ID(in.Args[0])
			continue
		case in.Op == spirv.OpTypeVector && len(in.Args) > 1 && f.locations(kind) == 1:
			return in.Args[1]
		case in.Op == spirv.OpTypeFloat && in.Args[0] <= 32, in.Op == spirv.OpTypeInt && in.Args[0] <= 32:
			return 1
		}
		break
	}
	return 4
}

// isInteger reports whether the components of a type are integers.
func (f *face) isInteger(kind spirv.ID) bool {
	for range maxTypeDepth {
		in := f.defs[kind]
		if in == nil || len(in.Args) == 0 {
			return false
		}
		switch in.Op {
		case spirv.OpTypeVector, spirv.OpTypeMatrix, spirv.OpTypeArray:
			kind = spirv.ID(in.Args[0])
		default:
			return in.Op == spirv.OpTypeInt
		}
	}
	return false
}

// readResources describes the descriptors and push constants that the entry point uses.
func (f *face) readResources() {
	for id := range f.used() { // sorted below
		t, v := f.pointee(id), f.defs[id]
		if t == nil {
			continue
		}
		at, class := target{id: id}, spirv.StorageClass(v.Args[0])
		key := ""
		switch class {
		case spirv.StorageClassUniformConstant, spirv.StorageClassUniform, spirv.StorageClassStorageBuffer:
			set, _ := f.literal(at, spirv.DecorationDescriptorSet)
			binding, _ := f.literal(at, spirv.DecorationBinding)
			key = fmt.Sprintf("binding %d of set %d", binding, set)
		case spirv.StorageClassPushConstant:
			key = "the push constant block"
		default:
			continue
		}
		f.resources[key] = append(f.resources[key], fmt.Sprint(class, f.typeNumber(t.Result, 0), f.describe(at, layout),
			f.describe(at, []spirv.Decoration{spirv.DecorationInputAttachmentIndex})))
	}
	for _, list := range f.resources { // each alone
		slices.Sort(list)
	}
}

// CompareModules compares the interfaces of two versions, whose stages correspond. A pair may change its varyings, if
// both stages of after agree on them. It returns the descriptors that further stages of after use.
func CompareModules(before, after []ModuleStage) (further []string, err error) {
	types := moduleTypes{}
	var b, a []*face
	for i := range before {
		if before[i].Model != after[i].Model || before[i].Entry != after[i].Entry {
			return nil, fmt.Errorf("the entry point %v %q becomes %v %q", before[i].Model, before[i].Entry, after[i].Model,
				after[i].Entry)
		}
		x, err := newFace(before[i], types)
		if err != nil {
			return nil, err
		}
		y, err := newFace(after[i], types)
		if err != nil {
			return nil, err
		}
		b, a = append(b, x), append(a, y)
		if err := x.requirements(y); err != nil {
			return nil, err
		}
	}
	for i := range b {
		if err := b[i].ports(a[i], len(b) > 1); err != nil {
			return nil, err
		}
		more, err := usesDescriptors(b, b[i], a[i])
		if err != nil {
			return nil, err
		}
		further = append(further, more...)
	}
	if len(b) > 1 {
		err = linked(b, a)
	}
	return further, err
}

// requirements compares the demands on the device, and the modes.
func (f *face) requirements(after *face) error {
	if after.Version > f.Version {
		return fmt.Errorf("version %d.%d becomes %d.%d", f.Version>>16, f.Version>>8&255, after.Version>>16, after.Version>>8&255)
	}
	for _, what := range slices.Sorted(maps.Keys(after.requires)) {
		if !f.requires[what] {
			return fmt.Errorf("after also needs %s", what)
		}
	}
	if after.unreachable && !f.unreachable {
		return errors.New("only after may reach OpUnreachable")
	}
	if after.relaxed && !f.relaxed {
		return errors.New("only after has the decoration RelaxedPrecision")
	}
	if f.memory != after.memory {
		return errors.New("the memory models differ")
	}
	if !slices.Equal(f.modes, after.modes) {
		return fmt.Errorf("the execution modes differ: %s before, %s after", strings.Join(f.modes, ", "), strings.Join(after.modes, ", "))
	}
	for _, n := range slices.Sorted(maps.Keys(after.constants)) {
		if f.constants[n] != after.constants[n] {
			return fmt.Errorf("the specialization constant %d is another one before", n)
		}
	}
	return nil
}

// ports compares inputs and outputs. After may omit an input, unless its presence alone has an effect. In a pair, the
// varyings are free.
func (f *face) ports(after *face, pair bool) error {
	free := func(p port, vertex bool) bool {
		return pair && !p.builtin && (f.model == spirv.ExecutionModelVertex) == vertex && !strings.Contains(p.how, "Xfb") &&
			!p.has(spirv.DecorationInvariant)
	}
	for _, key := range slices.Sorted(maps.Keys(after.inputs)) {
		p, a := f.inputs[key], after.inputs[key]
		if !free(a, false) && (p.kind != a.kind || p.how != a.how || a.relaxed && !p.relaxed) {
			return fmt.Errorf("the input at %s is another one before", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.inputs)) {
		p := f.inputs[key]
		_, kept := after.inputs[key]
		if !kept && (strings.Contains(p.how, "Sample") || strings.HasPrefix(key, "Sample")) {
			return fmt.Errorf("the input at %s disappears, which ends the shading of samples", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after.outputs)) {
		p, a := f.outputs[key], after.outputs[key]
		if !(free(a, true) && free(p, true)) && (p.kind != a.kind || p.how != a.how || a.relaxed && !p.relaxed) {
			return fmt.Errorf("the output at %s is another one before", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.outputs)) {
		p := f.outputs[key]
		if _, kept := after.outputs[key]; !kept && !free(p, true) && !p.builtin {
			return fmt.Errorf("the output at %s disappears", key)
		}
	}
	return nil
}

// usesDescriptors compares the resources of a stage. It returns those that only other stages of before use.
func usesDescriptors(stages []*face, before, after *face) (further []string, err error) {
	for _, key := range slices.Sorted(maps.Keys(after.resources)) {
		list := after.resources[key]
		in := func(f *face) bool {
			return !slices.ContainsFunc(list, func(d string) bool { return !slices.Contains(f.resources[key], d) })
		}
		switch {
		case in(before):
		case len(before.resources[key]) == 0 && slices.ContainsFunc(stages, in):
			stage := after.model.String()
			further = append(further, fmt.Sprintf("%s in the %s stage (VK_SHADER_STAGE_%s_BIT)", key, strings.ToLower(stage),
				strings.ToUpper(stage)))
		default:
			return nil, fmt.Errorf("%s is another resource before", key)
		}
	}
	return further, nil
}

// slots is the number of locations that every device has (the limit maxVertexOutputComponents is at least 64).
const slots = 16

// linked checks that the fragment stage of after reads what the vertex stage of after declares. It accepts varyings
// that are the same as before.
func linked(before, after []*face) error {
	v, p := 0, 1
	if after[v].model != spirv.ExecutionModelVertex {
		v, p = 1, 0
	}
	for _, key := range slices.Sorted(maps.Keys(after[p].inputs)) {
		in, out := after[p].inputs[key], after[v].outputs[key]
		same := before[p].inputs[key] == in && before[v].outputs[key] == out
		switch {
		case in.builtin || same:
		case in.kind != out.kind:
			return fmt.Errorf("the types of the varying at %s differ between the stages of after", key)
		case in.integer && !in.flat:
			return fmt.Errorf("the varying at %s has integers, but is not flat", key)
		case in.end > slots:
			return fmt.Errorf("the varying at %s needs more than %d locations", key, slots)
		case out.relaxed && !in.relaxed:
			return fmt.Errorf("only the vertex stage declares the varying at %s with relaxed precision", key)
		}
	}
	return nil
}
