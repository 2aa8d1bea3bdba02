package d3d9

// Op is an instruction of the Direct3D 9 assemblers. Instructions that share an
// opcode number in the bytecode but differ in shape or controls have an Op each.
type Op uint16

// The ops, named as they are spelt.
const (
	OpInvalid Op = iota
	OpNop
	OpMov
	OpAdd
	OpSub
	OpMad
	OpMul
	OpRcp
	OpRsq
	OpDp3
	OpDp4
	OpMin
	OpMax
	OpSlt
	OpSge
	OpExp
	OpLog
	OpLit
	OpDst
	OpLrp
	OpFrc
	OpM4x4
	OpM4x3
	OpM3x4
	OpM3x3
	OpM3x2
	OpCall
	OpCallnz
	OpLoop
	OpRet
	OpEndLoop
	OpLabel
	OpDcl
	OpPow
	OpCrs
	OpSgn
	OpAbs
	OpNrm
	OpSinCos
	OpRep
	OpEndRep
	OpIf
	OpIfc
	OpElse
	OpEndIf
	OpBreak
	OpBreakc
	OpMova
	OpDefB
	OpDefI
	OpTexCoord
	OpTexCrd
	OpTexKill
	OpTex
	OpTexld14
	OpTexld
	OpTexldp
	OpTexldb
	OpTexBem
	OpTexBeml
	OpTexReg2ar
	OpTexReg2gb
	OpTexM3x2pad
	OpTexM3x2tex
	OpTexM3x3pad
	OpTexM3x3tex
	OpTexM3x3spec
	OpTexM3x3vspec
	OpExpp
	OpLogp
	OpCnd
	OpDef
	OpTexReg2rgb
	OpTexDp3tex
	OpTexM3x2depth
	OpTexDp3
	OpTexM3x3
	OpTexDepth
	OpCmp
	OpBem
	OpDp2add
	OpDsx
	OpDsy
	OpTexldd
	OpSetp
	OpTexldl
	OpBreakp
	OpPhase
	OpComment
	numOps
)

// Kind groups ops by their role in a program.
type Kind uint8

// The kinds of ops.
const (
	Arithmetic  Kind = iota // writes a destination from its sources
	TextureOp               // occupies texture slots in models that count them separately
	Flow                    // structured control flow and subroutines
	Declaration             // dcl, def, defi, defb
	Trivia                  // comment, phase
)

// opFlag is a set of syntactic facts about an op.
type opFlag uint16

const (
	// fScalar: the sources must have a replicate swizzle.
	fScalar opFlag = 1 << iota
	// fNoSat: _sat is not allowed.
	fNoSat
	// fCmp: carries a comparison, spelt as a suffix (_gt).
	fCmp
	// fMatrix: the second source names the first of several registers.
	fMatrix
	// fOpen and fClose: begins and ends a block.
	fOpen
	fClose
	// fGradient: takes screen derivatives, so is barred from varying flow control.
	fGradient
	// fDefine: gives a constant register its value.
	fDefine
)

// opInfo is one row of the instruction table, indexed by Op.
type opInfo struct {
	// the mnemonic, without suffixes
	name string
	// the opcode, D3DSHADER_INSTRUCTION_OPCODE_TYPE
	code uint16
	ctrl uint8 // specific controls (bits 16-23), which distinguish ops with the same code
	kind Kind
	// has a destination operand (texkill's is read)
	dst bool
	// source operands; if versions differ, those of version 2
	nsrc  uint8
	flags opFlag
	// slots is a column per model: vs_1_1 vs_2_0 vs_2_x vs_3_0, ps_1_1 ps_1_2 ps_1_3
	// ps_1_4, ps_2_0 ps_2_x ps_3_0. '.' is "does not exist there", 'a' is 10.
	slots string
	// cube is the cost on a cube texture in vs_3_0, ps_2_x and ps_3_0, if it differs.
	cube int8
}

