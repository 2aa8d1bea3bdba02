package mutate

import "strings"

// An array of registers is a state: what it was at first, and stores on top of it. A store
// is the state below, the element and four lanes; those that it does not write are kept.
const (
	element = "element lane " // and the lane that is read, by element and state
	storeOp = "store array|"
	plus    = "plus " // a modifier: more by a word
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
