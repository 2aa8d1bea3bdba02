package kernel

import (
	"math"
	"sync/atomic"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// launch is the state that the machines of a run share: memory and the remaining steps. Machines write to
// memory without locks. A program with visible stores runs on one machine; without stores, each machine
// writes only its own elements.
type launch struct {
	c         *Case
	banks     [Banks][]uint32  // constant buffers, four words an element
	icb, ints []uint32         // immediate constant buffer and ci#
	textures  map[int]*texture // by number, like those below
	global    []uint32
	views     map[int]*viewMemory
	inputs    map[int]*Data
	words     map[int][]uint32 // of inputs that are not linear
	left      atomic.Int64     // steps that no machine has claimed
	taken     atomic.Int64     // steps that were executed
	budget    *budget.Budget
	seed      uint64 // seed of initial register values
	// scale, offset and within are those of [Options].
	scale, offset, within [2]int
}

// place returns coordinate n, across (axis 0) or down (1), under the Options: scaled and moved, then
// clamped. Verification compares coarser kernels with the original through it.
func (l *launch) place(n, axis int) int {
	if l.scale[axis] != 0 {
		n = l.scale[axis]*n + l.offset[axis]
	}
	if l.within[axis] > 0 {
		n = min(n, l.within[axis]-1)
	}
	return n
}

// flatten returns the words of constants, which must not be changed.
func flatten(elements [][4]uint32) []uint32 {
	w := make([]uint32, 0, 4*len(elements))
	for i := range elements {
		w = append(w, elements[i][:]...)
	}
	return w
}

// newLaunch allocates the memory of a case that the program uses.
func newLaunch(p *Program, c *Case) *launch {
	l := &launch{c: c, textures: map[int]*texture{}, views: map[int]*viewMemory{}, inputs: map[int]*Data{},
		words: map[int][]uint32{}}
	for i := range c.Constants {
		l.banks[i] = flatten(c.Constants[i])
	}
	l.icb, l.ints = flatten(c.Immediate), flatten(c.Ints)
	for i := range c.Inputs {
		in := &c.Inputs[i]
		l.inputs[in.Reg] = &in.Data
		if in.Data.Kind != Linear {
			l.words[in.Reg] = in.Data.words(4*c.Width*c.Height, false)
		}
	}
	for i := range c.Resources {
		r := &c.Resources[i]
		n := r.Width * r.Height * r.Depth * r.Format.Components()
		l.textures[r.ID] = &texture{r.Width, r.Height, r.Depth, r.Format, r.Data.words(n, r.Format == Uint4)}
	}
	if c.Global != nil && p.global {
		l.global = c.Global.Data.fresh(4 * c.Global.Elements)
	}
	for _, v := range p.views {
		if l.views[v.id] == nil {
			l.views[v.id] = &viewMemory{}
		}
	}
	for i := range c.Views {
		v := &c.Views[i]
		if mem := l.views[v.ID]; mem != nil {
			*mem = viewMemory{w: v.Width, h: v.Height, d: v.Depth, words: v.Data.fresh(4 * v.Width * v.Height * v.Depth)}
		}
	}
	return l
}

// array returns the words of a read-only array or of g[].
func (l *launch) array(r il.Reg) []uint32 {
	switch r.File {
	case il.ConstBuf:
		return l.banks[r.Num]
	case il.ImmConstBuf:
		return l.icb
	case il.ConstInt:
		if at := 4 * int(r.Num); at < len(l.ints) {
			return l.ints[at:]
		}
	case il.Global:
		return l.global
	}
	return nil
}

// claimSteps claims another share of the remaining steps, enough to make m.steps nonnegative. Shares are large,
// so that machines seldom contend for the counter. It returns false if too few steps remain or the budget
// has ended.
func (m *machine) claimSteps() bool {
	const share = 1 << 20
	if m.budget.Err() != nil {
		return false
	}
	need := int64(-m.steps)
	for {
		left := m.left.Load()
		if left < need {
			return false
		}
		n := min(left, need+share)
		if m.left.CompareAndSwap(left, left-n) {
			m.steps += int(n)
			return true
		}
	}
}

// invocation is one element of the domain: a pixel or a thread.
type invocation struct {
	x, y   int
	thread [3]uint32 // in its group
	group  uint32    // the number of its group
	groups [3]uint32 // the coordinates of its group
	exists bool      // false for a lane that only completes a quad
}

// loadInputs sets the inputs of one lane.
func (m *machine) loadInputs(lane int, v *invocation) {
	for i := range m.p.inputs {
		in := &m.p.inputs[i]
		m.r[m.wordIndex(in.at)+lane] = m.inputWord(in, v)
	}
}

// inputWord returns a component of an input register of an invocation, as described in doc.go.
func (m *machine) inputWord(in *inputSlot, v *invocation) uint32 {
	flat := uint32(v.y*m.c.Width + v.x)
	size := m.p.group
	flatInGroup := v.thread[0] + uint32(size[0])*(v.thread[1]+uint32(size[1])*v.thread[2])
	only := func(w uint32) uint32 { // x alone
		if in.comp == 0 {
			return w
		}
		return 0
	}
	switch in.reg.File {
	case il.WinCoord:
		return math.Float32bits([4]float32{float32(m.place(v.x, 0)) + 0.5, float32(m.place(v.y, 1)) + 0.5, 0, 1}[in.comp])
	case il.ObjIndex:
		return only(flat)
	case il.Face:
		return only(oneBits)
	case il.AbsThreadID:
		switch n := v.groups[min(in.comp, 2)]*uint32(size[min(in.comp, 2)]) + v.thread[min(in.comp, 2)]; in.comp {
		case 0, 1:
			return uint32(m.place(int(n), in.comp))
		case 2:
			return n
		}
	case il.AbsThreadFlat:
		return only(uint32(m.place(int(v.group*uint32(m.p.groupThreads())+flatInGroup), 0)))
	case il.GroupThreadID:
		if in.comp < 3 {
			return v.thread[in.comp]
		}
	case il.GroupThreadFlat:
		return only(flatInGroup)
	case il.GroupID:
		if in.comp < 3 {
			return v.groups[in.comp]
		}
	case il.GroupFlat:
		return only(v.group)
	case il.Input:
		d := m.inputs[int(in.reg.Num)]
		switch {
		case d == nil || !v.exists && d.Kind != Linear:
			return 0
		case d.Kind == Linear:
			return d.valueAt(int(v.x), int(v.y), int(in.comp))
		}
		return m.words[int(in.reg.Num)][4*flat+uint32(in.comp)]
	}
	return 0
}
