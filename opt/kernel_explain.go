package opt

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/explain"
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
func emittedFrom(f *ir.Func, k *il.Kernel) emittedKernel {
	left := map[int]bool{}
	f.Walk(func(in *ir.Instr) { left[in.Pos.Line] = true })
	return emittedKernel{k, left}
}

// explainKernel adds the statements of the input and of its replacement to res, each followed by a
// possible machine program.
func (o job) explainKernel(in Input, now emission, res *Result) error {
	before, lifted, err := o.statements(in, nil)
	if err != nil {
		return err
	}
	explain.KernelRates(before[0].Instructions, lifted)
	res.Programs = before
	if now.kernel.kernel == nil {
		return nil
	}
	explain.KernelFates(in.Files[0].Name, now.kernel.kernel, now.kernel.left, now.rewrites, before[0].Instructions)
	in.Files = []File{{Name: in.Files[0].Name, Data: res.Files[0].Data}}
	res.Rewritten, _, err = o.statements(in, now.kernel.kernel)
	return err
}

// statements lists the statements of a kernel, with the number of machine operations and fetches for
// each, and the machine program. If origins is set, it is the same kernel with positions in the input,
// which are shown instead.
func (o job) statements(in Input, origins *il.Kernel) ([]explain.Program, *ir.Func, error) {
	k, f, s, err := compile(in, o)
	if err != nil {
		return nil, nil, err
	}
	p := explain.KernelStatements(in.Files[0].Name, k, f, s, origins)
	listing := explain.MachineProgram(fmt.Sprintf("%s for %s", p.Name, s.Target.Name), s)
	return []explain.Program{p, listing}, f, nil
}

// toldKernel converts the explanations of a kernel into remarks.
func (o *Options) toldKernel(res *Result) {
	if len(res.Programs) == 0 {
		return
	}
	texts := map[int]string{}
	for _, inst := range res.Programs[0].Instructions {
		texts[inst.Line] = inst.Text
		if why := inst.Why; o.remarks(Missed) && inst.Fate == explain.Kept && !why.Plain() && inst.Rate != "" {
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
