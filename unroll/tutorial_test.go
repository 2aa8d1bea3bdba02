package unroll_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/passes"
)

// tally counts the contents of a program: outside its loops, and in each of them.
type tally struct {
	groups, ops, fetches int
}

func (t *tally) add(cf *r600.CF) {
	t.groups += len(cf.Groups)
	t.fetches += len(cf.Fetches)
	for i := range cf.Groups {
		t.ops += cf.Groups[i].FilledSlots()
	}
}

// compile compiles k for rv670 and counts its contents.
func compile(t testing.TB, k *il.Kernel) (outside tally, loops []tally, gprs int) {
	t.Helper()
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	target, err := chip.ByName("rv670")
	if err != nil {
		t.Fatal(err)
	}
	code, err := lower.Kernel(f, target)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sched.Schedule(code, target, sched.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := &outside
	for i := range s.Program.CF {
		switch cf := &s.Program.CF[i]; cf.Op {
		case r600.CFLoop:
			loops = append(loops, tally{})
			at = &loops[len(loops)-1]
		case r600.CFEndLoop:
			at = &outside
		default:
			at.add(cf)
		}
	}
	return outside, loops, s.Stats.GPRs
}

// TestTutorial repeats the steps of AMD's tutorial by passes, from its first version. Published are
// 593 and 594 operations, 135 and 136 groups, 48 fetches and 27, 28, 32 and 38 registers. The
// published programs make the remaining trips elsewhere, so the remainder loop is not counted here.
func TestTutorial(t *testing.T) {
	v1 := passtest.ReadKernel(t, "../testdata/il/pldi_v1.il")
	least := 27
	for _, pipeline := range []string{
		"unroll{factor=4}", "unroll{factor=4},break-deps",
		"unroll{factor=4},break-deps,group-fetches{window=24}", "unroll{factor=4},break-deps,group-fetches",
	} {
		out, _ := apply(t, v1, pipeline, passes.Real)
		outside, loops, gprs := compile(t, out)
		if len(loops) != 2 {
			t.Fatalf("%s: %d loops", pipeline, len(loops))
		}
		ops, groups := outside.ops+loops[0].ops, outside.groups+loops[0].groups
		t.Logf("%-55s %d groups of %d operations, %d fetches, %d registers; left: %+v", pipeline, groups, ops,
			loops[0].fetches, gprs, loops[1])
		if loops[0].fetches != 48 || ops < 583 || ops > 603 || groups < 131 || groups > 143 {
			t.Errorf("%s: %d fetches, %d operations in %d groups", pipeline, loops[0].fetches, ops, groups)
		}
		if gprs < least || gprs > 42 {
			t.Errorf("%s: %d registers, before %d", pipeline, gprs, least)
		}
		least = gprs
		// The counts are whole floats, so even these sums have the same bits.
		if !passtest.SameRuns(t, v1, out, 2) {
			t.Error("it was not run")
		}
	}
}

// TestTutorialCounted states the size of the product in the text: no trips remain, as in the
// tutorial.
func TestTutorialCounted(t *testing.T) {
	text := string(il.Print(passtest.ReadKernel(t, "../testdata/il/pldi_v1.il")))
	text = strings.Replace(text, "mov r37, cb0[0].x", "dcl_literal l9, 256.0, 0, 0, 0\nmov r37, l9.x", 1)
	v1, err := il.Parse("pldi_v1", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, pipeline := range []string{"unroll{factor=4}", "unroll{factor=4},break-deps"} {
		out, _ := apply(t, v1, pipeline, passes.Real)
		outside, loops, gprs := compile(t, out)
		if len(loops) != 1 {
			t.Fatalf("%s: %d loops", pipeline, len(loops))
		}
		ops, groups := outside.ops+loops[0].ops, outside.groups+loops[0].groups
		t.Logf("%-30s %d groups of %d operations, %d fetches, %d registers", pipeline, groups, ops, loops[0].fetches, gprs)
		if loops[0].fetches != 48 || groups < 132 || groups > 140 || gprs > 28 {
			t.Errorf("%s: %d fetches, %d groups, %d registers", pipeline, loops[0].fetches, groups, gprs)
		}
		counts := map[il.Op]int{}
		for i := range out.Insts {
			counts[out.Insts[i].Op]++
		}
		for _, op := range []il.Op{il.OpIToF, il.OpGe, il.OpIAdd} {
			if counts[op] != 1 {
				t.Errorf("%s: %d times %v", pipeline, counts[op], op)
			}
		}
	}
}

// TestTutorialOrder checks the order of the tutorial's last version: all fetches of B, then all of
// A.
func TestTutorialOrder(t *testing.T) {
	out, _ := apply(t, passtest.ReadKernel(t, "../testdata/il/pldi_v1.il"), "unroll{factor=4},break-deps,group-fetches", passes.Real)
	var units []uint16
	for i := range out.Insts {
		switch in := &out.Insts[i]; in.Op {
		case il.OpSample:
			units = append(units, in.Ctl.ID)
		case il.OpEndLoop:
			if len(units) != 48 {
				t.Fatalf("%d fetches in the first loop", len(units))
			}
			for i, u := range units {
				if isB := u >= 8; isB != (i < 16) || i%4 != 0 && u != units[i-1] {
					t.Fatalf("fetches from %v", units)
				}
			}
			return
		}
	}
}

// TestUnrolledProduct makes Jang's unrollings from his naive kernel. The groups of a trip approach
// the cost of the fetches and products alone.
func TestUnrolledProduct(t *testing.T) {
	naive := passtest.ReadKernel(t, "../testdata/il/jang_naive.il")
	_, loops, _ := compile(t, naive)
	last := float64(loops[0].groups)
	for _, factor := range []int{4, 8, 16} {
		out, _ := apply(t, naive, fmt.Sprintf("unroll{factor=%d},break-deps", factor), passes.Real)
		outside, loops, gprs := compile(t, out)
		per := float64(loops[0].groups) / float64(factor)
		t.Logf("%2d: %d groups of %d operations, %d fetches, %d registers; %.2f groups a trip", factor,
			outside.groups+loops[0].groups, outside.ops+loops[0].ops, loops[0].fetches, gprs, per)
		if loops[0].fetches != 2*factor || per >= last {
			t.Errorf("%d trips at a time take %.2f groups each, %.2f before", factor, per, last)
		}
		last = per
	}
}
