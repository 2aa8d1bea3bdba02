package lower

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// irMaker generates random functions on integers: branches, loops that end, fetches with scattered
// coordinates, and values with many uses at once.
type irMaker struct {
	*rand.Rand
	f     *ir.Func
	scope []*ir.Value
	loop  *ir.Instr
	left  int
}

func randomFunc(r *rand.Rand) *ir.Func {
	m := &irMaker{Rand: r, f: ir.NewFunc("random", ir.Abstract{}), left: 20 + r.IntN(80)}
	for i := range 6 {
		m.scope = append(m.scope, m.f.Leaf(ir.Input,
			ir.Reg{File: ir.File(il.Input), Index: uint16(i / 4), Comp: uint8(i % 4)}))
	}
	m.region(m.f.Body, 3)
	for i := range uint16(1 + r.IntN(3)) {
		for c := range uint8(4) {
			if r.IntN(6) > 0 {
				m.f.Outs = append(m.f.Outs, ir.Output{Reg: ir.Reg{File: ir.File(il.Output), Index: i, Comp: c}, V: m.value()})
			}
		}
	}
	return m.f
}

func (m *irMaker) value() *ir.Value {
	if m.IntN(8) == 0 {
		return m.f.Const([]uint32{0, 1, 0x3F800000, m.Uint32()}[m.IntN(4)])
	}
	if m.IntN(2) == 0 { // prefer the latest
		return m.scope[len(m.scope)-1-m.IntN(min(6, len(m.scope)))]
	}
	return m.scope[m.IntN(len(m.scope))]
}

// home returns one of few registers, so that values compete for them.
func (m *irMaker) home(c int) ir.Reg {
	return ir.Reg{File: ir.File(il.Temp), Index: uint16(m.IntN(3)), Comp: uint8(c)}
}

func (m *irMaker) region(r *ir.Region, depth int) {
	for n := 2 + m.IntN(7); n > 0 && m.left > 0; n-- {
		m.left--
		switch k := m.IntN(10); {
		case k == 0 && depth > 0:
			m.branch(r, depth-1)
		case k == 1 && depth > 0:
			m.makeLoop(r, depth-1)
		case k == 2 && m.loop != nil && depth > 0:
			m.leave(r, m.value())
		case k <= 4:
			m.instr(r, ir.OpFetch, 1, 0b11)
		default:
			ops := []ir.Op{ir.OpIAdd, ir.OpIXor, ir.OpIMul, ir.OpMov, ir.OpMov, ir.OpIMad, ir.OpSel, ir.OpULt}
			op := ops[m.IntN(len(ops))]
			m.instr(r, op, op.Info().NSrc, 0)
		}
	}
}

// instr adds an instruction that reads the lanes in reads, or those that it writes.
func (m *irMaker) instr(r *ir.Region, op ir.Op, nsrc int, reads uint8) {
	in := &ir.Instr{Op: op, Src: make([]ir.Operand, nsrc), Res: ir.Resource{Dim: ir.Dim2D, Unit: uint8(m.IntN(3))}}
	mask := uint8(1 + m.IntN(15))
	if reads == 0 {
		reads = mask
	}
	for s := range in.Src {
		for i := range 4 {
			if reads>>i&1 != 0 {
				in.Src[s][i].V = m.value()
			}
		}
	}
	home := m.home(0)
	for i := range 4 {
		if mask>>i&1 != 0 {
			home.Comp = uint8(i)
			m.scope = append(m.scope, m.f.Define(in, i, home))
		}
	}
	r.Code = append(r.Code, in)
}

func (m *irMaker) results(in *ir.Instr, n int) {
	for i := range n {
		v := m.f.NewValue(ir.Result, m.home(i&3))
		v.Def = in
		in.Results = append(in.Results, v)
	}
}

func (m *irMaker) branch(r *ir.Region, depth int) {
	in := &ir.Instr{Op: ir.OpIf, Src: []ir.Operand{ir.Splat(ir.Lane{V: m.value()})}}
	m.results(in, m.IntN(5))
	outer := len(m.scope)
	for range 2 {
		sub := &ir.Region{}
		if m.IntN(3) > 0 {
			m.region(sub, depth)
		}
		for range in.Results {
			sub.Results = append(sub.Results, m.value())
		}
		in.Sub = append(in.Sub, sub)
		m.scope = m.scope[:outer]
	}
	r.Code = append(r.Code, in)
	m.scope = append(m.scope, in.Results...)
}

