package spirv

import (
	"math"
	"strconv"
	"strings"
)

// maxName is the largest size of a name in bytes, and maxNames that of all names of a module. Further ids keep their
// numbers. Otherwise, the names of nested types would grow without bound. The largest module in our corpus has names of
// 17 kB.
const (
	maxName  = 255
	maxNames = 1 << 20
)

// names holds the names of ids that a text shows. They equal the names that spirv-dis prints: that of OpName, or one
// derived from a type or a constant, or the number.
type names struct {
	x       *index
	of      map[ID]string // names that are not the number
	known   []bool        // by id: it has a name, or keeps its number
	used    map[string]bool
	next    map[string]int // for a name in use: the next number to append
	size    int            // bytes of all names
	numeric bool           // all names are numbers
}

// newNames derives the names of all ids of a module.
func newNames(x *index) *names {
	n := &names{x: x, of: map[ID]string{}, known: make([]bool, len(x.first)), used: map[string]bool{},
		next: map[string]int{}}
	for i := range x.m.Insts {
		n.inst(&x.m.Insts[i])
	}
	return n
}

// id returns the name of an id.
func (n *names) id(id ID) string {
	if s, ok := n.of[id]; ok && !n.numeric {
		return s
	}
	return strconv.FormatUint(uint64(id), 10)
}

// save gives id a name unless it has one. If another id has the name, it appends a number. Names of digits only would
// look like numbers of other ids, so their ids keep their numbers; spirv-dis prints such names.
func (n *names) save(id ID, name string) {
	if n.has(id) {
		return
	}
	if int64(id) < int64(len(n.known)) {
		n.known[id] = true
	}
	if name = sanitize(name); len(name) > maxName || isDigits(name) || n.size > maxNames {
		return
	}
	full := name
	for n.used[full] {
		full = name + "_" + strconv.Itoa(n.next[name])
		n.next[name]++
	}
	n.of[id], n.used[full] = full, true
	n.size += len(full)
}

// has reports whether an id has a name.
func (n *names) has(id ID) bool {
	if int64(id) < int64(len(n.known)) {
		return n.known[id]
	}
	_, ok := n.of[id]
	return ok
}

// sanitize replaces the characters that a name cannot have.
func sanitize(name string) string {
	if name == "" {
		return "_"
	}
	b := []byte(name)
	for i, c := range b {
		if !isNameByte(c) {
			b[i] = '_'
		}
	}
	return string(b)
}

// isNameByte reports whether a name can have the character.
func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// inst gives names to the ids that an instruction names or defines.
func (n *names) inst(in *Inst) {
	switch {
	case in.Op == OpName && len(in.Args) > 1:
		s, _ := String(in.Args[1:])
		n.save(ID(in.Args[0]), s)
	case in.Op == OpDecorate && len(in.Args) > 2 && Decoration(in.Args[1]) == DecorationBuiltIn:
		if s := builtInName(BuiltIn(in.Args[2])); s != "" {
			n.save(ID(in.Args[0]), s)
		}
	case in.Result != 0:
		if name := n.derived(in); name != "" {
			n.save(in.Result, name)
		}
	}
}

// plainNames are the names of types and constants without operands.
var plainNames = map[Op]string{
	OpTypeVoid: "void", OpTypeBool: "bool", OpTypeEvent: "Event", OpTypeDeviceEvent: "DeviceEvent",
	OpTypeReserveId: "ReserveId", OpTypeQueue: "Queue", OpTypePipeStorage: "PipeStorage",
	OpTypeNamedBarrier: "NamedBarrier", OpConstantTrue: "true", OpConstantFalse: "false",
}

// derived returns the name of a type or a constant, or "" for other instructions.
func (n *names) derived(in *Inst) string {
	if name := plainNames[in.Op]; name != "" {
		return name
	}
	arg := func(i int) uint32 {
		if i < len(in.Args) {
			return in.Args[i]
		}
		return math.MaxUint32
	}
	id := func(i int) string { return n.id(ID(arg(i))) }
	switch in.Op {
	case OpTypeInt:
		return intName(arg(0), arg(1) != 0)
	case OpTypeFloat:
		return floatName(arg(0))
	case OpTypeVector:
		return "v" + strconv.Itoa(int(arg(1))) + id(0)
	case OpTypeMatrix:
		return "mat" + strconv.Itoa(int(arg(1))) + id(0)
	case OpTypeArray:
		return "_arr_" + id(0) + "_" + id(1)
	case OpTypeRuntimeArray:
		return "_runtimearr_" + id(0)
	case OpTypePointer:
		return "_ptr_" + StorageClass(arg(0)).String() + "_" + id(1)
	case OpTypePipe:
		return "Pipe" + AccessQualifier(arg(0)).String()
	case OpTypeOpaque:
		s, _ := String(in.Args)
		return "Opaque_" + sanitize(s)
	case OpTypeStruct:
		return "_struct_" + strconv.Itoa(int(in.Result))
	case OpConstant:
		if t, ok := n.x.number(in.Type); ok && len(in.Args) == t.words() {
			return n.id(in.Type) + "_" + strings.ReplaceAll(formatNumber(t, in.Args), "-", "n")
		}
	}
	return ""
}

// intName returns the name of an integer type.
func intName(width uint32, signed bool) string {
	name, prefix := map[uint32]string{8: "char", 16: "short", 32: "int", 64: "long"}[width], ""
	if name == "" {
		name, prefix = strconv.Itoa(int(width)), "i"
	}
	if !signed {
		prefix = "u"
	}
	return prefix + name
}

// floatName returns the name of a type of floating-point numbers.
func floatName(width uint32) string {
	if name := map[uint32]string{16: "half", 32: "float", 64: "double"}[width]; name != "" {
		return name
	}
	return "fp" + strconv.Itoa(int(width))
}

// builtInName returns the name of a variable with a decoration BuiltIn, or "". Names of GLSL start with gl_.
func builtInName(b BuiltIn) string {
	switch {
	case b <= BuiltInLocalInvocationIndex, b == BuiltInVertexIndex, b == BuiltInInstanceIndex, b == BuiltInBaseInstance:
		name := "gl_" + b.String()
		if b == BuiltInNumWorkgroups || b == BuiltInWorkgroupSize || b == BuiltInWorkgroupId {
			name = strings.Replace(name, "group", "Group", 1)
		}
		if s, ok := strings.CutSuffix(name, "Id"); ok {
			name = s + "ID"
		}
		return name
	case b <= BuiltInSubgroupLocalInvocationId, BuiltInSubgroupEqMask <= b && b <= BuiltInSubgroupLtMask:
		name := b.String()
		if strings.HasSuffix(name, "Mask") {
			name += "KHR"
		}
		return name
	}
	return ""
}
