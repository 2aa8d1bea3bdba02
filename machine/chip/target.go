package chip

import (
	"fmt"
	"math"
	"strings"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// Target is the model of one chip. Every constant is a row of the table that [Parameters] lists,
// with its source; [Target.Set] changes one by its name there.
type Target struct {
	Name   string
	Family r600.Family
	Budget Budget // the rule that maps registers per thread to resident wavefronts

	SIMDs      int
	Clock      float64 // MHz
	Wave       int     // threads
	Slots      int     // scalar slots of an instruction group
	GroupCycle int     // cycles of a group for one wavefront
	ALULatency int     // cycles until the result can be read

	FetchClause int // fetches
	ALUClause   int // 64-bit words
	ClauseTemps int // registers
	ConstRead   int // constants that a group reads: single ones on R600, pairs of channels later
	KCacheLocks int // constant-cache windows of an ALU clause
	KCacheLine  int // constants in a window

	LocalBanks int // banks of local memory, of 4 bytes each

	registerFile int // registers of a SIMD for each thread of a wavefront
	maxGPRs      int // registers a thread can name, including clause temporaries
	pixelGPRs    int // the share of the file for pixel shaders
	waveLimit    int // wavefronts of the chip
	pixelWaves   int // the share of them for pixel shaders

	FetchRate     float64 // threads that texture units serve per cycle, for each SIMD
	l1Shared      int     // 1 where all SIMDs share the texture units and the L1
	L1Size        int     // bytes
	L1Line        int     // bytes
	L1Ways        int
	L2Size        int // bytes
	L2Line        int // bytes
	L2Ways        int
	Tile          int     // texels along the side of a micro tile
	L1Latency     float64 // cycles from request to data for an L1 hit
	L2Latency     float64 // cycles for an L2 hit
	MemoryLatency float64 // cycles for a miss in both
	L2Bandwidth   float64 // bytes per cycle of the chip, L2 to L1
	bandwidth     float64 // GB/s of memory
	L1Fill        float64 // cycles that an L1's texture units take to store a missing line
	L1Misses      int     // outstanding misses of the texture units, for each SIMD
	ClauseSwitch  float64 // cycles of a control-flow instruction of a wavefront: one for each clause
	ExportRate    float64 // 128-bit elements the chip exports per cycle
	LaunchRate    float64 // threads the chip starts per cycle
}

// Names returns the target names that [ByName] accepts.
func Names() []string {
	var names []string
	for _, c := range chips {
		names = append(names, c.name)
	}
	return names
}

// ByName returns a new target that the caller may change. The error lists the known names.
func ByName(name string) (*Target, error) {
	for i, c := range chips {
		if c.name != name {
			continue
		}
		t := &Target{Name: c.name, Family: c.family, Budget: c.budget}
		for _, p := range parameters {
			p.setField(t, p.Values[i])
		}
		return t, nil
	}
	return nil, fmt.Errorf("unknown target %q (want %s)", name, strings.Join(Names(), ", "))
}

// Set changes one constant. It rejects negative numbers, zeros that would divide or describe
// nothing, fractions of counts, and numbers beyond the limits of the model.
func (t *Target) Set(name string, v float64) error {
	p, err := parameter(name)
	if err != nil {
		return err
	}
	_, whole := p.field(t).(*int)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) || v < 0:
		return fmt.Errorf("%s: %v is not an amount", name, v)
	case v == 0 && !p.mayBeZero():
		return fmt.Errorf("%s cannot be 0", name)
	case whole && v != math.Trunc(v):
		return fmt.Errorf("%s must be a whole number of %s, not %v", name, p.Unit, v)
	case whole && v > p.upperBound():
		return fmt.Errorf("%s: %v exceeds the limit of the model (%v)", name, v, p.upperBound())
	case name == "wave" && int(v)%4 != 0:
		return fmt.Errorf("wave: %v is not a multiple of 4, the size of a quad", v)
	case name == "tile" && int(v)&(int(v)-1) != 0:
		return fmt.Errorf("tile: %v is not a power of two", v)
	}
	p.setField(t, v)
	return nil
}

// Get returns one constant.
func (t *Target) Get(name string) (float64, error) {
	p, err := parameter(name)
	if err != nil {
		return 0, err
	}
	if n, ok := p.field(t).(*int); ok {
		return float64(*n), nil
	}
	return *p.field(t).(*float64), nil
}

// MaxWave is the largest wavefront, in threads, that the model supports.
const MaxWave = 64

// PerByte returns the cycles that the memory bus takes for a byte.
func (t *Target) PerByte() float64 { return t.Clock * 1e6 / (t.bandwidth * 1e9) }

// Sharers returns the number of SIMDs that share texture units and their L1.
func (t *Target) Sharers() int {
	if t.l1Shared != 0 {
		return t.SIMDs
	}
	return 1
}

// Usable returns the number of registers that the compiler may give a thread.
func (t *Target) Usable() int { return t.maxGPRs - t.ClauseTemps }

// parameter returns the row with the given name.
func parameter(name string) (*Parameter, error) {
	for i := range parameters {
		if parameters[i].Name == name {
			return &parameters[i], nil
		}
	}
	return nil, fmt.Errorf("unknown machine constant %q", name)
}

// setField stores v in the Target field of a row, which is an int or a float64.
func (p *Parameter) setField(t *Target, v float64) {
	switch f := p.field(t).(type) {
	case *int:
		*f = int(v)
	case *float64:
		*f = v
	}
}

// mayBeZero reports whether zero is a sensible value of the row: flags, latencies, temporaries. The
// model divides by any other constant, or the constant counts hardware that must exist.
func (p *Parameter) mayBeZero() bool {
	switch p.Name {
	case "l1-shared", "clause-temps", "l1-latency", "l2-latency", "memory-latency", "l1-fill", "clause-switch":
		return true
	}
	return false
}

// upperBound bounds counts, so that the model's arrays and sums stay in range.
func (p *Parameter) upperBound() float64 {
	switch p.Name {
	case "wave":
		return MaxWave
	case "simds":
		return 1 << 10
	}
	return 1 << 28
}
