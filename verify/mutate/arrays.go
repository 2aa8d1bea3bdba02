package mutate

import (
	"slices"
	"strconv"
	"strings"
)

// An array of registers is a state: what it was at first, and stores on top of it. A store
// is the state below, the element and four lanes; those that it does not write are kept.
const (
	element = "element lane " // and the lane that is read, by element and state
	storeOp = "store array|"  // and how many elements there are
	plus    = "plus "         // a modifier: more by a word
)

// load reads a lane through the stores that cannot have written it.
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

// store is a state with an element set. Stores to elements that literals name are put into
// the order of these, and one is left out that all lanes of a later one cover, or that is
// beyond the end.
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
	case ok && before == at && covers:
		return t.store(op, append([]int{first[0]}, args[1:]...))
	case ok && before > at:
		inner := t.store(op, append([]int{first[0]}, args[1:]...))
		return t.cons(t.key[below], append([]int{inner}, first[1:]...)...)
	}
	return t.cons(op, args...)
}
