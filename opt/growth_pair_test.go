package opt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// times concatenates the texts for the numbers below n.
func times(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(text(i))
	}
	return b.String()
}

// pairShapes are pixel programs that each grow in one direction, to about n instructions.
var pairShapes = []struct {
	name string
	body func(n int) string
}{
	{"straight", func(n int) string {
		return times(n, func(i int) string {
			return fmt.Sprintf("mad r%d, r%d, r%d.wzyx, c%d\n", i%8, (i*3+1)%8, (i*5+2)%8, i%16)
		})
	}},
	{"wide", func(n int) string {
		return times(n/56, func(i int) string {
			return times(28, func(k int) string { return fmt.Sprintf("mul r%d, v0, c%d\n", 1+k, (i*28+k)%200) }) +
				times(28, func(k int) string { return fmt.Sprintf("add r0, r0, r%d\n", 1+k) })
		})
	}},
	{"static branches", func(n int) string {
		return strings.Repeat("if b0\nadd r0, r0, c1\nelse\nmul r0, r0, c2\nendif\n", n/5)
	}},
	{"branches", func(n int) string {
		return strings.Repeat("if_gt r0.x, c0.x\nadd r0, r0, c1\nelse\nmul r0, r0, c2\nendif\n", n/5)
	}},
	{"nested branches", func(n int) string {
		return strings.Repeat("if b0\n"+strings.Repeat("add r0, r0, c1\n", n/20), 20) +
			strings.Repeat("endif\nadd r0, r0, c3\n", 20)
	}},
	{"loops", func(n int) string {
		return strings.Repeat("rep i0\nadd r0, r0, c1\nmul r0, r0, c2\nendrep\n", n/4)
	}},
	{"duplicates", func(n int) string {
		return strings.Repeat("mul r1, v0, c0\nadd r0, r0, r1\n", n/2)
	}},
	{"comparisons", func(n int) string {
		return times(n/3, func(i int) string {
			return fmt.Sprintf("add r1, r0, -c%d\ncmp r2, r1, c1, c2\nadd r0, r0, r2\n", 100+i%90)
		})
	}},
	{"fetches", func(n int) string { return strings.Repeat("texld r1, r0, s0\nmad r0, r0, r1, c1\n", n/2) }},
	{"textures", func(n int) string {
		return times(n/3, func(i int) string {
			return fmt.Sprintf("add r1, v0, c%d\ntexld r1, r1, s%d\nadd r0, r0, r1\n", 100+i%90, i%16)
		})
	}},
	{"varyings", func(n int) string {
		return times(n/3, func(i int) string {
			return fmt.Sprintf("mul r1, v%d, c%d\nmul r1, r1, v0\nadd r0, r0, r1\n", i%8, 100+i%90)
		})
	}},
}

// shapedPair returns a pair whose pixel program has the given body.
func shapedPair(body string) Input {
	eight := func(format string) string {
		return times(8, func(i int) string { return fmt.Sprintf(format, i, i+1) })
	}
	vs := "vs_3_sw\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\n" + eight("dcl_texcoord%d o%d\n") +
		"mov o0, v0\n" + eight("mul o%[2]d, v1, c%[1]d\n")
	ps := "ps_3_sw\n" + eight("dcl_texcoord%d v%[1]d\n") +
		times(16, func(i int) string { return fmt.Sprintf("dcl_2d s%d\n", i) }) +
		times(90, func(i int) string { return fmt.Sprintf("def c%d, %d.5, 2, 3, 0.25\n", 100+i, i) }) +
		times(29, func(i int) string { return fmt.Sprintf("mov r%d, v0\n", i) }) + body + "mov oC0, r0\n"
	return Input{Files: []File{{Name: "test.vsh", Data: []byte(vs)}, {Name: "test.psh", Data: []byte(ps)}}}
}

// pairStages returns the stages of a pair.
func pairStages(in Input) []stage {
	var vs, ps *d3d9.Program
	var before, after verify.Pair
	var u passes.Unit
	o := verify.Options{Numerics: verify.Real, Brief: true}
	unit := func() *passes.Unit { return u.Clone() }
	return slices.Concat([]stage{
		{"read", func() error {
			programs, err := input.ReadPrograms(in)
			if err == nil {
				vs, ps = programs[0], programs[1]
			}
			return err
		}},
		{"validate", func() error { pair.Validate(ps); return nil }},
		{"lift", func() (err error) {
			if u.Vertex, err = vsps.Lift(vs); err == nil {
				u.Pixel, err = vsps.Lift(ps)
			}
			u.Stages = rounding.Stages{Pair: vsps.Pair{Vertex: vs, Pixel: ps}}
			return err
		}},
		{"emit", func() error { _, err := vsps.Emit(ps, u.Pixel); return err }},
	}, passStages(unit), []stage{
		{"rewrite", func() error {
			v := unit()
			pipeline, err := suite.Parse(rewriting)
			if err == nil {
				_, err = passes.Run(v, pipeline, passes.Config{Numerics: passes.Real})
			}
			before, after = verify.Pair{Vertex: vs, Pixel: ps}, verify.Pair{Vertex: vs}
			if err == nil {
				after.Pixel, err = vsps.Emit(ps, v.Pixel)
			}
			return err
		}},
		{"verify", func() error { verify.Check(before, after, o); return nil }},
		{"bound", func() error { _, err := verify.Bound(before, after, verify.ProvedReal, o); return err }},
	})
}

// TestPairGrowth checks that the allocations of every stage grow almost linearly. Between the sizes, a
// threshold may be crossed at which a stage does additional work.
func TestPairGrowth(t *testing.T) {
	const pages, most = 1 << 18, 6.8 // for four times the size
	for _, shape := range testcorpus.EveryNth(pairShapes, 3) {
		var last []float64
		for n := 400; n <= 1600; n *= 4 {
			list := pairStages(shapedPair(shape.body(n)))
			now := sizes(t, list)
			for i, size := range now {
				if last != nil && size > pages && size > most*max(last[i], pages/2) {
					t.Errorf("%s: %s takes %.0f KiB for %d, and %.0f for a quarter of that", shape.name, list[i].name, size/1024, n,
						last[i]/1024)
				}
			}
			last = now
		}
	}
}
