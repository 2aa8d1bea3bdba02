package main

// row is a row of a published table, with figures of AMD's shader analyzer.
type row struct {
	label, kernel string // kernel is a file of testdata/il without its extension
	alu           int
	util          float64
	fetches       int
	gprs          int
	ops           int     // alu*5*util
	speedup       float64 // over the first row, if published
}

// tutorial is the matrix product of AMD's tutorial on IL at PLDI 2008.
var tutorial = []row{
	{label: "v1", kernel: "pldi_v1", alu: 49, util: 85.31, fetches: 12, gprs: 26, ops: 209},
	{label: "v2, unrolled four times", kernel: "pldi_v2", alu: 135, util: 87.85, fetches: 48, gprs: 27, ops: 593},
	{label: "v3, increments independent", kernel: "pldi_v3", alu: 136, util: 87.35, fetches: 48, gprs: 28, ops: 594},
	{label: "final, fetches grouped", kernel: "pldi_final", alu: 136, util: 87.35, fetches: 48, gprs: 38, ops: 594},
}

// jangBandwidth is the memory bandwidth in GB/s in Jang's table 1.
const jangBandwidth = 57.6

// tutorialGFLOPS is the speed that the slides say their last version exceeds.
const tutorialGFLOPS = 200

// brook is the tutorial's figures for Brook+: the product with one element per invocation, and with
// 32 elements in vectors. The kernels are the corresponding ones of Jang.
var brook = []row{
	{label: "naive", kernel: "jang_varred", alu: 7, util: 48.57, fetches: 2, gprs: 5, ops: 17},
	{label: "optimised", kernel: "jang_multi8", alu: 58, util: 89.31, fetches: 12, gprs: 29, ops: 259},
}

// tutorialHits are the published cache hit rates of texture fetches, by rows of the matrices, for
// the versions in the order of tutorialSteps.
var tutorialHits = []struct {
	size int
	hits [5]float64
}{
	{16, [5]float64{97.605, 95.277, 95.278, 95.277, 95.302}},
	{32, [5]float64{97.104, 95.556, 95.555, 95.555, 95.577}},
	{64, [5]float64{97.427, 95.555, 96.763, 96.763, 96.778}},
	{128, [5]float64{98.694, 98.584, 98.571, 98.571, 98.570}},
	{256, [5]float64{98.837, 98.787, 98.799, 98.797, 98.746}},
	{512, [5]float64{98.591, 98.535, 98.782, 98.879, 98.843}},
	{1024, [5]float64{98.019, 97.934, 98.421, 98.641, 98.928}},
	{2048, [5]float64{97.486, 97.688, 97.981, 98.264, 98.999}},
	{4096, [5]float64{97.312, 97.614, 97.662, 97.798, 99.00}},
}

// jang is table 2 of Jang, Do, Pien and Kaeli, "Architecture-aware optimization targeting
// multithreaded stream computing" (GPGPU 2009). Brook+ compiled the kernels; addressed adds its
// addresses.
var jang = []row{
	{label: "naive", kernel: "jang_naive", alu: 12, util: 50, fetches: 2, gprs: 9, ops: 30, speedup: 1},
	{label: "variable reduction", kernel: "jang_varred", alu: 11, util: 52.7, fetches: 2, gprs: 7, ops: 29, speedup: 1.01},
	{label: "unroll 4", kernel: "jang_unroll4", alu: 20, util: 71, fetches: 8, gprs: 16, ops: 71, speedup: 1.05},
	{label: "unroll 8", kernel: "jang_unroll8", alu: 30, util: 84.67, fetches: 16, gprs: 17, ops: 127, speedup: 1.09},
	{label: "unroll 16", kernel: "jang_unroll16", alu: 52, util: 91.92, fetches: 32, gprs: 25, ops: 239, speedup: 1.07},
	{label: "vector type", kernel: "jang_vector", alu: 17, util: 78.82, fetches: 5, gprs: 9, ops: 67, speedup: 4.78},
	{label: "multiple output (8)", kernel: "jang_multi8", alu: 78, util: 93.59, fetches: 12, gprs: 34, ops: 365,
		speedup: 6.7},
}

// residency are published examples of the number of wavefronts that register use allows.
var residency = []struct {
	source, target, budget string
	gprs, waves            int
}{
	{"Jang 2009", "rv670", "jang128", 10, 12},
	{"Jang 2009", "rv670", "jang128", 64, 2},
	{"Jang 2009", "rv670", "jang128", 65, 1},
	{"PLDI 2008, v1", "rv670", "slides192", 26, 7},
	{"PLDI 2008, v2", "rv670", "slides192", 27, 7},
	{"PLDI 2008, v3", "rv670", "slides192", 28, 6},
	{"PLDI 2008, v4", "rv670", "slides192", 32, 6},
	{"PLDI 2008, final", "rv670", "slides192", 38, 5},
	{"AMD OpenCL guide", "cypress", "evergreen248", 5, 49},
	{"AMD OpenCL guide", "cypress", "evergreen248", 10, 24},
	{"AMD OpenCL guide", "cypress", "evergreen248", 20, 12},
	{"AMD OpenCL guide", "cypress", "evergreen248", 25, 9},
	{"AMD OpenCL guide", "cypress", "evergreen248", 31, 8},
	{"AMD OpenCL guide", "cypress", "evergreen248", 62, 4},
	{"AMD OpenCL guide", "cypress", "evergreen248", 124, 2},
}
