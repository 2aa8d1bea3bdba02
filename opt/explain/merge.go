package explain

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/diag"
	"github.com/shaderlift/shaderlift/passes"
)

// Merge is an instruction of the result that does the work of several instructions of the input.
type Merge struct {
	// Program and Index locate the instruction in Result.Rewritten; Text is its text there.
	Program int    `json:"program"`
	Index   int    `json:"index"`
	Text    string `json:"text"`
	// Line, or Offset in bytecode, locates its own source instruction, if any. From is the file if it
	// is not the program's own file.
	Line   int    `json:"line,omitempty"`
	Offset int    `json:"offset,omitempty"`
	From   string `json:"from,omitempty"`
	// Pass is the pass whose rewrite of kind Code merged it, and Message describes the rewritten
	// instruction. They are empty if emission merged it.
	Pass    string   `json:"pass,omitempty"`
	Code    asm.Code `json:"code,omitempty"`
	Message string   `json:"message,omitempty"`
}

// merges indexes the instructions of a result by their places in the input.
type merges struct {
	at    map[asm.Pos][]Merge // by their own places
	also  map[asm.Pos][]Merge // by the places of instructions merged into them
	made  []passes.Step
	names []string // of the programs
}

func newMerges(names []string, made []passes.Step) *merges {
	return &merges{map[asm.Pos][]Merge{}, map[asm.Pos][]Merge{}, made, names}
}

// recordInstruction adds instruction index of a program, with its position pos and the positions also of merged
// instructions.
func (m *merges) recordInstruction(program, index int, text string, pos asm.Pos, also *asm.Origin) {
	pos = also.Place(pos)
	one := Merge{Program: program, Index: index, Text: text, Line: pos.Line, Offset: pos.Offset, From: pos.File}
	pos = SourceKey(pos)
	m.at[pos] = append(m.at[pos], one)
	for o := range also.All() {
		if from := SourceKey(o.Pos); from != pos {
			one.Code = o.Code
			m.also[from] = append(m.also[from], one)
		}
	}
}

// settle sets the fate of in, which is at pos of a program.
func (m *merges) settle(in *Instruction, program int, pos asm.Pos) {
	pos = SourceKey(pos)
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
		x.Pass, x.Message = m.rewritingPass(x.Code, pos, asm.Pos{File: x.From, Line: x.Line, Offset: x.Offset})
		m.addMerged(in, []Merge{m.relative(x)})
	}
}

// program sets the fates of list, the instructions of program i, which is q; now replaces q.
func (m *merges) program(list []Instruction, i int, q, now *d3d9.Program) {
	var places, open []asm.Pos
	var copies []bool
	for _, inst := range Statements(q) {
		n := len(places)
		places, copies = append(places, inst.Pos), append(copies, inst.Op == d3d9.OpMov)
		m.settle(&list[n], i, inst.Pos)
		switch inst.Op {
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			open = append(open, SourceKey(inst.Pos))
		case d3d9.OpElse, d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			// The end of a block in the result belongs to the statement that begins the block.
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

// addMerged adds merges to the merges of in.
func (m *merges) addMerged(in *Instruction, list []Merge) {
	for _, x := range list {
		in.Fate = Merged
		if !slices.ContainsFunc(in.Merged, func(y Merge) bool { return x.Program == y.Program && x.Index == y.Index }) {
			in.Merged = append(in.Merged, x)
		}
	}
}

// follow determines the fate of the copies in list, the instructions of a program at places, that seem
// to be gone. If a copy still has readers, emission left it out: its readers read the source of the
// copy, or the source writes its destination.
func (m *merges) follow(list []Instruction, places []asm.Pos, copies func(i int) bool) {
	// left returns the remaining instructions for instruction i.
	left := func(i int) []Merge {
		here := list[i].Merged
		if list[i].Fate != Merged {
			here = m.at[SourceKey(places[i])]
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
	for i := len(list) - 1; i >= 0; i-- { // backwards: a copy of a copy follows its readers
		in := &list[i]
		dead := func(s passes.Step) bool { return s.Pass == "dce" && SourceKey(s.Pos) == SourceKey(places[i]) }
		if in.Fate != Gone || !copies(i) || slices.ContainsFunc(m.made, dead) {
			continue
		}
		steered := false
		for _, r := range readers[i] {
			if list[r].Rate == "" {
				steered = steered || list[r].Fate != Gone
			} else {
				m.addMerged(in, left(r))
			}
		}
		// A value that only a branch or a loop passes on is written directly to its destination.
		for _, r := range in.Reads {
			if steered && in.Fate == Gone {
				m.addMerged(in, left(r))
			}
		}
	}
}

// relative omits the file of x if it is the program's own file.
func (m *merges) relative(x Merge) Merge {
	if x.From == m.names[x.Program] {
		x.From = ""
	}
	return x
}

// rewritingPass returns the pass that made a rewrite of kind code at one of places, preferring the first, and its
// message.
func (m *merges) rewritingPass(code asm.Code, places ...asm.Pos) (pass, message string) {
	for _, at := range places {
		for _, s := range slices.Backward(m.made) {
			if s.Code == code && SourceKey(s.Pos) == at {
				return s.Pass, strings.TrimSpace(s.Op + " " + s.What)
			}
		}
	}
	// The rewrite was at another position, which has been merged since.
	for _, s := range m.made {
		if s.Code == code {
			pass = s.Pass
		}
	}
	return pass, diag.LookupChange(code).Meaning
}

// writesOutput reports whether inst computes an output of its program.
func writesOutput(inst *d3d9.Inst) bool {
	return inst.HasDst && inst.Dst.File.IsOutput() && inst.Op.Kind() != d3d9.Declaration
}

// output merges in, instruction inst of a program, into the instructions of q that write the same
// output. The caller found no other trace of it.
func (m *merges) output(in *Instruction, program int, inst *d3d9.Inst, q *d3d9.Program) {
	n := 0
	for _, now := range Statements(q) {
		if writesOutput(inst) && writesOutput(now) && now.Dst.Reg == inst.Dst.Reg && now.Dst.Mask&inst.Dst.Mask != 0 {
			at := now.Also.Place(now.Pos)
			m.addMerged(in, []Merge{m.relative(Merge{Program: program, Index: n, Text: d3d9.Format(q.Model, now),
				Line: at.Line, Offset: at.Offset, From: at.File})})
		}
		n++
	}
}
