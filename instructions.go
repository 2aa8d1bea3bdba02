package shaderlift

import (
	"context"
	"iter"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/rate"
)

// Program is a program instruction by instruction, as Listing shows it.
type Program struct {
	Name         string        `json:"name"`
	Instructions []Instruction `json:"instructions"`
}

// Instruction is an instruction of a Direct3D 9 program, or a group of operations or a fetch
// of the program that a compiler might make of a kernel, and its price.
type Instruction struct {
	Text string `json:"text"`
	// Line is that of the text that was read, Offset that of the token in bytecode, in bytes.
	// Those of a program that passes have made are where it comes from: none if from nowhere.
	Line   int `json:"line,omitempty"`
	Offset int `json:"offset,omitempty"`
	// From is the file of Line or Offset where that is not the program's, but the other one of
	// a pair or one that is included.
	From string `json:"from,omitempty"`
	// Slots are those of the shader model's table, Texture the part of them that is of
	// texture instructions. Of a group they are the slots that are filled, of five.
	Slots   int `json:"slots"`
	Texture int `json:"texture"`
	// Total is the sum of Slots so far.
	Total int `json:"total"`
	// Live is how many components of temporaries are still read behind it, and Rate how often
	// what it computes may change, if that is known. Kernels have neither.
	Live int       `json:"live"`
	Rate rate.Rate `json:"rate,omitempty"`
	// Clause and Number are those of the listing of a kernel, and Cycles what a wavefront
	// keeps the unit busy for.
	Clause int     `json:"clause,omitempty"`
	Number int     `json:"number,omitempty"`
	Cycles float64 `json:"cycles,omitempty"`
	// Units are the operations of a group in the slots x, y, z, w and t, empty where one is free.
	Units []string `json:"units,omitempty"`
	// Reads are the instructions of the program whose values it reads, as indices, Fate and Why
	// what becomes of it and why it is computed as often as it is: of [Explain].
	Reads []int   `json:"reads,omitempty"`
	Fate  Fate    `json:"fate,omitempty"`
	Why   *Reason `json:"why,omitempty"`
	// Merged are the instructions of the result that do its work, if its Fate is Merged.
	Merged []Merge `json:"merged,omitempty"`
}

// Instructions is Stats with the price of every instruction, in Result.Programs, and of an
// effect in those of its parts. Declarations, labels and comments are left out.
func Instructions(ctx context.Context, in Input, o Options) (*Result, error) {
	return job{Options: o, ctx: ctx}.instructions(in)
}

func (o job) instructions(in Input) (*Result, error) {
	res, err := o.stats(in)
	if err != nil {
		return res, err
	}
	switch res.Kind {
	case KindKernel:
		defer o.begin()()
		_, _, s, err := compile(in, o)
		if err != nil {
			return res.fail(err)
		}
		cycles := float64(s.Target.Wave) / s.Target.FetchRate
		res.Programs = []Program{programOf(in.Files[0].Name, r600.Entries(s.Program), float64(s.Target.GroupCycle), cycles)}
	case KindEffect:
		e, err := readEffect(in.Files[0])
		if err != nil {
			return res.fail(err)
		}
		for i := range e.parts {
			programs, err := read(e.parts[i].in)
			if err != nil {
				return res.fail(err)
			}
			res.Parts[i].Programs = priced9(e.parts[i].in.Files, programs)
		}
	default:
		programs, err := read(in)
		if err != nil {
			return res.fail(err)
		}
		res.Programs = priced9(in.Files, programs)
	}
	return res, nil
}

// programOf converts the entries of a machine listing; group and fetch are the cycles that one of
// each takes for a wavefront.
func programOf(name string, entries []r600.Entry, group, fetch float64) Program {
	p := Program{Name: name, Instructions: []Instruction{}}
	total := 0
	for _, e := range entries {
		i := Instruction{Text: e.Text, Clause: e.Clause, Number: e.Number, Cycles: fetch}
		if e.Group != nil {
			i.Slots, i.Cycles, i.Units = e.Group.Used(), group, e.Slots[:]
		}
		total += i.Slots
		i.Total = total
		p.Instructions = append(p.Instructions, i)
	}
	return p
}

// priceable iterates over the instructions of q that take slots or steer control flow, with their
// indices in q.Insts: neither declarations nor comments.
func priceable(q *d3d9.Program) iter.Seq2[int, *d3d9.Inst] {
	return func(yield func(int, *d3d9.Inst) bool) {
		for k := range q.Insts {
			inst := &q.Insts[k]
			if kind := inst.Op.Kind(); kind != d3d9.Trivia && kind != d3d9.Declaration && !yield(k, inst) {
				return
			}
		}
	}
}

// priced9 prices the instructions of Direct3D 9 programs, which are named after files.
func priced9(files []File, programs []*d3d9.Program) (list []Program) {
	rates := rate.Of(programs)
	for i, q := range programs {
		live := d3d9.Live(q)
		p := Program{Name: files[i].Name, Instructions: []Instruction{}}
		price, total := pricesOf(q), 0
		for k, inst := range priceable(q) {
			arithmetic, texture := price(inst)
			total += arithmetic + texture
			at := inst.Also.Place(inst.Pos)
			from := at.File
			if from == p.Name {
				from = ""
			}
			p.Instructions = append(p.Instructions, Instruction{Text: d3d9.Format(q.Model, inst), Line: at.Line, Offset: at.Offset, From: from,
				Slots: arithmetic + texture, Texture: texture, Total: total, Live: live[k], Rate: rates[i][k]})
		}
		list = append(list, p)
	}
	return list
}
