package iface

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/spirv"
)

// moduleTypes numbers types by content, alike in all modules of a comparison.
type moduleTypes map[string]int

// number returns the number of a description.
func (t moduleTypes) number(description string) int {
	n, ok := t[description]
	if !ok {
		n = len(t) + 1
		t[description] = n
	}
	return n
}

// decoration is a decoration of an id, or of a member of a struct.
type decoration struct {
	kind spirv.Decoration
	args []uint32
}

// target is an id, or a member of a struct: member is its number plus 1.
type target struct {
	id     spirv.ID
	member uint32
}

// moduleIndex finds definitions and decorations of a module.
type moduleIndex struct {
	*spirv.Module
	types       moduleTypes
	defs        map[spirv.ID]*spirv.Inst
	decorations map[target][]decoration
	numbered    map[spirv.ID]int // types by id
	sizes       map[spirv.ID]int // locations of types
}

// maxGrouped bounds the decorations that decoration groups add.
const maxGrouped = 1 << 16

// indexModule reads the definitions and decorations of m.
func indexModule(m *spirv.Module, types moduleTypes) (*moduleIndex, error) {
	x := &moduleIndex{Module: m, types: types, defs: map[spirv.ID]*spirv.Inst{}, decorations: map[target][]decoration{},
		numbered: map[spirv.ID]int{}, sizes: map[spirv.ID]int{}}
	decorate := func(t target, words []uint32) {
		if len(words) > 0 {
			x.decorations[t] = append(x.decorations[t], decoration{spirv.Decoration(words[0]), words[1:]})
		}
	}
	grouped := 0
	for i := range m.Insts {
		in := &m.Insts[i]
		if in.Result != 0 {
			x.defs[in.Result] = in
		}
		args := in.Args
		switch {
		case in.Op == spirv.OpDecorate && len(args) > 1:
			decorate(target{id: spirv.ID(args[0])}, args[1:])
		case in.Op == spirv.OpMemberDecorate && len(args) > 2:
			decorate(target{spirv.ID(args[0]), args[1] + 1}, args[2:])
		case in.Op == spirv.OpGroupDecorate && len(args) > 0, in.Op == spirv.OpGroupMemberDecorate && len(args) > 0:
			step := 1
			if in.Op == spirv.OpGroupMemberDecorate {
				step = 2
			}
			list := x.decorations[target{id: spirv.ID(args[0])}]
			for args = args[1:]; len(args) >= step; args = args[step:] {
				t := target{id: spirv.ID(args[0])}
				if step == 2 {
					t.member = args[1] + 1
				}
				if grouped += len(list); grouped > maxGrouped {
					return nil, fmt.Errorf("decoration groups add more than %d decorations", maxGrouped)
				}
				x.decorations[t] = append(x.decorations[t], list...)
			}
		}
	}
	return x, nil
}

