package sched

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// coder generates random code.
type coder struct {
	*rand.Rand
	c       *mir.Code
	family  r600.Family
	vals    []mir.Val // defined on every path so far
	ops     []r600.Op
	left    int
	aluOnly bool
	again   bool // values may be defined again
}

func newCoder(rnd *rand.Rand, f r600.Family, n int) *coder {
	g := &coder{Rand: rnd, c: mir.NewCode("random"), family: f, left: n}
	for op := r600.Op(1); int(op) < r600.Ops; op++ {
		if op.Slots(f) != r600.Absent && !op.Predicate() && !op.Kills() && !op.Address() && !op.Memory() {
			g.ops = append(g.ops, op)
			if op <= r600.OpMulAddIEEE { // the common ones
				g.ops = append(g.ops, op, op, op, op, op)
			}
		}
	}
	return g
}

func randomCode(rnd *rand.Rand, f r600.Family, n int, flat bool) *mir.Code {
	g := newCoder(rnd, f, n)
	g.aluOnly, g.again = flat, true
	for i := range 4 {
		g.vals = append(g.vals, g.c.Input(i/3, i%3))
	}
	body := g.region(0, 0)
	if !flat {
		body = append(body, g.export(&body)...)
	} else {
		e := &mir.Export{Regs: make([][4]mir.Val, 1)}
		v := g.c.NewVal()
		body = append(body, single(r600.OpMov, v, mir.V(g.vals[len(g.vals)-1])))
		e.Regs[0][0] = v
		body = append(body, e)
	}
	g.c.Body = body
	return g.c
}

func (g *coder) region(depth, loops int) mir.Region {
	var r mir.Region
	for g.left > 0 {
		k := g.IntN(100)
		switch {
		case g.aluOnly || k < 78:
			r = append(r, g.unit())
		case k < 86:
			r = append(r, g.fetch(&r))
		case k < 89:
			m := &mir.Memory{Op: r600.CFMemExport, Name: "WRITE", Mem: mir.Access{Space: mir.Space(1 + g.IntN(2)), Write: true}}
			m.Data, m.Index = g.tied(&r, 4, false), g.tied(&r, 1, false)
			r = append(r, m)
		case k < 91:
			r = append(r, single(r600.OpKillE, 0, g.arg(r600.OpKillE), g.arg(r600.OpKillE)))
		case k < 95 && depth < 3:
			it := &mir.If{Cond: g.cond()}
			outer := len(g.vals)
			it.Then = g.some(depth, loops)
			g.vals = g.vals[:outer]
			if g.IntN(2) == 0 {
				it.Else = g.some(depth, loops)
				g.vals = g.vals[:outer]
			}
			r = append(r, it)
		case k < 97 && depth < 3:
			outer := len(g.vals)
			body := g.some(depth, loops+1)
			body = append(body, &mir.Break{Cond: g.cond()})
			body = append(body, g.some(depth, loops+1)...)
			g.vals = g.vals[:outer]
			r = append(r, &mir.Loop{Body: body})
		case k < 98 && loops > 0:
			r = append(r, &mir.Break{Cond: g.cond()})
		case k < 99 && loops > 0:
			r = append(r, &mir.Continue{Cond: g.cond()})
		case depth > 0:
			return r
		}
	}
	return r
}

// some generates a short region.
func (g *coder) some(depth, loops int) mir.Region {
	all := g.left
	g.left = min(all, 1+g.IntN(20))
	n := g.left
	r := g.region(depth+1, loops)
	g.left = all - (n - g.left)
	return r
}

func (g *coder) val() mir.Val {
	n := len(g.vals)
	if n > 12 && g.IntN(4) > 0 {
		return g.vals[n-1-g.IntN(12)]
	}
	return g.vals[max(0, n-200)+g.IntN(min(n, 200))]
}

func (g *coder) arg(op r600.Op) mir.Arg {
	var a mir.Arg
	switch k := g.IntN(20); {
	case k < 14:
		a = mir.V(g.val())
	case k < 17:
		a = mir.K(g.IntN(2), g.IntN(60), uint8(g.IntN(4)))
		if g.IntN(10) == 0 {
			a.Rel = g.val()
		}
	default:
		a = mir.L([]uint32{0, 1, 0x3F800000, 0xBF800000, 0xBF000000, 0x40000000, 0x40400000, 7, 0x80000000,
			0xFFFFFFFF}[g.IntN(10)])
	}
	if op.FloatSources() {
		a.Neg = g.IntN(8) == 0
		a.Abs = !op.ThreeSource() && g.IntN(8) == 0
	}
	return a
}

