//go:build linux

package interp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// TestLlvmpipe times the same pairs here and through MojoShader on Mesa's llvmpipe: processor
// time of one core each, one after the other. SHADERLIFT_MOJOSHADER is a checkout of MojoShader;
// what draws with it is beside this project's own checkout.
func TestLlvmpipe(t *testing.T) {
	checkout := os.Getenv("SHADERLIFT_MOJOSHADER")
	if checkout == "" {
		t.Skip("set SHADERLIFT_MOJOSHADER to a checkout of MojoShader to time it")
	}
	judge, err := filepath.Abs("../../../shared/judges/gpu/build.sh")
	if err != nil {
		t.Fatal(err)
	}
	checkout, err = filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	command := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "LP_NUM_THREADS=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return string(out)
	}
	command("sh", judge, checkout)
	vp, bp := corpusPair(t, "PostProcessing_Blur__t5_p0")
	cases := []struct {
		name    string
		vs, ps  *d3d9.Program
		atLeast float64
	}{
		{"arithmetic", mustParse(t, quadVS), mustParse(t, arithmetic()), 0.4},
		{"taps", mustParse(t, quadVS), mustParse(t, threeTaps), 0.3},
		{"blur", vp, bp, 0.3},
	}
	for _, k := range cases {
		for i, p := range []*d3d9.Program{k.vs, k.ps} {
			q := *p
			q.Binary = true
			data, err := d3d9.Write(&q)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(k.name, i)), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, k := range cases {
		list := fmt.Sprintf("target 256 256 rgba32f\ntex rgba32f linear\nreps 9\nms 50\npair %[1]s\nvar it %[1]s0 %[1]s1 -\ngrid 1\ngo\nend\n", k.name)
		if err := os.WriteFile(filepath.Join(dir, "list"), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		theirs := 0.0
		for line := range strings.Lines(command("./glbench", "-cpu", "list")) {
			if f := strings.Split(strings.TrimSpace(line), ","); f[0] == "time" {
				theirs = median(t, f[8:])
			}
		}
		one, _ := timed(t, k.vs, k.ps, 1)
		both, two := timed(t, k.vs, k.ps, 2)
		t.Logf("%s: llvmpipe %.2f ms, here %.2f ms of one core: %.0f %%; two cores together %.2f ms, in %.2f ms", k.name, theirs, one, 100*theirs/one, both, two)
		if theirs < k.atLeast*one {
			t.Errorf("%s: less than %.0f %% of llvmpipe's rate", k.name, 100*k.atLeast)
		}
	}
}

func median(t *testing.T, samples []string) float64 {
	var list []float64
	for _, s := range samples {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// timed is the processor time and the time, in milliseconds, of a draw by so many machines: of
// one that covers the target, if this one covers less of it.
func timed(t *testing.T, vp, pp *d3d9.Program, workers int) (processor, wall float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	vs, ps := mustCompile(t, vp), mustCompile(t, pp)
	c := DefaultCase(vp, pp)
	c.Width, c.Height = 256, 256
	if vp.Model.Major == 2 { // no matrix
		c.fillScreen()
	}
	covered := 0
	spent := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
	}
	var cpu, walls []float64
	const draws = 20
	for range 9 {
		start, at := spent(), time.Now()
		for range draws {
			img, err := drawWithin(vs, ps, c, Numerics{}, bounds{steps: DefaultSteps, workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			covered = img.Coverage()
		}
		cpu, walls = append(cpu, (spent()-start)/draws), append(walls, time.Since(at).Seconds()*1e3/draws)
	}
	slices.Sort(cpu)
	whole := float64(c.Width*c.Height) / float64(covered)
	return whole * cpu[len(cpu)/2], whole * slices.Min(walls)
}
