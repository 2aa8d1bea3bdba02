package opt

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/verify"
)

// promise returns the constants of o in the form of an input: programs, or a kernel if there are none.
// It returns a diagnostic for a constant that the input cannot have, or that it defines itself.
func (o *Options) promise(res *Result, programs ...*d3d9.Program) (known []verify.Constant, err error) {
	given := map[verify.Constant]uint32{} // without bits
	for _, c := range o.Host.Constants {
		var stage d3d9.Stage
		switch {
		case c.String() == "":
			return nil, constantError("bad-constant", "a constant without a name")
		case c.InModule() || c.InKernel() != (len(programs) == 0):
			return nil, constantError("wrong-constant", "%s: a %s has no such register", c, res.Kind)
		case len(programs) > 0:
			p, err := programWith(c, programs)
			if err != nil {
				return nil, err
			}
			stage = p.Model.Stage
		}
		for i, bits := range c.Words {
			k := verify.Constant{Stage: stage, Reg: c.Reg}
			k.Reg.Comp = c.Comps[i]
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

// programWith returns the program that has register c, which must not define it.
func programWith(c input.Constant, programs []*d3d9.Program) (*d3d9.Program, error) {
	if c.Stage == "" && len(programs) > 1 {
		return nil, constantError("constant-stage", "%s: say which program has it, as in vs:%s or ps:%s", c,
			c.RegisterName(), c.RegisterName())
	}
	k := slices.IndexFunc(programs, func(p *d3d9.Program) bool {
		return c.In(p.Model.Stage)
	})
	if k < 0 {
		return nil, constantError("wrong-constant", "%s: there is no program of that stage", c)
	}
	for i := range programs[k].Insts {
		in := &programs[k].Insts[i]
		if in.Op.IsDefinition() && ir.File(in.Dst.File) == c.Reg.File && in.Dst.Index == c.Reg.Index {
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
		if !c.In(stage) {
			continue
		}
		isRead := slices.ContainsFunc(read, func(r ir.Reg) bool {
			return r.File == c.Reg.File && r.Index == c.Reg.Index && slices.Contains(c.Comps, r.Comp)
		})
		if !isRead {
			res.remark(asm.Pos{}, "constant-unread",
				fmt.Sprintf("%s is not read, except possibly by an index", c.RegisterName()))
		}
	}
}

// meant returns the programs with the assumptions of o applied. The input and its replacement are both
// normalized like this before they are compared. Assumptions that change a program are noted in res.
func (o *Options) meant(res *Result, programs []*d3d9.Program) []*d3d9.Program {
	list := slices.Clone(programs)
	pixel := len(list) - 1 // if there is one
	for _, a := range o.Host.Assume {
		matters := false
		switch {
		case list[pixel].Model.Stage != d3d9.Pixel:
		case a == input.OneLevel:
			list[pixel] = pair.WithoutLevels(list[pixel])
			matters = list[pixel] != programs[pixel]
		case a == input.UnitColours && pair.ReadsColours(list[pixel]):
			if list[0].Model.Major >= 3 { // an older one has no _sat, see asDrawn
				list[0] = pair.WithinUnit(list[0])
			}
			matters = true
		}
		if matters && !slices.Contains(res.Promises, a) {
			res.Promises = append(res.Promises, a)
		}
	}
	return list
}

// asDrawn returns a pair in the form in which its draws are compared under the assumptions of o.
// MojoShader, unlike Direct3D, draws a vertex program below 3.0 with a pixel program of 3.0. Under
// UnitColours such a vertex program outputs colours within 0..1.
func (o *Options) asDrawn(programs []*d3d9.Program) []*d3d9.Program {
	if len(programs) != 2 || programs[0].Model.Major >= 3 || !pair.ReadsColours(programs[1]) ||
		!slices.Contains(o.Host.Assume, input.UnitColours) {
		return programs
	}
	return []*d3d9.Program{pair.WithinUnit(programs[0]), programs[1]}
}

func constantError(code asm.Code, format string, args ...any) error {
	return asm.Errorf(asm.Pos{File: "<options>"}, code, format, args...)
}
