package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// Memo simulates equivalent programs once. Versions of a kernel often differ only in properties
// that take no time, such as register numbers, and different pipelines produce the same versions.
// The zero value is ready for use, also by several goroutines. A Memo keeps at most maxRemembered
// results.
type Memo struct {
	lock  sync.Mutex
	times map[[sha256.Size]byte]remembered
}

// maxRemembered bounds the results of a memo, a few kB each. A kernel has some twenty simulated
// versions; 90 kernels by 27 pipelines have 930 different ones.
const maxRemembered = 1 << 11

// remembered is a result with the number of steps that it took.
type remembered struct {
	time  Timing
	steps int
}

// Simulate returns the result of the function [Simulate]. Remembered results are charged to the
// budget as well, so that a limit ends a search at the same point with and without a memo.
func (m *Memo) Simulate(p *r600.Program, l *Launch, t *chip.Target) (Timing, error) {
	tr, err := NewTracer(p, l, t)
	if err != nil {
		return Timing{}, err
	}
	defer tr.Release()
	key := tr.inputHash()
	m.lock.Lock()
	known, ok := m.times[key]
	m.lock.Unlock()
	if ok {
		err = l.Budget.SpendSteps(known.steps)
	} else if known.time, known.steps, err = tr.simulate(); err == nil {
		m.keep(key, known)
	}
	if err != nil {
		return Timing{}, err
	}
	known.time.Notes = slices.Clone(known.time.Notes)
	return known.time, nil
}

func (m *Memo) keep(key [sha256.Size]byte, r remembered) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.times == nil || len(m.times) == maxRemembered {
		m.times = map[[sha256.Size]byte]remembered{}
	}
	m.times[key] = r
}

// inputHash returns a hash of all inputs of a simulation. These are the target, the launch, the steps of
// the program, the number of resident wavefronts, and the evaluated operations. Cells replace
// registers and are numbered in program order, so register numbers do not matter.
func (tr *Tracer) inputHash() (key [sha256.Size]byte) {
	l := *tr.l
	l.Inputs, l.Budget = nil, nil // cells hold the inputs, and the budget does not affect the result
	b := fmt.Append(make([]byte, 0, 1<<12), *tr.t, l)
	n := func(words ...int) {
		for _, w := range words {
			b = binary.AppendVarint(b, int64(w))
		}
	}
	n(tr.t.Resident(tr.p.GPRs), tr.spilled(), tr.cells, tr.places, int(tr.p.Family), int(tr.global.base))
	for c := range tr.preload {
		n(int(tr.preload[c]), flag(tr.isInput[c]))
	}
	for i := range tr.p.CF {
		cf, c := &tr.p.CF[i], &tr.clauses[i]
		n(int(cf.Op), cf.Target, cf.Pop, tr.loopEnd[i], len(cf.Fetches), flag(cf.Export != nil), flag(cf.Memory != nil),
			len(c.parts))
		for k := range c.parts {
			n(int(c.parts[k].Kind), c.parts[k].Groups, c.parts[k].Flops)
		}
		n(c.slots, len(c.ops))
		tr.keyOps(c.ops, n)
		for k := range cf.Fetches {
			tr.keyFetch(&cf.Fetches[k], &c.fetch[k], n)
		}
		if cf.Export != nil {
			n(cf.Export.Count)
		}
		if m := cf.Memory; m != nil {
			n(m.Base, m.Scale, -1)
			if m.IndexReg >= 0 && m.IndexSel[0] <= r600.SelW {
				n(int(tr.cellFor(gpr(m.IndexReg, uint8(m.IndexSel[0])))))
			}
		}
	}
	return sha256.Sum256(b)
}

// keyOps adds the evaluated operations of a clause.
func (tr *Tracer) keyOps(ops []opTrace, n func(...int)) {
	for i := range ops {
		op := &ops[i]
		n(int(op.kind), int(op.op), op.slot, int(op.to.bank), int(op.to.cell))
		for _, from := range op.from {
			if n(int(from.bank)); from.bank == inConsts {
				n(int(tr.consts[from.cell][0]))
			} else {
				n(int(from.cell))
			}
		}
		switch op.kind {
		case opRelative:
			n(int(op.constant.Bank), int(op.constant.Index), int(op.constant.Chan))
		case opModify:
			n(int(op.inst.OMod), flag(op.inst.Clamp))
		}
	}
}

// keyFetch adds a fetch: its surface, operands and results.
func (tr *Tracer) keyFetch(f *r600.Fetch, known *fetchTrace, n func(...int)) {
	s := known.from
	n(int(f.Op), f.Resource, f.Scale, flag(f.Unnormal), flag(known.waits), known.place, flag(known.first),
		int(known.wants))
	n(int(s.base), s.Width, s.Height, s.Bytes, flag(s.Linear), flag(s.unnormal), flag(s == &tr.global))
	for i := range f.Offset {
		n(int(f.Offset[i]))
	}
	for ch, sel := range f.DstSel {
		n(int(sel), int(known.dst[ch]))
	}
	for _, sel := range f.SrcSel[:tr.coords(f)] {
		n(int(sel), -1)
		if sel <= r600.SelW {
			n(int(tr.cellFor(gpr(f.Src, uint8(sel)))))
		}
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
