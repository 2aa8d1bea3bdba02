package chip

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// Parameter is one row of the table of constants: a number the model runs on.
type Parameter struct {
	Name, Unit, Doc string
	Values          [4]float64 // of r600, rv670, rv770, cypress
	Source          string
	Assumed         bool // not documented: a plausible choice

	// field returns a pointer to the number in a Target.
	field func(*Target) any // *int or *float64
}

// chips are the columns of the table of constants.
var chips = [4]struct {
	name   string
	family r600.Family
	budget Budget
}{
	{"r600", r600.R600, Slides192},
	{"rv670", r600.R600, Slides192},
	{"rv770", r600.R700, Slides192},
	{"cypress", r600.Evergreen, Evergreen248},
}

func allFour(v float64) [4]float64 { return [4]float64{v, v, v, v} }

// Abbreviations of sources in the table.
const (
	vendor = "AMD product data"
	isa    = "AMD R600/R700/Evergreen instruction set documents"
	mesa   = "Mesa r600 driver, the state it sets at start"
	guide  = "AMD OpenCL programming guide"
	rv770  = "AMD's presentation of RV770: an L1 for each SIMD in place of a shared one, L1 480 GB/s, L2 to L1 384 GB/s"
	press  = "AMD to the press at the launch of R600: 32 kB L1 shared by all texture units, 256 kB L2"
)

