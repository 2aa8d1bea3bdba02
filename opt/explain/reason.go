package explain

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/vsps"
)

// Fate is the outcome of an instruction when its program is optimized.
type Fate string

// Kept instructions remain, at least in part, in their program. The rest of a Moved one is in the
// vertex program. A Merged one shares its work with other instructions. A Gone one is unneeded or
// computes only known values.
const (
	Kept   Fate = "kept"
	Moved  Fate = "moved"
	Merged Fate = "merged"
	Gone   Fate = "gone"
)

// Reason explains the rate at which an instruction is computed, and the change that would lower it.
type Reason struct {
	Code asm.Code `json:"code"`
	// Message describes the instruction itself, or the one at Line or Offset.
	Message string `json:"message"`
	// Line, or Offset in bytecode, locates the instruction that causes the reason, if it is another
	// one.
	Line   int `json:"line,omitempty"`
	Offset int `json:"offset,omitempty"`
	// Unlock is an option that would remove the reason.
	Unlock string `json:"unlock,omitempty"`
}

// plain are the codes of obvious reasons, which listings omit.
var plain = map[asm.Code]bool{"per-vertex": true, "per-invocation": true, "literals": true}

// Plain reports whether the reason is obvious, such as per-vertex work in a vertex program.
func (r *Reason) Plain() bool { return plain[r.Code] }

// Unmoved returns the reason for an instruction that code motion does not explain.
func Unmoved(programs []*d3d9.Program, q *d3d9.Program, inst *Instruction, partnered bool) *Reason {
	switch {
	case inst.Text == d3d9.OpNop.String():
		return &Reason{Code: "nop", Message: "does nothing"}
	case inst.Rate == "":
		return &Reason{Code: "control-flow", Message: "is control flow and computes nothing"}
	case inst.Rate == perDraw:
		return &Reason{Code: "per-draw", Message: "depends only on constants; the application, or a preshader of an effect, could compute it once per draw"}
	case q.Model.Stage == d3d9.Vertex:
		return &Reason{Code: "per-vertex", Message: "depends on the vertex and is computed once per vertex"}
	case !vsps.CanEmit(q.Model):
		return &Reason{Code: "not-optimized", Message: "belongs to a program of " + q.Model.String() +
			", which is not optimized"}
	case len(programs) < 2 && partnered:
		return &Reason{Code: "no-vertex-program", Message: "would have to move to the partner, which stays unchanged"}
	case len(programs) < 2:
		return &Reason{Code: "no-vertex-program", Message: "cannot move, because no vertex program is given"}
	}
	return &Reason{Code: "fragment-output", Message: "writes an output of the fragment"}
}

// Fates sets the fate of each instruction in list, the instructions of programs. It looks for its
// position among the instructions of the emitted programs, now. These keep the positions of their
// source instructions and of merged ones; made has the rewrites. It returns the listing of now.
func Fates(names []string, programs, now []*d3d9.Program, made []passes.Step, list []Program) []Program {
	if now == nil { // the input came back unchanged
		for i := range list {
			for n := range list[i].Instructions {
				list[i].Instructions[n].Fate = Kept
			}
		}
		return nil
	}
	rewritten := Price(names, now)
	Connect(now, rewritten)
	m := newMerges(names, made)
	for i, q := range now {
		n := 0
		for _, inst := range Statements(q) {
			m.recordInstruction(i, n, rewritten[i].Instructions[n].Text, inst.Pos, inst.Also)
			n++
		}
	}
	for i, q := range programs {
		m.program(list[i].Instructions, i, q, now[i])
	}
	return rewritten
}

// SourceKey reduces a position to the parts that identify an instruction: the line of a text, or the
// offset in bytecode. Columns differ between operands.
func SourceKey(at asm.Pos) asm.Pos { return asm.Pos{File: at.File, Line: at.Line, Offset: at.Offset} }

// String returns the reason with its location.
func (r *Reason) String() string {
	what := "this"
	switch {
	case r.Line > 0:
		what = fmt.Sprintf("this depends on line %d, which", r.Line)
	case r.Offset > 0:
		what = fmt.Sprintf("this depends on the instruction at +%#x, which", r.Offset)
	}
	return what + " " + r.Message
}

// whyRate returns the reason for the rate of a statement. In kernels, it follows from dataflow alone.
func whyRate(r kernelRate) *Reason {
	switch {
	case r.Rate == "":
		return &Reason{Code: "control-flow", Message: "is control flow and computes nothing"}
	case r.Rate == perLaunch && r.Promised:
		return &Reason{Code: "per-launch", Message: "depends only on constants; the application could compute it once per launch", Unlock: "--constant"}
	case r.Rate == perLaunch:
		return &Reason{Code: "literals", Message: "depends only on literals"}
	case r.Loop && r.Rate == perInvocation:
		return &Reason{Code: "same-trips", Message: "is the same on every trip of its loop"}
	case r.Fetch:
		return &Reason{Code: "fetch", Message: fmt.Sprintf("reads memory for every %s", r.Rate)}
	}
	return &Reason{Code: "per-invocation", Message: fmt.Sprintf("may change for every %s", r.Rate)}
}
