package sim

import (
	"cmp"
	"slices"
)

// Typical is a wavefront that stands for others, which do about as much.
type Typical struct {
	Wave   int
	Weight float64 // how many wavefronts it stands for, for each one of the launch
}

// ended is a wavefront that was followed to its end, and the cycles of units that it took.
type ended struct {
	wave int
	work float64
}

// endings are the wavefronts that came to their end: a sample of at most maxEndings, those whose
// number is a multiple of each, and the one that does most. A sample by number is the same for
// every order in which wavefronts end.
type endings struct {
	list    []ended
	each    int
	longest ended
}

// maxEndings bounds what is kept of a launch however large: above it, half are dropped.
const maxEndings = 2048

func newEndings() endings { return endings{list: make([]ended, 0, maxEndings), each: 1} }

func (e *endings) add(w ended) {
	if w.work > e.longest.work {
		e.longest = w
	}
	if w.wave%e.each != 0 {
		return
	}
	if len(e.list) == cap(e.list) {
		e.each *= 2
		e.list = slices.DeleteFunc(e.list, func(w ended) bool { return w.wave%e.each != 0 })
		if w.wave%e.each != 0 {
			return
		}
	}
	e.list = append(e.list, w)
}

// strata is the number of parts that wavefronts are divided into, by work; alike is the factor
// within which two parts share a representative. Both are chosen.
const (
	strata = 4
	alike  = 1.05
)

// typical picks wavefronts that together do what all of e do. Sorted by their work they
// are cut into parts of as much work each, of which the one in the middle stands for the
// part: in most launches all wavefronts do the same, and one is enough. The last one is that
// which does most; it may stand for no other.
func typical(e endings) (out []Typical) {
	list := e.list
	slices.SortFunc(list, func(a, b ended) int { return cmp.Or(cmp.Compare(a.work, b.work), cmp.Compare(a.wave, b.wave)) })
	total := 0.0
	for _, w := range list {
		total += w.work
	}
	if total == 0 {
		return nil
	}
	first, sum, picked := 0, 0.0, 0.0 // of the part; picked: the work of the wavefront picked last
	for i, w := range list {
		sum += w.work
		if i+1 < len(list) && (sum < total/strata || w.work == list[i+1].work) {
			continue
		}
		middle := list[(first+i)/2]
		if middle.work == 0 { // what does nothing stands for nothing
			middle = w
		}
		if n := len(out); n > 0 && middle.work <= picked*alike {
			out[n-1].Weight += sum / picked / float64(len(list))
		} else if picked = middle.work; picked > 0 {
			out = append(out, Typical{middle.wave, sum / picked / float64(len(list))})
		}
		first, sum = i+1, 0
	}
	if e.longest.work > picked*alike {
		out = append(out, Typical{e.longest.wave, 0})
	}
	return out
}
