package draw

import (
	"cmp"
	"container/heap"
	"slices"
)

// readyOp is an entry of the queue of ready operations. It is stale unless its stamp is that of the
// operation.
type readyOp struct {
	score int
	list  int8 // full, colours, alphas
	key   float64
	op    int32
	stamp int32
}

// readyQueue is a heap of ready operations, for container/heap. The highest score is first, then
// the first list, then the first position in it.
type readyQueue []readyOp

func (q readyQueue) Len() int      { return len(q) }
func (q readyQueue) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q *readyQueue) Push(x any)   { *q = append(*q, x.(readyOp)) }

func (q readyQueue) Less(i, k int) bool {
	a, b := &q[i], &q[k]
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.list, b.list), cmp.Compare(a.key, b.key)) < 0
}

func (q *readyQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// unscored records that the score or the position of a ready operation has changed since the last
// best.
func (p *pairing) unscored(i int32) { p.fresh = append(p.fresh, i) }

// taken records that an operation is no longer ready. Its entries in the queue become stale.
func (p *pairing) taken(i int32) {
	s := &p.ops[i].schedule
	s.stamp++
	s.ready = false
}

// best returns the ready operation that goes next, or -1 if none is ready. It only rescores
// operations whose score may have changed.
func (p *pairing) best() int32 {
	for _, i := range p.fresh {
		s := &p.ops[i].schedule
		if !s.ready {
			continue
		}
		var waits bool
		if s.score, waits = p.score(i); waits && p.byReads {
			p.waiting = append(p.waiting, i)
		}
		s.stamp++
		heap.Push(&p.queue, readyOp{score: s.score, list: p.listRank(i), key: s.key, op: i, stamp: s.stamp})
	}
	p.fresh = p.fresh[:0]
	for len(p.queue) > 0 {
		if x := &p.queue[0]; p.ops[x.op].schedule.stamp == x.stamp {
			return x.op
		}
		heap.Pop(&p.queue)
	}
	return -1
}

// setPending sets the pending fetches. Operations that waited for others are rescored.
func (p *pairing) setPending(fetches []int32) {
	p.pending = fetches
	p.fresh = append(p.fresh, p.waiting...)
	p.waiting = p.waiting[:0]
}

// place inserts an operation into a list at k. Keys ascend in a list. If no number fits between two
// keys, the list gets new keys.
func (p *pairing) place(list []int32, k int, i int32) []int32 {
	list = slices.Insert(list, k, i)
	key := func(k int) float64 { return p.ops[list[k]].schedule.key }
	s := &p.ops[i].schedule
	switch {
	case k == len(list)-1:
		p.last++
		s.key = p.last
		return list
	case k == 0:
		s.key = key(1) - 1
	default:
		s.key = (key(k-1) + key(k+1)) / 2
	}
	if s.key < key(k+1) && (k == 0 || s.key > key(k-1)) {
		return list
	}
	for _, j := range list {
		p.last++
		p.ops[j].schedule.key = p.last
		p.unscored(j)
	}
	return list
}

// without removes an operation from a list.
func (p *pairing) without(list []int32, i int32) []int32 {
	k, _ := slices.BinarySearchFunc(list, p.ops[i].schedule.key, func(j int32, key float64) int {
		return cmp.Compare(p.ops[j].schedule.key, key)
	})
	return slices.Delete(list, k, k+1)
}
