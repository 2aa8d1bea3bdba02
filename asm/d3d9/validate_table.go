package d3d9

// fileSet is a bit set of register files.
type fileSet uint32

// files returns the set of the given files.
func files(fs ...File) (s fileSet) {
	for _, f := range fs {
		s |= 1 << f
	}
	return s
}

func (s fileSet) has(f File) bool { return s>>f&1 != 0 }

// The files of an operand whose row in the rule table is silent. The page on vFace allows it only
// in comparisons; compilers also read it in cmp.
var (
	values  = files(Temp, Input, Const, Texture, Misc)
	results = files(Temp) | outputs
)

// outputs are the files of a program's results, pixelOutputs those that a pixel program has.
var (
	outputs      = files(RastOut, AttrOut, TexOut, Output) | pixelOutputs
	pixelOutputs = files(ColorOut, DepthOut)
)

// maskSet is a bit set of write masks; the zero set means any.
type maskSet uint16

// masks returns the set of the given masks.
func masks(ms ...Mask) (s maskSet) {
	for _, m := range ms {
		s |= 1 << m
	}
	return s
}

// has reports whether the set allows m.
func (s maskSet) has(m Mask) bool { return s == 0 || s>>m&1 != 0 }

const (
	maskXY  = MaskX | MaskY
	maskXYZ = MaskX | MaskY | MaskZ
)

// lanes describes the lanes of a source operand that an instruction reads: a mask for each written
// result lane, and one that is always read. Lanes are those of the operand after its swizzle: lane0
// of r0.w is its component w.
type lanes struct {
	each   [4]Mask
	always Mask
}

// read returns the union over the written lanes.
func (l *lanes) read(written Mask) Mask {
	m := l.always
	for i, need := range l.each {
		if written.Has(i) {
			m |= need
		}
	}
	return m
}

// The common ones. A cross product computes x from y and z, and so on cyclically.
var (
	lane0   = lanes{always: MaskX}
	lane3   = lanes{always: MaskW} // of scalar operands in vs_1_1 without a swizzle
	lanes2  = lanes{always: maskXY}
	lanes3  = lanes{always: maskXYZ}
	lanes4  = lanes{always: MaskAll}
	crossed = lanes{each: [4]Mask{MaskY | MaskZ, MaskX | MaskZ, maskXY, 0}}
)

// opRule holds the restrictions on an instruction's operands. The zero row is a component-wise
// instruction: any value to any result, lane by lane.
type opRule struct {
	dst   fileSet    // files of the destination; 0: results
	src   [4]fileSet // files of the sources; 0: values
	masks maskSet    // destination masks
	apart uint8      // bit i: source i may not be the destination register
	whole uint8      // bit i: source i takes no swizzle
	rows  uint8      // of a matrix macro, the number of registers of source 1
	lanes [4]*lanes  // lanes read; nil: those written
}

var (
	temps      = files(Temp)
	labels     = files(Label)
	samplers   = files(Sampler)
	predicates = files(Predicate)
	conditions = files(ConstBool, Predicate)
	integers   = files(ConstInt)
)

