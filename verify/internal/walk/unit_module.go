package walk

import (
	"errors"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/spvs"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// ModuleStage is a lifted entry point of a SPIR-V module.
type ModuleStage struct {
	Func
	program *spvs.Program
	ports   *iface.ModulePorts
	vertex  bool
	// precise has the results that may not be contracted.
	precise map[spirv.ID]bool
	// Strict: the module keeps signs of zeros, infinities and NaNs.
	Strict bool
}

// The kinds of stages, see [Unit.Space].
const (
	vertexModules  = 32 // the others follow
	moduleUniforms = 48 // words that both stages share
)

// varyingKey is a bit of the numbers of varyings, which no number of a register has.
const varyingKey = 1 << 48

// LiftModule lifts an entry point of a module. All modules of a comparison share the names.
func LiftModule(from iface.ModuleStage, names *spvs.Names) (*ModuleStage, error) {
	p, err := spvs.Lift(from.Module, from.Entry, spvs.Options{Names: names, Models: []spirv.ExecutionModel{from.Model},
		Relaxed: true})
	if err != nil {
		return nil, err
	}
	raiseExits(p.Func)
	s := &ModuleStage{program: p, vertex: from.Model == spirv.ExecutionModelVertex, precise: map[spirv.ID]bool{}}
	id := vertexModules + uint64(from.Model)
	if s.Func, err = NewFunc(p.Func, id, nil); err != nil {
		return nil, err
	}
	s.degrade(p.Func.Body, false)
	if s.ports, err = iface.PortsOf(from); err != nil {
		return nil, err
	}
	if s.ports.PerVertex {
		return nil, errors.New("inputs of single vertices are not supported")
	}
	for i := range from.Module.Insts {
		switch in := &from.Module.Insts[i]; in.Op {
		case spirv.OpDecorate:
			if spirv.Decoration(in.Args[1]) == spirv.DecorationNoContraction {
				s.precise[spirv.ID(in.Args[0])] = true
			}
		case spirv.OpExecutionMode:
			s.Strict = s.Strict || spirv.ID(in.Args[0]) == p.Entry.Function &&
				spirv.ExecutionMode(in.Args[1]) == spirv.ExecutionModeSignedZeroInfNanPreserve
		}
	}
	return s, nil
}

// Restrict removes the outputs that a fragment stage does not declare as inputs. They have no effect.
func (s *ModuleStage) Restrict(fragment iface.ModuleStage) error {
	ports, err := iface.PortsOf(fragment)
	if err != nil {
		return err
	}
	f := s.program.Func
	f.Outs = slices.DeleteFunc(f.Outs, func(o ir.Output) bool {
		return s.Varies(o.Reg) && !s.Observed(o.Reg) && !s.Exact(o.Reg) && !ports.Declares(uint32(o.Reg.Index), o.Reg.Comp)
	})
	return nil
}

// RegisterKey gives the words of blocks one number in both stages.
func (s *ModuleStage) RegisterKey(r ir.Reg) uint64 {
	if r.File > spvs.UndefValue {
		return moduleUniforms<<40 | symbolic.RegKey(r)
	}
	return s.Func.RegisterKey(r)
}

func (s *ModuleStage) SemanticKey(r ir.Reg) uint64 {
	if s.Varies(r) || !s.vertex && r.File == spvs.Input {
		return varyingKey | uint64(r.Index)<<8 | uint64(r.Comp)
	}
	return s.RegisterKey(r)
}

func (s *ModuleStage) Interpolated(r ir.Reg) (symbolic.Interpolation, bool) {
	if r.File != spvs.Input {
		return symbolic.InterpFlat, false // built-in variables
	}
	return s.ports.Interpolation(uint32(r.Index), r.Comp), true
}

// Observed returns true for built-in variables, memory and recorded outputs.
func (s *ModuleStage) Observed(r ir.Reg) bool {
	return r.File != spvs.Output || s.ports.Feedback(uint32(r.Index), r.Comp)
}

func (s *ModuleStage) Varies(r ir.Reg) bool { return s.vertex && r.File == spvs.Output }

func (s *ModuleStage) Exact(r ir.Reg) bool {
	return r.File == spvs.BuiltinOut || r.File == spvs.Output && s.ports.Invariant(uint32(r.Index), r.Comp)
}

// Holds returns the source of a word that a computed index selects.
func (s *ModuleStage) Holds(r ir.Reg) (ir.Kind, uint32) {
	if r.File > spvs.UndefValue || r.File == spvs.SpecConst {
		return ir.Uniform, 0
	}
	return ir.Input, 0
}

// Indexed returns the register that a direct read of the same word has.
func (s *ModuleStage) Indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	n := uint64(in.Base.Index) + uint64(k)
	return ir.Reg{File: in.Base.File, Index: uint16(n)}, n <= math.MaxUint16
}

