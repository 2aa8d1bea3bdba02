package opt

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// promise returns the constants of o in the form of an input: programs, or a kernel if there are none.
// It returns a diagnostic for a constant that the input cannot have, or that it defines itself.
func (o *Options) promise(res *Result, programs ...*d3d9.Program) (known []verify.Constant, err error) {
	given := map[verify.Constant]uint32{} // without bits
	for _, c := range o.Host.Constants {
		var stage d3d9.Stage
		switch {
		case c.file == "":
			return nil, constantError("bad-constant", "a constant without a name")
		case c.inKernel() != (len(programs) == 0):
			return nil, constantError("wrong-constant", "%s: a %s has no such register", c, res.Kind)
		case len(programs) > 0:
			p, err := c.findProgram(programs)
			if err != nil {
				return nil, err
			}
			stage = p.Model.Stage
		}
		for i, bits := range c.words {
			k := verify.Constant{Stage: stage, Reg: c.reg}
			k.Reg.Comp = c.comps[i]
			if old, ok := given[k]; ok && old != bits {
				return nil, constantError("constant-conflict", "%s: it has another value too", c)
			}
			given[k] = bits
			k.Bits = bits
			known = append(known, k)
		}
		res.Assumes = append(res.Assumes, c)
		res.remark(asm.Pos{}, "constants", fmt.Sprintf("the result assumes that the application sets %s", c))
	}
	return known, nil
}

// findProgram returns the program that has register c, which must not define it.
func (c Constant) findProgram(programs []*d3d9.Program) (*d3d9.Program, error) {
	if c.stage == "" && len(programs) > 1 {
		return nil, constantError("constant-stage", "%s: say which program has it, as in vs:%s or ps:%s", c,
			c.registerName(), c.registerName())
	}
	k := slices.IndexFunc(programs, func(p *d3d9.Program) bool {
		return c.stage == "" || (c.stage == "vs") == (p.Model.Stage == d3d9.Vertex)
	})
	if k < 0 {
		return nil, constantError("wrong-constant", "%s: there is no program of that stage", c)
	}
	for i := range programs[k].Insts {
		in := &programs[k].Insts[i]
		if in.Op.IsDefinition() && ir.File(in.Dst.File) == c.reg.File && in.Dst.Index == c.reg.Index {
			return nil, constantError("constant-defined", "%s: the program defines it itself", c)
		}
	}
	return programs[k], nil
}

// specialize replaces reads of known constants in f by literals, and warns of unread constants. stage
// is 0 for kernels.
func (o *job) specialize(f *ir.Func, stage d3d9.Stage, res *Result) {
	known := map[ir.Reg]uint32{}
	for _, k := range o.known {
		if k.Stage == stage {
			known[k.Reg] = k.Bits
		}
	}
	read := f.Specialize(known)
	for _, c := range o.Host.Constants {
		if c.stage != "" && (c.stage == "vs") != (stage == d3d9.Vertex) {
			continue
		}
		isRead := slices.ContainsFunc(read, func(r ir.Reg) bool {
			return r.File == c.reg.File && r.Index == c.reg.Index && slices.Contains(c.comps, r.Comp)
		})
		if !isRead {
			res.remark(asm.Pos{}, "constant-unread",
				fmt.Sprintf("%s is not read, except possibly by an index", c.registerName()))
		}
	}
}
