package machine_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// built compiles a kernel. It returns nil if the target cannot run it.
func built(t testing.TB, k *il.Kernel, target *chip.Target, o sched.Options) (*sched.Scheduled, []boardInput) {
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	c, err := lower.Kernel(f, target)
	if err != nil {
		if strings.Contains(err.Error(), "not-supported") {
			return nil, nil
		}
		t.Fatal(err)
	}
	var inputs []boardInput
	for _, in := range c.Inputs {
		if il.File(in.Home.File) == il.Input {
			inputs = append(inputs, boardInput{in.Reg, int(in.Home.Comp), int(in.Home.Index)})
		}
	}
	s, err := sched.Schedule(c, target, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := machinetest.Obeys(s.Program, target); err != nil && !o.NoPorts {
		t.Fatalf("%v\n%s", err, r600.Print(s.Program))
	}
	return s, inputs
}

// computesTheSame compares the results of a kernel's program with those of the kernel. It reports
// whether the target supports the kernel.
func computesTheSame(t testing.TB, k *il.Kernel, target *chip.Target, o sched.Options, c *kernel.Case, fresh uint32,
	near func(want, got uint32) bool) bool {
	t.Helper()
	p, err := kernel.Compile(k)
	machinetest.Must(t, err)
	want, err := p.Run(c, kernel.Options{Steps: 1 << 24})
	machinetest.Must(t, err)
	s, inputs := built(t, k, target, o)
	if s == nil {
		return false
	}
	b := newBoard(t, s, k, c, inputs)
	b.fresh = fresh
	b.run()
	if b.tooLong {
		t.Fatalf("the program does not end\n%s\n%s", il.Print(k), r600.Print(s.Program))
	}
	differ := func(what string, i int, want, got uint32) {
		t.Helper()
		if !near(want, got) {
			t.Fatalf("%s of %s: %s word %d is %#x (%v), not %#x (%v)\n%s\n%s", k.Insts[0].Pos.File, target.Name, what, i, got,
				machinetest.Float(got), want, machinetest.Float(want), il.Print(k), r600.Print(s.Program))
		}
	}
	for id := range b.killed {
		if want.Discarded != nil && b.killed[id] != want.Discarded[id] || want.Discarded == nil && b.killed[id] {
			t.Fatalf("%s: discarding of %d: %v\n%s\n%s", target.Name, id, b.killed[id], il.Print(k), r600.Print(s.Program))
		}
	}
	for o, words := range want.Out {
		for i, w := range words {
			if !b.killed[i/4] {
				differ(fmt.Sprint("o", o), i, w, b.out[o][i])
			}
		}
	}
	for i, w := range want.Global {
		differ("g", i, w, b.global[i])
	}
	for _, v := range want.Views {
		for i, w := range v.Words {
			differ(fmt.Sprint("view", v.ID), i, w, b.views[v.ID][i])
		}
	}
	return true
}

// equalWords treats all NaNs as equal.
func equalWords(want, got uint32) bool {
	x, y := machinetest.Float(want), machinetest.Float(got)
	return want == got || x != x && y != y
}

// TestWholeRandom compares the hardware results of random kernels' programs with the kernels.
func TestWholeRandom(t *testing.T) {
	t.Parallel()
	n := map[string]int{}
	for seed := range uint64(wholeTrials) {
		for _, name := range []string{"rv670", "rv770", "cypress"} {
			target := machinetest.Target(t, name)
			o := ilgen.Options{Stage: il.Stage(seed % 2), Size: 10 + int(seed%5)*10, Exact: true, NoDouble: seed%3 == 0,
				NoMemory: seed%4 == 3}
			k := ilgen.Kernel(seed, o)
			if target.Family != r600.Evergreen &&
				slices.ContainsFunc(k.Insts, func(in il.Inst) bool { return in.Op == il.OpFma }) {
				continue // unsupported by the target
			}
			c := kernel.DefaultCase(k, seed)
			c.Width, c.Height = 16, 4
			if computesTheSame(t, k, target, sched.Options{NoPorts: seed%16 == 15}, c, stale, equalWords) {
				n[name]++
			}
		}
	}
	// Older chips lack local memory, or operations on bits, that some kernels need.
	if n["cypress"] != wholeTrials || n["rv670"] < wholeTrials/2 || n["rv770"] < wholeTrials/2 {
		t.Errorf("of %d kernels %v were compared", wholeTrials, n)
	}
}

var wholeTrials = testcorpus.Count(40, 80)

// approximate lists the operations whose results the hardware approximates.
var approximate = map[il.Op]bool{
	il.OpDiv: true, il.OpRcp: true, il.OpRsq: true, il.OpSqrt: true, il.OpExp: true, il.OpLog: true, il.OpSin: true, il.OpCos: true,
	il.OpRcpVec: true, il.OpRsqVec: true, il.OpSqrtVec: true, il.OpExpVec: true, il.OpLogVec: true, il.OpSinVec: true, il.OpCosVec: true,
	il.OpMod: true, il.OpPow: true, il.OpDDiv: true, il.OpDRcp: true, il.OpDRsq: true, il.OpDSqrt: true,
}

// nearWords allows for approximation: a small error of floats, and the last bits of lower words of
// doubles.
func nearWords(want, got uint32) bool {
	x, y := float64(machinetest.Float(want)), float64(machinetest.Float(got))
	return equalWords(want, got) || math.Abs(x-y) <= 1e-3*max(1, math.Abs(x)) ||
		max(want-got, got-want) == -min(want-got, got-want) && min(want-got, got-want) < 8
}

// unstable lists kernels that differ by more: a noise function amplifies the last bits of a sine,
// and invocations store to one place.
var unstable = []string{"grvk_protean.il", "grvk_seascape.il", "grvk_flame.il", "milkyway_ilKernelSrc1.il"}

func TestWholeCorpus(t *testing.T) {
	t.Parallel()
	own, _ := filepath.Glob("../testdata/il/*.il")
	corpus := testcorpus.GlobOptional(t, "corpus/il/*.il")
	kernels, compared := 0, 0
	for i, file := range append(own, testcorpus.EveryNth(corpus, 2)...) {
		data, err := os.ReadFile(file)
		machinetest.Must(t, err)
		k, err := il.Parse(file, data)
		if err != nil || slices.Contains(unstable, filepath.Base(file)) {
			continue
		}
		near := equalWords
		if slices.ContainsFunc(k.Insts, func(in il.Inst) bool { return approximate[in.Op] }) {
			near = nearWords
		}
		kernels++
		c := kernel.DefaultCase(k, 1)
		c.Width, c.Height = 8, 8
		if computesTheSame(t, k, machinetest.Target(t, chip.Names()[1+i%3]), sched.Options{}, c, 0, near) {
			compared++
		}
	}
	if kernels == 0 || compared < kernels*9/10 {
		t.Errorf("of %d kernels %d were compared", kernels, compared)
	}
}
