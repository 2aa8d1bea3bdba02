package opt

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// grown are programs that grow to n instructions, for the figures in docs/architecture.md.
var grown = []struct {
	name   string
	input  func(n int) Input
	stages func(Input) []stage
}{
	{"straight", grownPair("straight"), pairStages},
	{"wide", grownPair("wide"), pairStages},
	{"nested", grownPair("nested branches"), pairStages},
	{"branches", grownPair("branches"), pairStages},
	{"textures", grownPair("textures"), pairStages},
	{"varyings", grownPair("varyings"), pairStages},
	{"duplicates", grownPair("duplicates"), pairStages},
	{"comparisons", grownPair("comparisons"), pairStages},
	{"loops in a row", grownPair("loops"), pairStages},
	{"kernel", func(n int) Input {
		return Input{Files: []File{{Name: "test", Data: shaped(times(n/4, func(i int) string {
			return fmt.Sprintf("mad r%d, r0, cb0[%d], cb0[%d].yzwx\nsample_resource(0)_sampler(0) r%d, r%d.xyxx\nmul r9, cb0[1], cb0[2]\nmad r0, r%d, r9, r0\n",
				1+i%4, i%8, i/8%8, 5+i%4, 1+i%4, 5+i%4)
		}))}}}
	}, func(in Input) []stage { return kernelStages(in.Files[0].Data) }},
}

// aroundPair is the number of instructions around the body of a shaped pair.
const aroundPair = 39

func grownPair(name string) func(n int) Input {
	for _, s := range pairShapes {
		if s.name == name {
			return func(n int) Input { return shapedPair(s.body(n - aroundPair)) }
		}
	}
	panic(name)
}

// countBody counts the lines that are not declarations.
func countBody(in Input) (n int) {
	for _, f := range in.Files {
		for line := range strings.Lines(string(f.Data)) {
			if !declaration.MatchString(line) {
				n++
			}
		}
	}
	return n
}

var declaration = regexp.MustCompile(`^(dcl|def|vs_|ps_|il_)`)

// BenchmarkGrowth measures the time per instruction for programs of all sizes. "optimize" covers all of
// Optimize with default options, including verification; the others cover its stages.
func BenchmarkGrowth(b *testing.B) {
	for _, shape := range grown {
		for _, n := range []int{100, 1000, 10000, 50000} {
			in := shape.input(n)
			list := shape.stages(in)
			prepare := sync.OnceFunc(func() {
				for _, s := range list {
					if err := s.run(); err != nil {
						b.Fatalf("%s: %v", s.name, err)
					}
				}
			})
			bench := func(s stage, prepare func()) {
				b.Run(fmt.Sprintf("%s/%d/%s", shape.name, n, s.name), func(b *testing.B) {
					prepare()
					var before, after runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&before)
					for b.Loop() {
						if err := s.run(); err != nil {
							b.Fatal(err)
						}
					}
					runtime.ReadMemStats(&after)
					per := float64(b.N * countBody(in))
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/per, "ns/inst")
					b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/per, "B/inst")
				})
			}
			bench(stage{"optimize", func() error { _, err := Optimize(b.Context(), in, Options{}); return err }}, func() {})
			for _, s := range list {
				bench(s, prepare)
			}
		}
	}
}
