//go:build unix

package shaderlift_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// BenchmarkSpirvOpt sets the processor time that -O1 takes of the pairs of the corpus, with
// verification, against what `spirv-opt -O` takes of what MojoShader translates the same pairs
// to, which verifies nothing; both in a process that does all of them. SHADERLIFT_MOJOSHADER is a
// checkout of MojoShader; of Debian it takes the packages g++ and spirv-tools.
func BenchmarkSpirvOpt(b *testing.B) {
	checkout := os.Getenv("SHADERLIFT_MOJOSHADER")
	if checkout == "" {
		b.Skip("set SHADERLIFT_MOJOSHADER to a checkout of MojoShader to compare with spirv-opt")
	}
	dir := b.TempDir()
	timer := filepath.Join(dir, "time")
	if out, err := exec.Command("testdata/spirvopt/build.sh", checkout, timer).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	pairs := corpusPairs(b)
	args := []string{"5"}
	insts := 0
	for i, in := range pairs {
		for k, f := range in.Files {
			p, err := d3d9.Read(f.Name, f.Data)
			if err != nil {
				b.Fatal(err)
			}
			if err := preshader.Attach(p, nil); err != nil { // MojoShader takes it only in effects
				b.Fatal(err)
			}
			for j := range p.Insts {
				if k := p.Insts[j].Op.Kind(); k != d3d9.Trivia && k != d3d9.Declaration {
					insts++
				}
			}
			data, err := d3d9.Write(p)
			if err != nil {
				b.Fatal(err)
			}
			name := filepath.Join(dir, fmt.Sprint(i, "-", k))
			if err := os.WriteFile(name, data, 0o666); err != nil {
				b.Fatal(err)
			}
			args = append(args, name)
		}
	}
	out, err := exec.Command(timer, args...).Output()
	if err != nil {
		b.Fatal(err)
	}
	var through int
	var theirs float64 // us
	if _, err := fmt.Sscan(string(out), &through, &theirs); err != nil || through != len(pairs) {
		b.Fatalf("%d of %d pairs come through MojoShader: %v", through, len(pairs), err)
	}
	for _, target := range []string{shaderlift.DefaultTarget, shaderlift.SlotTarget} {
		b.Run(target, func(b *testing.B) {
			ours := 0.0
			for n := range b.N {
				start := processor(b)
				for _, in := range pairs {
					if _, err := shaderlift.Optimize(b.Context(), in, shaderlift.Options{Pipeline: "O1", Target: target}); err != nil {
						b.Fatal(err)
					}
				}
				if took := processor(b) - start; n == 0 || took < ours {
					ours = took
				}
			}
			b.ReportMetric(ours/float64(insts), "us/inst")
			b.ReportMetric(theirs/float64(insts), "us/inst-spirv-opt")
			b.ReportMetric(ours/theirs, "ratio")
		})
	}
}

// processor is the time that this process has spent on processors, in microseconds.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}
