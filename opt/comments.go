package opt

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// sourceText is the text of a program in either language, for comments: its statements, and the text after
// the last one.
type sourceText struct {
	statements []sourceStatement
	tail       *string
}

type sourceStatement struct {
	pos        asm.Pos
	lead, text *string // the text before it, and its own text
	meaning    func() string
}

func sourceTextOf(p *d3d9.Program) sourceText {
	l := sourceText{tail: &p.Tail}
	for i := range p.Insts {
		in := &p.Insts[i]
		l.statements = append(l.statements, sourceStatement{in.Pos, &in.Lead, &in.Text,
			func() string { return d3d9.Format(p.Model, in) }})
	}
	return l
}

func sourceTextOfKernel(k *il.Kernel) sourceText {
	l := sourceText{tail: &k.Tail}
	for i := range k.Insts {
		in := &k.Insts[i]
		l.statements = append(l.statements, sourceStatement{in.Pos, &in.Lead, &in.Text, func() string { return il.Format(in) }})
	}
	return l
}

// transferComments gives the statements of out their comments from orig, the source of out. A comment on the line
// of a statement, or on separate lines before it, moves with the statement. The syntax tree has the
// former in the lead of the next statement, which may have changed.
func transferComments(orig, out *d3d9.Program) { moveComments(sourceTextOf(orig), sourceTextOf(out)) }

// transferKernelComments does the same for kernels.
func transferKernelComments(orig, out *il.Kernel) {
	moveComments(sourceTextOfKernel(orig), sourceTextOfKernel(out))
}

func moveComments(orig, out sourceText) {
	c := newCommentary(orig)
	last := -1 // the statement of orig on the current line
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

// sourcesOf returns, for every statement of out, its source statement in orig, or -1. A new statement
// takes the place of a removed one with the same text.
func sourcesOf(orig, out sourceText) []int {
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

// commentary is the text between statements. after[i] is the rest of the line of statement i-1, or of
// the version. before[i] is the text from there to statement i, or to the end.
type commentary struct{ after, before []string }

func newCommentary(l sourceText) *commentary {
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

// closingComment matches the comment at the end of fxc's listings.
var closingComment = regexp.MustCompile(`approximately \d+ instruction slots? used(?: \(\d+ texture, \d+ arithmetic\))?`)

// recountSlots updates the closing comment of fxc to the current slots of p, if p has one.
func recountSlots(p *d3d9.Program) {
	if p.Binary || !closingComment.MatchString(p.Tail) {
		return
	}
	c := d3d9.Measure(p)
	text := fmt.Sprintf("approximately %d instruction slots used", c.Slots)
	if c.Slots == 1 {
		text = "approximately 1 instruction slot used"
	}
	if c.Texture > 0 {
		text += fmt.Sprintf(" (%d texture, %d arithmetic)", c.Texture, c.Arithmetic)
	}
	p.Tail = closingComment.ReplaceAllLiteralString(p.Tail, text)
}
