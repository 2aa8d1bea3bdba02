package iface

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	interp "github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// WordKinds returns a function that returns the types of words of buffers and of texels, by the declarations of both
// versions. Words without a declaration are floats.
func WordKinds(stages []ModuleStage) (func(r interp.Resource, offset uint32) interp.Kind, error) {
	type resource struct {
		x    *moduleIndex
		kind spirv.ID
	}
	list := map[interp.Resource]resource{}
	for _, s := range stages {
		x, err := indexModule(s.Module, moduleTypes{})
		if err != nil {
			return nil, err
		}
		for i := range s.Module.Insts {
			in := &s.Module.Insts[i]
			id := in.Result
			t := x.pointee(id)
			if t == nil {
				continue
			}
			set, bound := x.literal(target{id: id}, spirv.DecorationDescriptorSet)
			binding, _ := x.literal(target{id: id}, spirv.DecorationBinding)
			r := interp.Resource{Set: set, Binding: binding, Push: spirv.StorageClass(in.Args[0]) == spirv.StorageClassPushConstant}
			if _, known := list[r]; (bound || r.Push) && !known {
				list[r] = resource{x, t.Result}
			}
		}
	}
	return func(r interp.Resource, offset uint32) interp.Kind {
		r.Element = 0
		if of, ok := list[r]; ok {
			return of.x.wordKind(of.kind, offset)
		}
		return interp.Float
	}, nil
}

// wordKind returns the type of the word at an offset in memory of a type, or of the texels of an image.
func (x *moduleIndex) wordKind(kind spirv.ID, offset uint32) interp.Kind {
	for range maxTypeDepth {
		in := x.defs[kind]
		if in == nil || len(in.Args) == 0 {
			return interp.Float
		}
		member := 0
		switch in.Op {
		case spirv.OpTypeFloat:
			return interp.Float
		case spirv.OpTypeInt:
			if len(in.Args) > 1 && in.Args[1] != 0 {
				return interp.Int
			}
			return interp.Uint
		case spirv.OpTypeStruct:
			best := uint32(0)
			for i := range in.Args {
				if at, _ := x.literal(target{kind, uint32(i) + 1}, spirv.DecorationOffset); at <= offset && at >= best {
					member, best = i, at
				}
			}
			offset -= best
		case spirv.OpTypeArray, spirv.OpTypeRuntimeArray:
			if stride, _ := x.literal(target{id: kind}, spirv.DecorationArrayStride); stride > 0 {
				offset %= stride
			}
		}
		kind = spirv.ID(in.Args[member])
	}
	return interp.Float
}
