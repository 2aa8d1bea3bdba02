package chip

import (
	"fmt"
	"math"
	"strings"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// Target is one chip as the model sees it. Every constant is a row of the table that
// [Parameters] lists, with its source; [Target.Set] changes one by its name there.
type Target struct {
	Name   string
	Family r600.Family
	Budget Budget // which rule turns registers per thread into resident wavefronts

	SIMDs      int
	Clock      float64 // MHz
	Wave       int     // threads
	Slots      int     // scalar slots of an instruction group
	GroupCycle int     // cycles of a group for one wavefront
	ALULatency int     // cycles until its result can be read

	FetchClause int // fetches
	ALUClause   int // 64-bit words
	ClauseTemps int // registers
	ConstRead   int // constants read by a group: single ones on R600, pairs of channels later
	KCacheLocks int // constant-cache windows of an ALU clause
	KCacheLine  int // constants in a window

	RegisterFile int // registers of a SIMD, for every thread of a wavefront
	MaxGPRs      int // registers a thread can name, clause temporaries among them
	PixelGPRs    int // of the file, for pixel shaders
	WaveLimit    int // wavefronts of the chip
	PixelWaves   int // of them, of pixel shaders

	FetchRate     float64 // threads that texture units serve per cycle, for each SIMD
	L1Shared      int     // 1 where all SIMDs share the texture units and the L1
	L1Size        int     // bytes
	L1Line        int     // bytes
	L1Ways        int
	L2Size        int // bytes
	L2Line        int // bytes
	L2Ways        int
	Tile          int     // texels along the side of a micro tile
	L1Latency     float64 // cycles from request to data: a hit
	L2Latency     float64 // cycles, found in L2
	MemoryLatency float64 // cycles, found in neither
	L2Bandwidth   float64 // bytes per cycle of the chip, L2 to L1
	Bandwidth     float64 // GB/s of memory
	L1Fill        float64 // cycles of an L1's texture units for storing a line that missed
	L1Misses      int     // lines that texture units wait for at most, for each SIMD
	ClauseSwitch  float64 // cycles of a control-flow instruction of a wavefront: one per clause
	ExportRate    float64 // 128-bit elements the chip exports per cycle
	LaunchRate    float64 // threads the chip starts per cycle
}

// Names are what [ByName] knows targets by.
func Names() []string {
	var names []string
	for _, c := range chips {
		names = append(names, c.name)
	}
	return names
}

// ByName returns a target of its own to change, or an error that lists the names.
func ByName(name string) (*Target, error) {
	for i, c := range chips {
		if c.name != name {
			continue
		}
		t := &Target{Name: c.name, Family: c.family, Budget: c.budget}
		for _, p := range parameters {
			p.put(t, p.Values[i])
		}
		return t, nil
	}
	return nil, fmt.Errorf("unknown target %q; known are %s", name, strings.Join(Names(), ", "))
}

// Set changes one constant. Numbers below zero are refused, zeros where they would
// divide or describe nothing, fractions of what is counted, and what the model has no
// room for.
func (t *Target) Set(name string, v float64) error {
	p, err := parameter(name)
	if err != nil {
		return err
	}
	_, whole := p.field(t).(*int)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) || v < 0:
		return fmt.Errorf("%s: %v is no amount", name, v)
	case v == 0 && !p.mayBeZero():
		return fmt.Errorf("%s cannot be 0", name)
	case whole && v != math.Trunc(v):
		return fmt.Errorf("%s counts whole %s, not %v", name, p.Unit, v)
	case whole && v > p.most():
		return fmt.Errorf("%s: %v is more than the model can do (%v)", name, v, p.most())
	case name == "wave" && int(v)%4 != 0:
		return fmt.Errorf("wave: a wavefront is made of quads, %v is no multiple of 4", v)
	case name == "tile" && int(v)&(int(v)-1) != 0:
		return fmt.Errorf("tile: %v is no power of two", v)
	}
	p.put(t, v)
	return nil
}

// Get reads one constant.
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

// MaxWave is the most threads of a wavefront that the model has room for.
const MaxWave = 64

// PerByte is how many cycles the memory bus takes for a byte.
func (t *Target) PerByte() float64 { return t.Clock * 1e6 / (t.Bandwidth * 1e9) }

// Sharers is how many SIMDs share texture units and their L1.
func (t *Target) Sharers() int {
	if t.L1Shared != 0 {
		return t.SIMDs
	}
	return 1
}

// Usable is how many registers the compiler may give a thread.
func (t *Target) Usable() int { return t.MaxGPRs - t.ClauseTemps }

// parameter finds a row by its name.
func parameter(name string) (*Parameter, error) {
	for i := range parameters {
		if parameters[i].Name == name {
			return &parameters[i], nil
		}
	}
	return nil, fmt.Errorf("unknown machine constant %q", name)
}

// put stores v in the field of a row, which is an int or a float64.
func (p *Parameter) put(t *Target, v float64) {
	switch f := p.field(t).(type) {
	case *int:
		*f = int(v)
	case *float64:
		*f = v
	}
}

// mayBeZero reports whether zero is a sensible value of the row: flags, latencies, temporaries.
// Anything else is divided by, or describes hardware that there would be none of.
func (p *Parameter) mayBeZero() bool {
	switch p.Name {
	case "l1-shared", "clause-temps", "l1-latency", "l2-latency", "memory-latency", "l1-fill", "clause-switch":
		return true
	}
	return false
}

// most bounds counts, so that the model's arrays and sums stay in range.
func (p *Parameter) most() float64 {
	switch p.Name {
	case "wave":
		return MaxWave
	case "simds":
		return 1 << 10
	}
	return 1 << 28
}
