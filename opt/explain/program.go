package explain

import (
	"iter"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/sched"
)

// Program is a list of instructions, as Listing shows it.
type Program struct {
	Name         string        `json:"name"`
	Instructions []Instruction `json:"instructions"`
}

// Instruction is a priced instruction of a Direct3D 9 program. In a listing of a kernel it is a group
// of operations or a fetch, as a compiler might generate it.
type Instruction struct {
	Text string `json:"text"`
	// Line is the line in the source text, Offset the offset of the token in bytecode, in bytes. In an
	// optimized program they locate the source instruction; both are 0 if there is none.
	Line   int `json:"line,omitempty"`
	Offset int `json:"offset,omitempty"`
	// From is the file of Line or Offset if it differs from the program's file: the other file of a
	// pair, or an included file.
	From string `json:"from,omitempty"`
	// Slots follow the table of the shader model; Texture is the share of texture instructions. A group
	// counts its filled slots, of five.
	Slots   int `json:"slots"`
	Texture int `json:"texture"`
	// Total is the running sum of Slots.
	Total int `json:"total"`
	// Live is the number of live components of temporaries after the instruction. Rate is the rate at
	// which its result may change, if known. Kernels have neither.
	Live int  `json:"live"`
	Rate Rate `json:"rate,omitempty"`
	// Clause and Number are the numbers in the listing of a kernel. Cycles is the time for which a
	// wavefront occupies the unit.
	Clause int     `json:"clause,omitempty"`
	Number int     `json:"number,omitempty"`
	Cycles float64 `json:"cycles,omitempty"`
	// Units are the operations of a group in the slots x, y, z, w and t; a free slot is empty.
	Units []string `json:"units,omitempty"`
	// Reads are the indices of the instructions whose values it reads. Fate is its outcome and Why the
	// reason for its rate; both come from opt.Explain.
	Reads []int   `json:"reads,omitempty"`
	Fate  Fate    `json:"fate,omitempty"`
	Why   *Reason `json:"why,omitempty"`
	// Costs are the prices of the instruction of a Direct3D 9 program on the GPUs of the target.
	Costs []Cost `json:"costs,omitempty"`
	// Merged are the instructions of the result that do its work, if Fate is Merged.
	Merged []Merge `json:"merged,omitempty"`
}

// MachineProgram lists the groups and fetches of a machine program.
func MachineProgram(name string, s *sched.Scheduled) Program {
	group, fetch := float64(s.Target.GroupCycle), float64(s.Target.Wave)/s.Target.FetchRate // cycles per wavefront
	p := Program{Name: name, Instructions: []Instruction{}}
	total := 0
	for _, e := range r600.Entries(s.Program) {
		i := Instruction{Text: e.Text, Clause: e.Clause, Number: e.Number, Cycles: fetch}
		if e.Group != nil {
			i.Slots, i.Cycles, i.Units = e.Group.FilledSlots(), group, e.Slots[:]
		}
		total += i.Slots
		i.Total = total
		p.Instructions = append(p.Instructions, i)
	}
	return p
}

// Statements iterates over the instructions of q that take slots or control the flow, with their indices
// in q.Insts. It skips declarations and comments.
func Statements(q *d3d9.Program) iter.Seq2[int, *d3d9.Inst] {
	return func(yield func(int, *d3d9.Inst) bool) {
		for k := range q.Insts {
			inst := &q.Insts[k]
			if kind := inst.Op.Kind(); kind != d3d9.Trivia && kind != d3d9.Declaration && !yield(k, inst) {
				return
			}
		}
	}
}

// Price prices the instructions of Direct3D 9 programs of these names.
func Price(names []string, programs []*d3d9.Program) (list []Program) {
	rates := Rates(programs)
	for i, q := range programs {
		live := d3d9.LiveComponents(q)
		p := Program{Name: names[i], Instructions: []Instruction{}}
		price, total := pricesOf(q), 0
		for k, inst := range Statements(q) {
			arithmetic, texture := price(inst)
			total += arithmetic + texture
			at := inst.Also.Place(inst.Pos)
			from := at.File
			if from == p.Name {
				from = ""
			}
			p.Instructions = append(p.Instructions,
				Instruction{Text: d3d9.Format(q.Model, inst), Line: at.Line, Offset: at.Offset, From: from,
					Slots: arithmetic + texture, Texture: texture, Total: total, Live: live[k], Rate: rates[i][k]})
		}
		list = append(list, p)
	}
	return list
}
