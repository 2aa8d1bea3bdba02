package draw

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// pairing fills instructions of R300 to R520, each with an operation on three colour components and
// one on the alpha component, as Mesa's compiler does (radeon_pair_schedule.c). It is a greedy list
// scheduler. It pairs ready colour operations with alpha ones. It also moves scalar operations from
// the colour to the alpha unit, if all their readers allow it. The operation with the most reads
// goes first; on R300 a paired one does. Fetches wait until only outputs are ready, or many fetches
// are, and then go together.
type pairing struct {
	byReads bool // the operation with the most register reads goes first
	ops     []vectorOp
	fetches int // of the block
	// Ready operations of one unit, and ready fetches.
	colours, alphas, textures []int32
	pending                   []int32 // fetches without a wait so far
	// All ready operations except fetches; those to score again; those that read pending fetches.
	queue          readyQueue
	fresh, waiting []int32
	first, last    float64 // keys at both ends of the lists
}

// scheduled is the scheduling state of an operation.
type scheduled struct {
	users []int32 // operations that read it
	waits int     // number of operations it waits for
	with  int32   // the scalar in its instruction plus one, or 0
	score int     // at its last scoring
	key   float64 // orders its list
	stamp int32   // of its entry in the queue
	ready bool
}

// maxFetches is the number of ready fetches at which they stop waiting.
const maxFetches = 8

// Weights in the score of an operation, above the number of its reads.
const (
	paired  = 1 << 16 // it is paired or, on R520, reads no pending fetch
	noWrite = 1 << 24 // it is no output
)

// maxReady bounds the operations that are tried in pairs, so that the time is not quadratic in wide
// programs.
const maxReady = 64

// schedule returns the number of instructions of the operations.
func (t *vectors) schedule(ops []vectorOp, lists *container.Slab[int32], budget *budget.Poller) (count int) {
	p := &pairing{byReads: t.complements, ops: ops}
	each := func(do func(r int32, i int)) {
		for i := range ops {
			if ops[i].gone {
				continue
			}
			for _, r := range ops[i].reads {
				if int(r) < i && ops[r].block == ops[i].block { // except for loop-carried values
					do(r, i)
				}
			}
		}
	}
	users := zeroed(lists, len(ops))
	each(func(r int32, i int) {
		users[r]++
		ops[i].schedule.waits++
	})
	for i := range ops {
		ops[i].schedule.users = lists.Alloc(int(users[i]))[:0]
	}
	each(func(r int32, i int) { ops[r].schedule.users = append(ops[r].schedule.users, int32(i)) })
	for _, block := range blocks(ops, lists) {
		p.fetches, p.pending, p.waiting = 0, nil, p.waiting[:0]
		for _, i := range block {
			if ops[i].kind == fetch {
				p.fetches++
			}
			if ops[i].schedule.waits == 0 {
				p.makeReady(i)
			}
		}
		count += p.block(budget)
	}
	return count
}

// blocks lists the operations of each block in program order. Flow control separates the blocks
// (radeon_pair_schedule.c schedules each separately).
func blocks(ops []vectorOp, lists *container.Slab[int32]) (list [][]int32) {
	all := lists.Alloc(len(ops))[:0]
	for i := range ops {
		if !ops[i].gone {
			all = append(all, int32(i))
		}
	}
	slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(ops[a].block, ops[b].block) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && ops[all[n]].block == ops[all[0]].block {
			n++
		}
		list, all = append(list, all[:n]), all[n:]
	}
	return list
}

// block returns the number of instructions of a block.
func (p *pairing) block(budget *budget.Poller) (count int) {
	for {
		budget.Poll()
		p.pair()
		best := p.best()
		wait := len(p.textures)
		switch {
		case wait > 0 && (wait >= maxFetches || best < 0 || wait == p.fetches || p.ops[best].schedule.score < noWrite):
			count += wait
			p.fetch()
		case best < 0:
			return count
		default:
			p.remove(best)
			count += p.executeOp(best)
		}
	}
}

// The lists of ready operations except fetches, in the order that breaks ties of scores.
const (
	fullList int8 = iota // operations of both units
	colourList
	alphaList
)

// listRank returns the list that a ready operation is in.
func (p *pairing) listRank(i int32) int8 {
	o := &p.ops[i]
	switch {
	case o.unit == whole || o.schedule.with > 0:
		return fullList
	case o.unit == alpha:
		return alphaList
	}
	return colourList
}

// unitList returns the list of one unit, nil for operations of both: the queue has their order.
func (p *pairing) unitList(rank int8) *[]int32 {
	switch rank {
	case colourList:
		return &p.colours
	case alphaList:
		return &p.alphas
	}
	return nil
}

// remove takes the best operation out of its list.
func (p *pairing) remove(i int32) {
	if list := p.unitList(p.listRank(i)); list != nil {
		*list = p.without(*list, i)
	}
	p.taken(i)
}

// makeReady makes an operation ready, after those with a higher score in its list.
func (p *pairing) makeReady(i int32) {
	if p.ops[i].kind == fetch {
		p.textures = append(p.textures, i)
		return
	}
	s := &p.ops[i].schedule
	s.ready = true
	if list := p.unitList(p.listRank(i)); list != nil {
		k := -1
		if s.score > 0 { // otherwise all scores are higher
			k = slices.IndexFunc(*list, func(j int32) bool { return p.ops[j].schedule.score < s.score })
		}
		if k < 0 {
			k = len(*list)
		}
		*list = p.place(*list, k, i)
	} else {
		p.last++
		s.key = p.last
	}
	p.unscored(i)
}

