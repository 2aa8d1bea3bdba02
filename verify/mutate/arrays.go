package mutate

import (
	"slices"
	"strconv"
	"strings"
)

// An indexable array of temporaries (x# of AMD IL) is a term of its own, as in the theory of arrays:
// its initial state "@x0", and stores on top of it. A store is
//
//	storeOp+size (state below, element, lane x, lane y, lane z, lane w)
//
// where a lane that the store does not write is the term "=kept". Elements have four lanes because
// a register has. Only arrays that some access indexes by a register are treated so; see
// [indexedArrays].
const (
	element = "element lane " // and the lane that is read, by element and state
	storeOp = "store array|"  // and how many elements there are
	plus    = "plus "         // a modifier: more by a word
)

// load reads a lane of an element in a state: the read-over-write axiom, select(store(s, i, v), j)
// is v if i = j and select(s, j) if i ≠ j. lane ends in the digit of the lane. The walk down stops
// at the first store whose element is neither the same term nor a different literal, because it
// may be to the element that is read; the load then stays a term on that state.
func (t *terms) load(lane string, index, state int) int {
	kept := t.cons("=kept")
	at := int(lane[len(lane)-1] - '0')
	for strings.HasPrefix(t.key[state], storeOp) {
		to, value := t.args[state][1], t.args[state][2+at]
		if value != kept {
			if to == index {
				return value
			}
			_, x := t.literal(to)
			_, y := t.literal(index)
			if !x || !y {
				break
			}
		}
		state = t.args[state][0]
	}
	return t.cons(lane, index, state)
}

// store is a state with an element set, in a normal form so that the order of independent stores
// does not matter. Adjacent stores to literal elements are sorted by element, smallest at the
// bottom; a store whose lanes a later one to the same element all overwrites is dropped; so is
// one beyond the end of the array, which writes nothing. A store to an unknown element is a
// barrier: nothing is moved across it.
func (t *terms) store(op string, args []int) int {
	at, known := t.literal(args[1])
	below := args[0]
	if size, err := strconv.Atoi(op[len(storeOp):]); err == nil && known && int(at) >= size {
		return below
	}
	if !known || !strings.HasPrefix(t.key[below], storeOp) {
		return t.cons(op, args...)
	}
	first := t.args[below]
	before, ok := t.literal(first[1])
	covers := !slices.Contains(args[2:], t.cons("=kept"))
	switch {
	// Overwritten entirely: take the store below out.
	case ok && before == at && covers:
		return t.store(op, append([]int{first[0]}, args[1:]...))
	// Sink the new store below the one to a larger element, and put that one back on top.
	case ok && before > at:
		inner := t.store(op, append([]int{first[0]}, args[1:]...))
		return t.cons(t.key[below], append([]int{inner}, first[1:]...)...)
	}
	return t.cons(op, args...)
}
