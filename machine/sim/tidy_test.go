package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// TestTidy checks that a tidied program takes the same steps, reads the same lines and has the same
// notes.
func TestTidy(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	r := rand.New(rand.NewPCG(3, 4))
	settled, fewer := 0, 0
	const programs = 3000
	for range programs {
		p := branchKernel()
		if r.IntN(4) > 0 {
			p = dotLoop(hwConst(0, 0))
			if r.IntN(2) > 0 {
				nest(p)
			}
		}
		for range r.IntN(8) {
			mutate(p, r)
		}
		l := &Launch{Width: 20, Height: 12, Inputs: append(pixelInputs, chip.Preload{Reg: 7}), MaxTrips: 6,
			Constants: [][][4]uint32{{{math.Float32bits(5), math.Float32bits(2)}}},
			Resources: map[int]Surface{1: {Width: 16, Height: 64, Bytes: 16, unnormal: true},
				2: {Width: 4096, Height: 1, Bytes: 4, Linear: true}}}
		tr, err := NewTracer(p, l, m)
		if err != nil {
			continue
		}
		tidied, err := NewTracer(p, l, m)
		machinetest.Must(t, err)
		tidied.simplify()
		for wave := range tr.Waves() {
			var a, b Step
			for before, now, n := tr.Start(wave), tidied.Start(wave), 0; ; n++ {
				more := before.Next(&a)
				if now.Next(&b) != more || !more {
					if more {
						t.Fatalf("wavefront %d ends after %d steps:\n%s", wave, n, r600.Print(p))
					}
					break
				}
				for _, s := range []*Step{&a, &b} {
					for lane := range s.Lines.line {
						if s.Lines.Mask>>lane&1 == 0 || s.Kind != StepFetch && s.Kind != StepWrite {
							s.Lines.line[lane] = 0
						}
					}
				}
				if a != b {
					t.Fatalf("wavefront %d, step %d is %+v, not %+v:\n%s", wave, n, b, a, r600.Print(p))
				}
			}
		}
		if a, b := tr.notes(), tidied.notes(); !slices.Equal(a, b) {
			t.Fatalf("notes %q, not %q:\n%s", b, a, r600.Print(p))
		}
		if tr.done != tidied.done {
			t.Fatalf("%d slots are told, not %d", tidied.done, tr.done)
		}
		if tidied.settled {
			settled++
		}
		if operations(tidied) < operations(tr) {
			fewer++
		}
	}
	if settled < programs/4 || settled > programs-100 || fewer < programs/8 {
		t.Errorf("of %d programs %d are settled, %d have less to do", programs, settled, fewer)
	}
}

// nest adds a branch to the loop of dotLoop that changes its operands in some lanes.
func nest(p *r600.Program) {
	branch := []r600.CF{
		hwClause(r600.CFALUPushBefore, hwGroup(hwOp(r600.OpPredSetGT, -1, 0, hwReg(0, 0), hwReg(1, 0)))),
		{Op: r600.CFJump, Target: 7, Pop: 1},
		hwClause(r600.CFALUPopAfter,
			hwGroup(hwOp(r600.OpMov, 6, 0, hwConst(0, 1)), hwOp(r600.OpMov, 6, 1, hwConst(0, 1))),
			hwGroup(hwOp(r600.OpAdd, 1, 1, hwReg(1, 1), hwReg(6, 0)), hwOp(r600.OpMul, 6, 2, hwReg(6, 0), hwReg(6, 1)))),
	}
	p.CF = slices.Insert(p.CF, 4, branch...)
	p.CF[1].Target, p.CF[8].Target = 8, 1
}

func operations(tr *Tracer) (n int) {
	for i := range tr.clauses {
		n += len(tr.clauses[i].ops)
	}
	return n
}

// TestTidied checks that wavefronts skip operations on constants, repeated operations and copies.
func TestTidied(t *testing.T) {
	p := &r600.Program{Family: r600.R600, GPRs: 4, CF: []r600.CF{
		hwClause(r600.CFALU,
			hwGroup(hwOp(r600.OpMov, 1, 0, hwConst(0, 0)), hwOp(r600.OpMov, 1, 1, hwReg(0, 0))),
			hwGroup(hwOp(r600.OpAdd, 1, 0, hwReg(1, 0), hwFloat(1)), hwOp(r600.OpMul, 2, 0, hwReg(0, 0), hwFloat(3)),
				hwOp(r600.OpMul, 2, 1, hwReg(1, 1), hwFloat(3)))),
		hwClause(r600.CFALU, hwGroup(hwOp(r600.OpAdd, 3, 0, hwReg(2, 0), hwReg(2, 1)),
			hwOp(r600.OpAdd, 3, 1, hwReg(1, 0), hwReg(1, 0)))),
		{Op: r600.CFTex, Fetches: []r600.Fetch{hwSample(0, 1, 3, r600.SelX, r600.SelY)}},
	}}
	tr, err := NewTracer(p, &Launch{Width: 8, Height: 8, Inputs: pixelInputs}, machinetest.Target(t, "rv670"))
	machinetest.Must(t, err)
	tr.simplify()
	// The product and its copy, and their sum remain; y is a constant of the fetch.
	if n := operations(tr); n != 3 || tr.clauses[2].fetch[0].coords[1].bank != inConsts {
		t.Errorf("%d operations are left: %+v", n, tr.clauses)
	}
}
