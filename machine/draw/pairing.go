package draw

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/ir"
)

// pairing fills instructions of R300 to R520, each of an operation on three colour components and
// one on the alpha component, as Mesa's compiler does (radeon_pair_schedule.c): a greedy list
// scheduler. Of what is ready, colour operations are paired with alpha ones, and scalar operations
// in the colour unit become alpha operations where all that read them can take that. The operation
// that reads most goes first; on R300 one that is paired. Fetches wait until nothing else is ready
// but outputs, or many of them are, and then go together.
type pairing struct {
	byReads bool // what reads most registers goes first
	ops     []vectorOp
	fetches int // of the block
	// What is ready: by both units, one of them, or of textures.
	full, colours, alphas, textures []int32
	pending                         []int32 // fetches that nothing has waited for
}

// scheduled is the state of an operation in scheduling.
type scheduled struct {
	users []int32 // which read it
	waits int     // operations that it waits for
	with  int32   // the scalar in its instruction and one more, or 0
	score int
}

// maxFetches is how many fetches that are ready are let wait.
const maxFetches = 8

// Weights in the score of an operation, above the number of its reads.
const (
	paired  = 1 << 16 // it is paired or, on R520, reads no fetch that was not waited for
	noWrite = 1 << 24 // it is no output
)

// maxReady bounds the operations that are tried in pairs, so that the time is not quadratic in wide
// programs.
const maxReady = 64

// schedule returns how many instructions operations take.
func (t *vectors) schedule(ops []vectorOp, lists *slab.Slab[int32], budget *budget.Poller) (count int) {
	p := &pairing{byReads: t.complements, ops: ops}
	each := func(do func(r int32, i int)) {
		for i := range ops {
			if ops[i].gone {
				continue
			}
			for _, r := range ops[i].reads {
				if int(r) < i && ops[r].block == ops[i].block { // but for what a loop carries
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
		ops[i].schedule.users = lists.Take(int(users[i]))[:0]
	}
	each(func(r int32, i int) { ops[r].schedule.users = append(ops[r].schedule.users, int32(i)) })
	for _, block := range blocks(ops, lists) {
		p.fetches, p.pending = 0, nil
		for _, i := range block {
			if ops[i].kind == fetch {
				p.fetches++
			}
			if ops[i].schedule.waits == 0 {
				p.add(i)
			}
		}
		count += p.block(budget)
	}
	return count
}

// blocks lists the operations of each block, in the order of the program: flow control is between them
// (radeon_pair_schedule.c schedules each by itself).
func blocks(ops []vectorOp, lists *slab.Slab[int32]) (list [][]int32) {
	all := lists.Take(len(ops))[:0]
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

// block returns how many instructions the operations of a block take.
func (p *pairing) block(budget *budget.Poller) (count int) {
	for {
		budget.Poll()
		p.pair()
		best, list := p.best()
		wait := len(p.textures)
		switch {
		case wait > 0 && (wait >= maxFetches || best < 0 || wait == p.fetches || p.ops[best].schedule.score < noWrite):
			count += wait
			p.fetch()
		case best < 0:
			return count
		default:
			*list = without(*list, best)
			count += p.run(best)
		}
	}
}

func without(list []int32, i int32) []int32 {
	k := slices.Index(list, i)
	return slices.Delete(list, k, k+1)
}

// list is where an operation waits that is ready.
func (p *pairing) list(i int32) *[]int32 {
	o := &p.ops[i]
	switch {
	case o.kind == fetch:
		return &p.textures
	case o.unit == whole || o.schedule.with > 0:
		return &p.full
	case o.unit == alpha:
		return &p.alphas
	}
	return &p.colours
}

// add makes an operation ready, behind those of a higher score in its list.
func (p *pairing) add(i int32) {
	list := p.list(i)
	score := p.ops[i].schedule.score
	k := slices.IndexFunc(*list, func(j int32) bool { return p.ops[j].schedule.score < score })
	if k < 0 {
		k = len(*list)
	}
	*list = slices.Insert(*list, k, i)
}

// pair pairs ready operations: first colours with alphas as they are, then scalars among the
// colours after conversion to alpha.
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
		p.convert(i)
		p.add(i)
		if !slices.ContainsFunc(slices.Clone(p.colours), func(c int32) bool { return p.merge(c, i) }) {
			break
		}
		k = 0
	}
}

// merge puts a colour and an alpha operation into one instruction if together they read no more
// than three registers for each unit, and are both outputs or neither.
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
	for i, r := range y.sources { // which are the same where scalars went to the other unit
		if !r.left && !slices.Contains(x.sources, r) && !slices.Contains(y.sources[:i], r) {
			count(r)
		}
	}
	if max(reads[0], reads[1]) > operands {
		return false
	}
	p.colours, p.alphas = without(p.colours, c), without(p.alphas, a)
	x.schedule.with = a + 1
	p.full = slices.Insert(p.full, 0, c)
	return true
}

// convertible reports whether a scalar operation in the colour unit may be computed by the alpha
// unit: its readers have to have room for another alpha operand, and fetches and gradients read it
// where it is.
func (p *pairing) convertible(i int32) bool {
	return p.ops[i].unit == either && !p.ops[i].gradient() && !slices.ContainsFunc(p.ops[i].schedule.users, func(u int32) bool {
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

// gradient reports whether an operation stays where it is, with what it reads.
func (o *vectorOp) gradient() bool {
	return o.kind == call && (o.prim == ir.PrimDsx || o.prim == ir.PrimDsy)
}

// convert has the scalar unit compute an operation. What reads it reads the alpha of its register instead of
// the colour, which goes on taking one of the three that a colour operation can read: the compiler frees none
// before all is scheduled. Of R300 that is not counted, of which constants that share a register count apart.
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

// best returns the ready operation that goes next, and its list; -1 if there is none.
func (p *pairing) best() (best int32, list *[]int32) {
	best = -1
	for _, l := range []*[]int32{&p.full, &p.colours, &p.alphas} {
		for _, i := range *l {
			p.ops[i].schedule.score = p.score(i)
			if best < 0 || p.ops[i].schedule.score > p.ops[best].schedule.score {
				best, list = i, l
			}
		}
	}
	return best, list
}

// each calls do for an operation and the one that is in its instruction.
func (p *pairing) each(i int32, do func(i int32, o *vectorOp)) {
	do(i, &p.ops[i])
	if with := p.ops[i].schedule.with; with > 0 {
		do(with-1, &p.ops[with-1])
	}
}

func (p *pairing) score(i int32) (score int) {
	if !p.ops[i].output {
		score = noWrite
	}
	if !p.byReads && p.ops[i].schedule.with > 0 {
		return score + paired
	}
	waits := false
	p.each(i, func(_ int32, o *vectorOp) {
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
	return score
}

// run is how many instructions an operation takes.
func (p *pairing) run(i int32) (count int) {
	p.each(i, func(i int32, o *vectorOp) {
		count = max(count, o.times)
		if slices.ContainsFunc(o.reads, func(r int32) bool { return slices.Contains(p.pending, r) }) {
			p.pending = nil
		}
		p.done(i)
	})
	return count
}

// fetch runs all fetches that are ready.
func (p *pairing) fetch() {
	p.pending = p.textures
	p.textures = nil
	for _, i := range p.pending {
		p.done(i)
	}
}

// done makes ready what waited for an operation alone, the last one first.
func (p *pairing) done(i int32) {
	for _, u := range slices.Backward(p.ops[i].schedule.users) {
		if p.ops[u].schedule.waits--; p.ops[u].schedule.waits == 0 {
			p.add(u)
		}
	}
}
