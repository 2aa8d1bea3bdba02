package mutate

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// flatten takes a subject apart into lists of statements on named places, and leaves out what
// nothing depends on. Of a pair the pixel program comes first, because the varyings that it reads
// decide which outputs of the vertex program are live. Varyings that the vertex program always
// gives equal values are one for the pixel program; over the reals a varying that is a literal for
// every vertex is that literal. It is nil where the flow cannot be linked.
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
			// Following paths finds fewer inputs than liveness: those that only decided branches read
			// are not among them.
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

// flat is a program as a list of statements on named places, the common form of both dialects.
// A place is a scalar: a component of a register ("r0.x"), an input or output by what it means
// ("icolor0.x" for what is declared with that usage), or a pseudo-register: "kill" (whether the
// fragment was killed), "effects" (memories, and discards of AMD IL), "aL". Places whose name
// begins with o are outputs.
type flat struct {
	frame string // the stage, the model and the declarations, as text; both programs must have the same
	units []unit
	exits []string // places that are live at the end of the program
	// ends says that every loop terminates, so that a loop without effects can be left out.
	// It holds for Direct3D 9, whose loops have at most 255 trips, and not for AMD IL.
	ends bool
	// varying maps the outputs of a vertex program to the places under which the pixel
	// program reads them, where the rasterizer interpolates them.
	varying map[string]string
}

// unit is a statement: assignments that take effect together, all reading the state before any of
// them, or a statement of flow. It is one of flow if flow is not empty; then sets is.
type unit struct {
	inst int // the number of the statement in the program
	sets []set
	// role is what a statement of flow does to the blocks around it, and sure says that
	// it does so whatever its condition.
	role  il.Role
	sure  bool
	label string // of a function and its calls, and the word of a case
	trips int    // of a loop: one more than its trips, where a literal says how many; 0 where none does
	// rel is the comparison that a condition makes of what it reads: nz alone is whether
	// a bit is set. not says that the statement takes effect where it does not hold.
	rel   string
	not   bool
	taken int // of a branch on a literal: 1 is taken, 2 is not
	// flow spells a statement of flow, less what it reads; it is empty for others.
	flow  string
	reads []arg // the operands of a condition, or the value that a switch looks at
	// next are the statements that may follow one of flow; nil is the next one alone. The
	// numbers are valid until the next statement is dropped; see link.
	next []int
}

// set gives a place the value of an operation on arguments, changed by modifiers (saturation, shift,
// partial precision) in their order. A predicated one keeps the old value where the predicate
// does not hold.
type set struct {
	to   string // the place
	op   string // the operation as text; what follows a | are its controls and, where lanes differ, the lane
	args []arg
	mods []string
	when *arg // the predicate, or nil; not says that it is negated
	not  bool
}

// reads are the values that the place depends on afterwards: of a predicated set the predicate and
// the old value as well.
func (s *set) reads() []arg {
	if s.when == nil {
		return s.args
	}
	return append(s.args[:len(s.args):len(s.args)], *s.when, arg{place: s.to})
}

// arg is a value read. It is one of four:
//
//	place != ""             the value of a place
//	by == nil               the literal whose eight hexadecimal digits are word
//	by != nil, !computed    an element that the values of by choose, of what word names
//	by != nil, computed     the operation word on by
//
// mods are modifiers of the source, signs and the like, the innermost first.
type arg struct {
	place    string
	word     string
	by       []arg
	computed bool
	mods     []string
}

// places calls f for all that is read.
func (a *arg) places(f func(string)) {
	f(a.place)
	for i := range a.by {
		a.by[i].places(f)
	}
}
