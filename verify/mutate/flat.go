package mutate

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// flatten takes a subject apart, of a pair the pixel program first: what it reads decides
// which varyings matter. Nothing depends on what is left. It is nil where that fails. Over
// the reals a varying that every vertex gives the same number arrives as that number.
func flatten(s *Subject, reals bool) (list []*flat) {
	if s.Kernel != nil {
		if f := ilProgram(s.Kernel); f != nil && f.tidy() {
			return []*flat{f}
		}
		return nil
	}
	var read map[string]bool
	if s.Pair.Pixel != nil {
		f := d3d9Program(s.Pair.Pixel)
		if s.Pair.Vertex != nil {
			f.rename(equalVaryings(d3d9Program(s.Pair.Vertex)))
		}
		if reals && s.Pair.Vertex != nil {
			f.give(constantVaryings(d3d9Program(s.Pair.Vertex)))
		}
		if !f.tidy() {
			return nil
		}
		list, read = append(list, f), f.entry()
		if seen, ok := inputsOf(f); ok {
			read = seen
		}
	}
	if s.Pair.Vertex != nil {
		f := d3d9Program(s.Pair.Vertex)
		if s.Pair.Pixel != nil {
			f.exits = slices.DeleteFunc(f.exits, func(p string) bool { return f.varying[p] != "" && !read[f.varying[p]] })
		}
		if !f.tidy() {
			return nil
		}
		list = append(list, f)
	}
	return list
}

// flat is a program as a list of statements on named places.
type flat struct {
	frame string // what surrounds the program; has to be the same text
	units []unit
	exits []string // places that are read after the program
	// ends says that every loop does, so that one without effects is none.
	ends bool
	// varying are the places of a vertex program that a pixel program reads under
	// another name.
	varying map[string]string
}

// unit is a statement: assignments that take effect together, or one of flow.
type unit struct {
	inst int // the statement
	sets []set
	// role is what a statement of flow does to the blocks around it, and sure says that
	// it does so whatever its condition.
	role  il.Role
	sure  bool
	label string // of a function and its calls, and the word of a case
	trips int    // of a loop, where a literal says so, and one more
	// rel is the comparison that a condition makes of what it reads: nz alone is whether
	// a bit is set. not says that the statement takes effect where it does not hold.
	rel   string
	not   bool
	taken int // of a branch on a literal: 1 is taken, 2 is not
	// flow spells a statement of flow, less what it reads; it is empty for others.
	flow  string
	reads []arg
	// next are the statements that may follow one of flow; nil is the next one alone.
	next []int
}

// set gives a place the value of an operation, and then of modifiers, or lets it be
// unless a predicate holds.
type set struct {
	to   string
	op   string
	args []arg
	mods []string
	when *arg
	not  bool
}

// reads are the values that what is set depends on.
func (s *set) reads() []arg {
	if s.when == nil {
		return s.args
	}
	return append(s.args[:len(s.args):len(s.args)], *s.when, arg{place: s.to})
}

// arg is a value read: that of a place, of a literal, or of an element that others
// choose, or that of an operation; mods are signs and the like, the innermost first.
type arg struct {
	place    string
	word     string
	by       []arg // word names the element then, as far as it is known
	computed bool  // word is an operation on by
	mods     []string
}

// places calls f for all that is read.
func (a *arg) places(f func(string)) {
	f(a.place)
	for i := range a.by {
		a.by[i].places(f)
	}
}
