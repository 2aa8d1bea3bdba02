package spvs

import (
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"
	"strings"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
	interp "github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// executor runs a lifted function for one invocation, with exact functions. It gives up where a result depends on
// neighbours or on coordinates of textures.
type executor struct {
	p       *Program
	names   *Names
	input   func(r ir.Reg) uint32
	word    func(r interp.Resource, offset uint32) uint32
	texel   func(r interp.Resource, component int) uint32
	values  []uint32
	memory  map[string]uint32
	stored  map[string]uint32 // of buffers
	killed  bool
	leaving []*ir.Value // the arguments of the last break
	steps   int
	err     error
}

var errGiveUp = errors.New("not executed")

func (e *executor) giveUp(why any) {
	if e.err == nil {
		e.err = fmt.Errorf("%w: %v", errGiveUp, why)
	}
}

// run executes the function.
func (e *executor) run() {
	e.values = make([]uint32, e.p.Func.NumValues())
	e.memory, e.stored = map[string]uint32{}, map[string]uint32{}
	e.region(e.p.Func.Body)
}

// region executes code and reports whether a break ended it.
func (e *executor) region(r *ir.Region) bool {
	for _, in := range r.Code {
		if e.steps++; e.steps > 1<<18 {
			e.giveUp("too many steps")
		}
		if e.err != nil {
			return true
		}
		switch in.Op {
		case ir.OpIf:
			side := in.Sub[1]
			if e.lane(in.Src[0][0]) != 0 {
				side = in.Sub[0]
			}
			if e.region(side) {
				return true
			}
			e.assign(in.Results, side.Results)
		case ir.OpLoop:
			e.assign(in.Sub[0].Params, in.Args)
			for !e.region(in.Sub[0]) {
				e.assign(in.Sub[0].Params, in.Sub[0].Results)
			}
			if e.err == nil {
				e.assign(in.Results, e.leaving)
			}
		case ir.OpBreak:
			if len(in.Src) == 0 || e.lane(in.Src[0][0]) != 0 {
				e.leaving = in.Args
				return true
			}
		default:
			e.instr(in)
		}
	}
	return false
}

// assign gives values those of others, read at the same moment.
func (e *executor) assign(to, from []*ir.Value) {
	words := make([]uint32, len(to))
	for i := range to {
		words[i] = e.value(from[i])
	}
	for i, v := range to {
		e.values[v.ID] = words[i]
	}
}

// value returns the word of a value.
func (e *executor) value(v *ir.Value) uint32 {
	switch v.Kind {
	case ir.Literal:
		return v.Bits
	case ir.Undef:
		return 0
	case ir.Input:
		if v.Home.File == BlockState || v.Home.File == ImageState {
			return 0
		}
		return e.input(v.Home)
	case ir.Uniform:
		return e.uniform(v.Home)
	}
	return e.values[v.ID]
}

// uniform returns a word of a block, or a specialization constant.
func (e *executor) uniform(r ir.Reg) uint32 {
	for _, b := range e.p.Blocks {
		if b.File == r.File {
			return e.word(resource(b), uint32(r.Index)*16+uint32(r.Comp)*4)
		}
	}
	return e.p.constantDefault(e.p.Func.Dialect.RegName(r))
}

// constantDefault returns the default of the specialization constant with a name.
func (p *Program) constantDefault(name string) uint32 {
	ids := map[string]spirv.ID{}
	for i := range p.Module.Insts {
		in := &p.Module.Insts[i]
		if in.Op == spirv.OpDecorate && spirv.Decoration(in.Args[1]) == spirv.DecorationSpecId {
			ids["constant "+constantKey(p.Entry.Model, in.Args[2])] = spirv.ID(in.Args[0])
		}
		if in.Result == 0 || in.Result != ids[name] {
			continue
		}
		switch in.Op {
		case spirv.OpSpecConstant:
			return in.Args[0]
		case spirv.OpSpecConstantTrue:
			return math.MaxUint32
		}
	}
	return 0
}

// resource returns the name of a block in the interpreter.
func resource(b Block) interp.Resource {
	if b.Class == 9 {
		return interp.Resource{Push: true}
	}
	return interp.Resource{Set: b.Set, Binding: b.Binding, Element: uint32(b.Element)}
}

// lane returns a lane with its modifiers.
func (e *executor) lane(l ir.Lane) uint32 {
	w := l.Mod.Apply(e.value(l.V))
	if l.Mod&ir.Not != 0 {
		if w == 0 {
			return math.MaxUint32
		}
		return 0
	}
	return w
}

// instr executes an instruction.
func (e *executor) instr(in *ir.Instr) {
	switch {
	case in.Op == ir.OpDiscard:
		e.killed = e.killed || e.lane(in.Src[0][0]) != 0
		return
	case in.Op.Has(ir.Memory):
		e.access(in)
		return
	case in.Op == ir.OpLoad:
		r := in.Base
		r.Index += uint16(e.lane(in.Src[0][0]))
		for i, v := range in.Out {
			if r.Comp = uint8(i); v != nil {
				e.values[v.ID] = e.uniform(r)
			}
		}
		return
	case in.Op == ir.OpTexelLoad:
		e.giveUp("a fetch of a texel, which may be out of range")
		return
	case in.Op == ir.OpFetchX:
		e.giveUp(e.names.name(nameAccess, int(in.Imm)-1))
		return
	case in.Op.Has(ir.IsFetch):
		key := e.names.name(nameTexture, int(in.Res.Unit))
		for i, v := range in.Out {
			if v != nil {
				e.values[v.ID] = e.texel(texture(key), i)
			}
		}
		return
	}
	var words [4]uint32
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		words[i] = ir.Eval(&algebra{}, in.Op, i, func(s, lane int) uint32 { return e.lane(in.Src[s][lane]) })
		if in.Mods&ir.Sat != 0 {
			words[i] = wordOf(max(min(math.Float32frombits(words[i]), 1), 0))
		}
	}
	for i, v := range in.Out {
		if v != nil {
			e.values[v.ID] = words[i]
		}
	}
}

