package ilgen

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"pgregory.net/rapid"
)

// variants lists options that together cover every feature and every exclusion.
var variants = []Options{
	{}, {Size: 120}, {Stage: il.Compute}, {Stage: il.Compute, Size: 120}, {Typed: true}, {Straight: true, NoFetch: true},
	{Exact: true, NoDouble: true, NoMemory: true}, {Stage: il.Compute, NoInteger: true, NoCalls: true}, {NoInteger: true,
		NoDouble: true, Typed: true, Straight: true},
}

// TestClean checks that every kernel passes Check, and that its text prints unchanged.
func TestClean(t *testing.T) {
	for _, o := range variants {
		for seed := range testcorpus.Count[uint64](120, 300) {
			text := Text(seed, o)
			k, err := il.Parse("random", text)
			if err != nil {
				t.Fatalf("seed %d, %+v: %v\n%s", seed, o, err, text)
			}
			if ds := il.Check(k); len(ds) > 0 {
				t.Fatalf("seed %d, %+v: %v\n%s", seed, o, ds, text)
			}
			if got := il.Print(k); !bytes.Equal(got, text) {
				t.Fatalf("seed %d, %+v: prints as\n%s\nis\n%s", seed, o, got, text)
			}
		}
	}
}

// TestDrawn checks that kernels drawn by rapid pass Check, like those of a seed.
func TestDrawn(t *testing.T) {
	flag.Set("rapid.checks", "25")
	flag.Set("rapid.nofailfile", "true")
	rapid.Check(t, func(t *rapid.T) {
		k := KernelFrom(gen.Rapid(t), Options{Stage: il.Compute, Size: 20})
		if ds := il.Check(k); len(ds) > 0 {
			t.Fatal(ds)
		}
	})
}

func TestDeterministic(t *testing.T) {
	for _, o := range variants {
		for seed := range uint64(20) {
			a := Text(seed, o)
			if !bytes.Equal(a, Text(seed, o)) {
				t.Fatalf("seed %d, %+v: two kernels", seed, o)
			}
			if bytes.Equal(a, Text(seed+1000, o)) {
				t.Errorf("seeds %d and %d, %+v: one kernel", seed, seed+1000, o)
			}
		}
	}
}

// TestCoverage checks that every instruction of the table occurs, every statement of control flow and every
// form of operand.
func TestCoverage(t *testing.T) {
	seen := map[string]int{}
	for _, stage := range []il.Stage{il.Pixel, il.Compute} {
		for seed := range uint64(400) {
			for i, k := 0, Kernel(seed, Options{Stage: stage, Size: 60}); i < len(k.Insts); i++ {
				features(&k.Insts[i], seen)
			}
		}
	}
	var want []string
	for _, r := range table {
		want = append(want, r.name)
	}
	want = append(want, strings.Fields(`sample sample_l sample_b load uav_raw_load uav_raw_store uav_atomic uav_read_atomic
		lds_write_vec lds_read_vec lds_store lds_load lds_atomic fence break break_logicalnz break_logicalz breakc continue
		continue_logicalnz continue_logicalz continuec call call_logicalnz call_logicalz switch case default whileloop if_logicalnz
		if_logicalz ifc else ret ret_logicalnz ret_logicalz discard_logicalnz discard_logicalz endmain func endfunc transpose
		short-mask packed-swizzle constant-mask constant-swizzle sat shift ieee zeroop neg partial-neg abs invert bias sign texel
		relative-cb relative-g relative-x precise double-pair negative-case output-read input`)...)
	for _, w := range want {
		if seen[w] == 0 && seen[aliases[w]] == 0 {
			t.Errorf("no %s in 800 kernels", w)
		}
	}
}

// aliases maps instructions with other names in the table to their canonical names.
var aliases = map[string]string{"round_near": "round_nearest", "and": "iand",
	"uav_atomic": il.OpUavAtomic.String(), "uav_read_atomic": il.OpUavReadAtomic.String(), "lds_atomic": il.OpLdsAtomic.String()}

