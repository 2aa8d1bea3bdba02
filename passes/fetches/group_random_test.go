package fetches_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
)

// blocks counts the instructions of each block, including the boundary before it.
func blocks(u *passes.Unit) (list []map[string]int) {
	for _, f := range u.Funcs() {
		list = append(list, map[string]int{})
		f.Walk(func(in *ir.Instr) {
			if in.Op.Has(ir.Structured) || in.Op.Has(ir.Effect) {
				list = append(list, map[string]int{})
			}
			list[len(list)-1][fmt.Sprint(in.Op, in.Pos, in.Mask())]++
		})
	}
	return list
}

// Random programs keep their boundaries and the instructions between them; a second run changes nothing.
func TestGroupRandom(t *testing.T) {
	n := testcorpus.Count[uint64](60, 300)
	changed := 0
	for seed := range n {
		ps := gen.ProgramOf([]d3d9.Model{d3d9.PS20, d3d9.PS2X, d3d9.PS30}[seed%3], seed, 60)
		for _, s := range []*passtest.Source{{Kernel: ilgen.Kernel(seed, ilgen.Options{})}, {Pixel: ps}} {
			for _, settings := range [][]passes.Setting{{{Name: "window", Value: "all"}}, {{Name: "window", Value: "3"}}} {
				u, err := s.Lift()
				if err != nil {
					continue
				}
				before := blocks(u)
				p := passes.Pipeline{{Pass: fetches.Group, Settings: settings}}
				report, err := passes.Run(u, p, passes.Config{}) // checks that definitions come before uses
				if err != nil {
					t.Fatalf("seed %d, %v: %v", seed, p, err)
				}
				if report.Steps > 0 {
					changed++
				}
				if now := blocks(u); fmt.Sprint(now) != fmt.Sprint(before) {
					t.Fatalf("seed %d, %v: blocks %v, before %v", seed, p, now, before)
				}
				if again, _ := passes.Run(u, p, passes.Config{}); again.Steps > 0 {
					t.Errorf("seed %d, %v: %d steps the second time\n%v", seed, p, again.Steps, u.Funcs()[0])
				}
			}
		}
	}
	if changed < int(n)/4 {
		t.Errorf("%d programs changed", changed)
	}
	t.Logf("%d programs changed", changed)
}
