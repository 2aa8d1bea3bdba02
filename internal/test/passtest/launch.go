package passtest

import (
	"math"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// The standard launch of a kernel, for kernels whose real launches are unknown.
const (
	LaunchSide     = 256 // threads along a side of the domain, or their square in groups
	LaunchConstant = 64  // value of every constant: most are sizes, and control trip counts
)

// StandardLaunch returns the standard launch of the kernel k, lifted to f, for comparisons. The domain is a
// square of threads. Resources have that size, with elements of four floats, or of one float if the
// kernel fetches single components. All constants have the same value. The operations that read a
// constant decide whether it is an integer or a float.
func StandardLaunch(k *il.Kernel, f *ir.Func) *sim.Launch {
	l := &sim.Launch{Width: LaunchSide, Height: LaunchSide, Resources: map[int]sim.Surface{}}
	if k.Stage == il.Compute {
		l.Group = [3]int{64, 1, 1}
	}
	for i := range k.Insts {
		switch in := &k.Insts[i]; in.Op {
		case il.OpDclNumThreadPerGroup:
			for d := range 3 {
				l.Group[d] = 1
				if d < int(in.NImm) {
					l.Group[d] = max(1, min(int(in.Imm[d]), 1<<10))
				}
			}
		case il.OpDclResource:
			s := sim.Surface{Width: LaunchSide, Height: LaunchSide, Bytes: 16}
			if in.Ctl.Tex == il.TexBuffer || in.Ctl.Tex == il.Tex1D {
				s = sim.Surface{Width: LaunchSide * LaunchSide, Height: 1, Bytes: 16, Linear: true}
			}
			l.Resources[int(in.Ctl.ID)] = s
		}
	}
	// The launch has about as many threads as the domain has elements, in a row.
	if k.Stage == il.Compute {
		l.Groups = [3]int{max(1, LaunchSide*LaunchSide/(l.Group[0]*l.Group[1]*l.Group[2])), 1, 1}
	}
	// A resource has elements of 4 bytes if only single components of it are fetched, otherwise of
	// 16.
	single := map[int]bool{}
	f.Walk(func(in *ir.Instr) {
		if in.Op.Has(ir.IsFetch) {
			unit := int(in.Res.Unit)
			old, seen := single[unit]
			single[unit] = in.Mask()&(in.Mask()-1) == 0 && (old || !seen)
		}
	})
	for unit, s := range l.Resources {
		if single[unit] {
			s.Bytes = 4
			l.Resources[unit] = s
		}
	}
	l.Constants = constants(f)
	return l
}

// constants returns the constant buffers of f. Every constant that is read has the value
// LaunchConstant: as a float if more of its readers are float operations than integer ones.
func constants(f *ir.Func) (buffers [][][4]uint32) {
	t := newTyping(f)
	f.Walk(t.instr)
	set := func(v *ir.Value) {
		if v.Kind != ir.Uniform || v.Home.File != ir.File(il.ConstBuf) {
			return
		}
		buffer, element := amdil.Constant(v.Home)
		for len(buffers) <= buffer {
			buffers = append(buffers, nil)
		}
		for len(buffers[buffer]) <= element {
			buffers[buffer] = append(buffers[buffer], [4]uint32{})
		}
		x := uint32(LaunchConstant)
		if t.floats[t.root(v.ID)] > t.ints[t.root(v.ID)] {
			x = math.Float32bits(LaunchConstant)
		}
		buffers[buffer][element][v.Home.Comp] = x
	}
	f.Walk(func(in *ir.Instr) { in.EachUse(func(lane *ir.Lane) { set(lane.V) }) })
	for _, o := range f.Outs {
		set(o.V)
	}
	return buffers
}

// typing is a vote on whether values are integers or floats, since IL registers have no types.
// Values that moves, branches and loops connect have one type (union-find), and each operation that
// reads a value votes for its type.
type typing struct {
	same         []ir.ID // union-find
	ints, floats []int   // readers, by root
}

func newTyping(f *ir.Func) *typing {
	n := f.NumValues()
	t := &typing{same: make([]ir.ID, n), ints: make([]int, n), floats: make([]int, n)}
	for i := range t.same {
		t.same[i] = ir.ID(i)
	}
	return t
}

func (t *typing) root(v ir.ID) ir.ID {
	for t.same[v] != v {
		t.same[v] = t.same[t.same[v]]
		v = t.same[v]
	}
	return v
}

func (t *typing) join(a, b *ir.Value) {
	if a.Kind == ir.Literal || b.Kind == ir.Literal {
		return
	}
	x, y := t.root(a.ID), t.root(b.ID)
	if x == y {
		return
	}
	t.same[x] = y
	t.ints[y] += t.ints[x]
	t.floats[y] += t.floats[x]
}

// instr joins the values that an instruction connects, or counts its operands as votes. The
// condition of a select and the data of a store do not vote.
func (t *typing) instr(in *ir.Instr) {
	switch {
	case in.Op == ir.OpMov:
		for i, v := range in.Out {
			if v != nil {
				t.join(in.Src[0][i].V, v)
			}
		}
		return
	case in.Op == ir.OpLoop:
		body := in.Sub[0]
		for k, p := range body.Params {
			t.join(in.Args[k], p)
			t.join(body.Results[k], p)
			t.join(in.Results[k], p)
		}
		return
	case in.Op == ir.OpIf:
		for k, v := range in.Results {
			for _, sub := range in.Sub {
				t.join(sub.Results[k], v)
			}
		}
		return
	}
	votes := t.floats
	switch {
	case in.Op.Has(ir.Structured):
		return
	case in.Op.Has(ir.Integers), in.Op.Has(ir.Memory):
		votes = t.ints
	}
	for s := range in.Src {
		if in.Op == ir.OpSel && s == 0 || in.Op == ir.OpMemStore && s == 1 {
			continue
		}
		in.Src[s].EachLane(func(_ int, lane *ir.Lane) { votes[t.root(lane.V.ID)]++ })
	}
}