// parameters is the table. Its rows are in groups: the chip and its arithmetic; clauses; registers
// and wavefronts; fetches, caches and memory; control flow, exports and the start of threads. No
// document states the values of rows with Assumed set; their Source gives the evidence.
var parameters = []Parameter{
	{"simds", "", "SIMD engines", [4]float64{4, 4, 10, 20}, vendor, false, func(t *Target) any { return &t.SIMDs }},
	{"clock", "MHz", "engine clock", [4]float64{742, 775, 750, 850}, vendor, false,
		func(t *Target) any { return &t.Clock }},
	{"wave", "threads", "wavefront size", allFour(64), isa, false, func(t *Target) any { return &t.Wave }},
	{"slots", "", "scalar slots of an instruction group", allFour(5), isa, false, func(t *Target) any { return &t.Slots }},
	{"group-cycles", "cycles", "time of one group of one wavefront: 64 threads on 16 units", allFour(4), isa, false,
		func(t *Target) any { return &t.GroupCycle }},
	{"alu-latency", "cycles", "time from one group of a wavefront to its next; two wavefronts interleave", allFour(8),
		isa, false, func(t *Target) any { return &t.ALULatency }},

	{"fetch-clause", "fetches", "longest fetch clause", [4]float64{8, 8, 16, 16}, mesa, false,
		func(t *Target) any { return &t.FetchClause }},
	{"alu-clause", "words", "longest ALU clause, in 64-bit words with literals", allFour(128), isa, false,
		func(t *Target) any { return &t.ALUClause }},
	{"clause-temps", "registers", "temporaries that live within an ALU clause", allFour(4), isa, false,
		func(t *Target) any { return &t.ClauseTemps }},
	{"const-reads", "", "distinct constants a group reads: channels on R600, pairs of channels later",
		[4]float64{4, 4, 2, 2}, mesa, false, func(t *Target) any { return &t.ConstRead }},
	{"kcache-locks", "", "constant-cache windows of an ALU clause", [4]float64{2, 2, 2, 4}, mesa, false,
		func(t *Target) any { return &t.KCacheLocks }},
	{"kcache-line", "constants", "constants in a window", allFour(16), isa, false,
		func(t *Target) any { return &t.KCacheLine }},

	// Chapter 6.2 of the guide: accesses of half a wavefront to different words of one bank are made in turn. R600 has no
	// local memory.
	{"local-banks", "", "banks of local memory, of 4 bytes each", allFour(32), guide + ": HD 5870", false,
		func(t *Target) any { return &t.LocalBanks }},

	{"register-file", "registers", "register file of a SIMD", allFour(256), isa, false,
		func(t *Target) any { return &t.registerFile }},
	{"max-gprs", "registers", "registers a thread can name, clause temporaries included", allFour(128), isa, false,
		func(t *Target) any { return &t.maxGPRs }},
	{"pixel-gprs", "registers", "the driver's share of the file for pixel shaders", [4]float64{192, 144, 192, 93}, mesa,
		false, func(t *Target) any { return &t.pixelGPRs }},
	{"wave-limit", "wavefronts", "wavefronts of the whole chip: the sum of the driver's shares",
		[4]float64{192, 192, 248, 496}, mesa + "; " + guide, false, func(t *Target) any { return &t.waveLimit }},
	{"pixel-waves", "wavefronts", "the driver's share of them for pixel shaders", [4]float64{136, 136, 188, 256}, mesa,
		false, func(t *Target) any { return &t.pixelWaves }},

	{"fetch-rate", "threads/cycle", "threads that texture units serve for each SIMD: 16, 16, 40, 80 units", allFour(4),
		vendor, false, func(t *Target) any { return &t.FetchRate }},
	{"l1-shared", "", "1 if all SIMDs share the texture units and one L1", [4]float64{1, 1, 0, 0}, press + "; " + rv770,
		false, func(t *Target) any { return &t.l1Shared }},
	{"l1-size", "bytes", "L1 texture cache, each", [4]float64{32 << 10, 32 << 10, 16 << 10, 8 << 10},
		press + "; " + rv770 + "; " + guide, false, func(t *Target) any { return &t.L1Size }},
	{"l1-line", "bytes", "L1 line", allFour(64), guide, false, func(t *Target) any { return &t.L1Line }},
	{"l1-ways", "lines", "L1 associativity", allFour(16), "none", true, func(t *Target) any { return &t.L1Ways }},
	{"l2-size", "bytes", "L2 texture cache of the chip", [4]float64{256 << 10, 256 << 10, 256 << 10, 512 << 10},
		press + "; " + guide, false, func(t *Target) any { return &t.L2Size }},
	{"l2-line", "bytes", "L2 line", allFour(64), "as L1", true, func(t *Target) any { return &t.L2Line }},
	{"l2-ways", "lines", "L2 associativity", allFour(16), "none", true, func(t *Target) any { return &t.L2Ways }},
	{"tile", "texels", "side of a micro tile of a 2-D surface", allFour(8), mesa, false,
		func(t *Target) any { return &t.Tile }},
	{"l1-latency", "cycles", "request to data, found in L1", allFour(180), "reported for R700", true,
		func(t *Target) any { return &t.L1Latency }},
	{"l2-latency", "cycles", "request to data, found in L2", allFour(300), "between L1 and memory", true,
		func(t *Target) any { return &t.L2Latency }},
	{"memory-latency", "cycles", "request to data, from memory", allFour(500), "300 to 600 reported", true,
		func(t *Target) any { return &t.MemoryLatency }},
	{"l2-bandwidth", "bytes/cycle", "L2 to L1, whole chip: 384 GB/s on rv770", [4]float64{256, 256, 512, 512},
		rv770 + "; half of it assumed for R600", true, func(t *Target) any { return &t.L2Bandwidth }},
	{"bandwidth", "GB/s", "memory bandwidth", [4]float64{106, 72, 115.2, 153.6}, vendor, false,
		func(t *Target) any { return &t.bandwidth }},
	{"l1-fill", "cycles", "time of the texture units of an L1 to store a line that missed; it has one port", allFour(1),
		"none", true, func(t *Target) any { return &t.L1Fill }},
	{"l1-misses", "lines", "outstanding misses of the texture units for each SIMD: one for each thread of a wavefront",
		allFour(64), "no source; a larger number changes nothing in the tutorial's versions", true, func(t *Target) any { return &t.L1Misses }},
	{"clause-switch", "cycles", "time of one control-flow instruction of a wavefront; each clause has one", allFour(40),
		"about 40 reported", true, func(t *Target) any { return &t.ClauseSwitch }},
	{"export-rate", "elements/cycle", "128-bit elements exported by the chip: a quarter of its render back ends",
		[4]float64{4, 4, 4, 8}, vendor + "; quarter rate assumed", true, func(t *Target) any { return &t.ExportRate }},
	{"launch-rate", "threads/cycle", "threads the rasteriser starts", [4]float64{16, 16, 16, 32}, vendor, false,
		func(t *Target) any { return &t.LaunchRate }},
}

// Parameters returns a copy of the table of constants.
func Parameters() []Parameter { return slices.Clone(parameters) }
