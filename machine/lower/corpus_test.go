package lower

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// opsAndFetches counts slots and fetches.
func opsAndFetches(r mir.Region) (ops, fetches int) {
	more := func(r mir.Region) {
		o, f := opsAndFetches(r)
		ops, fetches = ops+o, fetches+f
	}
	for _, it := range r {
		switch it := it.(type) {
		case *mir.ALU:
			ops += len(it.Slots)
		case *mir.Fetch:
			fetches++
		case *mir.If:
			ops++
			more(it.Then)
			more(it.Else)
		case *mir.Loop:
			more(it.Body)
		case *mir.Break:
			if it.Cond != nil {
				ops++
			}
		}
	}
	return ops, fetches
}

func TestLowerCorpus(t *testing.T) {
	t.Parallel()
	count := 0
	for _, file := range machinetest.Kernels(t, "corpus/il") {
		f := machinetest.Lifted(t, file)
		if f == nil {
			continue
		}
		count++
		for _, name := range chip.Names() {
			target, _ := chip.ByName(name)
			c, err := Kernel(f, target)
			if err != nil {
				t.Errorf("%s for %s: %v", filepath.Base(file), name, err)
				continue
			}
			if err := c.Complete(target); err != nil {
				t.Errorf("%s for %s: %v", filepath.Base(file), name, err)
			}
			ops, fetches := opsAndFetches(c.Body)
			if name == "rv670" {
				t.Logf("%-45s %5d ops %4d fetches %5d values", filepath.Base(file), ops, fetches, c.Vals())
			}
		}
	}
	t.Logf("%d kernels", count)
}

// published lists the published scalar operations of the reconstructed kernels; their setup is not
// published.
var published = map[string]int{"pldi_v1": 209, "pldi_v2": 593, "pldi_v3": 594, "pldi_final": 594, "jang_naive": 30,
	"jang_varred":  29,
	"jang_unroll4": 71, "jang_unroll8": 127, "jang_unroll16": 239, "jang_vector": 67, "jang_multi8": 365}

// TestLowerMatmul checks the known facts about the published matrix multiplications. A block is 128
// multiply-adds. 32 accumulators are cleared before the loop, and 32 results moved after it.
// Unrolling adds only multiply-adds and fetches. The scalar kernels have the same counts per
// iteration.
func TestLowerMatmul(t *testing.T) {
	ops, mads, moves := map[string]int{}, map[string]int{}, map[string]int{}
	for _, file := range machinetest.Kernels(t, "reference/matmul") {
		name := strings.TrimSuffix(filepath.Base(file), ".il")
		target, _ := chip.ByName("rv670")
		c, err := Kernel(machinetest.Lifted(t, file), target)
		if err != nil {
			t.Fatal(err)
		}
		var fetches int
		ops[name], fetches = opsAndFetches(c.Body)
		mads[name], moves[name] = countOps(c.Body, r600.OpMulAdd), countOps(c.Body, r600.OpMov)
		t.Logf("%-14s %4d operations, %4d published; %3d fetches", name, ops[name], published[name], fetches)
	}
	for name, blocks := range map[string]int{"pldi_v1": 1, "pldi_v2": 4, "pldi_v3": 4, "pldi_final": 4} {
		if mads[name] != 128*blocks {
			t.Errorf("%s: %d multiply-adds, not %d", name, mads[name], 128*blocks)
		}
		if moves[name] < 64 || ops[name]-mads[name] > 82 {
			t.Errorf("%s: %d moves, %d operations but multiply-adds", name, moves[name], ops[name]-mads[name])
		}
	}
	if a, b := ops["jang_unroll8"]-ops["jang_unroll4"], ops["jang_unroll16"]-ops["jang_unroll8"]; 2*a != b {
		t.Errorf("4 more iterations are %d operations, 8 more %d", a, b)
	}
}
