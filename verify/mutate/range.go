package mutate

import (
	"math"
	"slices"
	"strings"
)

// kill is the state of the place "kill" after a texkill, as the set of all numbers of which none may be
// negative so far. A set, because the order of kills and repeated ones do not matter; numbers that
// cannot be negative are left out, and over the reals numbers stand for their positive multiples.
// The initial state "@kill" is an element like another; a set with nothing else is it.
func (t *terms) kill(args []int) int {
	var set []int
	if t.key[args[0]] == "texkill" {
		set = slices.Clone(t.args[args[0]])
	} else {
		set = []int{args[0]}
	}
	for _, n := range args[1:] {
		if !t.positive(n, 8) {
			set = append(set, t.scaled(n))
		}
	}
	slices.Sort(set)
	set = slices.Compact(set)
	if len(set) == 1 && t.key[set[0]] != "texkill" {
		return set[0]
	}
	return t.cons("texkill", set...)
}

// positive reports whether a float is known not to be less than zero; a NaN is not. depth bounds the
// recursion, since terms are directed acyclic graphs with exponentially many paths.
func (t *terms) positive(n, depth int) bool {
	if v, ok := t.literal(n); ok {
		return v < 1<<31 || v == 1<<31 || math.IsNaN(float64(math.Float32frombits(v)))
	}
	if depth == 0 {
		return false
	}
	args := t.args[n]
	all := func(list []int) bool {
		return !slices.ContainsFunc(list, func(a int) bool { return !t.positive(a, depth-1) })
	}
	// A polynomial, if no coefficient is negative, and neither is any factor that stands in an
	// odd power.
	if p, ok := t.forms[n]; ok {
		return !slices.ContainsFunc(p, func(m monomial) bool { return m.by.Sign() < 0 || !all(m.unpaired()) })
	}
	op, _, _ := strings.Cut(t.key[n], "|")
	switch op {
	case "abs", "sat", "frc", "sge", "slt", "exp", "rsq":
		return true
	case "pp":
		return t.positive(args[0], depth-1)
	case "mul":
		return len(args) == 2 && (args[0] == args[1] || all(args))
	case "add", "min":
		return len(args) == 2 && all(args)
	case "max":
		return len(args) == 2 && (t.positive(args[0], depth-1) || t.positive(args[1], depth-1))
	case "mad":
		return len(args) == 3 && (args[0] == args[1] && t.positive(args[2], depth-1) || all(args))
	// A sum of products, each a square or of two numbers that are not negative.
	case "dp2", "dp3", "dp4":
		for _, p := range args {
			if t.key[p] != "pair" || len(t.args[p]) != 2 || t.args[p][0] != t.args[p][1] && !all(t.args[p]) {
				return false
			}
		}
		return true
	case "ite":
		return all(args[1:])
	}
	return false
}

// within reports whether a float is known to lie between zero and one, NaN excluded. The bits of floats
// of one sign are ordered as integers, so that literals compare as words.
func (t *terms) within(n, depth int) bool {
	if v, ok := t.literal(n); ok {
		return v <= 0x3f800000
	}
	if depth == 0 {
		return false
	}
	args := t.args[n]
	op, _, _ := strings.Cut(t.key[n], "|")
	switch op {
	case "sat", "frc", "sge", "slt":
		return true
	case "pp":
		return t.within(args[0], depth-1)
	case "mul", "max":
		return len(args) == 2 && t.within(args[0], depth-1) && t.within(args[1], depth-1)
	case "min":
		return len(args) == 2 && (t.within(args[0], depth-1) && t.positive(args[1], depth-1) || t.within(args[1], depth-1) && t.positive(args[0], depth-1))
	case "ite":
		return t.within(args[1], depth-1) && t.within(args[2], depth-1)
	}
	return false
}