// find returns the first decoration of a kind, or nil.
func (x *moduleIndex) find(t target, kind spirv.Decoration) *decoration {
	list := x.decorations[t]
	i := slices.IndexFunc(list, func(d decoration) bool { return d.kind == kind })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// literal returns the literal of a decoration.
func (x *moduleIndex) literal(t target, kind spirv.Decoration) (n uint32, ok bool) {
	d := x.find(t, kind)
	if d == nil || len(d.args) == 0 {
		return 0, false
	}
	return d.args[0], true
}

// describe lists those decorations of a target whose kinds are in the list, in one order.
func (x *moduleIndex) describe(t target, kinds []spirv.Decoration) string {
	var parts []string
	for _, d := range x.decorations[t] {
		if slices.Contains(kinds, d.kind) {
			parts = append(parts, fmt.Sprintf("%v%v", d.kind, d.args))
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), " ")
}

// layout are the decorations of members and types on which the layout of memory depends.
var layout = []spirv.Decoration{spirv.DecorationBlock, spirv.DecorationBufferBlock, spirv.DecorationRowMajor,
	spirv.DecorationColMajor, spirv.DecorationArrayStride, spirv.DecorationMatrixStride, spirv.DecorationOffset,
	spirv.DecorationNonWritable, spirv.DecorationNonReadable, spirv.DecorationCoherent, spirv.DecorationVolatile,
	spirv.DecorationRestrict, spirv.DecorationAliased}

// maxTypeDepth bounds the nesting of types.
const maxTypeDepth = 256

// typeNumber returns the number of a type. Equal types have equal numbers in all modules of a comparison. Types that do
// not exist, and those in cycles, have number 0.
func (x *moduleIndex) typeNumber(id spirv.ID, depth int) int {
	if n, ok := x.numbered[id]; ok {
		return n
	}
	in := x.defs[id]
	if in == nil || depth > maxTypeDepth {
		return 0
	}
	x.numbered[id] = 0
	parts := []string{in.Op.String(), x.describe(target{id: id}, layout)}
	of := func(word uint32) { parts = append(parts, fmt.Sprint(x.typeNumber(spirv.ID(word), depth+1))) }
	switch in.Op {
	case spirv.OpTypeStruct:
		for i, word := range in.Args {
			of(word)
			parts = append(parts, x.describe(target{id, uint32(i) + 1}, layout))
		}
	case spirv.OpTypeArray:
		if len(in.Args) > 1 {
			of(in.Args[0])
			parts = append(parts, x.constant(spirv.ID(in.Args[1])))
		}
	case spirv.OpTypePointer:
		parts = append(parts, fmt.Sprint(in.Args[:min(len(in.Args), 1)]))
	case spirv.OpTypeVector, spirv.OpTypeMatrix, spirv.OpTypeImage, spirv.OpTypeSampledImage, spirv.OpTypeRuntimeArray:
		if len(in.Args) > 0 {
			of(in.Args[0])
			parts = append(parts, fmt.Sprint(in.Args[1:]))
		}
	default:
		parts = append(parts, fmt.Sprint(in.Args))
	}
	n := x.types.number(strings.Join(parts, ";"))
	x.numbered[id] = n
	return n
}

// constant describes a constant: its words, and the number of a specialization constant.
func (x *moduleIndex) constant(id spirv.ID) string {
	in := x.defs[id]
	if in == nil {
		return "?"
	}
	n, spec := x.literal(target{id: id}, spirv.DecorationSpecId)
	words := fmt.Sprint(in.Args)
	if in.Op == spirv.OpSpecConstantOp || in.Op == spirv.OpSpecConstantComposite {
		words = "?"
	}
	return fmt.Sprintf("%v %v %v %v", in.Op, words, n, spec)
}

// maxLocations bounds the locations of a type.
const maxLocations = 1 << 16

// locations returns the number of locations that a type takes.
func (x *moduleIndex) locations(id spirv.ID) int {
	if n, ok := x.sizes[id]; ok {
		return n
	}
	in, n := x.defs[id], 1
	x.sizes[id] = n // in a cycle
	of := func(i int) int { return x.locations(spirv.ID(in.Args[i])) }
	switch {
	case in == nil:
	case in.Op == spirv.OpTypeVector && len(in.Args) > 1:
		if e := x.defs[spirv.ID(in.Args[0])]; e != nil && len(e.Args) > 0 && e.Args[0] == 64 && in.Args[1] > 2 {
			n = 2
		}
	case in.Op == spirv.OpTypeMatrix && len(in.Args) > 1:
		n = int(min(in.Args[1], 4)) * of(0)
	case in.Op == spirv.OpTypeArray && len(in.Args) > 1:
		if c := x.defs[spirv.ID(in.Args[1])]; c != nil && len(c.Args) > 0 {
			n = int(min(c.Args[0], maxLocations)) * of(0)
		}
	case in.Op == spirv.OpTypeStruct:
		n = 0
		for i := range in.Args {
			n = min(n+of(i), maxLocations)
		}
	}
	x.sizes[id] = min(n, maxLocations)
	return x.sizes[id]
}
