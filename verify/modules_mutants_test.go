package verify

import (
	"os"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/spvs"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// siblings are opcodes that a mutant exchanges, in pairs.
var siblings = []spirv.Op{
	spirv.OpFAdd, spirv.OpFSub, spirv.OpFSub, spirv.OpFAdd, spirv.OpFMul, spirv.OpFAdd, spirv.OpFDiv, spirv.OpFMul,
	spirv.OpIAdd, spirv.OpISub, spirv.OpISub, spirv.OpIAdd, spirv.OpIMul, spirv.OpIAdd, spirv.OpSDiv, spirv.OpUDiv,
	spirv.OpUDiv, spirv.OpSDiv, spirv.OpSRem, spirv.OpSMod, spirv.OpSMod, spirv.OpSRem, spirv.OpUMod, spirv.OpUDiv,
	spirv.OpFMod, spirv.OpFRem, spirv.OpFRem, spirv.OpFMod,
	spirv.OpFOrdLessThan, spirv.OpFOrdLessThanEqual, spirv.OpFOrdGreaterThan, spirv.OpFOrdGreaterThanEqual,
	spirv.OpFOrdLessThanEqual, spirv.OpFOrdGreaterThan, spirv.OpFOrdEqual, spirv.OpFOrdNotEqual,
	spirv.OpFUnordNotEqual, spirv.OpFOrdEqual, spirv.OpFOrdGreaterThanEqual, spirv.OpFOrdGreaterThan,
	spirv.OpSLessThan, spirv.OpSLessThanEqual, spirv.OpULessThan, spirv.OpSLessThan, spirv.OpIEqual, spirv.OpINotEqual,
	spirv.OpINotEqual, spirv.OpIEqual, spirv.OpSGreaterThan, spirv.OpSGreaterThanEqual, spirv.OpUGreaterThan, spirv.OpSGreaterThan,
	spirv.OpLogicalAnd, spirv.OpLogicalOr, spirv.OpLogicalOr, spirv.OpLogicalAnd, spirv.OpLogicalNot, spirv.OpCopyObject,
	spirv.OpBitwiseAnd, spirv.OpBitwiseOr, spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpBitwiseXor, spirv.OpBitwiseAnd,
	spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic, spirv.OpShiftRightArithmetic, spirv.OpShiftRightLogical,
	spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpConvertSToF, spirv.OpConvertUToF,
	spirv.OpConvertFToS, spirv.OpConvertFToU, spirv.OpFNegate, spirv.OpCopyObject, spirv.OpSNegate, spirv.OpNot,
	spirv.OpDPdx, spirv.OpDPdy, spirv.OpDPdy, spirv.OpDPdx, spirv.OpAny, spirv.OpAll, spirv.OpAll, spirv.OpAny,
	spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesVector, spirv.OpMatrixTimesVector, spirv.OpVectorTimesMatrix,
	spirv.OpKill, spirv.OpReturn, spirv.OpUnreachable, spirv.OpReturn, spirv.OpTranspose, spirv.OpCopyObject,
}

// glslSiblings are extended instructions that a mutant exchanges.
var glslSiblings = []spirv.GLSL{
	spirv.GLSLFMin, spirv.GLSLFMax, spirv.GLSLFMax, spirv.GLSLFMin, spirv.GLSLFloor, spirv.GLSLCeil, spirv.GLSLSin, spirv.GLSLCos,
	spirv.GLSLCos, spirv.GLSLSin, spirv.GLSLFract, spirv.GLSLFloor, spirv.GLSLRound, spirv.GLSLTrunc, spirv.GLSLSqrt, spirv.GLSLInverseSqrt,
	spirv.GLSLInverseSqrt, spirv.GLSLSqrt, spirv.GLSLExp, spirv.GLSLExp2, spirv.GLSLExp2, spirv.GLSLExp, spirv.GLSLLog, spirv.GLSLLog2,
	spirv.GLSLLog2, spirv.GLSLLog, spirv.GLSLFAbs, spirv.GLSLFSign, spirv.GLSLStep, spirv.GLSLFMax, spirv.GLSLReflect, spirv.GLSLFMin,
	spirv.GLSLFMix, spirv.GLSLFClamp, spirv.GLSLSmoothStep, spirv.GLSLFMix, spirv.GLSLSMin, spirv.GLSLSMax, spirv.GLSLUMin, spirv.GLSLUMax,
}

// mutated returns m with one change to the instruction at, or nil if there is none.
func mutated(m *spirv.Module, at int, r *symbolic.Stream) *spirv.Module {
	in := m.Insts[at]
	in.Args = slices.Clone(in.Args)
	n := len(in.Args)
	swap := func(i, k int) bool {
		if i >= n || k >= n || in.Args[i] == in.Args[k] {
			return false
		}
		in.Args[i], in.Args[k] = in.Args[k], in.Args[i]
		return true
	}
	changed := false
	switch choice := r.Next() % 3; in.Op {
	case spirv.OpConstant:
		if in.Args[0] += 1 + uint32(choice)<<20; n == 1 {
			changed = true
		}
	case spirv.OpStore, spirv.OpImageWrite:
		in.Op, in.Args, changed = spirv.OpNop, nil, true
	case spirv.OpCompositeExtract:
		in.Args[n-1], changed = in.Args[n-1]^1, true
	case spirv.OpVectorShuffle:
		in.Args[2+int(choice)%(n-2)] ^= 1
		changed = true
	case spirv.OpAccessChain:
		for i := range m.Insts { // another constant of the type
			c := &m.Insts[i]
			if c.Op == spirv.OpConstant && c.Result != spirv.ID(in.Args[n-1]) && r.Next()%4 == 0 {
				in.Args[n-1], changed = uint32(c.Result), true
				break
			}
		}
	case spirv.OpSelect, spirv.OpBranchConditional:
		changed = swap(1, 2)
	case spirv.OpPhi:
		changed = swap(0, 2)
	case spirv.OpSwitch:
		changed = swap(1, 3)
	case spirv.OpCompositeConstruct:
		changed = swap(0, n-1)
	case spirv.OpExtInst:
		if i := slices.Index(glslSiblings, spirv.GLSL(in.Args[1])); i >= 0 && i%2 == 0 && choice > 0 {
			in.Args[1], changed = uint32(glslSiblings[i+1]), true
		} else {
			changed = swap(2, 3)
		}
	default:
		if choice == 0 && n == 2 && in.Type != 0 {
			changed = swap(0, 1)
		} else {
			for i := 0; i < len(siblings) && !changed; i += 2 {
				if in.Op == siblings[i] {
					in.Op, changed = siblings[i+1], true
				}
			}
		}
	}
	if !changed {
		return nil
	}
	c := *m
	c.Insts = slices.Clone(m.Insts)
	c.Insts[at] = in
	if in.Op == spirv.OpNop {
		c.Insts = slices.Delete(c.Insts, at, at+1)
	}
	return &c
}

// tellsApart executes both versions on many inputs. It ignores small differences of floats.
func tellsApart(before, after *spirv.Module, batches int) bool {
	stages, err := entryPoints(before)
	others, wrong := entryPoints(after)
	if err != nil || wrong != nil || len(stages) != len(others) {
		return false
	}
	for i := range stages {
		c := &moduleChecker{before: stages[i : i+1], after: others[i : i+1]}
		c.Numerics = ir.Real
		m, err := c.compile()
		if err != nil {
			return false
		}
		c.terms.why = "not examined"
		for k := range batches {
			found, err := c.runInput(m, trial.ModuleInput{Seed: symbolic.Mix(uint64(k) + 1<<50)})
			if err == nil && found != nil && !found.loose {
				return true
			}
		}
	}
	return false
}

// TestModuleMutants checks that no accepted mutant of a module of the corpus can be told apart by executions.
func TestModuleMutants(t *testing.T) {
	t.Parallel()
	files := testcorpus.Glob(t, "corpus/spirv/*/*.spv")
	r := symbolic.Stream(2)
	wanted, count := testcorpus.Count(40, 2000), map[Verdict]int{}
	for made := 0; made < wanted; {
		file := files[r.Next()%uint64(len(files))]
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(file, data)
		if err != nil || len(data) > 1<<15 || m.Check() != nil || !understood(m) {
			continue
		}
		at := int(r.Next() % uint64(len(m.Insts)))
		after := mutated(m, at, &r)
		if after == nil || after.Check() != nil || !understood(after) {
			continue
		}
		report := CheckModules(Modules{m}, Modules{after}, Options{Numerics: ir.Real})
		if report.Why != "" && len(report.Methods) == 0 || report.Unrun {
			continue // not understood, or another interface
		}
		made++
		count[report.Verdict]++
		if report.Contradicted {
			t.Errorf("%s: %v is %v: %s", file, m.Insts[at].Op, report.Verdict, report.Why)
		}
		if report.Verdict.OK() && tellsApart(m, after, 64) {
			t.Errorf("%s: instruction %d, %v becomes %v, is %v %v, but executions differ", file, at, m.Insts[at], after.Insts[at],
				report.Verdict, report.Methods)
		}
	}
	t.Log(count)
}

// understood reports whether the lift takes all entry points of a module.
func understood(m *spirv.Module) bool {
	stages, err := entryPoints(m)
	return err == nil && !slices.ContainsFunc(stages, func(s iface.ModuleStage) bool {
		_, err := walk.LiftModule(s, spvs.NewNames())
		return err != nil
	})
}
