package opt

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/rate"
	"github.com/shaderlift/shaderlift/passes"
)

// emittedKernel is the kernel that replaces the input kernel; zero if none does. kernel is the version
// before it was written, with positions in the input. left has the lines of the input from which the
// emitted function has instructions. The lines are collected while the function exists, since its
// memory is reused.
type emittedKernel struct {
	kernel *il.Kernel
	left   map[int]bool
}

// emittedFrom returns kernel k, emitted from f, with the lines that f still has.
func emittedFrom(f *ir.Func, k *il.Kernel) *emittedKernel {
	left := map[int]bool{}
	f.Walk(func(in *ir.Instr) { left[in.Pos.Line] = true })
	return &emittedKernel{k, left}
}

// explainKernel adds the statements of the input and of its replacement to res, each followed by a
// possible machine program. made has the rewrites that led to the replacement.
func (o job) explainKernel(in Input, now emittedKernel, made []passes.Step, res *Result) error {
	before, lifted, err := o.statements(in, nil)
	if err != nil {
		return err
	}
	rates := rate.OfKernel(lifted)
	list := before[0].Instructions
	for i := range list {
		r := rates[list[i].Line]
		list[i].Rate, list[i].Why, list[i].Fate = r.Rate, whyRate(r), Kept
	}
	res.Programs = before
	if now.kernel == nil {
		return nil
	}
	m, n := newMerges(in.Files, made), 0
	for i := range now.kernel.Insts {
		if inst := &now.kernel.Insts[i]; inst.Op.Kind() != il.Declaration {
			m.recordInstruction(0, n, il.Format(inst), inst.Pos, inst.Also)
			n++
		}
	}
	places := make([]asm.Pos, len(list))
	for i := range list {
		places[i] = asm.Pos{File: in.Files[0].Name, Line: list[i].Line}
		m.settle(&list[i], 0, places[i])
	}
	// Operands absorb negations and loads of arrays, as well as moves.
	m.follow(list, places, func(i int) bool {
		return now.left[list[i].Line] ||
			strings.HasPrefix(list[i].Text, il.OpMov.String())
	})
	in.Files = []File{{in.Files[0].Name, res.Files[0].Data}}
	res.Rewritten, _, err = o.statements(in, now.kernel)
	return err
}

// statements lists the statements of a kernel, with the number of machine operations and fetches for
// each, and the machine program. If origins is set, it is the same kernel with positions in the input,
// which are shown instead.
func (o job) statements(in Input, origins *il.Kernel) ([]Program, *ir.Func, error) {
	k, f, s, err := compile(in, o)
	if err != nil {
		return nil, nil, err
	}
	// Operations and fetches by the line of their source statement.
	ops, fetches := map[int]int{}, map[int]int{}
	for i := range s.Program.CF {
		cf := &s.Program.CF[i]
		for g := range cf.Groups {
			for _, op := range cf.Groups[g].Slots {
				if op != nil {
					ops[op.Line]++
				}
			}
		}
		for n := range cf.Fetches {
			fetches[cf.Fetches[n].Line]++
		}
	}
	p := Program{Name: in.Files[0].Name, Instructions: []Instruction{}}
	total := 0
	var at []int
	for i := range k.Insts {
		inst := &k.Insts[i]
		if inst.Op.Kind() == il.Declaration {
			continue
		}
		line := inst.Pos.Line
		statement := Instruction{Text: il.Format(inst), Line: line, Slots: ops[line] + fetches[line], Texture: fetches[line]}
		delete(ops, line) // the first of several statements in a line gets them
		delete(fetches, line)
		if origins != nil {
			from := &origins.Insts[i]
			statement.Line = from.Also.Place(from.Pos).Line
		}
		total += statement.Slots
		statement.Total = total
		p.Instructions, at = append(p.Instructions, statement), append(at, i)
	}
	connect(p.Instructions, at, readsOf(f, len(k.Insts)))
	listing := programOf(fmt.Sprintf("%s for %s", p.Name, s.Target.Name), r600.Entries(s.Program),
		float64(s.Target.GroupCycle), float64(s.Target.Wave)/s.Target.FetchRate)
	return []Program{p, listing}, f, nil
}

// whyRate returns the reason for the rate of a statement. In kernels, it follows from dataflow alone.
func whyRate(r rate.Kernel) *Reason {
	switch {
	case r.Rate == "":
		return &Reason{Code: "control-flow", Message: "is control flow and computes nothing"}
	case r.Rate == rate.PerLaunch && r.Promised:
		return &Reason{Code: "per-launch", Message: "depends only on constants; the application could compute it once per launch", Unlock: "--constant"}
	case r.Rate == rate.PerLaunch:
		return &Reason{Code: "literals", Message: "depends only on literals"}
	case r.Loop && r.Rate == rate.PerInvocation:
		return &Reason{Code: "same-trips", Message: "is the same on every trip of its loop"}
	case r.Fetch:
		return &Reason{Code: "fetch", Message: fmt.Sprintf("reads memory for every %s", r.Rate)}
	}
	return &Reason{Code: "per-invocation", Message: fmt.Sprintf("may change for every %s", r.Rate)}
}

// toldKernel converts the explanations of a kernel into remarks.
func (o *Options) toldKernel(res *Result) {
	if len(res.Programs) == 0 {
		return
	}
	texts := map[int]string{}
	for _, inst := range res.Programs[0].Instructions {
		texts[inst.Line] = inst.Text
		if why := inst.Why; o.remarks(Missed) && inst.Fate == Kept && !why.Plain() && inst.Rate != "" {
			res.Remarks = append(res.Remarks, Remark{Kind: Missed, Line: inst.Line, Code: why.Code, Text: inst.Text,
				Message: why.String(), Unlock: why.Unlock})
		}
	}
	for i := range res.Remarks {
		if m := &res.Remarks[i]; m.Text == "" {
			m.Text = texts[m.Line]
		}
	}
	if k := res.Kernel; k != nil && o.remarks(Analysis) {
		cost := k.CurrentCost()
		if cost.Bottleneck != "" {
			res.remark(asm.Pos{}, "bound", fmt.Sprintf("a launch is bound by %s on %s", cost.Bottleneck, k.Target))
		}
		res.remark(asm.Pos{}, "occupancy", fmt.Sprintf("with %d registers, %d wavefronts fit on a SIMD of %s", cost.GPRs,
			cost.Wavefronts, k.Target))
	}
}
