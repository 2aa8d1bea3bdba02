package machine_test

import (
	"iter"
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// board runs finished programs with the reference results of their operations, over the memory of a
// case. It models registers, temporaries, forwarding, the mask stack and loops as in the hardware.
// The types of package r600 lack the formats and address kinds of memory accesses. These are taken
// from the original statement.
type board struct {
	t       testing.TB
	s       *sched.Scheduled
	p       *r600.Program
	c       *kernel.Case
	k       *il.Kernel
	at      map[int]*il.Inst // statements by line
	decl    map[int]*il.Inst // declarations of resources, by number
	arrays  map[int]int      // sizes of x#
	data    map[int][]uint32 // words of resources
	global  []uint32
	views   map[int][]uint32
	local   []uint32
	stride  int    // of local memory, words of a thread
	size    [3]int // of a work group
	group   int    // threads of it
	across  int    // work groups in a row
	out     [kernel.Outputs][]uint32
	killed  []bool
	inputs  []boardInput
	steps   int
	tooLong bool
	fresh   uint32 // initial contents of registers
}

// boardInput is a register of the program that holds component comp of v#.
type boardInput struct{ reg, ch, num int }

// stale is the content of unwritten registers.
const stale = 0xDEADBEEF

const maxBoardSteps = 1 << 22

// dataWords returns the words of case data, by the definition of case files.
func dataWords(d kernel.Data, n int, integer bool) []uint32 {
	w := make([]uint32, n)
	switch d.Kind {
	case kernel.Words, kernel.File:
		copy(w, d.Words)
	case kernel.Random:
		r := interp.NewRandom(int(d.Seed))
		for i := range w {
			bits := r.Next()
			unit := interp.Unit(bits)
			if d.Lo == 0 && d.Hi == 0 {
				d.Hi = 1
			}
			w[i] = math.Float32bits(d.Lo + float32((d.Hi-d.Lo)*unit))
			if integer {
				w[i] = uint32(int64(math.Floor(float64(d.Lo) + float64(unit)*(float64(d.Hi)-float64(d.Lo)))))
			}
		}
	}
	return w
}

func newBoard(t testing.TB, s *sched.Scheduled, k *il.Kernel, c *kernel.Case, inputs []boardInput) *board {
	b := &board{t: t, s: s, p: s.Program, c: c, k: k, at: map[int]*il.Inst{}, decl: map[int]*il.Inst{},
		arrays: map[int]int{},
		data:   map[int][]uint32{}, views: map[int][]uint32{}, size: [3]int{64, 1, 1}, group: 64, inputs: inputs}
	for i := range k.Insts {
		in := &k.Insts[i]
		switch in.Op {
		case il.OpDclResource:
			b.decl[int(in.Ctl.ID)] = in
		case il.OpDclIndexedTempArray:
			b.arrays[int(in.Dst.Num)] = int(in.Imm[0])
		case il.OpDclNumThreadPerGroup:
			b.size, b.group = [3]int{1, 1, 1}, 1
			for d, n := range in.Imm[:in.NImm] {
				b.size[d] = int(n)
				b.group *= int(n)
			}
			if in.NImm > 1 {
				b.across = c.Width / b.size[0]
			}
		case il.OpDclLdsSizePerThread:
			b.stride = int(in.Imm[0])
		}
		if in.Op.Kind() != il.Declaration {
			b.at[in.Pos.Line] = in
		}
	}
	for _, r := range c.Resources {
		b.data[r.ID] = dataWords(r.Data, r.Width*r.Height*r.Depth*r.Format.Components(), r.Format == kernel.Uint4)
	}
	if c.Global != nil {
		b.global = dataWords(c.Global.Data, 4*c.Global.Elements, false)
	}
	for _, v := range c.Views {
		b.views[v.ID] = dataWords(v.Data, 4*v.Width*v.Height*v.Depth, false)
	}
	if b.across == 0 {
		b.across = c.Width * c.Height / b.group
	}
	for i := range b.out {
		b.out[i] = make([]uint32, 4*c.Width*c.Height)
	}
	b.killed = make([]bool, c.Width*c.Height)
	return b
}

// run launches all threads, 64 or a group of them at a time. Each runs up to its next write or
// barrier, and waits at a barrier for the others.
func (b *board) run() {
	n := b.c.Width * b.c.Height
	group := b.group
	if b.k.Stage == il.Pixel {
		group = 64
	}
	for first := 0; first < n; first += group {
		b.local = make([]uint32, 1<<14)
		var next []func() (bool, bool)
		for i := first; i < min(first+group, n); i++ {
			more, stop := iter.Pull(b.thread(i, group).run)
			defer stop()
			next = append(next, more)
		}
		waits := make([]bool, len(next))
		for left := len(next); left > 0; {
			ran := false
			for i, more := range next {
				if more == nil || waits[i] {
					continue
				}
				barrier, ok := more()
				if waits[i] = barrier; !ok {
					next[i] = nil
					left--
				}
				ran = true
			}
			if !ran {
				clear(waits)
			}
		}
	}
}
