package vsps_test

import (
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/vsps"
)

var programs = flag.Int("programs", 60, "random programs of each model to test")

// emitted lifts and emits p and checks static properties of the result.
func emitted(p *d3d9.Program) (*d3d9.Program, error) {
	f, err := vsps.Lift(p)
	if err != nil {
		return nil, fmt.Errorf("lift: %w", err)
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		return nil, fmt.Errorf("emit: %w\n%s", err, f)
	}
	outgrown := false
	for _, d := range d3d9.Validate(q) {
		limit := d.Code == "static-flow-limit" || d.Code == "texture-dependency" || d.Code == "slot-limit" ||
			d.Code == "arithmetic-limit" || d.Code == "texture-limit"
		if !limit || !dissolves(p) {
			return q, fmt.Errorf("not valid: %w", d)
		}
		outgrown = true
	}
	if outgrown {
		return q, errTooLarge
	}
	return q, nil
}

// errTooLarge is the error if expansion in the IR exceeds the limits of the model.
var errTooLarge = errors.New("the program outgrew its model")

// dissolves reports whether p has a construct that the IR expands, which may cost slots. These are
// subroutines, fetches that name a channel twice or are predicated by component, and matrix macros
// under a predicate or in a chain of reads.
func dissolves(p *d3d9.Program) bool {
	for i := range p.Insts {
		in := &p.Insts[i]
		switch in.Op {
		case d3d9.OpLabel:
			return true
		case d3d9.OpM4x4, d3d9.OpM4x3, d3d9.OpM3x4, d3d9.OpM3x3, d3d9.OpM3x2:
			if in.HasPred || p.Model == d3d9.PS20 {
				return true
			}
		}
		if in.Op.Kind() == d3d9.TextureOp && in.NSrc > 1 && in.Src[1].Swz != d3d9.Identity {
			var seen d3d9.Mask
			for c := range 4 {
				ch := d3d9.Mask(1) << in.Src[1].Swz.ComponentAt(c)
				if in.Dst.Mask.Has(c) && (seen&ch != 0 || in.HasPred) {
					return true
				}
				seen |= ch
			}
		}
	}
	return false
}

// TestRandomEmit checks that lifting and emitting any valid program gives a valid program that
// computes the same bits and costs no more.
func TestRandomEmit(t *testing.T) {
	for _, m := range gen.Models {
		t.Run(m.String(), func(t *testing.T) {
			failed, costlier, extra, large := 0, 0, 0, 0
			for seed := range uint64(*programs) {
				p := gen.ProgramOf(m, seed, 5+int(seed*7%90))
				q, err := emitted(p)
				if err == errTooLarge {
					large++
					continue
				}
				if err == nil {
					for k := range uint64(2) {
						if err = newEnvironment(seed*2+k).same(p, q, sameNumber, nil); err != nil {
							break
						}
					}
				}
				if err != nil {
					failed++
					if failed <= 3 {
						t.Errorf("seed %d: %v\n%s", seed, err, d3d9.Print(p))
						if q != nil {
							t.Logf("emitted\n%s", d3d9.Print(q))
						}
					}
					continue
				}
				if before, after := d3d9.Measure(p).Slots, d3d9.Measure(q).Slots; after > before && !dissolves(p) {
					costlier++
					extra += after - before
					if costlier <= 2 {
						t.Logf("seed %d: slots %d -> %d\n%s\nemitted\n%s", seed, before, after, d3d9.Print(p), d3d9.Print(q))
					}
				}
			}
			if costlier > 1+*programs/1000 { // outputs in nested loops may take a move on one path
				t.Errorf("%d of %d programs cost more", costlier, *programs)
			}
			t.Logf("%d programs: %d failed, %d outgrew their model, %d cost more, by %d slots together", *programs, failed,
				large, costlier, extra)
		})
	}
}
