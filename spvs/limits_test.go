package spvs

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// repeated returns n copies of a text, with # replaced by a number from 0 on.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(text, "#+1", strconv.Itoa(i+1)), "#", strconv.Itoa(i)))
	}
	return b.String()
}

// backwards is like repeated, from n-1 to 0.
func backwards(n int, text string) string {
	var b strings.Builder
	for i := n - 1; i >= 0; i-- {
		b.WriteString(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
	}
	return b.String()
}

const (
	manyVariables = "%Qx# = OpVariable %ff Function\n"
	manyTests     = `%Qc# = OpFOrdLessThan %bool %s %f0
OpSelectionMerge %Qm# None
OpBranchConditional %Qc# %Qt# %Qm#
%Qt# = OpLabel
`
	manyLoads = "%Ql# = OpLoad %float %Qx#\nOpStore %out %Ql#\n"
)

// largePrograms make programs of a size whose control flow grows.
var largePrograms = map[string]func(n int) string{
	"branches": func(n int) string {
		return repeated(n, manyVariables) + "%s = OpLoad %float %a\n" +
			repeated(n, manyTests+"OpStore %Qx# %s\nOpBranch %Qm#\n%Qm# = OpLabel\n") + repeated(n, manyLoads)
	},
	"returns": func(n int) string {
		return "%s = OpLoad %float %a\n" + repeated(n, manyTests+"OpStore %out %s\nOpReturn\n%Qm# = OpLabel\n")
	},
	"nested branches": func(n int) string {
		return "%s = OpLoad %float %a\n" + repeated(n, manyTests) + backwards(n, `OpBranch %Qm#
%Qm# = OpLabel
%Qy# = OpFAdd %float %s %f1
OpStore %out %Qy#
`)
	},
	"nested loops": func(n int) string {
		return repeated(n, manyVariables) + "%s = OpLoad %float %a\n" + repeated(n, `OpBranch %Qh#
%Qh# = OpLabel
%Ql# = OpLoad %float %Qx#
%Qp# = OpFAdd %float %Ql# %s
OpStore %Qx# %Qp#
%Qc# = OpFOrdLessThan %bool %Qp# %f0
OpLoopMerge %Qm# %Qk# None
OpBranchConditional %Qc# %Qt# %Qm#
%Qt# = OpLabel
`) + backwards(n, "OpBranch %Qk#\n%Qk# = OpLabel\nOpBranch %Qh#\n%Qm# = OpLabel\nOpStore %out %Qp#\n")
	},
	"breaks": func(n int) string {
		return repeated(n, manyVariables) + `%s = OpLoad %float %a
OpBranch %head
%head = OpLabel
OpLoopMerge %done %next None
OpBranch %body
%body = OpLabel
` + repeated(n, manyTests+"OpBranch %done\n%Qm# = OpLabel\nOpStore %Qx# %s\n") + `OpBranch %next
%next = OpLabel
OpBranch %head
%done = OpLabel
` + repeated(n, manyLoads)
	},
	"cases": func(n int) string {
		return "%n = OpLoad %int %i\nOpSelectionMerge %done None\nOpSwitch %n %done" + repeated(n, " # %Qt#") + "\n" +
			repeated(n, "%Qt# = OpLabel\nOpStore %out %f1\nOpBranch %Qt#+1\n") + "%Qt" + strconv.Itoa(n) +
			" = OpLabel\nOpBranch %done\n%done = OpLabel\n"
	},
	"calls": func(n int) string {
		return "%z = OpFunctionCall %void %Qg0\nOpReturn\nOpFunctionEnd\n" + repeated(n, `%Qg# = OpFunction %void None %fn
%Qe# = OpLabel
%Qq# = OpFunctionCall %void %Qg#+1
%Qr# = OpFunctionCall %void %Qg#+1
OpReturn
OpFunctionEnd
`) + "%Qg" + strconv.Itoa(n) + " = OpFunction %void None %fn\n%leaf = OpLabel\nOpReturn\nOpFunctionEnd\n"
	},
}

// TestBound checks that a module with a huge id bound takes no memory for the ids.
func TestBound(t *testing.T) {
	m := unchecked(t, parts{})
	m.Bound = 1 << 31
	var d *asm.Diag
	if _, err := Lift(m, "", Options{}); !errors.As(err, &d) || d.Code != "too-large" {
		t.Errorf("%v, not an error about the size", err)
	}
}

// TestLimits lifts programs with much control flow. Small ones lift, and large ones exceed a limit.
func TestLimits(t *testing.T) {
	for name, generate := range largePrograms {
		p, err := Lift(module(t, parts{code: generate(8)}), "", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := p.Func.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var d *asm.Diag
		if _, err := Lift(unchecked(t, parts{code: generate(12000)}), "", Options{}); !errors.As(err, &d) ||
			d.Code != "too-large" {
			t.Errorf("%s: %v, not an error about the size", name, err)
		}
	}
}
