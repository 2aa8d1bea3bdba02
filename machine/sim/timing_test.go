package sim

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// script is a trace that repeats the same steps. A function returns the lines that fetches read, by
// fetch and lane.
type script struct {
	steps  []Step
	trips  int
	line   func(fetch, lane int) uint32
	at, n  int
	fetchs int
}

func (s *script) Next(out *Step) bool {
	if s.at == len(s.steps) {
		s.at = 0
		s.n++
	}
	if s.n == s.trips {
		return false
	}
	*out = s.steps[s.at]
	s.at++
	out.Lines.Mask = ^uint64(0)
	if out.Kind == StepFetch {
		for lane := range out.Lines.line {
			out.Lines.line[lane] = s.line(s.fetchs, lane)
		}
		s.fetchs++
	}
	return true
}

func oneLine(int, int) uint32 { return 7 }

// quiet returns a chip of one SIMD on which only the parameters of a test take time.
func quiet(t testing.TB, set map[string]float64) *chip.Target {
	m := machinetest.Target(t, "rv670")
	for name, v := range map[string]float64{
		"simds": 1, "clause-switch": 0, "launch-rate": 1e9, "l1-fill": 0,
		"l1-latency": 0, "l2-latency": 0, "memory-latency": 0, "l2-bandwidth": 1e9, "bandwidth": 1e9,
	} {
		machinetest.Must(t, m.Set(name, v))
	}
	for name, v := range set {
		machinetest.Must(t, m.Set(name, v))
	}
	return m
}

func vector(groups int) Step { return Step{Kind: StepALU, Groups: groups, flops: 2} }
func texture(last bool) Step { return Step{Kind: StepFetch, Last: last} }
func gprs(waves int) (n int) { return 192 / waves }
func of(s []Step, trips int, line func(int, int) uint32) func(int) Trace {
	return func(int) Trace { return &script{steps: s, trips: trips, line: line} }
}

// TestTwoWavefrontsHideTheVectorLatency checks the interleaving of two wavefronts. A group takes 8
// cycles of a wavefront but 4 of the SIMD. One wavefront alone runs at half rate, two or more at
// full rate.
func TestTwoWavefrontsHideTheVectorLatency(t *testing.T) {
	m := quiet(t, nil)
	for _, c := range []struct {
		waves        int
		cycles, busy float64
	}{{1, 8000, 0.5}, {2, 8000, 1}, {3, 12000, 1}} {
		r := Time(m, Work{Waves: c.waves, GPRs: gprs(4), Trace: of([]Step{vector(100)}, 10, nil)})
		machinetest.Near(t, "cycles", r.Cycles, c.cycles, 0.001)
		machinetest.Near(t, "ALU share", r.ALU, c.busy, 0.001)
		if r.Simulated != 1 {
			t.Errorf("%d wavefronts: simulated %v", c.waves, r.Simulated)
		}
	}
}

// TestFetchRate checks that 64 threads at four a cycle take 16 cycles for a fetch, for any number
// of wavefronts.
func TestFetchRate(t *testing.T) {
	m := quiet(t, nil)
	r := Time(m, Work{Waves: 8, GPRs: gprs(4), Trace: of([]Step{texture(false), texture(true)}, 100, oneLine)})
	machinetest.Near(t, "cycles", r.Cycles, 8*200*16, 0.001)
	machinetest.Near(t, "fetch share", r.Fetch, 1, 0.001)
	machinetest.Near(t, "L1 hits", r.L1Hit, 1, 0.001)
	if r.Bottleneck != "fetch" {
		t.Errorf("bottleneck %q", r.Bottleneck)
	}
}

// TestScatteredFetchesAreSlower checks that a quad whose four threads read four lines takes four
// cycles.
func TestScatteredFetchesAreSlower(t *testing.T) {
	m := quiet(t, nil)
	r := Time(m, Work{Waves: 1, GPRs: gprs(1),
		Trace: of([]Step{texture(true)}, 100, func(_, lane int) uint32 { return uint32(lane) })})
	machinetest.Near(t, "cycles", r.Cycles, 100*64, 0.001)
}