// texture returns the image of a key of a texture.
func texture(key string) (r interp.Resource) {
	image, _, _ := strings.Cut(key, "/")
	if n, _ := fmt.Sscanf(image, "%d.%d[%d]", &r.Set, &r.Binding, &r.Element); n == 0 {
		fmt.Sscanf(image, "%d.%d", &r.Set, &r.Binding)
	}
	return r
}

// access executes a load or a store.
func (e *executor) access(in *ir.Instr) {
	if in.Base.File == ImageState || in.Op == ir.OpMemAtomic || in.Op == ir.OpFence {
		e.giveUp("an image, an atomic or a fence")
		return
	}
	address := e.lane(in.Src[0][0])
	element := uint32(0)
	if l := in.Src[0][1]; l.V != nil {
		element = e.lane(l)
	}
	place := func(i int) (key string, at uint32) {
		at = address + 4*uint32(i)
		if in.Base.File == Array {
			at = address*16 + 4*uint32(i)
		}
		return fmt.Sprint(in.Base, element, " ", at), at
	}
	if in.Op == ir.OpMemStore {
		for i, l := range in.Src[1] {
			if l.V == nil {
				continue
			}
			key, at := place(i)
			e.memory[key] = e.lane(l)
			for _, b := range e.p.Blocks {
				if in.Base.File == BlockState && b.Memory == in.Base.Index && !e.killed {
					r := resource(b)
					r.Element = element
					e.stored[fmt.Sprint(r, at)] = e.lane(l)
					break
				}
			}
		}
		return
	}
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		key, at := place(i)
		w, ok := e.memory[key]
		if !ok && in.Base.File == BlockState {
			for _, b := range e.p.Blocks {
				if b.Memory == in.Base.Index {
					r := resource(b)
					r.Element = element
					w = e.word(r, at)
				}
			}
		}
		e.values[v.ID] = w
	}
}

// algebra computes formulas on words. ir.Words lacks the functions whose values depend on a dialect.
type algebra struct{ ir.Words }

func (a *algebra) Call(p ir.Prim, args []uint32) uint32 {
	x := make([]float64, len(args))
	for i, w := range args {
		x[i] = float64(math.Float32frombits(w))
	}
	f := func(y float64) uint32 { return wordOf(float32(y)) }
	switch p.String() {
	case "rcpz":
		return f(1 / x[0])
	case "rsqz":
		return f(1 / math.Sqrt(x[0]))
	case "log2z":
		return f(math.Log2(x[0]))
	case "lnz":
		return f(math.Log(x[0]))
	case "clamp":
		return f(min(max(x[0], x[1]), x[2]))
	case "tan":
		return f(math.Tan(x[0]))
	case "asin":
		return f(math.Asin(x[0]))
	case "acos":
		return f(math.Acos(x[0]))
	case "atan2":
		return f(math.Atan2(x[0], x[1]))
	case "roundhalf":
		return f(math.RoundToEven(x[0]))
	case "ldexp":
		return f(math.Ldexp(x[0], int(int32(args[1]))))
	case "atan":
		return f(math.Atan(x[0]))
	case "dsx", "dsy": // all invocations of the quad are equal
		return 0
	case "f2f16":
		return half(args[0])
	case "f162f":
		return fromHalf(args[0])
	case "ffblo":
		if args[0] == 0 {
			return math.MaxUint32
		}
		return uint32(mathbits.TrailingZeros32(args[0]))
	case "ffbhi":
		if args[0] == 0 {
			return math.MaxUint32
		}
		return uint32(mathbits.LeadingZeros32(args[0]))
	case "ffbshi":
		w := args[0] ^ uint32(int32(args[0])>>31)
		if w == 0 {
			return math.MaxUint32
		}
		return uint32(mathbits.LeadingZeros32(w))
	case "ubitextract", "ibitextract":
		w := args[2] >> (args[1] & 31)
		if n := args[0] & 31; n > 0 {
			if w = w << (32 - n); p.String()[0] == 'i' {
				return uint32(int32(w) >> (32 - n))
			}
			return w >> (32 - n)
		}
		return 0
	case "ubitinsert":
		mask := (uint32(1)<<(args[0]&31) - 1) << (args[1] & 31)
		return args[2]<<(args[1]&31)&mask | args[3]&^mask
	}
	return a.Words.Call(p, args)
}

// half rounds a float to 16 bits. Numbers that are subnormal there become 0.
func half(w uint32) uint32 {
	sign, exponent := w>>16&0x8000, int(w>>23&255)-112
	switch {
	case exponent <= 0:
		return sign
	case exponent >= 31:
		return sign | 0x7c00
	}
	m := w & 0x7fffff
	return sign | (uint32(exponent)<<10 | m>>13) + (m>>12&1)&(m>>13&1|min(1, m&0xfff))
}

func fromHalf(h uint32) uint32 {
	sign, exponent, m := h&0x8000<<16, h>>10&31, h&0x3ff
	if exponent == 0 {
		return sign | wordOf(float32(m)/(1<<24))
	}
	return sign | (exponent+112)<<23 | m<<13
}
