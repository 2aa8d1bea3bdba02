package tune

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// compare orders versions by simulated cycles if both have them, and else by the estimate.
func (v *Version[V]) compare(w *Version[V]) int {
	if v.timed && w.timed {
		if c := cmp.Compare(v.Cycles, w.Cycles); c != 0 {
			return c
		}
	}
	return cmp.Or(slices.Compare(v.Cost[:], w.Cost[:]), cmp.Compare(v.number, w.number))
}

// order sorts versions, best first. Numbers break ties, so the order is total.
func order[V any](list []*Version[V]) {
	slices.SortFunc(list, (*Version[V]).compare)
}

// prune returns the best versions of a beam after a turn. It ranks them by the estimate, and
// simulates them first if the turn asks for it.
func (s *Search[V]) prune(ctx context.Context, beam []*Version[V], turn Turn, width int) []*Version[V] {
	few := choose(beam, width)
	if turn.Time {
		s.simulateAll(ctx, few)
	}
	s.release(beam, few)
	return few
}

// release frees the units of the versions of a beam that are not kept.
func (s *Search[V]) release(beam, few []*Version[V]) {
	kept := map[*Version[V]]bool{s.found[0]: true}
	for _, v := range few {
		kept[v] = true
	}
	for _, v := range beam {
		if !kept[v] {
			v.unit = nil
		}
	}
}

// choose takes the best version of every shape, then the second of every shape, and so on, best
// first, until it has most versions. Otherwise the shape with the best estimate would fill the
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

// simulateAll simulates versions.
func (s *Search[V]) simulateAll(ctx context.Context, list []*Version[V]) {
	var todo []*Version[V]
	for _, v := range list {
		if !v.timed {
			todo = append(todo, v)
		}
	}
	// Workers simulate; results are recorded in the order of the list.
	results := make([]Timed, len(todo))
	s.inOrder(ctx, len(todo), func(ctx context.Context, i int) (err error) {
		v, known := todo[i], false
		if results[i], known = recall(s.Memo, s.Memo.timed, v.Key); known {
			return nil
		}
		unit, err := s.versionUnit(ctx, v)
		if err != nil {
			return err
		}
		if results[i], err = s.Bench.Time(ctx, *unit); err == nil {
			storeFact(s.Memo, s.Memo.timed, v.Key, results[i])
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

// chunk is the number of tasks that start between two checks of the budget.
const chunk = 32

// inOrder runs do for n tasks with all workers, and calls enter for the finished tasks
// sequentially, in order, as long as the budget lasts. It discards tasks beyond that, so that
// results do not depend on the number of workers.
func (s *Search[V]) inOrder(ctx context.Context, n int, do func(ctx context.Context, i int) error, enter func(i int)) {
	// Chunks bound the tasks that start beyond the budget.
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
		// The budget does not end the search before the seeds are complete (begun).
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
