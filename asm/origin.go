package asm

import "iter"

// Origin is a source statement whose work an instruction does in addition to its own, with the kind
// of rewrite that merged them. Copies of an instruction share their list of origins, which is
// immutable.
type Origin struct {
	Pos  Pos
	Code Code
	// within holds the origins of the statement at Pos, next the further origins of this
	// instruction
	within, next *Origin
}

// Merged returns o with the statement at pos added. within holds the origins that this statement
// already had.
func (o *Origin) Merged(pos Pos, code Code, within *Origin) *Origin {
	if o != nil && o.Pos == pos && o.within == within {
		return o
	}
	return &Origin{pos, code, within, o}
}

// Place returns pos, or the position of the first origin if the instruction has no position because
// a pass made it.
func (o *Origin) Place(pos Pos) Pos {
	if o == nil || pos.IsValid() {
		return pos
	}
	return o.Pos
}

// Behind works like Merged but keeps o first.
func (o *Origin) Behind(pos Pos, code Code, within *Origin) *Origin {
	if o == nil {
		return o.Merged(pos, code, within)
	}
	return &Origin{o.Pos, o.Code, o.within, o.next.Merged(pos, code, within)}
}

// All iterates over o and all origins merged into it, and yields each entry once.
func (o *Origin) All() iter.Seq[*Origin] {
	return func(yield func(*Origin) bool) {
		seen := map[*Origin]bool{}
		for todo := []*Origin{o}; len(todo) > 0; {
			o, todo = todo[len(todo)-1], todo[:len(todo)-1]
			if o == nil || seen[o] {
				continue
			}
			if seen[o] = true; !yield(o) {
				return
			}
			todo = append(todo, o.next, o.within)
		}
	}
}