// Array reports private arrays. An access behind their end is undefined (2.16, 3.52 of the specification), so they have
// no end here.
func (s *ModuleStage) Array(in *ir.Instr) (n uint32, private, ok bool) {
	isArray := in.Base.File == spvs.Array
	return math.MaxUint32, isArray, isArray
}

// ByWords returns true for accesses of buffers, but not for those of arrays of buffers, which have a second address.
func (s *ModuleStage) ByWords(in *ir.Instr) bool {
	return (in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore) && in.Base.File == spvs.BlockState && in.Src[0][1].V == nil
}

// Gated returns true for derivatives and for samples with an implicit level of detail. Only fragments have neighbours.
func (s *ModuleStage) Gated(in *ir.Instr) bool {
	if s.vertex || !in.Op.Has(ir.Convergent) {
		return false
	}
	from := s.source(in)
	if from == nil || !in.Op.Has(ir.IsFetch) {
		return true
	}
	switch from.Op {
	case spirv.OpImageSampleExplicitLod, spirv.OpImageSampleDrefExplicitLod, spirv.OpImageSampleProjExplicitLod,
		spirv.OpImageSampleProjDrefExplicitLod, spirv.OpImageFetch, spirv.OpImageGather, spirv.OpImageDrefGather,
		spirv.OpImageRead, spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod, spirv.OpImageQueryLevels,
		spirv.OpImageQuerySamples:
		return false
	}
	return true
}

// source returns the instruction that in was lifted from, or nil.
func (s *ModuleStage) source(in *ir.Instr) *spirv.Inst {
	if list := s.program.Module.Insts; in.Orig >= 0 && int(in.Orig) < len(list) {
		return &list[in.Orig]
	}
	return nil
}

// Rounds returns true for instructions that may not be contracted.
func (s *ModuleStage) Rounds(in *ir.Instr) bool {
	if in.Op.Has(ir.OnWords) || !in.Op.HasFormula() || in.Op == ir.OpSel {
		return false
	}
	from := s.source(in)
	return s.Strict || from != nil && s.precise[from.Result]
}

// degrade gives results partial precision that depend on neighbours which a kill may have ended: they are undefined
// then (Vulkan specification, shaders-scope-quad), so that after may compute them earlier, but not later than before.
// ended reports whether a kill may precede the region; degrade returns whether one may precede the code behind it.
func (s *ModuleStage) degrade(r *ir.Region, ended bool) bool {
	for _, in := range r.Code {
		switch {
		case in.Op == ir.OpDiscard:
			ended = ended || in.Imm == 0 // else the invocation goes on as a helper
		case ended && in.Op.Has(ir.Convergent) && in.Mask() != 0 && s.Gated(in):
			in.Mods |= ir.Half
		}
		inside := ended
		for _, sub := range in.Sub {
			inside = s.degrade(sub, ended) || inside
		}
		if in.Op == ir.OpLoop && inside && !ended {
			s.degrade(in.Sub[0], true)
		}
		ended = inside
	}
	return ended
}