// TestWavefrontsHideTheLatency checks that one wavefront waits for the full latency each time, and
// that enough of them hide it.
func TestWavefrontsHideTheLatency(t *testing.T) {
	m := quiet(t, map[string]float64{"l1-latency": 200})
	loop := []Step{texture(true), vector(4)}
	one := Time(m, Work{Waves: 1, GPRs: gprs(1), Trace: of(loop, 100, oneLine)})
	// The last quad starts in the 16th cycle and returns 200 cycles later.
	machinetest.Near(t, "one: cycles", one.Cycles, 100*(15+200+32), 0.02)
	machinetest.Near(t, "one: stalled", one.stalled, 199.0/247, 0.02)
	if one.Bottleneck != "latency" {
		t.Errorf("one: bottleneck %q", one.Bottleneck)
	}
	many := Time(m, Work{Waves: 16, GPRs: gprs(16), Trace: of(loop, 100, oneLine)})
	machinetest.Near(t, "16: cycles", many.Cycles, 16*100*16, 0.03)
	if many.stalled > 0.02 {
		t.Errorf("16 wavefronts are stalled %.2f of the time", many.stalled)
	}
}

// TestRegistersCostTime checks the trade-off of the papers: more registers, fewer wavefronts, less
// hidden latency.
func TestRegistersCostTime(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	loop := []Step{texture(true), vector(8)}
	last := 0.0
	for _, n := range []int{8, 24, 48, 96, 192} {
		r := Time(m, Work{Waves: 960, GPRs: n, Trace: of(loop, 50, oneLine)})
		if r.Cycles < last*0.95 { // a small change of the number of wavefronts makes an uneven end
			t.Errorf("%d registers: %.0f cycles, fewer registers took %.0f", n, r.Cycles, last)
		}
		last = r.Cycles
	}
}

// TestStreamingIsBoundByTheBus checks that reading every line once moves bytes at the rate of the
// bus. It misses a quarter of the texels of a quad: the first.
func TestStreamingIsBoundByTheBus(t *testing.T) {
	m := quiet(t, map[string]float64{"simds": 4, "bandwidth": 20, "memory-latency": 500})
	const waves, trips = 64, 50
	r := Time(m, Work{Waves: waves, GPRs: gprs(16), Trace: func(wave int) Trace {
		return &script{steps: []Step{texture(true)}, trips: trips, line: func(fetch, lane int) uint32 {
			return uint32((wave*trips+fetch)*16 + lane/4)
		}}
	}})
	bytes := float64(waves * trips * 16 * 64)
	machinetest.Near(t, "seconds", r.Seconds, bytes/20e9, 0.05)
	machinetest.Near(t, "L1 hits", r.L1Hit, 0.75, 0.001)
	machinetest.Near(t, "memory share", r.Memory, 1, 0.05)
	if r.L2Hit != 0 || r.Bottleneck != "memory" {
		t.Errorf("L2 hits %v, bottleneck %q", r.L2Hit, r.Bottleneck)
	}
}

// TestMissesMerge checks that two wavefronts that need the same outstanding line wait for it and
// fetch it once.
func TestMissesMerge(t *testing.T) {
	m := quiet(t, map[string]float64{"memory-latency": 500})
	r := Time(m, Work{Waves: 2, GPRs: gprs(2), Trace: of([]Step{texture(true), vector(1)}, 1, oneLine)})
	machinetest.Near(t, "hits", r.L1Hit, 127.0/128, 1e-9)
	machinetest.Near(t, "cycles", r.Cycles, 508, 0.01)
}

func TestSharedAndPrivateL1(t *testing.T) {
	work := Work{Waves: 4, GPRs: gprs(1), Trace: of([]Step{texture(true)}, 1, oneLine)}
	for shared, misses := range map[float64]float64{1: 1, 0: 4} {
		m := quiet(t, map[string]float64{"simds": 4, "l1-shared": shared})
		machinetest.Near(t, "miss share", 1-Time(m, work).L1Hit, misses/256, 1e-6)
	}
}

// TestSharedTextureUnits checks that units that four SIMDs share serve one wavefront four times as
// fast as those of one SIMD. They serve four wavefronts in the time that those take.
func TestSharedTextureUnits(t *testing.T) {
	fetch := []Step{texture(true)}
	for shared, cycles := range map[float64][2]float64{1: {4, 16}, 0: {16, 16}} {
		m := quiet(t, map[string]float64{"simds": 4, "l1-shared": shared, "l1-fill": 0})
		for i, waves := range []int{1, 4} {
			r := Time(m, Work{Waves: waves, GPRs: gprs(1), Trace: of(fetch, 100, oneLine)})
			machinetest.Near(t, fmt.Sprintf("shared %v, %d wavefronts", shared, waves), r.Cycles, 100*cycles[i], 0.03)
		}
	}
}

