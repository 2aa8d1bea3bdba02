package amdil_test

import (
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
)

// Time per statement should not depend on the size of the kernel.
func BenchmarkEmit(b *testing.B) {
	bench := func(name string, k *il.Kernel) {
		f, err := amdil.Lift(k)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := amdil.Emit(k, f); err != nil {
					b.Fatal(err)
				}
			}
			n, _ := statements(k)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/statement")
		})
		b.Run("lift/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := amdil.Lift(k); err != nil {
					b.Fatal(err)
				}
			}
			n, _ := statements(k)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/statement")
		})
	}
	bench("random-1000", ilgen.Kernel(1, ilgen.Options{Size: 1000}))
	bench("random-10000", ilgen.Kernel(1, ilgen.Options{Size: 10000}))
	for _, name := range []string{"grvk_protean.il", "grvk_seascape.il", "grvk_e1m1.il",
		"a2_Matricize4DToSplit8_LI_R.il"} {
		data, err := os.ReadFile("../../shared/corpus/il/" + name)
		if err != nil {
			continue
		}
		k, err := il.Parse(name, data)
		if err != nil {
			b.Fatal(err)
		}
		bench(name, k)
	}
}
