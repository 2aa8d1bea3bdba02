package replay

import (
	"regexp"
	"slices"
	"strings"
)

// reduceList removes elements of a list as long as the rest passes a test: halves, quarters and so on. This
// is ddmin (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE Transactions on
// Software Engineering 28, 2002) without the tests of subsets alone, which fragments of programs do not pass.
func reduceList[T any](list []T, test func([]T) bool) []T {
	for size := max(len(list)/2, 1); len(list) > 0; size = max(size/2, 1) {
		gone := false
		for at := 0; at < len(list); {
			rest := slices.Concat(list[:at], list[min(at+size, len(list)):])
			if test(rest) {
				list, gone = rest, true
			} else {
				at += size
			}
		}
		if size == 1 && !gone {
			break
		}
	}
	return list
}

// reduceText makes a program smaller, statement by statement. An invalid program shows no symptom, so reduceText
// needs to know only the form of statements. It returns the last text that shows accepted, or the
// original.
func reduceText(text string, shows func(string) bool) string {
	t := texts{slices.Collect(strings.Lines(text)), func(lines []string) bool { return shows(strings.Join(lines, "")) }}
	t.lines = reduceList(t.lines, t.shows)
	t.blocks()
	t.operands()
	return strings.Join(t.lines, "")
}

// countStatements counts the lines of a program that are neither blank nor comments.
func countStatements(text string) (n int) {
	for l := range strings.Lines(text) {
		if parseLine(l).code != "" {
			n++
		}
	}
	return n
}

// texts holds the smallest program so far.
type texts struct {
	lines []string
	shows func([]string) bool
}

// tries accepts other lines if they show the symptom.
func (t *texts) tries(lines []string) bool {
	if !t.shows(lines) {
		return false
	}
	t.lines = lines
	return true
}

// blocks removes the beginning and the end of blocks and keeps the contents, or one side of a branch.
func (t *texts) blocks() {
	for from := 0; from < len(t.lines); from++ {
		middle, to := block(t.lines, from)
		if to < 0 {
			continue
		}
		cuts := [][2]int{{from + 1, to}}
		if middle >= 0 {
			cuts = [][2]int{{from + 1, middle}, {middle + 1, to}}
		}
		for _, c := range cuts {
			if t.tries(slices.Concat(t.lines[:from], t.lines[c[0]:c[1]], t.lines[to+1:])) {
				from--
				break
			}
		}
	}
}

// block returns the end of the block that a line begins, or -1 if it begins none, and the line of its
// else, or -1.
func block(lines []string, from int) (middle, end int) {
	middle = -1
	if opens, _ := nesting(lines[from]); !opens {
		return -1, -1
	}
	depth := 0
	for at := from; at < len(lines); at++ {
		opens, closes := nesting(lines[at])
		switch {
		case opens:
			depth++
		case closes:
			depth--
		case depth == 1 && parseLine(lines[at]).op == "else":
			middle = at
		}
		if depth == 0 {
			return middle, at
		}
	}
	return -1, -1
}

// nesting reports whether a line begins or ends a block, in any of the languages.
func nesting(line string) (opens, closes bool) {
	op := parseLine(line).op
	switch {
	case strings.HasPrefix(op, "end") && len(op) > len("end"):
		return false, true
	case strings.HasPrefix(op, "if"), op == "rep", op == "loop", op == "whileloop", op == "switch":
		return true, false
	}
	return false, false
}

// line is a statement as text: an operation and its operands, separated by commas.
type line struct {
	code     string // without surrounding blanks and comments, empty without a statement
	op       string
	operands []string
}

func parseLine(text string) (l line) {
	for _, comment := range []string{"//", ";", "#"} {
		text, _, _ = strings.Cut(text, comment)
	}
	l.code = strings.TrimSpace(text)
	op, rest, _ := strings.Cut(l.code, " ")
	l.op = op
	for _, o := range strings.Split(rest, ",") {
		if o = strings.TrimSpace(o); o != "" {
			l.operands = append(l.operands, o)
		}
	}
	return l
}

func (l line) String() string {
	return strings.TrimSpace(l.op+" "+strings.Join(l.operands, ", ")) + "\n"
}

var (
	modifier = regexp.MustCompile(`_[a-z0-9]+(\([a-z0-9]*\))?`)
	number   = regexp.MustCompile(`^[-+]?(0x[0-9A-Fa-f]+|[0-9.]+([eE][-+]?[0-9]+)?f?)$`)
	leaf     = regexp.MustCompile(`^(t|v|c|l|cb|vWinCoord|vObjIndex|vaTid|vTid)[0-9\[\]]*$`)
)

// operands simplifies statements: it uses moves instead of operations, leaves instead of registers,
// whole registers, zero and one.
func (t *texts) operands() {
	leaves := leavesOf(t.lines)
	for at := range t.lines {
		for again := true; again; {
			again = false
			for _, s := range simpler(parseLine(t.lines[at]), leaves) {
				if s != t.lines[at] && t.tries(replaced(t.lines, at, s)) {
					again = true
					break
				}
			}
		}
	}
}

// leavesOf returns the first registers of a program that it does not compute.
func leavesOf(lines []string) (found []string) {
	const most = 3
	for _, text := range lines {
		l := parseLine(text)
		for _, o := range l.operands {
			name, _, _ := strings.Cut(strings.TrimPrefix(o, "-"), ".")
			if leaf.MatchString(name) && !slices.Contains(found, name) && len(found) < most {
				found = append(found, name)
			}
		}
	}
	return found
}

// simpler returns simpler statements than l, the simplest first. No step can be reversed by later ones,
// so repeated simplification terminates.
func simpler(l line, leaves []string) (list []string) {
	with := func(op string, operands ...string) { list = append(list, line{op: op, operands: operands}.String()) }
	base := modifier.ReplaceAllString(l.op, "")
	if declares := base == "dcl" || base == "def" || base == "defi" || base == "defb"; declares || len(l.operands) == 0 {
		for k, o := range l.operands {
			for _, simple := range []string{"0", "1"} {
				if k > 0 && number.MatchString(o) && o != "0" && o != simple && !(o == "1" && simple == "0") {
					with(l.op, replaced(l.operands, k, simple)...)
				}
			}
		}
		return list
	}
	if base != "mov" && len(l.operands) > 1 {
		for _, src := range l.operands[1:] {
			with("mov", l.operands[0], src)
		}
	}
	if base != l.op {
		with(base, l.operands...)
	}
	for k, o := range l.operands {
		name, swizzle, _ := strings.Cut(strings.TrimPrefix(o, "-"), ".")
		if name != o && k > 0 || name != o && swizzle != "" {
			with(l.op, replaced(l.operands, k, name)...)
		}
		for n, leaf := range leaves {
			if at := slices.Index(leaves, name); k > 0 && (at < 0 || n < at) {
				with(l.op, replaced(l.operands, k, leaf)...)
			}
		}
	}
	return list
}

func replaced(list []string, k int, by string) []string {
	list = slices.Clone(list)
	list[k] = by
	return list
}