// makeLoop adds a loop that counts its first parameter down from a small number.
func (m *irMaker) makeLoop(r *ir.Region, depth int) {
	in := &ir.Instr{Op: ir.OpLoop}
	n := 1 + m.IntN(5)
	m.results(in, n)
	body := &ir.Region{}
	in.Sub = []*ir.Region{body}
	in.Args = append(in.Args, m.f.Const(1+m.Uint32N(4)))
	for len(in.Args) < n {
		in.Args = append(in.Args, m.value())
	}
	outer, outerLoop := len(m.scope), m.loop
	for i := range n {
		body.Params = append(body.Params, m.f.NewValue(ir.Param, m.home(i&3)))
	}
	m.scope = append(m.scope, body.Params...)
	m.loop = in
	m.region(body, depth)
	done := &ir.Instr{Op: ir.OpIEq, Src: []ir.Operand{ir.Splat(ir.Lane{V: body.Params[0]}),
		ir.Splat(ir.Lane{V: m.f.Const(0)})}}
	over := m.f.Define(done, 0, ir.Reg{})
	next := &ir.Instr{Op: ir.OpIAdd, Src: []ir.Operand{ir.Splat(ir.Lane{V: body.Params[0]}),
		ir.Splat(ir.Lane{V: m.f.Const(0xFFFFFFFF)})}}
	body.Code = append(body.Code, done)
	m.leave(body, over)
	body.Results = []*ir.Value{m.f.Define(next, 0, ir.Reg{})}
	body.Code = append(body.Code, next)
	for len(body.Results) < n {
		body.Results = append(body.Results, m.value())
	}
	m.loop, m.scope = outerLoop, m.scope[:outer]
	r.Code = append(r.Code, in)
	m.scope = append(m.scope, in.Results...)
}

func (m *irMaker) leave(r *ir.Region, cond *ir.Value) {
	in := &ir.Instr{Op: ir.OpBreak, Src: []ir.Operand{ir.Splat(ir.Lane{V: cond})}}
	for range m.loop.Results {
		in.Args = append(in.Args, m.value())
	}
	r.Code = append(r.Code, in)
}

// irRun executes a generated function.
type irRun struct {
	vals  []uint32
	broke []uint32 // results of the innermost loop
	steps int
}

func fetchedWord(unit int, x, y uint32, c int) uint32 {
	h := x*0x9E3779B1 ^ y*0x85EBCA77 ^ uint32(unit)<<20 ^ uint32(c)*0xC2B2AE3D
	return h ^ h>>15
}

func (r *irRun) word(v *ir.Value) uint32 {
	if v.Kind == ir.Literal {
		return v.Bits
	}
	return r.vals[v.ID]
}

func (r *irRun) words(vs []*ir.Value) (out []uint32) {
	for _, v := range vs {
		out = append(out, r.word(v))
	}
	return out
}

func (r *irRun) put(vs []*ir.Value, words []uint32) {
	for i, v := range vs {
		r.vals[v.ID] = words[i]
	}
}

// region reports whether a break was met.
func (r *irRun) region(code []*ir.Instr) bool {
	for _, in := range code {
		r.steps++
		switch in.Op {
		case ir.OpIf:
			sub := in.Sub[1]
			if r.word(in.Src[0][0].V) != 0 {
				sub = in.Sub[0]
			}
			if r.region(sub.Code) {
				return true
			}
			r.put(in.Results, r.words(sub.Results))
		case ir.OpLoop:
			body := in.Sub[0]
			next := r.words(in.Args)
			for r.steps < maxRunSteps {
				r.put(body.Params, next)
				if r.region(body.Code) {
					break
				}
				next = r.words(body.Results)
			}
			r.put(in.Results, r.broke)
		case ir.OpBreak:
			if r.word(in.Src[0][0].V) != 0 {
				r.broke = r.words(in.Args)
				return true
			}
		case ir.OpFetch:
			for i, v := range in.Out {
				if v != nil {
					r.vals[v.ID] = fetchedWord(int(in.Res.Unit), r.word(in.Src[0][0].V), r.word(in.Src[0][1].V), i)
				}
			}
		default:
			var out [4]uint32
			for i, v := range in.Out {
				if v != nil {
					out[i] = ir.Eval(&ir.Words{}, in.Op, i, func(s, k int) uint32 { return r.word(in.Src[s][k].V) })
				}
			}
			for i, v := range in.Out {
				if v != nil {
					r.vals[v.ID] = out[i]
				}
			}
		}
	}
	return false
}

