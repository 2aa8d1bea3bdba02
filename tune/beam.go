package tune

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// compare orders versions: two that were simulated by that, others by the estimate.
func (v *Version[V]) compare(w *Version[V]) int {
	if v.timed && w.timed {
		if c := cmp.Compare(v.Cycles, w.Cycles); c != 0 {
			return c
		}
	}
	return cmp.Or(slices.Compare(v.Cost[:], w.Cost[:]), cmp.Compare(v.number, w.number))
}

// order sorts versions, the best first. Numbers break ties, so the order is total.
func order[V any](list []*Version[V]) {
	slices.SortFunc(list, (*Version[V]).compare)
}

// prune is what is left of a beam after a turn, the best by estimate and simulated if the turn
// asks for that. What is not in it is not kept at hand.
func (s *Search[V]) prune(ctx context.Context, beam []*Version[V], turn Turn, width int) []*Version[V] {
	few := choose(beam, width)
	if turn.Time {
		s.time(ctx, few)
	}
	kept := map[*Version[V]]bool{s.found[0]: true}
	for _, v := range few {
		kept[v] = true
	}
	for _, v := range beam {
		if !kept[v] {
			v.unit = nil
		}
	}
	return few
}

// choose takes the best version of every shape, then the second of every shape, and so on, the best
// ones first, until there are most. Without that the shape that is best by estimate would fill the
// beam.
func choose[V any](list []*Version[V], most int) []*Version[V] {
	list = slices.Clone(list)
	order(list)
	rank, of := map[*Version[V]]int{}, map[string]int{}
	for _, v := range list {
		rank[v] = of[v.shape]
		of[v.shape]++
	}
	slices.SortStableFunc(list, func(v, w *Version[V]) int { return cmp.Compare(rank[v], rank[w]) })
	return list[:min(len(list), most)]
}

// time simulates versions.
func (s *Search[V]) time(ctx context.Context, list []*Version[V]) {
	var todo []*Version[V]
	for _, v := range list {
		if !v.timed {
			todo = append(todo, v)
		}
	}
	// Workers simulate; results are entered in the order of the list.
	results := make([]Timed, len(todo))
	s.inOrder(ctx, len(todo), func(ctx context.Context, i int) (err error) {
		v, known := todo[i], false
		if results[i], known = recall(s.Memo, s.Memo.timed, v.Key); known {
			return nil
		}
		unit, err := s.unit(ctx, v)
		if err != nil {
			return err
		}
		if results[i], err = s.Bench.Time(ctx, *unit); err == nil {
			note(s.Memo, s.Memo.timed, v.Key, results[i])
		}
		return err
	}, func(i int) {
		v := todo[i]
		v.timed, v.Cycles = true, results[i].Cycles
		s.timed++
		s.used += results[i].Work
		if s.best == nil || v.compare(s.best) < 0 {
			s.best = v
		}
	})
}

// chunk is how many things are begun before it is asked whether the budget has room for more.
const chunk = 32

// inOrder does n things with all workers, and hands those that were done to enter one after
// the other, in their order, as long as there is work left for them: what was begun beyond
// that counts for nothing, so that nothing depends on the number of workers.
func (s *Search[V]) inOrder(ctx context.Context, n int, do func(ctx context.Context, i int) error, enter func(i int)) {
	// In chunks: what is begun is bounded by a chunk beyond the budget.
	for first := 0; first < n && !s.ended; first += chunk {
		last := min(n, first+chunk)
		done := make([]bool, n)
		next := make(chan int)
		var wait sync.WaitGroup
		for range max(1, min(s.Jobs, last-first)) {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for i := range next {
					done[i] = do(ctx, i) == nil
				}
			}()
		}
		for i := first; i < last; i++ {
			next <- i
		}
		close(next)
		wait.Wait()
		// Until the seeds are made (begun) no budget ends the search.
		for i := first; i < last && !s.ended; i++ {
			if s.ended = !done[i] || s.begun && s.used >= s.Budget; !s.ended {
				enter(i)
			}
		}
		if s.Observe != nil {
			s.Observe(s.Progress())
		}
	}
}
