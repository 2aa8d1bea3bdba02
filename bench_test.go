package shaderlift_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// BenchmarkOptimize measures the optimization of pairs one by one: of random pairs, and of the pairs of
// the shared corpus if it is available. It reports the mean, the median and the 95th percentile of the
// times, and the time per instruction. Pairs run at every level, and by default for one target, d3d9.
// Kernels of the shared corpus run with default options.
func BenchmarkOptimize(b *testing.B) {
	b.Run("random", func(b *testing.B) { benchmarkOptimize(b, randomPairs(b)) })
	b.Run("corpus", func(b *testing.B) { benchmarkOptimize(b, corpusPairs(b)) })
	b.Run("kernels", func(b *testing.B) {
		kernels, _ := kernelFiles(b, testcorpus.Glob(b, "corpus/il/*.il"))
		kernels = slices.DeleteFunc(kernels, func(in shaderlift.Input) bool { // few are malformed
			_, err := il.Parse("", in.Files[0].Data)
			return err != nil
		})
		b.ReportAllocs()
		optimizeEach(b, kernels, shaderlift.Options{}, "ns/kernel")
	})
}

// optimizeEach optimizes inputs repeatedly. It reports the median and the 95th percentile of their best
// times, and the mean.
func optimizeEach(b *testing.B, inputs []shaderlift.Input, o shaderlift.Options, mean string) {
	best := make([]float64, len(inputs)) // time of each, in ms
	for n := range b.N {
		for i, in := range inputs {
			start := time.Now()
			if _, err := shaderlift.Optimize(b.Context(), in, o); err != nil {
				b.Fatal(in.Name, err)
			}
			if ms := time.Since(start).Seconds() * 1e3; n == 0 || ms < best[i] {
				best[i] = ms
			}
		}
	}
	slices.Sort(best)
	b.ReportMetric(best[len(best)/2], "median-ms")
	b.ReportMetric(best[len(best)*95/100], "p95-ms")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(inputs)), mean)
}

// randomPairs returns linked pairs of 2.0 and 3.0, short and long.
func randomPairs(b *testing.B) (pairs []shaderlift.Input) {
	for seed := range uint64(48) {
		var in shaderlift.Input
		vertex, pixel := d3d9.VS20, d3d9.PS20
		if seed%2 == 1 {
			vertex, pixel = d3d9.VS30, d3d9.PS30
		}
		vs, ps := gen.PairOf(vertex, pixel, seed, 10+int(seed*13%80))
		for _, p := range []*d3d9.Program{vs, ps} {
			data, err := d3d9.Write(p)
			if err != nil {
				b.Fatal(err)
			}
			in.Files = append(in.Files, shaderlift.File{Name: fmt.Sprint(p.Model, seed), Data: data})
		}
		pairs = append(pairs, in)
	}
	return pairs
}

func benchmarkOptimize(b *testing.B, pairs []shaderlift.Input) {
	var w workload
	for _, in := range pairs {
		for _, f := range in.Files {
			w.add(b, f.Data)
		}
	}
	for _, o := range []shaderlift.Options{{Pipeline: "O0"}, {Pipeline: "O1"}, {Pipeline: "O2"}, {Pipeline: "O3"},
		{Target: "d3d9"}} {
		b.Run(o.Pipeline+string(o.Target), func(b *testing.B) {
			b.ReportAllocs()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			optimizeEach(b, pairs, o, "ns/pair")
			runtime.ReadMemStats(&after)
			insts := float64(b.N * w.insts)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/insts, "ns/inst")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/insts, "B/inst")
		})
	}
}

