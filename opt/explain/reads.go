package explain

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// readsOf lists, for each of the n statements of the program that f was lifted from, the statements
// whose values it reads. A branch or loop counts as the source of its block arguments: it reads the
// results of its blocks, and statements in a loop read the loop's counters.
func readsOf(f *ir.Func, n int) [][]int {
	from := map[*ir.Value][]int{}
	sources := func(in *ir.Instr) (list []int) {
		in.EachUse(func(l *ir.Lane) { list = append(list, from[l.V]...) })
		slices.Sort(list)
		return slices.Compact(list)
	}
	f.Walk(func(in *ir.Instr) {
		own := []int{int(in.Orig)}
		if in.Orig < 0 { // part of a statement
			own = sources(in)
		}
		in.EachDef(func(v *ir.Value) { from[v] = own })
		for _, r := range in.Sub {
			for _, v := range append(slices.Clip(r.Params), r.Index) {
				from[v] = own
			}
		}
	})
	reads := make([][]int, n)
	f.Walk(func(in *ir.Instr) {
		if k := int(in.Orig); k >= 0 && k < n {
			reads[k] = append(reads[k], slices.DeleteFunc(sources(in), func(i int) bool { return i == k })...)
			slices.Sort(reads[k])
			reads[k] = slices.Compact(reads[k])
		}
	})
	return reads
}

// connectReads fills in the reads of each instruction of list; at holds its statement.
func connectReads(list []Instruction, at []int, reads [][]int) {
	index := map[int]int{}
	for i, k := range at {
		index[k] = i
	}
	for i, k := range at {
		for _, r := range reads[k] {
			if from, listed := index[r]; listed {
				list[i].Reads = append(list[i].Reads, from)
			}
		}
	}
}

// Connect fills in the reads of the instructions in list for Direct3D 9 programs.
func Connect(programs []*d3d9.Program, list []Program) {
	for i, q := range programs {
		f, err := vsps.Lift(q)
		if err != nil {
			continue
		}
		var at []int
		for k := range Statements(q) {
			at = append(at, k)
		}
		connectReads(list[i].Instructions, at, readsOf(f, len(q.Insts)))
	}
}
