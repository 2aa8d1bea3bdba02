// Package comments keeps the comments of text in what programs are rewritten to.
package comments

import (
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// listing is the text of a program, of either language, as far as comments go: its
// statements, and what follows the last one.
type listing struct {
	statements []statement
	tail       *string
}

type statement struct {
	pos        asm.Pos
	lead, text *string // what stands before it, and its own spelling
	meaning    func() string
}

func listingOf(p *d3d9.Program) listing {
	l := listing{tail: &p.Tail}
	for i := range p.Insts {
		in := &p.Insts[i]
		l.statements = append(l.statements, statement{in.Pos, &in.Lead, &in.Text, func() string { return d3d9.Format(p.Model, in) }})
	}
	return l
}

func listingOfKernel(k *il.Kernel) listing {
	l := listing{tail: &k.Tail}
	for i := range k.Insts {
		in := &k.Insts[i]
		l.statements = append(l.statements, statement{in.Pos, &in.Lead, &in.Text, func() string { return il.Format(in) }})
	}
	return l
}

// Keep gives the statements of out the comments that they had in orig, the
// text that out was made of. A comment on the line of a statement, or on lines of its
// own before it, stays with the statement and goes with it; the syntax has the former
// in the lead of the next statement, which may be another one now.
func Keep(orig, out *d3d9.Program) { keep(listingOf(orig), listingOf(out)) }

// KeepKernel does what Keep does, with kernels.
func KeepKernel(orig, out *il.Kernel) { keep(listingOfKernel(orig), listingOfKernel(out)) }

func keep(orig, out listing) {
	c := newCommentary(orig)
	last := -1 // the statement of orig that the current line is from
	for i, k := range sourcesOf(orig, out) {
		in := &out.statements[i]
		if k < 0 {
			*in.lead, *in.text = "", ""
			continue
		}
		if old := &orig.statements[k]; in.meaning() == old.meaning() {
			*in.text = *old.text
		}
		*in.lead = c.after[last+1] + c.before[k]
		last = k
	}
	*out.tail = c.after[last+1] + c.before[len(orig.statements)]
}

// sourcesOf tells, for every statement of out, which statement of orig it is or was
// made from, -1 for none. A new statement that says what one of orig said that is
// gone takes its place.
func sourcesOf(orig, out listing) []int {
	at := map[asm.Pos]int{}
	for k := range orig.statements {
		at[orig.statements[k].pos] = k
	}
	from := make([]int, len(out.statements))
	placed := make([]bool, len(orig.statements))
	for i := range out.statements {
		k, ok := at[out.statements[i].pos]
		if from[i] = -1; ok && !placed[k] {
			from[i], placed[k] = k, true
		}
	}
	gone := map[string][]int{}
	for k := range orig.statements {
		if !placed[k] {
			text := orig.statements[k].meaning()
			gone[text] = append(gone[text], k)
		}
	}
	for i := range out.statements {
		if from[i] >= 0 {
			continue
		}
		text := out.statements[i].meaning()
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

func newCommentary(l listing) *commentary {
	c := &commentary{}
	for i := range l.statements {
		c.add(*l.statements[i].lead)
	}
	c.add(*l.tail)
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
