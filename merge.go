package shaderlift

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/diag"
	"github.com/shaderlift/shaderlift/passes"
)

// Merge is an instruction of the result that does the work of one of the input, and of others.
type Merge struct {
	// Program and Index are which one of Result.Rewritten it is, and Text what it says there.
	Program int    `json:"program"`
	Index   int    `json:"index"`
	Text    string `json:"text"`
	// Line, or Offset of bytecode, is where it comes from itself, none if from nowhere, in the
	// file From where that is not the program's.
	Line   int    `json:"line,omitempty"`
	Offset int    `json:"offset,omitempty"`
	From   string `json:"from,omitempty"`
	// Pass made it so by a rewrite of kind Code, and Message says what became of the
	// instruction that was rewritten. They are empty where it was the writing that did.
	Pass    string   `json:"pass,omitempty"`
	Code    asm.Code `json:"code,omitempty"`
	Message string   `json:"message,omitempty"`
}

// merges are the instructions of a result by the places in the input that they come from.
type merges struct {
	at   map[asm.Pos][]Merge // themselves
	also map[asm.Pos][]Merge // by having been merged
	made []passes.Step
	// files are those of the programs.
	files []File
}

func newMerges(files []File, made []passes.Step) *merges {
	return &merges{map[asm.Pos][]Merge{}, map[asm.Pos][]Merge{}, made, files}
}

// add adds instruction index of a program, which comes from pos, and from also as well.
func (m *merges) add(program, index int, text string, pos asm.Pos, also *asm.Origin) {
	pos = also.Place(pos)
	one := Merge{Program: program, Index: index, Text: text, Line: pos.Line, Offset: pos.Offset, From: pos.File}
	pos = sourceKey(pos)
	m.at[pos] = append(m.at[pos], one)
	for o := range also.All() {
		if from := sourceKey(o.Pos); from != pos {
			one.Code = o.Code
			m.also[from] = append(m.also[from], one)
		}
	}
}

// settle sets the fate of in, which stands at pos of a program.
func (m *merges) settle(in *Instruction, program int, pos asm.Pos) {
	pos = sourceKey(pos)
	if here := m.at[pos]; len(here) > 0 {
		in.Fate = Moved
		if slices.ContainsFunc(here, func(x Merge) bool { return x.Program == program }) {
			in.Fate = Kept
		}
		return
	}
	if in.Fate = Gone; len(m.also[pos]) > 0 {
		in.Fate = Merged
	}
	for _, x := range m.also[pos] {
		x.Pass, x.Message = m.by(x.Code, pos, asm.Pos{File: x.From, Line: x.Line, Offset: x.Offset})
		m.take(in, []Merge{m.relative(x)})
	}
}

// program sets the fates of list, the instructions of program i, which is q, and is replaced by now.
func (m *merges) program(list []Instruction, i int, q, now *d3d9.Program) {
	var places, open []asm.Pos
	var copies []bool
	for _, inst := range priceable(q) {
		n := len(places)
		places, copies = append(places, inst.Pos), append(copies, inst.Op == d3d9.OpMov)
		m.settle(&list[n], i, inst.Pos)
		switch inst.Op {
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			open = append(open, sourceKey(inst.Pos))
		case d3d9.OpElse, d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			// What ends a block in the result is of the statement that begins it.
			if slices.ContainsFunc(m.at[open[len(open)-1]], func(x Merge) bool { return x.Text == list[n].Text }) {
				list[n].Fate = Kept
			}
			if inst.Op != d3d9.OpElse {
				open = open[:len(open)-1]
			}
		}
		if list[n].Fate == Gone {
			m.output(&list[n], i, inst, now)
		}
	}
	m.follow(list, places, func(n int) bool { return copies[n] })
}

// take adds merges to those of in.
func (m *merges) take(in *Instruction, list []Merge) {
	for _, x := range list {
		in.Fate = Merged
		if !slices.ContainsFunc(in.Merged, func(y Merge) bool { return x.Program == y.Program && x.Index == y.Index }) {
			in.Merged = append(in.Merged, x)
		}
	}
}

// follow settles the copies in list, the instructions of a program at places, that are gone so far.
// Where something still reads one it was left out where the result was written: its readers read
// what it copied, or what computes that writes where it did.
func (m *merges) follow(list []Instruction, places []asm.Pos, copies func(i int) bool) {
	// left is what is left of instruction i.
	left := func(i int) []Merge {
		here := list[i].Merged
		if list[i].Fate != Merged {
			here = m.at[sourceKey(places[i])]
		}
		here = slices.Clone(here)
		for k := range here {
			here[k] = m.relative(here[k])
			here[k].Pass, here[k].Code, here[k].Message = "", "", ""
		}
		return here
	}
	readers := make([][]int, len(list))
	for i := range list {
		for _, r := range list[i].Reads {
			readers[r] = append(readers[r], i)
		}
	}
	for i := len(list) - 1; i >= 0; i-- { // a copy of a copy follows its readers
		in := &list[i]
		dead := func(s passes.Step) bool { return s.Pass == "dce" && sourceKey(s.Pos) == sourceKey(places[i]) }
		if in.Fate != Gone || !copies(i) || slices.ContainsFunc(m.made, dead) {
			continue
		}
		steered := false
		for _, r := range readers[i] {
			if list[r].Rate == "" {
				steered = steered || list[r].Fate != Gone
			} else {
				m.take(in, left(r))
			}
		}
		// What only a branch or a loop hands on is where that wants it.
		for _, r := range in.Reads {
			if steered && in.Fate == Gone {
				m.take(in, left(r))
			}
		}
	}
}

// relative is x without the name of a file that goes without saying.
func (m *merges) relative(x Merge) Merge {
	if x.From == m.files[x.Program].Name {
		x.From = ""
	}
	return x
}

// by is what made a rewrite of that kind at one of places, rather at the first ones, and of what.
func (m *merges) by(code asm.Code, places ...asm.Pos) (pass, message string) {
	for _, at := range places {
		for _, s := range slices.Backward(m.made) {
			if s.Code == code && sourceKey(s.Pos) == at {
				return s.Pass, strings.TrimSpace(s.Op + " " + s.What)
			}
		}
	}
	// It was made at another one, which has been merged with more since.
	for _, s := range m.made {
		if s.Code == code {
			pass = s.Pass
		}
	}
	return pass, diag.Lookup(code).Meaning
}

// output has in, inst of a program, of which nothing is left but an output that it wrote, be part
// of what writes that in q now.
func (m *merges) output(in *Instruction, program int, inst *d3d9.Inst, q *d3d9.Program) {
	n := 0
	for _, now := range priceable(q) {
		if reg := outputOf(now); reg != (d3d9.Reg{}) && reg == outputOf(inst) && now.Dst.Mask&inst.Dst.Mask != 0 {
			at := now.Also.Place(now.Pos)
			m.take(in, []Merge{m.relative(Merge{Program: program, Index: n, Text: d3d9.Format(q.Model, now), Line: at.Line, Offset: at.Offset, From: at.File})})
		}
		n++
	}
}