// dst returns a new value, or an earlier one to redefine.
func (g *coder) dst() mir.Val {
	if g.again && g.IntN(12) == 0 {
		return g.val()
	}
	v := g.c.NewVal()
	if g.IntN(8) == 0 {
		v = g.c.NewValAt(g.IntN(4))
	}
	g.vals = append(g.vals, v)
	return v
}

func (g *coder) unit() *mir.ALU {
	g.left--
	op := g.ops[g.IntN(len(g.ops))]
	u := &mir.ALU{Slots: make([]mir.Slot, op.Slots(g.family).Width())}
	for i := range u.Slots {
		u.Slots[i].Op = op
		for j := range op.Sources() {
			u.Slots[i].Args[j] = g.arg(op)
			if i > 0 {
				u.Slots[i].Args[j].Rel = 0
				if u.Slots[i].Args[j].Kind != mir.ValArg {
					u.Slots[i].Args[j] = u.Slots[0].Args[j]
				}
			}
		}
	}
	switch {
	case len(u.Slots) == 1:
		u.Slots[0].Dst = g.dst()
		u.Slots[0].Clamp = op.FloatSources() && g.IntN(10) == 0
	case op.Reduces():
		first := g.IntN(4)
		for i := range u.Slots { // some in one channel
			if i == first || g.IntN(4) == 0 {
				u.Slots[i].Dst = g.c.NewVal()
				if g.IntN(3) == 0 {
					u.Slots[i].Dst = g.c.NewValAt(g.IntN(4))
				}
				g.vals = append(g.vals, u.Slots[i].Dst)
			}
		}
	default:
		for i := range u.Slots {
			if g.IntN(3) > 0 {
				u.Slots[i].Dst = g.c.NewValAt(i)
				g.vals = append(g.vals, u.Slots[i].Dst)
			}
		}
	}
	oneRel(u)
	return u
}

// oneRel leaves a unit at most one relative address.
func oneRel(u *mir.ALU) {
	var rel mir.Val
	for i := range u.Slots {
		for j := range u.Slots[i].Args {
			a := &u.Slots[i].Args[j]
			if rel != 0 && a.Rel != 0 {
				a.Rel = rel
			} else if a.Rel != 0 {
				rel = a.Rel
			}
		}
	}
}

func (g *coder) cond() *mir.ALU {
	u := single(r600.OpPredSetGT, 0, mir.V(g.val()), g.arg(r600.OpPredSetGT))
	oneRel(u)
	return u
}

// tied returns n defined values that may share a register, with copies if they cannot.
func (g *coder) tied(r *mir.Region, n int, export bool) (out [4]mir.Val) {
	for i := range n {
		out[i] = g.val()
	}
	ok := false
	if export {
		ok = g.c.TieExport(out)
	} else {
		ok = g.c.Tie(out[:]...)
	}
	if !ok {
		for i := range n {
			v := g.c.NewVal()
			*r = append(*r, single(r600.OpMov, v, mir.V(out[i])))
			out[i] = v
		}
		if export && !g.c.TieExport(out) || !export && !g.c.Tie(out[:]...) {
			panic("copies cannot be tied")
		}
	}
	return out
}

func (g *coder) fetch(r *mir.Region) *mir.Fetch {
	g.left--
	f := &mir.Fetch{Op: r600.FetchSample, Resource: g.IntN(4)}
	if g.IntN(4) == 0 {
		f.Op = r600.FetchVertex
		f.Mem = mir.Access{Space: mir.Space(1 + g.IntN(2))}
	}
	co := g.tied(r, 1+g.IntN(3), false)
	for i, v := range co {
		f.Coords[i] = mir.Coord{Val: v}
		if v == 0 {
			f.Coords[i].Sel = r600.SelMask
		}
	}
	for i := range 4 {
		if g.IntN(3) > 0 {
			f.Dst[i] = g.c.NewVal()
			g.vals = append(g.vals, f.Dst[i])
		}
	}
	g.c.Tie(f.Dst[:]...)
	return f
}

func (g *coder) export(r *mir.Region) mir.Region {
	var out mir.Region
	e := &mir.Export{}
	for range 1 + g.IntN(4) {
		e.Regs = append(e.Regs, g.tied(&out, 1+g.IntN(4), true))
	}
	return append(out, e)
}

// trials is the number of random programs for each target.
const trials = 250

func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"rv670", "rv770", "cypress"} {
		tg, err := chip.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range trials {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(n), 7))
				c := randomCode(rnd, tg.Family, 1+n/2, n%3 == 0)
				o := Options{NoPorts: n%10 == 9}
				s, err := newSchedule(c, tg, o)
				if err != nil {
					t.Fatal(err)
				}
				if err := machinetest.Obeys(s.Program, tg); err != nil && !o.NoPorts {
					t.Fatal(err)
				}
				same(t, s)
			})
		}
	}
}
