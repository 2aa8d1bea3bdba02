package machine_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// standard compiles a kernel of testdata/il, or the text given, for rv670.
func standard(t testing.TB, name, text string) (*sched.Scheduled, *sim.Launch, machine.Estimate) {
	t.Helper()
	if text == "" {
		data, err := os.ReadFile(filepath.Join("..", "testdata", "il", name+".il"))
		machinetest.Must(t, err)
		text = string(data)
	}
	k, err := il.Parse(name, []byte(text))
	machinetest.Must(t, err)
	f, err := amdil.Lift(k)
	machinetest.Must(t, err)
	m := machinetest.Target(t, "rv670")
	code, err := lower.Kernel(f, m)
	machinetest.Must(t, err)
	s, err := sched.Schedule(code, m, sched.Options{})
	machinetest.Must(t, err)
	l := passtest.StandardLaunch(k, f)
	l.Inputs = s.Preloads()
	e, err := machine.Predict(s.Program, l, m, machine.Measured{})
	machinetest.Must(t, err)
	return s, l, e
}

const countdown = `il_ps_2_0
dcl_cb cb0[2]
dcl_output_generic o0
dcl_literal l0, -1, 1.0, 0, 0
mov r0.x, cb0[0].x
mov r1, r1.0000
whileloop
break_logicalz r0.x
iadd r0.x, r0.x, l0.x
add r1, r1, cb0[1]
endloop
mov o0, r1
end
`

// TestStandardConstants checks that the readers of a constant, through moves and loops, decide
// whether it is a float or an integer.
func TestStandardConstants(t *testing.T) {
	_, l, e := standard(t, "countdown", countdown)
	if got := l.Constants[0][0][0]; got != passtest.LaunchConstant {
		t.Errorf("the count is %#x", got)
	}
	if got := l.Constants[0][1]; got != [4]uint32{0x42800000, 0x42800000, 0x42800000, 0x42800000} {
		t.Errorf("the addend is %#x", got)
	}
	if e.Cut || e.FetchCycles() != 0 || e.ALU < 64*4 {
		t.Errorf("64 trips: %+v", e)
	}
}

// TestPredictMatrixProduct compares the closed form with the slot counts of the tutorial's loops:
// 34 bundles and 12 fetches a trip, 64 trips.
func TestPredictMatrixProduct(t *testing.T) {
	_, l, e := standard(t, "pldi_v1", "")
	if l.Constants[0][0][0] != math.Float32bits(passtest.LaunchConstant) {
		t.Fatal("the trip count is compared as a float")
	}
	if e.FetchCycles() != 64*12*16 {
		t.Errorf("fetches take %v cycles", e.FetchCycles())
	}
	if perTrip := e.ALU / 4 / 64; perTrip < 30 || perTrip > 36 {
		t.Errorf("%v bundles a trip", perTrip)
	}
	if e.Cycles < e.FetchCycles() || e.Cycles > e.FetchCycles()+e.ALU {
		t.Errorf("%+v", e)
	}
	if _, _, unrolled := standard(t, "pldi_v2", ""); unrolled.Cycles >= e.Cycles {
		t.Errorf("unrolled it takes %v cycles, not less than %v", unrolled.Cycles, e.Cycles)
	}
}

func BenchmarkPredict(b *testing.B) {
	s, l, _ := standard(b, "pldi_v2", "")
	m, _ := chip.ByName("rv670")
	for b.Loop() {
		if _, err := machine.Predict(s.Program, l, m, machine.Measured{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCandidate prices a version as a search does: the version is lowered, scheduled and
// estimated. Versions of passes that place values, and simulated versions, are first emitted and
// lifted again. us/300 is the time, in microseconds, scaled to a kernel of 300 statements.
func BenchmarkCandidate(b *testing.B) {
	data, err := os.ReadFile("../testdata/il/pldi_final.il")
	machinetest.Must(b, err)
	k, err := il.Parse("pldi_final", data)
	machinetest.Must(b, err)
	f, err := amdil.Lift(k)
	machinetest.Must(b, err)
	m := machinetest.Target(b, "rv670")
	_, l, _ := standard(b, "pldi_final", "")
	priced := func(b *testing.B, f *ir.Func) {
		code, err := lower.Kernel(f, m)
		machinetest.Must(b, err)
		s, err := sched.Schedule(code, m, sched.Options{})
		machinetest.Must(b, err)
		_, err = machine.Predict(s.Program, l, m, machine.Measured{})
		machinetest.Must(b, err)
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)*300/float64(len(k.Insts)), "us/300")
	}
	b.Run("lowered", func(b *testing.B) {
		for b.Loop() {
			priced(b, f)
		}
		report(b)
	})
	b.Run("written", func(b *testing.B) {
		for b.Loop() {
			out, err := amdil.Emit(k, f)
			machinetest.Must(b, err)
			g, err := amdil.Lift(out)
			machinetest.Must(b, err)
			priced(b, g)
		}
		report(b)
	})
}

// TestPredictMeasured compares simulated launches with the estimates of their typical wavefronts,
// with measured fetch costs.
func TestPredictMeasured(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	for _, name := range []string{"pldi_v1", "pldi_v3", "jang_multi8", "complex_mac", "transpose"} {
		s, l, _ := standard(t, name, "")
		time, err := sim.Simulate(s.Program, l, m)
		machinetest.Must(t, err)
		e, err := machine.Predict(s.Program, l, m, machine.Measure(&time, m))
		machinetest.Must(t, err)
		waves := float64(passtest.LaunchSide * passtest.LaunchSide / m.Wave)
		if ratio := e.Cycles * waves / float64(m.SIMDs) / time.Cycles; ratio < 0.8 || ratio > 1.25 {
			t.Errorf("%s: %.2f of the %.0f cycles simulated", name, ratio, time.Cycles)
		}
	}
}
