package kernel

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// benchmark runs a program and reports the instructions per second that one invocation executes.
func benchmark(b *testing.B, p *Program, c *Case, o Options) {
	b.ReportAllocs()
	steps := 0
	for b.Loop() {
		r, err := p.Run(c, o)
		if err != nil {
			b.Fatal(err)
		}
		steps += r.Steps
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// BenchmarkArithmetic measures straight-line vector code.
func BenchmarkArithmetic(b *testing.B) {
	for _, op := range []string{"mov r%d, r%d", "add r%d, r%d, l0", "mul r%d, r%d, l0", "mad r%d, r%d, l0, r0",
		"mad_ieee r%d, r%d, l0, r0", "dp4 r%d, r%d, l0",
		"imad r%d, r%d, l0, r0", "cmov_logical r%d, r%d, l0, r0", "lt r%d, r%d, l0", "frc r%d, r%d", "rcp_vec r%d, r%d", "sin_vec r%d, r%d", "dmad r%d, r%d, l0, r0"} {
		b.Run(strings.Fields(op)[0], func(b *testing.B) {
			src := "dcl_output_generic o0\ndcl_literal l0, 1.0, 0.99, -1.0, 1.01\nmov r0, l0\n"
			for i := range 100 {
				src += fmt.Sprintf(op, i%7+1, i%7) + "\n"
			}
			benchmark(b, compile(b, src+"mov o0, r1"), &Case{Width: 128, Height: 128}, Options{})
		})
	}
}

// BenchmarkKernels runs kernels of the corpus with their default launches.
func BenchmarkKernels(b *testing.B) {
	for _, path := range corpus(b, "corpus/il/grvk_e1m1.il", "corpus/il/grvk_seascape.il",
		"corpus/il/a2_MatMulSplit8_R.il", "corpus/il/caldgemm_tB44.il",
		"corpus/il/milkyway_ilKernelSrc1.il", "reference/matmul/jang_vector.il", "reference/matmul/pldi_v3.il") {
		b.Run(filepath.Base(path), func(b *testing.B) {
			k, err := readKernel(b, path)
			if err != nil {
				b.Fatal(err)
			}
			p, err := Compile(k)
			if err != nil {
				b.Fatal(err)
			}
			c := DefaultCase(k, 0)
			c.Width, c.Height = 64, 64
			benchmark(b, p, c, Options{})
		})
	}
}

// BenchmarkCompile compiles the longest kernel.
func BenchmarkCompile(b *testing.B) {
	k, err := readKernel(b, corpus(b, "corpus/il/grvk_e1m1.il")[0])
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(k); err != nil {
			b.Fatal(err)
		}
	}
}
