package vsps_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// straight returns a program of n instructions without flow control, whose values live for about
// twenty instructions in masked parts of all registers.
func straight(b *testing.B, n int) *d3d9.Program {
	var s strings.Builder
	s.WriteString("ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ndef c0, 1, 0.5, 2, -1\n")
	const temps = 24
	for i := range temps {
		fmt.Fprintf(&s, "mad r%d, v0, c%d, c%d.x\n", i, 1+i%8, 1+i%8)
	}
	masks := []string{"", ".xy", ".zw", ".x", ".yzw"}
	for i := range n {
		d, a, c := i%temps, (i*7+3)%temps, (i*5+1)%temps
		switch i % 6 {
		case 0:
			fmt.Fprintf(&s, "mad r%d%s, r%d, c%d, r%d.yxwz\n", d, masks[i%5], a, 1+i%8, c)
		case 1:
			fmt.Fprintf(&s, "mul r%d%s, r%d.zwxy, r%d\n", d, masks[i%5], a, c)
		case 2:
			fmt.Fprintf(&s, "dp3 r%d.w, r%d, c0\n", d, a)
		case 3:
			fmt.Fprintf(&s, "texld r%d, r%d, s0\n", d, a)
		case 4:
			fmt.Fprintf(&s, "rcp r%d.x, r%d.w\n", d, c)
		case 5:
			fmt.Fprintf(&s, "add_sat r%d%s, r%d, -r%d\n", d, masks[i%5], a, c)
		}
	}
	for i := 1; i < temps; i++ {
		fmt.Fprintf(&s, "add r0, r0, r%d\n", i)
	}
	s.WriteString("mov oC0, r0\n")
	p, err := d3d9.Parse("straight", []byte(s.String()))
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// corpus returns the bytecode programs of the shared corpus, or none if it is absent.
func corpus(tb testing.TB) (paths []string, ps []*d3d9.Program) {
	paths, _ = filepath.Glob("../../shared/corpus/d3d9/pairs/*/*")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		p, err := d3d9.Read(path, data)
		if err != nil {
			tb.Fatal(err)
		}
		ps = append(ps, p)
	}
	return paths, ps
}

// subjects runs f on the corpus and on straight-line programs of growing length.
func subjects(b *testing.B, f func(b *testing.B, ps []*d3d9.Program)) {
	_, ps := corpus(b)
	if len(ps) > 0 {
		b.Run("corpus", func(b *testing.B) { f(b, ps) })
	}
	for _, n := range []int{100, 1000, 10000} {
		p := straight(b, n)
		b.Run(fmt.Sprint("straight", n), func(b *testing.B) { f(b, []*d3d9.Program{p}) })
	}
}

// perInstruction reports the time of one round per instruction.
func perInstruction(b *testing.B, ps []*d3d9.Program) {
	n := 0
	for _, p := range ps {
		n += len(p.Insts)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/inst")
}

func BenchmarkLift(b *testing.B) {
	subjects(b, func(b *testing.B, ps []*d3d9.Program) {
		b.ReportAllocs()
		for b.Loop() {
			for _, p := range ps {
				if _, err := vsps.Lift(p); err != nil {
					b.Fatal(err)
				}
			}
		}
		perInstruction(b, ps)
	})
}

func BenchmarkEmit(b *testing.B) {
	subjects(b, func(b *testing.B, ps []*d3d9.Program) {
		fs := make([]*ir.Func, len(ps))
		for i, p := range ps {
			f, err := vsps.Lift(p)
			if err != nil {
				b.Fatal(err)
			}
			fs[i] = f
		}
		b.ReportAllocs()
		for b.Loop() {
			for i, p := range ps {
				if _, err := vsps.Emit(p, fs[i]); err != nil {
					b.Fatal(err)
				}
			}
		}
		perInstruction(b, ps)
	})
}