// ruleTable holds the operand rules of the reference pages. The checks that use it handle the
// differences between models.
//
// lrp is a macro of an add and a mad, so its result cannot be a register that the mad still reads;
// compiled programs obey this.
var ruleTable = [numOps]opRule{
	OpRcp:  {lanes: [4]*lanes{&lane3}},
	OpRsq:  {lanes: [4]*lanes{&lane3}},
	OpExp:  {lanes: [4]*lanes{&lane3}},
	OpLog:  {lanes: [4]*lanes{&lane3}},
	OpExpp: {lanes: [4]*lanes{&lane3}},
	OpLogp: {lanes: [4]*lanes{&lane3}},
	OpPow:  {dst: temps, apart: 1 << 1, lanes: [4]*lanes{&lane0, &lane0}},

	OpLrp: {dst: temps, apart: 1<<0 | 1<<2},

	OpDp3:    {lanes: [4]*lanes{&lanes3, &lanes3}},
	OpDp4:    {lanes: [4]*lanes{&lanes4, &lanes4}},
	OpDp2add: {lanes: [4]*lanes{&lanes2, &lanes2, &lane0}},
	OpLit:    {lanes: [4]*lanes{{each: [4]Mask{0, MaskX, MaskX | MaskY | MaskW, 0}}}},
	OpDst: {lanes: [4]*lanes{
		{each: [4]Mask{0, MaskY, MaskZ, 0}},
		{each: [4]Mask{0, MaskY, 0, MaskW}},
	}},
	OpCrs: {dst: temps, apart: 1<<0 | 1<<1, whole: 1<<0 | 1<<1, lanes: [4]*lanes{&crossed, &crossed},
		masks: masks(1, 2, 3, 4, 5, 6, 7)},
	OpNrm: {dst: temps, apart: 1 << 0, masks: masks(maskXYZ, MaskAll),
		lanes: [4]*lanes{{each: [4]Mask{3: MaskW}, always: maskXYZ}}},
	OpSinCos: {dst: temps, apart: 1 << 0, masks: masks(MaskX, MaskY, maskXY),
		src:   [4]fileSet{1: files(Const), 2: files(Const)},
		lanes: [4]*lanes{&lane0, &lanes4, &lanes4}},
	OpSgn: {src: [4]fileSet{1: temps, 2: temps}, lanes: [4]*lanes{1: {}, 2: {}}},

	OpM4x4: {rows: 4, apart: 1 << 0, whole: 1 << 1, masks: masks(MaskAll), lanes: [4]*lanes{&lanes4, &lanes4}},
	OpM4x3: {rows: 3, apart: 1 << 0, whole: 1 << 1, masks: masks(maskXYZ), lanes: [4]*lanes{&lanes4, &lanes4}},
	OpM3x4: {rows: 4, apart: 1 << 0, whole: 1 << 1, masks: masks(MaskAll, maskXYZ), lanes: [4]*lanes{&lanes3, &lanes3}},
	OpM3x3: {rows: 3, apart: 1 << 0, whole: 1 << 1, masks: masks(maskXYZ), lanes: [4]*lanes{&lanes3, &lanes3}},
	OpM3x2: {rows: 2, apart: 1 << 0, whole: 1 << 1, masks: masks(maskXY), lanes: [4]*lanes{&lanes3, &lanes3}},

	OpMova: {dst: files(Addr)},
	OpSetp: {dst: predicates},

	OpTexKill: {dst: files(Temp, Texture, Input), masks: masks(MaskAll)},
	OpTexld:   {src: [4]fileSet{1: samplers}},
	OpTexldp:  {src: [4]fileSet{1: samplers}},
	OpTexldb:  {src: [4]fileSet{1: samplers}},
	OpTexldl:  {src: [4]fileSet{1: samplers}},
	OpTexldd:  {src: [4]fileSet{1: samplers}},

	OpCall:   {src: [4]fileSet{labels}},
	OpCallnz: {src: [4]fileSet{labels, conditions}},
	OpLabel:  {src: [4]fileSet{labels}},
	OpLoop:   {src: [4]fileSet{files(Loop), integers}},
	OpRep:    {src: [4]fileSet{integers}},
	OpIf:     {src: [4]fileSet{conditions}},
	OpIfc:    {lanes: [4]*lanes{&lane0, &lane0}},
	OpBreakc: {lanes: [4]*lanes{&lane0, &lane0}},
	OpBreakp: {src: [4]fileSet{predicates}},

	OpDcl:  {dst: files(Input, Texture, Sampler, Output, Misc)},
	OpDef:  {dst: files(Const)},
	OpDefI: {dst: integers},
	OpDefB: {dst: files(ConstBool)},
}
