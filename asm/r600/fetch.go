package r600

// FetchOp is an instruction of a fetch clause.
type FetchOp uint8

// The fetch operations: texture units, then vertex units.
const (
	FetchNone FetchOp = iota

	FetchSample
	FetchSampleL
	FetchSampleLB
	fetchSampleLZ
	FetchSampleG
	FetchSampleC
	FetchSampleCL
	FetchSampleCLB
	FetchSampleCLZ
	FetchSampleCG
	FetchLD
	FetchGather4
	FetchTextureResInfo
	FetchNumSamples
	FetchSamplePos
	FetchLOD
	FetchGradientsH
	FetchGradientsV
	FetchSetGradientsH
	FetchSetGradientsV

	FetchVertex
	FetchReadScratch
	FetchReadGlobal
	FetchReadLocal
	FetchShare // an operation on the global data share, with or without a result

	numFetchOps
)

// fetchTable has the mnemonics and the kind of clause of each operation.
var fetchTable = [numFetchOps]struct {
	name   string
	vertex bool // runs in vertex fetch clauses
}{
	FetchSample:         {name: "SAMPLE"},
	FetchSampleL:        {name: "SAMPLE_L"},
	FetchSampleLB:       {name: "SAMPLE_LB"},
	fetchSampleLZ:       {name: "SAMPLE_LZ"},
	FetchSampleG:        {name: "SAMPLE_G"},
	FetchSampleC:        {name: "SAMPLE_C"},
	FetchSampleCL:       {name: "SAMPLE_C_L"},
	FetchSampleCLB:      {name: "SAMPLE_C_LB"},
	FetchSampleCLZ:      {name: "SAMPLE_C_LZ"},
	FetchSampleCG:       {name: "SAMPLE_C_G"},
	FetchLD:             {name: "LD"},
	FetchGather4:        {name: "GATHER4"},
	FetchTextureResInfo: {name: "GET_TEXTURE_RESINFO"},
	FetchNumSamples:     {name: "GET_NUMBER_OF_SAMPLES"},
	FetchSamplePos:      {name: "GET_SAMPLE_POSITION"},
	FetchLOD:            {name: "GET_LOD"},
	FetchGradientsH:     {name: "GET_GRADIENTS_H"},
	FetchGradientsV:     {name: "GET_GRADIENTS_V"},
	FetchSetGradientsH:  {name: "SET_GRADIENTS_H"},
	FetchSetGradientsV:  {name: "SET_GRADIENTS_V"},
	FetchVertex:         {name: "VFETCH", vertex: true},
	FetchReadScratch:    {name: "READ_SCRATCH", vertex: true},
	FetchReadGlobal:     {name: "RD_GLOBAL", vertex: true},
	FetchReadLocal:      {name: "LOCAL_DS_READ", vertex: true},
	FetchShare:          {name: "GDS"},
}

// String returns the mnemonic.
func (op FetchOp) String() string { return fetchTable[op].name }

// Vertex reports whether op belongs in a VTX clause rather than a TEX clause.
func (op FetchOp) Vertex() bool { return fetchTable[op].vertex }

// Sel is the source of a component: a channel, a constant, or none. The numbers are those of the
// SEL fields of the ISA documents, except SelMask, which is 7 there.
type Sel uint8

// The selections. The channels are the numbers 0 to 3.
const (
	SelX Sel = iota
	SelY
	SelZ
	SelW
	SelZero
	SelOne
	SelMask // not written or not read
)

// String returns the letter that listings use.
func (s Sel) String() string { return "xyzw01_"[s : s+1] }

// Fetch is one instruction of a fetch clause. It takes 128 bits, two words of a clause. The result
// is a vector of four components, which DstSel assigns to the channels of Dst.
type Fetch struct {
	Op       FetchOp
	Dst      int    // register
	DstSel   [4]Sel // for each of its channels, the component of the result
	Src      int    // register
	SrcSel   [4]Sel // for each coordinate, its source channel
	Resource int
	Sampler  int
	Offset   [3]int8 // in half texels, or elements
	Unnormal bool    // coordinates count texels
	Scale    int     // bytes per index unit, for a fetch from memory that the program also writes; else 0
	Line     int     // of the source program, or 0
}

// Components returns the number of used components of the result, which is the number of register
// writes of the fetch.
func (f *Fetch) Components() int {
	n := 0
	for _, s := range f.DstSel {
		if s <= SelW {
			n++
		}
	}
	return n
}