// BenchmarkVerify measures verification alone. On the corpus, it measures the verdict and the whole
// output of `verify`, with rounding bounds. It reports the median of both as shares of the whole time
// of optimization and verification, from the best times. It also verifies a program of 1,000
// instructions against a version with exchanged operands.
func BenchmarkVerify(b *testing.B) {
	b.Run("corpus", func(b *testing.B) {
		pairs := corpusPairs(b)
		best := make([][3]time.Duration, len(pairs)) // of optimization, verdict, verify; 0 if unchanged
		for n := range b.N {
			for i, in := range pairs {
				took := [3]time.Duration{}
				timed := func(k int, what func() error) {
					start := time.Now()
					if err := what(); err != nil {
						b.Fatal(in.Name, err)
					}
					took[k] = time.Since(start)
				}
				var res *shaderlift.Result
				timed(0, func() (err error) {
					res, err = shaderlift.Optimize(b.Context(), in, shaderlift.Options{})
					return err
				})
				if res.Status != shaderlift.Improved {
					continue
				}
				before, after := pairIn(b, in.Files), pairIn(b, res.Files)
				timed(1, func() error {
					if r := verify.Check(before, after, verify.Options{Numerics: verify.Real, Brief: true}); !r.Verdict.OK() {
						return errors.New(r.Why)
					}
					return nil
				})
				timed(2, func() error {
					_, err := shaderlift.Verify(b.Context(), in, shaderlift.Input{Name: in.Name, Files: res.Files},
						shaderlift.Options{})
					return err
				})
				for k := range took {
					if n == 0 || took[k] < best[i][k] {
						best[i][k] = took[k]
					}
				}
			}
		}
		for k, unit := range []string{"verdict-%", "verify-%"} {
			var parts []float64
			for _, t := range best {
				if t[0] > 0 {
					parts = append(parts, float64(t[k+1])/float64(t[0]))
				}
			}
			slices.Sort(parts)
			b.ReportMetric(100*parts[len(parts)/2], unit)
		}
	})
	b.Run("1000", func(b *testing.B) {
		p := straight(b, 1000).programs[0]
		q := swapped(p)
		for b.Loop() {
			if r := verify.Check(pairOf(p), pairOf(q), verify.Options{}); r.Verdict < verify.Proved {
				b.Fatal(r.Why)
			}
		}
	})
}

// workload is the input of the benchmarks of single stages.
type workload struct {
	data     [][]byte
	programs []*d3d9.Program
	insts    int
}

func (w *workload) add(b *testing.B, data []byte) {
	p, err := d3d9.Read("", data)
	if err != nil {
		b.Fatal(err)
	}
	w.data, w.programs = append(w.data, data), append(w.programs, p)
	for i := range p.Insts {
		if k := p.Insts[i].Op.Kind(); k != d3d9.Trivia && k != d3d9.Declaration {
			w.insts++
		}
	}
}

// straight returns a straight-line program of n instructions, with some redundant and some useless
// ones, in a model without a slot limit.
func straight(b *testing.B, n int) *workload {
	var s strings.Builder
	s.WriteString("vs_3_sw\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\ndef c4, 0.5, 2, 1, 0\nmov r0, v0\nmov r1, v1\nmov r2, c0\nmov r3, c4\n")
	for i := range n - 6 {
		d, x, y := i%4, (i*7+1)%4, (i*5+2)%4
		switch i % 5 {
		case 0:
			fmt.Fprintf(&s, "mul r%d, r%d, c%d\n", d, x, i%4)
		case 1:
			fmt.Fprintf(&s, "mad r%d.xyz, r%d, r%d.x, r%d\n", d, x, y, d)
		case 2:
			fmt.Fprintf(&s, "add r%d, r%d.yzxw, -r%d\n", d, x, y)
		case 3:
			fmt.Fprintf(&s, "dp4 r%d.w, r%d, c4\n", d, x)
		case 4:
			fmt.Fprintf(&s, "max r%d.xy, r%d, c4.w\n", d, x)
		}
	}
	s.WriteString("add o1, r1, r2\nadd o0, r0, r3\n")
	p, err := d3d9.Parse("", []byte(s.String()))
	if err != nil {
		b.Fatal(err)
	}
	p.Binary = true
	data, err := d3d9.Encode(p)
	if err != nil {
		b.Fatal(err)
	}
	var w workload
	w.add(b, data)
	return &w
}

