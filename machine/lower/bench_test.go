package lower

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// BenchmarkLower measures the time for each instruction of the IR, for kernels of 60 to 6,000.
func BenchmarkLower(b *testing.B) {
	for _, file := range machinetest.Kernels(b, "corpus/il") {
		name := strings.TrimSuffix(filepath.Base(file), ".il")
		switch name {
		case "correlator_Kernel_2x2", "grvk_flame", "grvk_boredcircuit", "a2_Matricize4DToSplit8_LI_R", "grvk_e1m1":
		default:
			continue
		}
		f := machinetest.Lifted(b, file)
		n := 0
		f.Walk(func(*ir.Instr) { n++ })
		target, _ := chip.ByName("rv670")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Kernel(f, target); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}