func features(in *il.Inst, seen map[string]int) {
	seen[in.Op.String()]++
	note := func(what string, ok bool) {
		if ok {
			seen[what]++
		}
	}
	note("ieee", in.Ctl.IEEE)
	note("zeroop", in.Ctl.Zero != il.ZeroDefault)
	note("precise", in.Ctl.Precise != 0)
	note("texel", in.Ctl.Texel != [3]int8{})
	note("negative-case", in.Op == il.OpCase && int32(in.Imm[0]) < 0)
	if in.HasDst && in.Op.Kind() != il.Declaration {
		m := in.Dst.Mask
		note("sat", in.Dst.Sat)
		note("shift", in.Dst.Shift != 0)
		note("constant-mask", m.Computed() != m.Written())
		note("short-mask", strings.Contains(in.Text, ".yz"))
		note("relative-"+in.Dst.File.String(), in.Dst.Rel != nil)
		note("double-pair", in.Op.Kind() == il.Double && m.Computed() == 0b1100)
	}
	for _, s := range in.Sources() {
		note("relative-"+s.File.String(), s.Rel != nil)
		note("packed-swizzle", s.Swz.Len() == 2 || s.Swz.Len() == 3)
		for k := range s.Swz.Len() {
			note("constant-swizzle", s.Swz.SelectionAt(k) >= il.Sel0)
		}
		note("neg", s.Neg == il.AllLanes)
		note("partial-neg", s.Neg != 0 && s.Neg != il.AllLanes)
		for name, mod := range map[string]il.SrcMod{"abs": il.Abs, "invert": il.Invert, "bias": il.Bias, "sign": il.Sign} {
			note(name, s.Mods&mod != 0)
		}
		note("output-read", s.File == il.Output)
		note("input", s.File == il.Input)
	}
}

// TestOptions checks that the options exclude their features.
func TestOptions(t *testing.T) {
	for seed := range uint64(200) {
		o := Options{Straight: true, NoDouble: true, NoFetch: true, NoMemory: true, Exact: true, Size: 60}
		for i, k := 0, Kernel(seed, o); i < len(k.Insts); i++ {
			switch in := &k.Insts[i]; {
			case in.Op.Role() != il.NoRole && in.Op != il.OpEnd,
				in.Op.Kind() == il.Double, in.Op.Kind() == il.Fetch, in.Op.Kind() == il.MemoryOp,
				in.Op == il.OpRcp, in.Op == il.OpDiv, in.Op == il.OpSinVec:
				t.Fatalf("seed %d: %s", seed, in.Text)
			}
		}
		for i, k := 0, Kernel(seed, Options{NoInteger: true, Size: 60}); i < len(k.Insts); i++ {
			switch in := &k.Insts[i]; in.Op {
			case il.OpIMul, il.OpUDiv, il.OpIXor, il.OpFToI, il.OpUToF, il.OpIToD:
				t.Fatalf("seed %d: %s", seed, in.Text)
			}
		}
	}
}

// TestMutate checks that parsing damaged text never panics, and that accepted text prints unchanged.
func TestMutate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	accepted, changed := 0, 0
	for seed := range uint64(3000) {
		text := Text(seed, variants[seed%uint64(len(variants))])
		damaged := Mutate(text, r)
		if !bytes.Equal(damaged, text) {
			changed++
		}
		k, err := il.Parse("damaged", damaged)
		if err != nil {
			continue
		}
		accepted++
		il.Check(k)
		if got := il.Print(k); !bytes.Equal(got, damaged) {
			t.Fatalf("seed %d: prints as\n%s\nis\n%s", seed, got, damaged)
		}
	}
	if changed < 2800 || accepted < 100 || accepted > 2900 {
		t.Errorf("of 3000 texts %d changed and %d were accepted", changed, accepted)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1), uint16(30), uint16(0))
	f.Fuzz(func(t *testing.T, seed uint64, size, bits uint16) {
		o := Options{Stage: il.Stage(bits & 1), Size: int(size % 300), Straight: bits&2 != 0, Typed: bits&4 != 0,
			Exact:    bits&8 != 0,
			NoDouble: bits&16 != 0, NoInteger: bits&32 != 0, NoFetch: bits&64 != 0, NoMemory: bits&128 != 0, NoCalls: bits&256 != 0}
		if ds := il.Check(Kernel(seed, o)); len(ds) > 0 {
			t.Fatal(ds)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for _, size := range []int{50, 500} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				Text(uint64(i), Options{Size: size})
			}
		})
	}
}
