package sched

import (
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// start resets the packer for the groups of c, reusing the memory of the last program.
func (p *packer) start(c *mir.Code, t *chip.Target, ports bool) {
	if p.known == nil {
		p.known = new(portMemo)
	}
	*p = packer{code: c, t: t, obeys: ports, serial: 2, known: p.known, bundles: p.bundles, groups: p.groups[:0],
		chans: p.chans[:0], hints: p.hints[:0], result: container.Zeros(p.result, c.Vals())}
	p.bundles.Again(16)
	for v := range mir.Val(c.Vals()) {
		p.chans = append(p.chans, int8(c.Chan(v)))
		p.hints = append(p.hints, int8(c.Hint(v)))
	}
}

// mayTake reports whether v may live in channel ch: v is not bound to another channel, and no value
// tied to v has ch.
func (p *packer) mayTake(v mir.Val, ch int8) bool {
	if p.chans[v] != mir.AnyChan {
		return p.chans[v] == ch
	}
	for _, w := range p.code.TiedValues(v) {
		if p.chans[w] == ch {
			return false
		}
	}
	return true
}

// channels lists the channels that v may live in, the best first: its hint, then those with the
// fewest live values. Balance keeps read ports free, as each channel is a bank with its own ports.
// The list has at most four elements, so insertion sort suffices.
func (p *packer) channels(v mir.Val) (order [4]int8, n int) {
	if ch := p.chans[v]; ch != mir.AnyChan {
		order[0] = ch
		return order, 1
	}
	for ch := range int8(4) {
		if p.mayTake(v, ch) {
			order[n] = ch
			n++
		}
	}
	for i := 1; i < n; i++ { // by hint, then by load; otherwise in order of channels
		for j := i; j > 0 && p.better(v, order[j], order[j-1]); j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	return order, n
}

// better reports whether channel a suits v better than b.
func (p *packer) better(v mir.Val, a, b int8) bool {
	if h := p.hints[v]; a == h || b == h {
		return a == h
	}
	return p.load[a] < p.load[b]
}

// channel returns the channel of v, or the best that v may have.
func (p *packer) channel(v mir.Val) int8 {
	order, _ := p.channels(v)
	return order[0]
}

// settle binds v to channel ch, unless v is bound. Bindings are final.
func (p *packer) settle(v mir.Val, ch int8) {
	if p.chans[v] == mir.AnyChan {
		p.chans[v] = ch
	}
}

// settleOperands binds the operands of u that have no channel yet. These are inputs and values that
// are read before they are written, such as loop-carried ones. An operand needs its channel to
// claim a read port.
func (p *packer) settleOperands(u *mir.ALU) {
	for i := range u.Slots {
		for j := range u.Slots[i].Args {
			if v := u.Slots[i].Args[j].Val; p.chans[v] == mir.AnyChan && v != 0 {
				p.settle(v, p.channel(v))
			}
		}
	}
}

// fetch binds the coordinates and results of a fetch to channels. A whole vector keeps its order.
// Fewer components take the channels with the fewest live values, so that fetches of scalars share
// registers and their readers find them in different banks.
func (p *packer) fetch(f *mir.Fetch) {
	for _, s := range f.Setup {
		p.fetch(s)
	}
	for _, co := range f.Coords {
		if co.Val != 0 {
			p.settle(co.Val, p.channel(co.Val))
		}
	}
	whole := f.Dst[0] != 0 && f.Dst[1] != 0 && f.Dst[2] != 0 && f.Dst[3] != 0
	for i, v := range f.Dst {
		if v == 0 {
			continue
		}
		p.hints[v] = mir.AnyChan
		if whole {
			p.hints[v] = int8(i)
		}
		p.settle(v, p.channel(v))
	}
}
