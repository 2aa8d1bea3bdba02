package lower

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// finish takes the draft out of SSA form. settle chooses the values that share registers, sequence
// turns parallel copies into moves, and a finisher renames classes to values of the program.
func (l *lowerer) finish(body mir.Region) *mir.Code {
	body, c := l.settle(body)
	body = l.sequence(body, c)
	f := &finisher{classes: c, code: mir.NewCode(l.f.Name), vals: make([]mir.Val, len(l.vals))}
	f.code.Grow(len(l.vals))
	f.inputs()
	f.region(body)
	f.tieClasses()
	f.code.Body = body
	return f.code
}

// sequence replaces copies by moves.
func (l *lowerer) sequence(r mir.Region, c *classes) mir.Region {
	var out mir.Region // copy of a region that has copies
	for i, it := range r {
		switch it := it.(type) {
		case *mir.If:
			it.Then, it.Else = l.sequence(it.Then, c), l.sequence(it.Else, c)
		case *mir.Loop:
			it.Body = l.sequence(it.Body, c)
		case *copies:
			if out == nil {
				out = append(make(mir.Region, 0, len(r)+len(it.dst)), r[:i]...)
			}
			out = l.moves(out, it, c)
			continue
		}
		if out != nil {
			out = append(out, it)
		}
	}
	if out == nil {
		return r
	}
	return out
}

// moving holds the remaining moves of a set of copies. Successive sets reuse its memory.
type moving struct {
	dst   []mir.Val // classes
	src   []mir.Arg
	reads map[mir.Val]int // by class: remaining moves that read it
}

// moves appends parallel copies as a sequence of moves. A copy is ready when no remaining copy
// reads its destination. If none is ready, they form cycles, and one is broken by saving its
// destination in a new value. This is algorithm 1 of Boissinot et al., Revisiting Out-of-SSA
// Translation for Correctness, Code Quality, and Efficiency, CGO 2009. Copies within a class need
// no move.
func (l *lowerer) moves(out mir.Region, it *copies, c *classes) mir.Region {
	mov := func(to mir.Val, a mir.Arg) {
		out = append(out, l.single(mir.Slot{Op: r600.OpMov, Dst: to, Args: [3]mir.Arg{a}}, it.line))
	}
	l.moving.reads = emptied(l.moving.reads)
	dst, src, reads := l.moving.dst[:0], l.moving.src[:0], l.moving.reads
	for i, a := range it.src {
		to := c.find(it.dst[i])
		if a.Kind == mir.ValArg {
			if c.find(a.Val) == to && !a.Neg && !a.Abs {
				continue
			}
			reads[c.find(a.Val)]++
		}
		if a.Rel != 0 {
			reads[c.find(a.Rel)]++
		}
		dst, src = append(dst, to), append(src, a)
	}
	l.moving.dst, l.moving.src = dst, src
	for len(dst) > 0 {
		kept := 0
		for i, to := range dst {
			own := 0 // reads by the move itself do not block it
			for _, v := range []mir.Val{src[i].Val, src[i].Rel} {
				if v != 0 && c.find(v) == to {
					own++
				}
			}
			if reads[to] > own {
				dst[kept], src[kept] = to, src[i]
				kept++
				continue
			}
			mov(to, src[i])
			for _, v := range []mir.Val{src[i].Val, src[i].Rel} {
				if v != 0 {
					reads[c.find(v)]--
				}
			}
		}
		if kept == len(dst) { // a cycle: save the destination of the first
			to := c.find(dst[0])
			saved := l.newVal()
			c.parent, c.spans, c.groups = append(c.parent, saved), append(c.spans, nil), append(c.groups, nil)
			mov(saved, mir.V(to))
			for i := range src {
				if src[i].Val != 0 && c.find(src[i].Val) == to {
					src[i].Val = saved
				}
				if src[i].Rel != 0 && c.find(src[i].Rel) == to {
					src[i].Rel = saved
				}
			}
			reads[saved], reads[to] = reads[to], 0
		}
		dst, src = dst[:kept], src[:kept]
	}
	return out
}

// finisher assigns a value of the program to each class.
type finisher struct {
	*classes
	code *mir.Code
	vals []mir.Val // by class
	list []mir.Val // classes in the order of their first occurrence
}

func (f *finisher) inputs() {
	for v := mir.Val(1); int(v) < len(f.l.vals) && f.l.vals[v].reg != 0; v++ {
		d := &f.l.vals[v]
		c := f.find(v)
		f.vals[c] = f.code.Input(int(d.reg)-1, int(d.home.Comp))
		in := &f.code.Inputs[len(f.code.Inputs)-1]
		in.Holds, in.Home = builtin(d.home), d.home
		f.list = append(f.list, c)
	}
}

// finalVal returns the value of the program for a value of the draft.
func (f *finisher) finalVal(v mir.Val) mir.Val {
	if v == 0 {
		return 0
	}
	c := f.find(v)
	for len(f.vals) <= int(c) {
		f.vals = append(f.vals, 0)
	}
	if f.vals[c] == 0 {
		d := &f.l.vals[c]
		f.vals[c] = f.code.NewValAt(int(d.channel))
		if d.channel == mir.AnyChan && d.hint != mir.AnyChan {
			f.code.Prefer(f.vals[c], int(d.hint))
		}
		f.list = append(f.list, c)
	}
	return f.vals[c]
}

func (f *finisher) region(r mir.Region) {
	for _, it := range r {
		f.finishItem(it)
	}
}

func (f *finisher) finishItem(it mir.Item) {
	switch it := it.(type) {
	case *mir.ALU:
		f.finishALU(it)
	case *mir.Fetch:
		for _, s := range it.Setup {
			f.finishItem(s)
		}
		for i := range it.Coords {
			it.Coords[i].Val = f.finalVal(it.Coords[i].Val)
		}
		f.finishFour(&it.Dst)
	case *mir.Memory:
		f.finishFour(&it.Index)
		f.finishFour(&it.Data)
	case *mir.Export:
		for i := range it.Regs {
			f.finishFour(&it.Regs[i])
		}
	case *mir.If:
		f.finishALU(it.Cond)
		f.region(it.Then)
		f.region(it.Else)
	case *mir.Loop:
		f.region(it.Body)
	case *mir.Break:
		if it.Cond != nil {
			f.finishALU(it.Cond)
		}
	}
}

func (f *finisher) finishALU(u *mir.ALU) {
	for i := range u.Slots {
		s := &u.Slots[i]
		for j := range s.Args {
			s.Args[j].Val, s.Args[j].Rel = f.finalVal(s.Args[j].Val), f.finalVal(s.Args[j].Rel)
		}
		s.Dst = f.finalVal(s.Dst)
	}
}

func (f *finisher) finishFour(vals *[4]mir.Val) {
	for i := range vals {
		vals[i] = f.finalVal(vals[i])
	}
}

// tieClasses ties the classes of each tuple in the program.
func (f *finisher) tieClasses() {
	var room [4]mir.Val
	for _, c := range f.list {
		g := f.groups[c]
		if g == nil || g.told {
			continue
		}
		g.told = true
		vals := room[:0]
		for _, m := range g.members {
			if int(m) < len(f.vals) && f.vals[m] != 0 {
				vals = append(vals, f.vals[m])
			}
		}
		if !f.code.Tie(vals...) {
			panic("lower: values that were found to fit a register do not")
		}
	}
}
