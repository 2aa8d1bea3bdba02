package sched

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// BenchmarkSchedule packs and allocates random code; the time per operation should not grow with
// the program.
func BenchmarkSchedule(b *testing.B) {
	target, _ := chip.ByName("rv670")
	for _, flat := range []bool{true, false} {
		for _, n := range []int{100, 1000, 10000} {
			b.Run(fmt.Sprintf("flat=%v/%d", flat, n), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					b.StopTimer()
					c := randomCode(rand.New(rand.NewPCG(1, 2)), r600.R600, n, flat)
					b.StartTimer()
					if _, err := Schedule(c, target, Options{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/unit")
			})
		}
	}
	for _, k := range []struct {
		name   string
		unroll int
		early  bool
	}{{"v1", 1, false}, {"final", 4, true}} {
		b.Run("matmul-"+k.name, func(b *testing.B) {
			for range b.N {
				if _, err := Schedule(matmul(k.unroll, k.early), target, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