// BenchmarkStages measures every stage alone, per instruction of the input.
func BenchmarkStages(b *testing.B) {
	b.Run("corpus", func(b *testing.B) {
		var w workload
		for _, in := range corpusPairs(b) {
			for _, f := range in.Files {
				w.add(b, f.Data)
			}
		}
		w.stages(b)
	})
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { straight(b, n).stages(b) })
	}
}

func (w *workload) stages(b *testing.B) {
	w.bench(b, "decode", func(i int) error {
		_, err := d3d9.Decode("", w.data[i])
		return err
	})
	w.bench(b, "lift", func(i int) error {
		_, err := vsps.Lift(w.programs[i])
		return err
	})
	lifted := make([]*ir.Func, len(w.programs))
	for i, p := range w.programs {
		f, err := vsps.Lift(p)
		if err != nil {
			b.Fatal(err)
		}
		lifted[i] = f
	}
	pipeline, err := suite.Level(suite.DefaultLevel)
	if err != nil {
		b.Fatal(err)
	}
	w.bench(b, "passes", func(i int) error {
		_, err := passes.Run(unitOf(w.programs[i], lifted[i].Clone()), pipeline, passes.Config{Numerics: passes.Real})
		return err
	})
	w.bench(b, "passes-priced", func(i int) error {
		p := w.programs[i]
		measure := func(u *passes.Unit) (passes.Cost, error) {
			q, err := vsps.Emit(p, u.Funcs()[0])
			if err != nil {
				return passes.Cost{}, err
			}
			c := d3d9.Measure(q)
			return passes.Cost{c.Slots, 0, c.TextureRuns, c.Temps}, nil
		}
		_, err := passes.Run(unitOf(p, lifted[i].Clone()), pipeline, passes.Config{Numerics: passes.Real, Measure: measure})
		return err
	})
	w.bench(b, "emit", func(i int) error {
		_, err := vsps.Emit(w.programs[i], lifted[i])
		return err
	})
	w.bench(b, "encode", func(i int) error {
		_, err := d3d9.Encode(w.programs[i])
		return err
	})
	w.bench(b, "verify", func(i int) error {
		p := w.programs[i]
		if r := verify.Check(pairOf(p), pairOf(swapped(p)), verify.Options{}); !r.Verdict.OK() {
			return fmt.Errorf("%v: %s", r.Verdict, r.Why)
		}
		return nil
	})
}

func unitOf(p *d3d9.Program, f *ir.Func) *passes.Unit {
	if p.Model.Stage == d3d9.Vertex {
		return &passes.Unit{Vertex: f}
	}
	return &passes.Unit{Pixel: f}
}

// pairIn returns the programs in files, the vertex program first.
func pairIn(b *testing.B, files []shaderlift.File) verify.Pair {
	var list [2]*d3d9.Program
	for i, f := range files {
		p, err := d3d9.Read(f.Name, f.Data)
		if err != nil {
			b.Fatal(err)
		}
		list[i] = p
	}
	return verify.Pair{Vertex: list[0], Pixel: list[1]}
}

func pairOf(p *d3d9.Program) verify.Pair {
	if p.Model.Stage == d3d9.Vertex {
		return verify.Pair{Vertex: p}
	}
	return verify.Pair{Pixel: p}
}

// swapped returns p with exchanged operands of sums and products, so that the verifier has something to
// prove.
func swapped(p *d3d9.Program) *d3d9.Program {
	q := *p
	q.Insts = make([]d3d9.Inst, len(p.Insts))
	for i, in := range p.Insts {
		if in.Op == d3d9.OpAdd || in.Op == d3d9.OpMul {
			in.Src[0], in.Src[1] = in.Src[1], in.Src[0]
			in.Text, in.Raw = "", nil
		}
		q.Insts[i] = in
	}
	return &q
}

// bench runs work on all programs and reports the time per instruction.
func (w *workload) bench(b *testing.B, name string, work func(i int) error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			for i := range w.programs {
				if err := work(i); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(w.insts), "ns/inst")
	})
}
