package gen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Models lists the models of generated programs.
var Models = []d3d9.Model{d3d9.VS11, d3d9.VS20, d3d9.VS2X, d3d9.VS30, d3d9.PS20, d3d9.PS2X, d3d9.PS30}

// ProgramOf generates a program of about size instructions, fewer if the model has too few slots.
func ProgramOf(m d3d9.Model, seed uint64, size int) *d3d9.Program {
	return generate(m, seed, size, nil)
}

// ProgramFrom generates a program with decisions of src.
func ProgramFrom(src Source, m d3d9.Model, size int) *d3d9.Program {
	return reread(decided(src, m, size, nil), src.Chance(50))
}

// PairOf generates a vertex and a pixel program. The vertex program writes the varyings that the pixel
// program reads. The models must be both below 3.0 or both 3.0.
func PairOf(vertex, pixel d3d9.Model, seed uint64, size int) (vs, ps *d3d9.Program) {
	ps = generate(pixel, seed, size, nil)
	return generate(vertex, seed^0x9e3779b97f4a7c15, size, wants(ps)), ps
}

// pairFrom generates a pair with decisions of src.
func pairFrom(src Source, vertex, pixel d3d9.Model, size int) (vs, ps *d3d9.Program) {
	binary := src.Chance(50)
	ps = decided(src, pixel, size, nil)
	vs = decided(src, vertex, size, wants(ps))
	return reread(vs, binary), reread(ps, binary)
}

// maxTries bounds the attempts at a valid program. The generator knows the rules, so usually the first one
// is valid.
const maxTries = 64

// generate returns the program of a seed. Each attempt has its own stream.
func generate(m d3d9.Model, seed uint64, size int, wanted []port) *d3d9.Program {
	p, err := firstValid(m, size, wanted, func(try uint64) Source {
		return Seeded(seed, uint64(m.Token())<<8|try)
	})
	if err != nil {
		panic(fmt.Sprintf("gen: no valid program of %s for seed %d: %v", m, seed, err))
	}
	return reread(p, seed%2 == 0)
}

// decided generates a program with decisions of src; further attempts continue with the same source.
func decided(src Source, m d3d9.Model, size int, wanted []port) *d3d9.Program {
	p, err := firstValid(m, size, wanted, func(uint64) Source { return src })
	if err != nil {
		panic(fmt.Sprintf("gen: no valid program of %s: %v", m, err))
	}
	return p
}

// firstValid generates programs until one is valid.
func firstValid(m d3d9.Model, size int, wanted []port, source func(try uint64) Source) (p *d3d9.Program,
	err error) {
	for try := range uint64(maxTries) {
		g := newGen(m, source(try), size)
		p = &d3d9.Program{Model: m}
		if isFixed(m) {
			p.Insts = g.fixed()
		} else {
			p.Insts = g.program(wanted)
		}
		if err = d3d9.Validate(p).Err(); err == nil {
			return p, nil
		}
	}
	return nil, err
}

// reread writes p as text or bytecode and reads it back, so that it has the spelling and positions of a
// program from a file.
func reread(p *d3d9.Program, binary bool) *d3d9.Program {
	p.Binary = binary
	data, err := d3d9.Write(p)
	if err == nil {
		p, err = d3d9.Read("random", data)
	}
	if err != nil {
		panic("gen: a valid program cannot be written and read: " + err.Error())
	}
	return p
}

// gen is the state of a program under construction.
type gen struct {
	r   Source // makes all decisions
	m   d3d9.Model
	lim d3d9.Limits // of the model

	ops    []weighted // arithmetic instructions of the model
	decls  []d3d9.Inst
	code   []d3d9.Inst // of the current body
	subs   []*sub      // subroutines by label
	temps  int         // r0 to r(temps-1) are used
	inputs []input
	even   int                // inputs v0 to v(even-1) are declared in full, so that they may be indexed
	consts []uint16           // registers to read from, defined or not
	ints   [maxInts]loopRange // values of i#
	units  []unit             // samplers declared
	series [2]uint16          // of sincos before 3.0
	outs   []output
	placed d3d9.Reg // the position, if it is written separately
	recent []uint16 // recently written temporaries, preferred for reads

	left  int // statements wanted
	now   context
	env   env     // components written on every path to here
	head  env     // components that must not be spoiled: written before an enclosing loop
	order [32]int // length of the chain of texture reads behind each temporary; see chain

	used, reserved [2]int // slots: arithmetic and texture
	static         int    // statements of static flow control
}

// newGen chooses the instructions of the model, and a small number of temporaries, so that values are read.
func newGen(m d3d9.Model, r Source, size int) *gen {
	g := &gen{r: r, m: m, lim: m.Limits(), left: max(size, 1), now: context{reach: -1}}
	for _, c := range choices {
		if c.op.Exists(m) {
			g.ops = append(g.ops, c)
		}
	}
	most := g.lim.Regs[d3d9.Temp]
	g.temps = min(most, 2+r.IntN(most))
	return g
}

func (g *gen) chance(percent int) bool { return g.r.Chance(percent) }

// program generates all instructions.
func (g *gen) program(wanted []port) []d3d9.Inst {
	g.header()
	g.outputs(wanted)
	g.block(g.left)
	g.finish()
	insts := append(g.decls, g.code...)
	if len(g.subs) > 0 {
		insts = append(insts, d3d9.Inst{Op: d3d9.OpRet})
	}
	for i, s := range g.subs {
		insts = append(insts, d3d9.Inst{Op: d3d9.OpLabel, NSrc: 1, Src: [4]d3d9.Src{label(i)}})
		insts = append(insts, s.code...)
		insts = append(insts, d3d9.Inst{Op: d3d9.OpRet})
	}
	return insts
}

// slotCost returns the slots that in takes.
func (g *gen) slotCost(in *d3d9.Inst) [2]int {
	cube := false
	if in.Op.Kind() == d3d9.TextureOp && in.NSrc > 1 {
		for _, u := range g.units {
			cube = cube || u.index == in.Src[1].Index && u.tex == d3d9.TexCube
		}
	}
	a, t := in.Slots(g.m, cube)
	return [2]int{a, t}
}

// hasRoom reports whether the slots c are available besides the reserved ones.
func (g *gen) hasRoom(c [2]int) bool {
	a, t := g.used[0]+g.reserved[0]+c[0], g.used[1]+g.reserved[1]+c[1]
	return a <= g.lim.Arithmetic && t <= g.lim.Texture && a+t <= g.lim.Slots
}

// emit appends in if there is room for it.
func (g *gen) emit(in d3d9.Inst) bool {
	c := g.slotCost(&in)
	if !g.hasRoom(c) {
		return false
	}
	g.used[0] += c[0]
	g.used[1] += c[1]
	g.code = append(g.code, in)
	g.depend(&in)
	return true
}
