package sim

import (
	"cmp"
	"slices"
)

// Typical is a wavefront that represents others with about the same work.
type Typical struct {
	Wave   int
	Weight float64 // the share of the launch's wavefronts that it represents
}

// ended is a wavefront that was followed to its end, with the cycles of units that it took.
type ended struct {
	wave int
	work float64
}

// endings is a sample of at most maxEndings ended wavefronts: those whose number is a multiple of
// each, and the one with the most work. A sample by number does not depend on the order in which
// wavefronts end.
type endings struct {
	list    []ended
	each    int
	longest ended
}

// maxEndings bounds the sample of a launch of any size: above it, half of the sample is dropped.
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

// strata is the number of parts that wavefronts are divided into, by work. alike is the factor
// within which two parts share a representative. Both are assumed.
const (
	strata = 4
	alike  = 1.05
)

// typical selects wavefronts that together represent the work of all of e. The wavefronts are
// sorted by work and cut into parts of equal total work; the middle one represents the part. In
// most launches all wavefronts do the same, and one suffices. The last one has the most work; it
// may represent no other.
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
	first, sum, picked := 0, 0.0, 0.0 // picked is the work of the last representative
	for i, w := range list {
		sum += w.work
		if i+1 < len(list) && (sum < total/strata || w.work == list[i+1].work) {
			continue
		}
		middle := list[(first+i)/2]
		if middle.work == 0 { // a wavefront without work represents none
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
