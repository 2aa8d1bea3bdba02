package asm

import "iter"

// Origin is a statement whose work an instruction does besides that of its own one, and the kind
// of rewrite that had it do so. Origins are a list that copies of an instruction share, and are
// never changed.
type Origin struct {
	Pos  Pos
	Code Code
	// within are those of what was at Pos, next what else the one that has this does.
	within, next *Origin
}

// Merged is o with the statement at pos, which had origins of its own, within.
func (o *Origin) Merged(pos Pos, code Code, within *Origin) *Origin {
	if o != nil && o.Pos == pos && o.within == within {
		return o
	}
	return &Origin{pos, code, within, o}
}

// Place is pos, or where what writing has made, at no place of its own, comes from.
func (o *Origin) Place(pos Pos) Pos {
	if o == nil || pos.IsValid() {
		return pos
	}
	return o.Pos
}

// Behind is Merged with o still first.
func (o *Origin) Behind(pos Pos, code Code, within *Origin) *Origin {
	if o == nil {
		return o.Merged(pos, code, within)
	}
	return &Origin{o.Pos, o.Code, o.within, o.next.Merged(pos, code, within)}
}

// All iterates over o and all that it was merged with, no entry of the lists twice.
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