// pair pairs ready operations: first colours with alphas, then scalars among the colours after
// conversion to alpha.
func (p *pairing) pair() {
	for _, c := range slices.Clone(p.colours[:min(len(p.colours), maxReady)]) {
		for _, a := range p.alphas[:min(len(p.alphas), maxReady)] {
			if p.merge(c, a) {
				break
			}
		}
	}
	for k := 0; k < len(p.colours) && k < maxReady && len(p.colours) > 1; {
		i := p.colours[k]
		if !p.convertible(i) {
			k++
			continue
		}
		p.colours = slices.Delete(p.colours, k, k+1)
		p.taken(i)
		p.convert(i)
		p.makeReady(i)
		if !slices.ContainsFunc(p.colours, func(c int32) bool { return p.merge(c, i) }) {
			break
		}
		k = 0
	}
}

// merge puts a colour and an alpha operation into one instruction. Together they may read at most
// three registers for each unit, and both or neither must be outputs.
func (p *pairing) merge(c, a int32) bool {
	x, y := &p.ops[c], &p.ops[a]
	if x.output != y.output || x.summed&y.summed != 0 {
		return false
	}
	var reads [2]int // of colours and alphas
	count := func(r register) {
		if r.alpha {
			reads[1]++
		} else {
			reads[0]++
		}
	}
	for _, r := range x.sources {
		count(r)
	}
	for i, r := range y.sources { // equal registers occur if scalars moved to the other unit
		if !r.left && !slices.Contains(x.sources, r) && !slices.Contains(y.sources[:i], r) {
			count(r)
		}
	}
	if max(reads[0], reads[1]) > operands {
		return false
	}
	p.colours, p.alphas = p.without(p.colours, c), p.without(p.alphas, a)
	p.taken(a)
	x.schedule.with = a + 1
	p.first--
	x.schedule.key = p.first // before all others of both units
	p.unscored(c)
	return true
}

// convertible reports whether the alpha unit may compute a scalar operation of the colour unit. Its
// readers must have room for another alpha operand, and must not be fetches or gradients.
func (p *pairing) convertible(i int32) bool {
	return p.ops[i].unit == either && !p.ops[i].gradient() &&
		!slices.ContainsFunc(p.ops[i].schedule.users, func(u int32) bool {
			o := &p.ops[u]
			alphas := 0
			for _, r := range o.sources {
				if r.alpha {
					alphas++
				}
			}
			return o.kind == fetch || o.gradient() || alphas >= operands || slices.Contains(o.through, i)
		})
}

// gradient reports whether an operation and its operands must stay in place.
func (o *vectorOp) gradient() bool {
	return o.kind == call && (o.prim == ir.PrimDsx || o.prim == ir.PrimDsy)
}

// convert moves an operation to the scalar unit. Its readers then read the alpha of its register
// instead of the colour. The colour still takes one of the three registers that a colour operation
// can read: the compiler frees none before all is scheduled. This is not counted for R300, where
// constants that share a register count separately.
func (p *pairing) convert(i int32) {
	o := &p.ops[i]
	o.unit = alpha
	for _, u := range o.schedule.users {
		for k := range p.ops[u].sources {
			r := &p.ops[u].sources[k]
			if r.source != nodeOf(o.kind, i) || r.alpha {
				continue
			}
			now := register{source: r.source, alpha: true}
			if r.left = p.byReads; r.left {
				p.ops[u].sources = append(p.ops[u].sources, now)
			} else {
				*r = now
			}
		}
	}
}

// eachPaired calls do for an operation and for its partner in the instruction.
func (p *pairing) eachPaired(i int32, do func(i int32, o *vectorOp)) {
	do(i, &p.ops[i])
	if with := p.ops[i].schedule.with; with > 0 {
		do(with-1, &p.ops[with-1])
	}
}

// score returns the score of an operation, and whether it reads pending fetches.
func (p *pairing) score(i int32) (score int, waits bool) {
	if !p.ops[i].output {
		score = noWrite
	}
	if !p.byReads && p.ops[i].schedule.with > 0 {
		return score + paired, false
	}
	p.eachPaired(i, func(_ int32, o *vectorOp) {
		if p.byReads {
			score += len(o.values)
		} else {
			score += len(o.sources)
		}
		waits = waits || slices.ContainsFunc(o.reads, func(r int32) bool { return slices.Contains(p.pending, r) })
	})
	if p.byReads && !waits {
		score += paired
	}
	return score, waits
}

// executeOp executes an operation and returns its number of instructions.
func (p *pairing) executeOp(i int32) (count int) {
	p.eachPaired(i, func(i int32, o *vectorOp) {
		count = max(count, o.times)
		if slices.ContainsFunc(o.reads, func(r int32) bool { return slices.Contains(p.pending, r) }) {
			p.setPending(nil)
		}
		p.releaseUsers(i)
	})
	return count
}

// fetch runs all ready fetches.
func (p *pairing) fetch() {
	p.setPending(p.textures)
	p.textures = nil
	for _, i := range p.pending {
		p.releaseUsers(i)
	}
}

// releaseUsers makes the operations ready that only waited for this one, the last one first.
func (p *pairing) releaseUsers(i int32) {
	for _, u := range slices.Backward(p.ops[i].schedule.users) {
		if p.ops[u].schedule.waits--; p.ops[u].schedule.waits == 0 {
			p.makeReady(u)
		}
	}
}