// The instruction table: Microsoft's "Direct3D 9 assembly instructions" pages,
// numbered as D3DSHADER_INSTRUCTION_OPCODE_TYPE. Slots in ps_2_x are those of
// hardware without a separate texture limit (D3DPS20CAPS_NOTEXINSTRUCTIONLIMIT).
var opTable = [numOps]opInfo{
	OpNop:      {name: "nop", code: 0, kind: Arithmetic, slots: "1111 0000 111"},
	OpMov:      {name: "mov", code: 1, dst: true, nsrc: 1, slots: "1111 1111 111"},
	OpAdd:      {name: "add", code: 2, dst: true, nsrc: 2, slots: "1111 1111 111"},
	OpSub:      {name: "sub", code: 3, dst: true, nsrc: 2, slots: "1111 1111 111"},
	OpMad:      {name: "mad", code: 4, dst: true, nsrc: 3, slots: "1111 1111 111"},
	OpMul:      {name: "mul", code: 5, dst: true, nsrc: 2, slots: "1111 1111 111"},
	OpRcp:      {name: "rcp", code: 6, dst: true, nsrc: 1, flags: fScalar, slots: "1111 .... 111"},
	OpRsq:      {name: "rsq", code: 7, dst: true, nsrc: 1, flags: fScalar, slots: "1111 .... 111"},
	OpDp3:      {name: "dp3", code: 8, dst: true, nsrc: 2, slots: "1111 1111 111"},
	OpDp4:      {name: "dp4", code: 9, dst: true, nsrc: 2, slots: "1111 .221 111"},
	OpMin:      {name: "min", code: 10, dst: true, nsrc: 2, slots: "1111 .... 111"},
	OpMax:      {name: "max", code: 11, dst: true, nsrc: 2, slots: "1111 .... 111"},
	OpSlt:      {name: "slt", code: 12, dst: true, nsrc: 2, slots: "1111 .... ..."},
	OpSge:      {name: "sge", code: 13, dst: true, nsrc: 2, slots: "1111 .... ..."},
	OpExp:      {name: "exp", code: 14, dst: true, nsrc: 1, flags: fScalar, slots: "a111 .... 111"},
	OpLog:      {name: "log", code: 15, dst: true, nsrc: 1, flags: fScalar, slots: "a111 .... 111"},
	OpLit:      {name: "lit", code: 16, dst: true, nsrc: 1, slots: "1333 .... ..."},
	OpDst:      {name: "dst", code: 17, dst: true, nsrc: 2, slots: "1111 .... ..."},
	OpLrp:      {name: "lrp", code: 18, dst: true, nsrc: 3, slots: ".222 1111 222"},
	OpFrc:      {name: "frc", code: 19, dst: true, nsrc: 1, flags: fNoSat, slots: "3111 .... 111"},
	OpM4x4:     {name: "m4x4", code: 20, dst: true, nsrc: 2, flags: fMatrix, slots: "4444 .... 444"},
	OpM4x3:     {name: "m4x3", code: 21, dst: true, nsrc: 2, flags: fMatrix, slots: "3333 .... 333"},
	OpM3x4:     {name: "m3x4", code: 22, dst: true, nsrc: 2, flags: fMatrix, slots: "4444 .... 444"},
	OpM3x3:     {name: "m3x3", code: 23, dst: true, nsrc: 2, flags: fMatrix, slots: "3333 .... 333"},
	OpM3x2:     {name: "m3x2", code: 24, dst: true, nsrc: 2, flags: fMatrix, slots: "2222 .... 222"},
	OpCall:     {name: "call", code: 25, kind: Flow, nsrc: 1, slots: ".222 .... .22"},
	OpCallnz:   {name: "callnz", code: 26, kind: Flow, nsrc: 2, slots: ".333 .... .33"},
	OpLoop:     {name: "loop", code: 27, kind: Flow, nsrc: 2, flags: fOpen, slots: ".333 .... ..3"},
	OpRet:      {name: "ret", code: 28, kind: Flow, slots: ".111 .... .11"},
	OpEndLoop:  {name: "endloop", code: 29, kind: Flow, flags: fClose, slots: ".222 .... ..2"},
	OpLabel:    {name: "label", code: 30, kind: Flow, nsrc: 1, slots: ".000 .... .00"},
	OpDcl:      {name: "dcl", code: 31, kind: Declaration, dst: true, slots: "0000 .... 000"},
	OpPow:      {name: "pow", code: 32, dst: true, nsrc: 2, flags: fScalar, slots: ".333 .... 333"},
	OpCrs:      {name: "crs", code: 33, dst: true, nsrc: 2, slots: ".222 .... 222"},
	OpSgn:      {name: "sgn", code: 34, dst: true, nsrc: 3, slots: ".333 .... ..."},
	OpAbs:      {name: "abs", code: 35, dst: true, nsrc: 1, slots: ".111 .... 111"},
	OpNrm:      {name: "nrm", code: 36, dst: true, nsrc: 1, slots: ".333 .... 333"},
	OpSinCos:   {name: "sincos", code: 37, dst: true, nsrc: 3, flags: fNoSat, slots: ".888 .... 888"}, // one source in version 3
	OpRep:      {name: "rep", code: 38, kind: Flow, nsrc: 1, flags: fOpen, slots: ".333 .... .33"},
	OpEndRep:   {name: "endrep", code: 39, kind: Flow, flags: fClose, slots: ".222 .... .22"},
	OpIf:       {name: "if", code: 40, kind: Flow, nsrc: 1, flags: fOpen, slots: ".333 .... .33"},
	OpIfc:      {name: "if", code: 41, kind: Flow, nsrc: 2, flags: fOpen | fCmp | fScalar, slots: "..33 .... .33"},
	OpElse:     {name: "else", code: 42, kind: Flow, flags: fOpen | fClose, slots: ".111 .... .11"},
	OpEndIf:    {name: "endif", code: 43, kind: Flow, flags: fClose, slots: ".111 .... .11"},
	OpBreak:    {name: "break", code: 44, kind: Flow, slots: "..11 .... .11"},
	OpBreakc:   {name: "break", code: 45, kind: Flow, nsrc: 2, flags: fCmp | fScalar, slots: "..33 .... .33"},
	OpMova:     {name: "mova", code: 46, dst: true, nsrc: 1, slots: ".111 .... ..."},
	OpDefB:     {name: "defb", code: 47, kind: Declaration, dst: true, flags: fDefine, slots: ".000 .... .00"},
	OpDefI:     {name: "defi", code: 48, kind: Declaration, dst: true, flags: fDefine, slots: ".000 .... .00"},
	OpTexCoord: {name: "texcoord", code: 64, kind: TextureOp, dst: true, slots: ".... 111. ..."},
	OpTexCrd:   {name: "texcrd", code: 64, kind: TextureOp, dst: true, nsrc: 1, slots: ".... ...1 ..."},
	OpTexKill:  {name: "texkill", code: 65, kind: TextureOp, dst: true, slots: ".... 1111 122"},
	OpTex:      {name: "tex", code: 66, kind: TextureOp, dst: true, slots: ".... 111. ..."},
	OpTexld14:  {name: "texld", code: 66, kind: TextureOp, dst: true, nsrc: 1, slots: ".... ...1 ..."},
	OpTexld: {name: "texld", code: 66, kind: TextureOp, dst: true, nsrc: 2, flags: fGradient,
		slots: ".... .... 111", cube: 4},
	OpTexldp: {name: "texldp", code: 66, ctrl: 1, kind: TextureOp, dst: true, nsrc: 2, flags: fGradient,
		slots: ".... .... 133", cube: 4},
	OpTexldb: {name: "texldb", code: 66, ctrl: 2, kind: TextureOp, dst: true, nsrc: 2, flags: fGradient,
		slots: ".... .... 166"},
	OpTexBem:       {name: "texbem", code: 67, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpTexBeml:      {name: "texbeml", code: 68, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 222. ..."},
	OpTexReg2ar:    {name: "texreg2ar", code: 69, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpTexReg2gb:    {name: "texreg2gb", code: 70, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpTexM3x2pad:   {name: "texm3x2pad", code: 71, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpTexM3x2tex:   {name: "texm3x2tex", code: 72, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpTexM3x3pad:   {name: "texm3x3pad", code: 73, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpTexM3x3tex:   {name: "texm3x3tex", code: 74, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpTexM3x3spec:  {name: "texm3x3spec", code: 76, kind: TextureOp, dst: true, nsrc: 2, slots: ".... 111. ..."},
	OpTexM3x3vspec: {name: "texm3x3vspec", code: 77, kind: TextureOp, dst: true, nsrc: 1, slots: ".... 111. ..."},
	OpExpp:         {name: "expp", code: 78, dst: true, nsrc: 1, flags: fScalar, slots: "1111 .... ..."},
	OpLogp:         {name: "logp", code: 79, dst: true, nsrc: 1, flags: fScalar, slots: "1111 .... ..."},
	OpCnd:          {name: "cnd", code: 80, dst: true, nsrc: 3, slots: ".... 1111 ..."},
	OpDef:          {name: "def", code: 81, kind: Declaration, dst: true, flags: fDefine, slots: "0000 0000 000"},
	OpTexReg2rgb:   {name: "texreg2rgb", code: 82, kind: TextureOp, dst: true, nsrc: 1, slots: ".... .11. ..."},
	OpTexDp3tex:    {name: "texdp3tex", code: 83, kind: TextureOp, dst: true, nsrc: 1, slots: ".... .11. ..."},
	OpTexM3x2depth: {name: "texm3x2depth", code: 84, kind: TextureOp, dst: true, nsrc: 1, slots: ".... ..1. ..."},
	OpTexDp3:       {name: "texdp3", code: 85, kind: TextureOp, dst: true, nsrc: 1, slots: ".... .11. ..."},
	OpTexM3x3:      {name: "texm3x3", code: 86, kind: TextureOp, dst: true, nsrc: 1, slots: ".... .11. ..."},
	OpTexDepth:     {name: "texdepth", code: 87, kind: TextureOp, dst: true, slots: ".... ...1 ..."},
	OpCmp:          {name: "cmp", code: 88, dst: true, nsrc: 3, slots: ".... .221 111"},
	OpBem:          {name: "bem", code: 89, dst: true, nsrc: 2, slots: ".... ...2 ..."},
	OpDp2add:       {name: "dp2add", code: 90, dst: true, nsrc: 3, slots: ".... .... 222"},
	OpDsx:          {name: "dsx", code: 91, dst: true, nsrc: 1, flags: fGradient, slots: ".... .... .22"},
	OpDsy:          {name: "dsy", code: 92, dst: true, nsrc: 1, flags: fGradient, slots: ".... .... .22"},
	OpTexldd:       {name: "texldd", code: 93, kind: TextureOp, dst: true, nsrc: 4, slots: ".... .... .33"},
	OpSetp:         {name: "setp", code: 94, dst: true, nsrc: 2, flags: fCmp | fNoSat, slots: "..11 .... .11"},
	OpTexldl:       {name: "texldl", code: 95, kind: TextureOp, dst: true, nsrc: 2, slots: "...2 .... ..2", cube: 5},
	OpBreakp:       {name: "breakp", code: 96, kind: Flow, nsrc: 1, slots: "..33 .... .33"},
	OpPhase:        {name: "phase", code: 0xfffd, kind: Trivia, slots: ".... ...0 ..."},
	OpComment:      {name: "comment", code: 0xfffe, kind: Trivia, slots: "0000 0000 000"},
}

// class returns the column of m in the slots of the instruction table. Columns are 0 to 3, 5 to 8
// and 10 to 12, because blanks in the strings separate the groups. Software profiles use the column
// of the richest hardware profile of their version, and ps_1_0 uses that of ps_1_1.
func (m Model) class() int {
	var c int
	if m.Stage == Vertex {
		switch {
		case m.Major == 1:
			c = 0
		case m.Major == 2 && m.Minor == 0:
			c = 1
		case m.Major == 2:
			c = 2
		default:
			c = 3
		}
		return c
	}
	switch {
	case m.Major == 1 && m.Minor <= 1:
		c = 5
	case m.Major == 1:
		c = 3 + int(m.Minor) + 1
	case m.Major == 2 && m.Minor == 0:
		c = 10
	case m.Major == 2:
		c = 11
	default:
		c = 12
	}
	return c
}

// slotCost returns the entry of op in the column of m; ok is false if op does not exist in m.
func (op Op) slotCost(m Model) (n int, ok bool) {
	switch ch := opTable[op].slots[m.class()]; ch {
	case '.':
		return 0, false
	case 'a':
		return 10, true
	default:
		return int(ch - '0'), true
	}
}

// Exists reports whether op is part of model m.
func (op Op) Exists(m Model) bool {
	if op == OpInvalid || op >= numOps {
		return false
	}
	_, ok := op.slotCost(m)
	return ok
}

// String returns the mnemonic.
func (op Op) String() string {
	if op >= numOps || op == OpInvalid {
		return "invalid"
	}
	return opTable[op].name
}

// Kind returns the kind of op.
func (op Op) Kind() Kind { return opTable[op].kind }

// IsScalar reports whether op reads one component of each source (rcp, pow, if_gt). In vs_1_1, an
// operand without a swizzle means the fourth component, as in the code of Direct3D 8's reference,
// in its drivers and in Wine. The text of the reference specifies the first.
func (op Op) IsScalar() bool { return opTable[op].flags&fScalar != 0 }

// IsDefinition reports whether op gives a constant register its value: def, defi, defb.
func (op Op) IsDefinition() bool { return opTable[op].flags&fDefine != 0 }

// IsMatrix reports whether op is a matrix product such as m4x4, whose second source names the first
// row.
func (op Op) IsMatrix() bool { return opTable[op].flags&fMatrix != 0 }

// Slots returns the arithmetic and texture slots of in in model m (MSDN, "Instruction Count" of
// each model). A predicated instruction costs one more, and the second instruction of a pair costs
// one less. cube reports whether the sampler of a texture instruction holds a cube texture, which
// takes more slots from ps_2_x on.
func (in *Inst) Slots(m Model, cube bool) (arithmetic, texture int) {
	n, _ := in.Op.slotCost(m)
	info := &opTable[in.Op]
	if cube && info.cube != 0 && (m.Major >= 3 || m.Extended()) {
		n = int(info.cube)
	}
	if in.HasPred {
		n++
	}
	if in.CoIssue {
		n = max(n-1, 0)
	}
	switch {
	case in.Op == OpTexBeml: // "texbeml - ps": the luminance is an arithmetic instruction
		return n - 1, 1
	case info.kind == TextureOp:
		return 0, n
	}
	return n, 0
}