// TestExportRate exports eight elements of 64 threads each, at four elements a cycle for the whole
// chip.
func TestExportRate(t *testing.T) {
	m := quiet(t, map[string]float64{"simds": 4})
	r := Time(m, Work{Waves: 40, GPRs: gprs(4), Trace: of([]Step{{Kind: StepExport, Count: 8}}, 1, nil)})
	machinetest.Near(t, "cycles", r.Cycles, 40*8*64/4, 0.001)
	machinetest.Near(t, "export share", r.export, 1, 0.001)
}

// TestBarriers checks that wavefronts of a group continue together. With a barrier after each
// clause the group takes as long as its slowest, and no wavefront is lost.
func TestBarriers(t *testing.T) {
	m := quiet(t, nil)
	steps := []Step{vector(10), {Kind: stepBarrier}}
	r := Time(m, Work{Waves: 12, GPRs: gprs(4), group: 4, Trace: of(steps, 5, nil)})
	if r.Simulated != 1 {
		t.Fatal("some wavefronts never came back")
	}
	// Four wavefronts, two at a time: 2*80 cycles a round, five rounds, three groups.
	machinetest.Near(t, "cycles", r.Cycles, 3*5*160, 0.001)
}

// TestBarrierWithoutThoseThatEnded checks that a barrier does not wait for a wavefront that ended.
func TestBarrierWithoutThoseThatEnded(t *testing.T) {
	m := quiet(t, nil)
	r := Time(m, Work{Waves: 8, GPRs: gprs(4), group: 4, Trace: func(wave int) Trace {
		return &script{steps: []Step{vector(10), {Kind: stepBarrier}}, trips: 1 + wave%4}
	}})
	if r.Simulated != 1 || len(r.Notes) > 0 {
		t.Errorf("simulated %v, notes %q", r.Simulated, r.Notes)
	}
}

// TestExtrapolation checks that extrapolated results agree with full simulations.
func TestExtrapolation(t *testing.T) {
	t.Parallel()
	m := machinetest.Target(t, "rv670")
	work := Work{Waves: 2000, GPRs: gprs(6), Trace: func(wave int) Trace {
		return &script{steps: []Step{texture(false), texture(true), vector(6)}, trips: 40,
			line: func(fetch, lane int) uint32 {
				return uint32(wave%50*100 + fetch*4 + lane/16)
			}}
	}}
	whole := Time(m, work)
	work.limit = 40_000
	part := Time(m, work)
	if whole.Simulated != 1 || part.Simulated > 0.3 || len(part.Notes) == 0 {
		t.Fatalf("simulated %v and %v, notes %q", whole.Simulated, part.Simulated, part.Notes)
	}
	machinetest.Near(t, "cycles", part.Cycles, whole.Cycles, 0.05)
	machinetest.Near(t, "GFLOPS", part.GFLOPS, whole.GFLOPS, 0.05)
	machinetest.Near(t, "fetches", part.Fetches, whole.Fetches, 0.05)
	machinetest.Near(t, "L1 hits", part.L1Hit, whole.L1Hit, 0.02)
}

func TestSimulationIsDeterministic(t *testing.T) {
	m := machinetest.Target(t, "cypress")
	work := Work{Waves: 500, GPRs: 20, Trace: of([]Step{texture(false), texture(true), vector(5)}, 20,
		func(f, l int) uint32 { return uint32(f*31 + l/4) })}
	first, second := Time(m, work), Time(m, work)
	if first.Cycles != second.Cycles || first.L1Hit != second.L1Hit {
		t.Errorf("%v cycles, then %v", first.Cycles, second.Cycles)
	}
}

// TestSimulationMemoryIsFlat checks that the memory of a simulation does not grow with the launch.
func TestSimulationMemoryIsFlat(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	allocated := func(waves int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Time(m, Work{Waves: waves, GPRs: gprs(6), limit: 1 << 40, Trace: func(int) Trace { return idle{} }})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if small, large := allocated(1000), allocated(100_000); large > small+small/10 {
		t.Errorf("%d bytes for a hundred times the wavefronts of %d bytes", large, small)
	}
}

// idle is an empty trace.
type idle struct{}

func (idle) Next(*Step) bool { return false }

func BenchmarkSimulate(b *testing.B) {
	m := machinetest.Target(b, "rv670")
	work := Work{Waves: 1 << 20, GPRs: gprs(6), limit: 100_000, Trace: func(wave int) Trace {
		return &script{steps: []Step{texture(false), texture(true), vector(6)}, trips: 40,
			line: func(fetch, lane int) uint32 {
				return uint32(wave*40 + fetch*4 + lane/16)
			}}
	}}
	for b.Loop() {
		Time(m, work)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*work.limit), "ns/step")
}