// TestLowerRandom checks that lowered random functions compute the same, and that tied values have
// a common register.
func TestLowerRandom(t *testing.T) {
	t.Parallel()
	moves, ops := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		f := randomFunc(r)
		if err := f.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		target, _ := chip.ByName([]string{"rv670", "cypress"}[seed%2])
		c, err := Kernel(f, target)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := c.Complete(target); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, f)
		}
		n, _ := opsAndFetches(c.Body)
		ops += n
		moves += countOps(c.Body, r600.OpMov)
		for range 3 {
			in := make([]uint32, 8)
			for i := range in {
				in[i] = r.Uint32N(3) * r.Uint32()
			}
			want := &irRun{vals: make([]uint32, f.NumValues())}
			for i := range 6 {
				want.vals[f.Leaf(ir.Input, ir.Reg{File: ir.File(il.Input), Index: uint16(i / 4), Comp: uint8(i % 4)}).ID] = in[i]
			}
			want.region(f.Body.Code)
			got := &codeRun{t: t, family: target.Family, vals: make([]uint32, c.Vals()), out: map[int][4]uint32{}}
			got.fetch = func(f *mir.Fetch, co [4]uint32) (out [4]uint32) {
				for i := range out {
					out[i] = fetchedWord(f.Resource, co[0], co[1], i)
				}
				return out
			}
			used := inputRegisters(f)
			got.start(c, func(reg, ch int) uint32 { return in[4*used[reg]+ch] })
			for _, o := range f.Outs {
				if g, w := got.out[int(o.Reg.Index)][o.Reg.Comp], want.word(o.V); g != w {
					t.Fatalf("seed %d: o%d.%d is %#x, not %#x\n%s\n%s", seed, o.Reg.Index, o.Reg.Comp, g, w, f, codeString(c))
				}
			}
		}
	}
	t.Logf("%d operations, %d of them moves", ops, moves)
}

// inputRegisters returns the numbers of the inputs that f reads, by register.
func inputRegisters(f *ir.Func) (used []int) {
	seen := [2]bool{}
	see := func(v *ir.Value) {
		if v.Kind == ir.Input {
			seen[v.Home.Index] = true
		}
	}
	f.Walk(func(in *ir.Instr) { in.EachUse(func(l *ir.Lane) { see(l.V) }) })
	for _, o := range f.Outs {
		see(o.V)
	}
	for i, s := range seen {
		if s {
			used = append(used, i)
		}
	}
	return used
}

// countOps returns the number of units of r with op.
func countOps(r mir.Region, op r600.Op) (n int) {
	for _, it := range r {
		switch it := it.(type) {
		case *mir.ALU:
			if it.Slots[0].Op == op {
				n++
			}
		case *mir.If:
			n += countOps(it.Then, op) + countOps(it.Else, op)
		case *mir.Loop:
			n += countOps(it.Body, op)
		}
	}
	return n
}

// codeString prints code for failing tests.
func codeString(c *mir.Code) string {
	var out []byte
	var region func(r mir.Region, indent string)
	region = func(r mir.Region, indent string) {
		for _, it := range r {
			switch it := it.(type) {
			case *mir.ALU:
				for i := range it.Slots {
					s := &it.Slots[i]
					out = fmt.Appendf(out, "%s%d = %v", indent, s.Dst, s.Op)
					for j := range s.Op.Sources() {
						switch a := s.Args[j]; a.Kind {
						case mir.ValArg:
							out = fmt.Appendf(out, " %d", a.Val)
						default:
							out = fmt.Appendf(out, " %#x", a.Bits)
						}
					}
					out = append(out, '\n')
				}
			case *mir.Fetch:
				out = fmt.Appendf(out, "%s%v = fetch%d %v\n", indent, it.Dst, it.Resource, it.Coords)
			case *mir.Export:
				out = fmt.Appendf(out, "%sexport %v\n", indent, it.Regs)
			case *mir.If:
				out = fmt.Appendf(out, "%sif %v %d\n", indent, it.Cond.Slots[0].Op, it.Cond.Slots[0].Args[0].Val)
				region(it.Then, indent+"  ")
				out = fmt.Appendf(out, "%selse\n", indent)
				region(it.Else, indent+"  ")
			case *mir.Loop:
				out = fmt.Appendf(out, "%sloop\n", indent)
				region(it.Body, indent+"  ")
			case *mir.Break:
				out = fmt.Appendf(out, "%sbreak", indent)
				if it.Cond != nil {
					out = fmt.Appendf(out, " unless %v %d", it.Cond.Slots[0].Op, it.Cond.Slots[0].Args[0].Val)
				}
				out = append(out, '\n')
			}
		}
	}
	for _, in := range c.Inputs {
		out = fmt.Appendf(out, "%d = R%d.%d\n", in.Val, in.Reg, in.Chan)
	}
	region(c.Body, "")
	return string(out)
}
