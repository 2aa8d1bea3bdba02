package shaderlift

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// keepComments gives the statements of out the comments that they had in orig, the
// text that out was made of. A comment on the line of a statement, or on lines of its
// own before it, stays with the statement and goes with it; the syntax has the former
// in the lead of the next statement, which may be another one now.
func keepComments(orig, out *d3d9.Program) {
	if orig.Binary {
		return
	}
	c := newCommentary(orig)
	last := -1 // the statement of orig that the current line is from
	for i, k := range sourcesOf(orig, out) {
		in := &out.Insts[i]
		if k < 0 {
			in.Lead, in.Text = "", ""
			continue
		}
		if in.Same(&orig.Insts[k]) {
			in.Text = orig.Insts[k].Text
		}
		in.Lead = c.after[last+1] + c.before[k]
		last = k
	}
	out.Tail = c.after[last+1] + c.before[len(orig.Insts)]
}

// sourcesOf tells, for every statement of out, which statement of orig it is or was
// made from, -1 for none. A new statement that says what one of orig said that is
// gone takes its place.
func sourcesOf(orig, out *d3d9.Program) []int {
	at := map[asm.Pos]int{}
	for k := range orig.Insts {
		at[orig.Insts[k].Pos] = k
	}
	from := make([]int, len(out.Insts))
	placed := make([]bool, len(orig.Insts))
	for i := range out.Insts {
		k, ok := at[out.Insts[i].Pos]
		if from[i] = -1; ok && !placed[k] {
			from[i], placed[k] = k, true
		}
	}
	gone := map[string][]int{}
	for k := range orig.Insts {
		if !placed[k] {
			text := d3d9.Format(orig.Model, &orig.Insts[k])
			gone[text] = append(gone[text], k)
		}
	}
	for i := range out.Insts {
		if from[i] >= 0 {
			continue
		}
		text := d3d9.Format(out.Model, &out.Insts[i])
		if list := gone[text]; len(list) > 0 {
			from[i], gone[text] = list[0], list[1:]
		}
	}
	return from
}

// commentary is what a text has between its statements: after[i] is the rest of the
// line of statement i-1, or of the version; before[i] all from there to statement i,
// or to the end of the text.
type commentary struct{ after, before []string }

func newCommentary(p *d3d9.Program) *commentary {
	c := &commentary{}
	for i := range p.Insts {
		c.add(p.Insts[i].Lead)
	}
	c.add(p.Tail)
	return c
}

func (c *commentary) add(lead string) {
	end := strings.IndexByte(lead, '\n')
	if end < 0 || strings.Contains(lead[:end], "/*") {
		end = 0
	}
	if end > 0 && lead[end-1] == '\r' {
		end--
	}
	c.after, c.before = append(c.after, lead[:end]), append(c.before, lead[end:])
}
