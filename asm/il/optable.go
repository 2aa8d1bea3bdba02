package il

// Op is an instruction or declaration. Instructions that differ only in a control, such as mul and
// mul_ieee, share an Op.
type Op uint16

// The ops, named as they are spelt.
const (
	OpInvalid Op = iota

	OpMov
	OpCmov
	OpCmovLogical
	OpTranspose

	OpAbs
	OpAcos
	OpAdd
	OpAsin
	OpAtan
	OpClamp
	OpCos
	OpCosVec
	OpCrs
	opDet
	OpDist
	OpDiv
	OpDp2
	OpDp2Add
	OpDp3
	OpDp4
	OpDsx
	OpDsy
	OpEq
	OpExp
	OpExpVec
	OpFlr
	OpFma
	OpFrc
	OpGe
	OpLen
	OpLit
	OpLn
	OpLog
	OpLogVec
	OpLrp
	OpLt
	OpMad
	OpMax
	OpMin
	opMmul
	OpMod
	OpMul
	OpNe
	opNoise
	OpNrm
	OpPow
	OpRcp
	OpRcpVec
	OpReflect
	OpRnd
	OpRoundNear
	OpRoundNegInf
	OpRoundPlusInf
	OpRoundZ
	OpRsq
	OpRsqVec
	OpSgn
	OpSin
	OpSinVec
	OpSqrt
	OpSqrtVec
	OpSub
	OpTan
	OpTanVec
	OpTrc

	OpBfi
	OpBitAlign
	OpByteAlign
	OpFfbHi
	OpFfbLo
	OpFfbShi
	OpIAdd
	OpIAnd
	OpIBitExtract
	OpIBorrow
	OpICarry
	OpICbits
	OpIEq
	OpIGe
	OpILt
	OpIMad
	OpIMad24
	OpIMax
	OpIMin
	OpIMul
	OpIMul24
	OpIMulHigh
	OpINe
	OpINegate
	OpINot
	OpIOr
	OpIShl
	OpIShr
	OpIXor
	OpSad
	OpU4Lerp
	OpUBitExtract
	OpUBitInsert
	OpUBitReverse
	OpUDiv
	OpUGe
	OpULt
	OpUMad
	OpUMad24
	OpUMax
	OpUMin
	OpUMod
	OpUMul
	OpUMul24
	OpUMulHigh
	OpUnpack0
	OpUnpack1
	OpUnpack2
	OpUnpack3
	OpUShr

	OpDAdd
	OpDDiv
	OpDEq
	OpDFrac
	OpDFrexp
	OpDGe
	OpDLdexp
	OpDLt
	OpDMad
	OpDMax
	OpDMin
	OpDMov
	OpDMovc
	OpDMul
	OpDNe
	OpDRcp
	OpDRsq
	OpDSqrt

	OpD2F
	OpDToI
	OpDToU
	OpF2D
	OpF2F16
	OpF162F
	OpFToI
	OpFToU
	OpIToD
	OpIToF
	OpUToD
	OpUToF

	OpFetch4
	OpLoad
	OpLod
	OpResInfo
	OpSample
	OpSampleB
	OpSampleC
	OpSampleCB
	OpSampleCG
	OpSampleCL
	OpSampleCLz
	OpSampleG
	OpSampleInfo
	OpSampleL
	OpSamplePos

	OpAppendAlloc
	OpAppendConsume
	OpFence
	OpGdsAtomic
	OpGdsCmp
	OpGdsLoad
	OpGdsReadAtomic
	OpGdsReadCmpXchg
	OpGdsStore
	OpLdsAtomic
	OpLdsCmp
	OpLdsLoad
	OpLdsLoadVec
	OpLdsReadAtomic
	OpLdsReadCmpXchg
	OpLdsReadVec
	OpLdsStore
	OpLdsStoreVec
	OpLdsWriteVec
	OpMemExport
	OpMemImport
	OpUavArenaLoad
	OpUavArenaStore
	OpUavAtomic
	OpUavCmp
	OpUavLoad
	OpUavRawLoad
	OpUavRawStore
	OpUavReadAtomic
	OpUavReadCmpXchg
	OpUavStore
	OpUavStructLoad
	OpUavStructStore

	OpBreak
	OpBreakLogicalNZ
	OpBreakLogicalZ
	OpBreakC
	OpCall
	OpCallLogicalNZ
	OpCallLogicalZ
	OpCallNZ
	OpCase
	opContinue
	OpContinueLogicalNZ
	OpContinueLogicalZ
	OpContinueC
	OpDefault
	OpDiscardLogicalNZ
	OpDiscardLogicalZ
	OpElse
	OpEnd
	OpEndFunc
	OpEndIf
	OpEndLoop
	OpEndMain
	OpEndSwitch
	OpFunc
	OpIfLogicalNZ
	OpIfLogicalZ
	OpIfC
	OpIfNZ
	OpKill
	opLoop
	OpRet
	opRetDyn
	OpRetLogicalNZ
	OpRetLogicalZ
	OpSwitch
	OpWhileLoop

	OpDclArenaUav
	OpDclCB
	OpDclGds
	OpDclGlobalFlags
	OpDclIndexedTempArray
	OpDclInput
	OpDclLds
	OpDclLdsSharingMode
	OpDclLdsSizePerThread
	OpDclLiteral
	OpDclMaxThreadPerGroup
	OpDclNumThreadPerGroup
	OpDclODepth
	OpDclOutput
	opDclPersist
	OpDclRawUav
	OpDclResource
	opDclSharedTemp
	OpDclStructGds
	OpDclStructLds
	OpDclStructUav
	OpDclTotalNumThreadGroup
	OpDclUav
	numOps
)

// The instruction table. Its sources are AMD's own IL writers, disassembled drivers, and existing
// kernels. Double comparisons and conversions read pairs and write single lanes or vice versa, so
// their sources are vectors. Products and operations built from them have _ieee, divisions have
// _zeroop; integers have no result modifiers.
//
// Some forms occur in no known program and are assumptions. These are the operands of
// call_logicalnz and similar ops, loop with an integer register, arena stores with or without mem,
// and dcl_persist.
var opTable = [numOps]opInfo{
	OpMov:         {names: "mov", form: "ds", may: cResult},
	OpCmov:        {names: "cmov", form: "dsss", may: cResult},
	OpCmovLogical: {names: "cmov_logical", form: "dsss", may: cResult},
	OpTranspose:   {names: "transpose", form: "dv"}, // reads and writes four registers, from src and dst on

	OpAbs:          {names: "abs", form: "ds", kind: Float, may: cResult},
	OpAcos:         {names: "acos", form: "ds", kind: Float, may: cResult},
	OpAdd:          {names: "add", form: "dss", kind: Float, may: cResult},
	OpAsin:         {names: "asin", form: "ds", kind: Float, may: cResult},
	OpAtan:         {names: "atan", form: "ds", kind: Float, may: cResult},
	OpClamp:        {names: "clamp", form: "dsss", kind: Float, may: cResult},
	OpCos:          {names: "cos", form: "d1", kind: Float, may: cResult},
	OpCosVec:       {names: "cos_vec", form: "ds", kind: Float, may: cResult},
	OpCrs:          {names: "crs", form: "dvv", kind: Float, may: cResult},
	opDet:          {names: "det", form: "dv", kind: Float, may: cResult},
	OpDist:         {names: "dist", form: "dvv", kind: Float, may: cResult},
	OpDiv:          {names: "div", form: "dss", kind: Float, may: cZeroOp | cResult},
	OpDp2:          {names: "dp2", form: "dvv", kind: Float, may: cIEEE | cResult},
	OpDp2Add:       {names: "dp2add", form: "dvv1", kind: Float, may: cIEEE | cResult},
	OpDp3:          {names: "dp3", form: "dvv", kind: Float, may: cIEEE | cResult},
	OpDp4:          {names: "dp4", form: "dvv", kind: Float, may: cIEEE | cResult},
	OpDsx:          {names: "dsx", form: "ds", kind: Float, may: cFine | cResult},
	OpDsy:          {names: "dsy", form: "ds", kind: Float, may: cFine | cResult},
	OpEq:           {names: "eq", form: "dss", kind: Float, may: cPrecise},
	OpExp:          {names: "exp", form: "d1", kind: Float, may: cResult},
	OpExpVec:       {names: "exp_vec", form: "ds", kind: Float, may: cResult},
	OpFlr:          {names: "flr", form: "ds", kind: Float, may: cResult},
	OpFma:          {names: "fma", form: "dsss", kind: Float, may: cIEEE | cResult},
	OpFrc:          {names: "frc", form: "ds", kind: Float, may: cResult},
	OpGe:           {names: "ge", form: "dss", kind: Float, may: cPrecise},
	OpLen:          {names: "len", form: "dv", kind: Float, may: cResult},
	OpLit:          {names: "lit", form: "dv", kind: Float, may: cResult},
	OpLn:           {names: "ln", form: "d1", kind: Float, may: cZeroOp | cResult},
	OpLog:          {names: "log", form: "d1", kind: Float, may: cZeroOp | cResult},
	OpLogVec:       {names: "log_vec", form: "ds", kind: Float, may: cResult},
	OpLrp:          {names: "lrp", form: "dsss", kind: Float, may: cResult},
	OpLt:           {names: "lt", form: "dss", kind: Float, may: cPrecise},
	OpMad:          {names: "mad", form: "dsss", kind: Float, may: cIEEE | cResult},
	OpMax:          {names: "max", form: "dss", kind: Float, may: cIEEE | cResult},
	OpMin:          {names: "min", form: "dss", kind: Float, may: cIEEE | cResult},
	opMmul:         {names: "mmul", form: "dvv", kind: Float, may: cResult},
	OpMod:          {names: "mod", form: "dss", kind: Float, may: cResult},
	OpMul:          {names: "mul", form: "dss", kind: Float, may: cIEEE | cResult},
	OpNe:           {names: "ne", form: "dss", kind: Float, may: cPrecise},
	opNoise:        {names: "noise", form: "dv", kind: Float, may: cResult},
	OpNrm:          {names: "nrm", form: "dv", kind: Float, may: cZeroOp | cResult},
	OpPow:          {names: "pow", form: "d11", kind: Float, may: cResult},
	OpRcp:          {names: "rcp", form: "d1", kind: Float, may: cZeroOp | cResult},
	OpRcpVec:       {names: "rcp_vec", form: "ds", kind: Float, may: cZeroOp | cResult},
	OpReflect:      {names: "reflect", form: "dvv", kind: Float, may: cResult},
	OpRnd:          {names: "rnd", form: "ds", kind: Float, may: cResult},
	OpRoundNear:    {names: "round_nearest round_near", form: "ds", kind: Float, may: cResult},
	OpRoundNegInf:  {names: "round_neginf", form: "ds", kind: Float, may: cResult},
	OpRoundPlusInf: {names: "round_plusinf round_posinf", form: "ds", kind: Float, may: cResult},
	OpRoundZ:       {names: "round_z round_zero", form: "ds", kind: Float, may: cResult},
	OpRsq:          {names: "rsq", form: "d1", kind: Float, may: cZeroOp | cResult},
	OpRsqVec:       {names: "rsq_vec", form: "ds", kind: Float, may: cZeroOp | cResult},
	OpSgn:          {names: "sgn", form: "ds", kind: Float, may: cResult},
	OpSin:          {names: "sin", form: "d1", kind: Float, may: cResult},
	OpSinVec:       {names: "sin_vec", form: "ds", kind: Float, may: cResult},
	OpSqrt:         {names: "sqrt", form: "d1", kind: Float, may: cResult},
	OpSqrtVec:      {names: "sqrt_vec", form: "ds", kind: Float, may: cResult},
	OpSub:          {names: "sub", form: "dss", kind: Float, may: cResult},
	OpTan:          {names: "tan", form: "d1", kind: Float, may: cResult},
	OpTanVec:       {names: "tan_vec", form: "ds", kind: Float, may: cResult},
	OpTrc:          {names: "trc", form: "ds", kind: Float, may: cResult},

	OpBfi:         {names: "bfi", form: "dsss", kind: Integer},
	OpBitAlign:    {names: "bitalign", form: "dsss", kind: Integer},
	OpByteAlign:   {names: "bytealign", form: "dsss", kind: Integer},
	OpFfbHi:       {names: "ffb_hi ffb(hi)", form: "ds", kind: Integer},
	OpFfbLo:       {names: "ffb_lo ffb(lo)", form: "ds", kind: Integer},
	OpFfbShi:      {names: "ffb_shi ffb(shi)", form: "ds", kind: Integer},
	OpIAdd:        {names: "iadd", form: "dss", kind: Integer},
	OpIAnd:        {names: "iand and", form: "dss", kind: Integer},
	OpIBitExtract: {names: "ibit_extract", form: "dsss", kind: Integer},
	OpIBorrow:     {names: "iborrow", form: "dss", kind: Integer},
	OpICarry:      {names: "icarry", form: "dss", kind: Integer},
	OpICbits:      {names: "icbits countbits", form: "ds", kind: Integer},
	OpIEq:         {names: "ieq", form: "dss", kind: Integer},
	OpIGe:         {names: "ige", form: "dss", kind: Integer},
	OpILt:         {names: "ilt", form: "dss", kind: Integer},
	OpIMad:        {names: "imad", form: "dsss", kind: Integer},
	OpIMad24:      {names: "imad24", form: "dsss", kind: Integer},
	OpIMax:        {names: "imax", form: "dss", kind: Integer},
	OpIMin:        {names: "imin", form: "dss", kind: Integer},
	OpIMul:        {names: "imul", form: "dss", kind: Integer},
	OpIMul24:      {names: "imul24", form: "dss", kind: Integer},
	OpIMulHigh:    {names: "imul_high", form: "dss", kind: Integer},
	OpINe:         {names: "ine", form: "dss", kind: Integer},
	OpINegate:     {names: "inegate", form: "ds", kind: Integer},
	OpINot:        {names: "inot", form: "ds", kind: Integer},
	OpIOr:         {names: "ior", form: "dss", kind: Integer},
	OpIShl:        {names: "ishl", form: "dss", kind: Integer},
	OpIShr:        {names: "ishr", form: "dss", kind: Integer},
	OpIXor:        {names: "ixor", form: "dss", kind: Integer},
	OpSad:         {names: "sad", form: "dsss", kind: Integer},
	OpU4Lerp:      {names: "u4lerp", form: "dsss", kind: Integer},
	OpUBitExtract: {names: "ubit_extract", form: "dsss", kind: Integer},
	OpUBitInsert:  {names: "ubit_insert", form: "dssss", kind: Integer},
	OpUBitReverse: {names: "ubit_reverse", form: "ds", kind: Integer},
	OpUDiv:        {names: "udiv", form: "dss", kind: Integer},
	OpUGe:         {names: "uge", form: "dss", kind: Integer},
	OpULt:         {names: "ult", form: "dss", kind: Integer},
	OpUMad:        {names: "umad", form: "dsss", kind: Integer},
	OpUMad24:      {names: "umad24", form: "dsss", kind: Integer},
	OpUMax:        {names: "umax", form: "dss", kind: Integer},
	OpUMin:        {names: "umin", form: "dss", kind: Integer},
	OpUMod:        {names: "umod", form: "dss", kind: Integer},
	OpUMul:        {names: "umul", form: "dss", kind: Integer},
	OpUMul24:      {names: "umul24", form: "dss", kind: Integer},
	OpUMulHigh:    {names: "umul_high", form: "dss", kind: Integer},
	OpUnpack0:     {names: "unpack0", form: "ds", kind: Integer},
	OpUnpack1:     {names: "unpack1", form: "ds", kind: Integer},
	OpUnpack2:     {names: "unpack2", form: "ds", kind: Integer},
	OpUnpack3:     {names: "unpack3", form: "ds", kind: Integer},
	OpUShr:        {names: "ushr", form: "dss", kind: Integer},

	OpDAdd:   {names: "dadd", form: "dss", kind: Double},
	OpDDiv:   {names: "ddiv", form: "dss", kind: Double, may: cZeroOp},
	OpDEq:    {names: "deq", form: "dvv", kind: Double},
	OpDFrac:  {names: "dfrac", form: "ds", kind: Double},
	OpDFrexp: {names: "dfrexp", form: "dv", kind: Double},
	OpDGe:    {names: "dge", form: "dvv", kind: Double},
	OpDLdexp: {names: "dldexp", form: "dss", kind: Double},
	OpDLt:    {names: "dlt", form: "dvv", kind: Double},
	OpDMad:   {names: "dmad", form: "dsss", kind: Double},
	OpDMax:   {names: "dmax", form: "dss", kind: Double},
	OpDMin:   {names: "dmin", form: "dss", kind: Double},
	OpDMov:   {names: "dmov", form: "ds", kind: Double},
	OpDMovc:  {names: "dmovc", form: "dsss", kind: Double},
	OpDMul:   {names: "dmul", form: "dss", kind: Double},
	OpDNe:    {names: "dne", form: "dvv", kind: Double},
	OpDRcp:   {names: "drcp", form: "ds", kind: Double, may: cZeroOp},
	OpDRsq:   {names: "drsq", form: "ds", kind: Double, may: cZeroOp},
	OpDSqrt:  {names: "dsqrt", form: "ds", kind: Double},

	OpD2F:   {names: "d2f", form: "dv", kind: Convert},
	OpDToI:  {names: "dtoi", form: "dv", kind: Convert},
	OpDToU:  {names: "dtou", form: "dv", kind: Convert},
	OpF2D:   {names: "f2d", form: "dv", kind: Convert},
	OpF2F16: {names: "f2f16", form: "ds", kind: Convert},
	OpF162F: {names: "f162f", form: "ds", kind: Convert},
	OpFToI:  {names: "ftoi", form: "ds", kind: Convert},
	OpFToU:  {names: "ftou", form: "ds", kind: Convert},
	OpIToD:  {names: "itod", form: "dv", kind: Convert},
	OpIToF:  {names: "itof", form: "ds", kind: Convert},
	OpUToD:  {names: "utod", form: "dv", kind: Convert},
	OpUToF:  {names: "utof", form: "ds", kind: Convert},

	OpFetch4: {names: "fetch4", form: "dv", kind: Fetch, need: cResource | cSampler, may: cTexel | cCompSel,
		space: resources},
	OpLoad:    {names: "load", form: "dv", kind: Fetch, need: cResource, may: cTexel, space: resources},
	OpLod:     {names: "lod", form: "dv", kind: Fetch, need: cStage, space: resources},
	OpResInfo: {names: "resinfo", form: "d1", kind: Fetch, need: cResource, may: cUint, space: resources},
	OpSample:  {names: "sample", form: "dv", kind: Fetch, need: cResource | cSampler, may: cTexel, space: resources},
	OpSampleB: {names: "sample_b", form: "dv1", kind: Fetch, need: cResource | cSampler, may: cTexel, space: resources},
	OpSampleC: {names: "sample_c", form: "dv1", kind: Fetch, need: cResource | cSampler, may: cTexel, space: resources},
	OpSampleCB: {names: "sample_c_b", form: "dv11", kind: Fetch, need: cResource | cSampler, may: cTexel,
		space: resources},
	OpSampleCG: {names: "sample_c_g", form: "dv1vv", kind: Fetch, need: cResource | cSampler, may: cTexel,
		space: resources},
	OpSampleCL: {names: "sample_c_l", form: "dv11", kind: Fetch, need: cResource | cSampler, may: cTexel,
		space: resources},
	OpSampleCLz: {names: "sample_c_lz sample_clz", form: "dv1", kind: Fetch, need: cResource | cSampler, may: cTexel,
		space: resources},
	OpSampleG: {names: "sample_g", form: "dvvv", kind: Fetch, need: cResource | cSampler, may: cTexel,
		space: resources},
	OpSampleInfo: {names: "sampleinfo", form: "d1", kind: Fetch, need: cResource, may: cUint, space: resources},
	OpSampleL:    {names: "sample_l", form: "dv1", kind: Fetch, need: cResource | cSampler, may: cTexel, space: resources},
	OpSamplePos:  {names: "samplepos", form: "d1", kind: Fetch, need: cResource, may: cUint, space: resources},

	OpAppendAlloc:    {names: "append_buf_alloc", form: "d", kind: MemoryOp, need: cID, space: views},
	OpAppendConsume:  {names: "append_buf_consume", form: "d", kind: MemoryOp, need: cID, space: views},
	OpFence:          {names: "fence", kind: MemoryOp, may: cFence},
	OpGdsAtomic:      {names: "gds_%", form: "1s", kind: MemoryOp, need: cID, space: shared},
	OpGdsCmp:         {names: "gds_cmp", form: "1ss", kind: MemoryOp, need: cID, space: shared},
	OpGdsLoad:        {names: "gds_load", form: "d1", kind: MemoryOp, need: cID, space: shared},
	OpGdsReadAtomic:  {names: "gds_read_%", form: "d1s", kind: MemoryOp, need: cID, space: shared},
	OpGdsReadCmpXchg: {names: "gds_read_cmp_xchg", form: "d1ss", kind: MemoryOp, need: cID, space: shared},
	OpGdsStore:       {names: "gds_store", form: "M1s", kind: MemoryOp, need: cID, space: shared},
	OpLdsAtomic:      {names: "lds_%", form: "1s", kind: MemoryOp, need: cID, space: local},
	OpLdsCmp:         {names: "lds_cmp", form: "1ss", kind: MemoryOp, need: cID, space: local},
	OpLdsLoad:        {names: "lds_load", form: "d1", kind: MemoryOp, need: cID, space: local},
	OpLdsLoadVec:     {names: "lds_load_vec", form: "d11", kind: MemoryOp, need: cID, space: local},
	OpLdsReadAtomic:  {names: "lds_read_%", form: "d1s", kind: MemoryOp, need: cID, space: local},
	OpLdsReadCmpXchg: {names: "lds_read_cmp_xchg", form: "d1ss", kind: MemoryOp, need: cID, space: local},
	OpLdsReadVec:     {names: "lds_read_vec", form: "dv", kind: MemoryOp, may: cNeighbor},
	OpLdsStore:       {names: "lds_store", form: "M1s", kind: MemoryOp, need: cID, space: local},
	OpLdsStoreVec:    {names: "lds_store_vec", form: "m11s", kind: MemoryOp, need: cID, space: local},
	OpLdsWriteVec:    {names: "lds_write_vec", form: "ms", kind: MemoryOp, may: cLOffset},
	OpMemExport:      {names: "memexport", form: "vv", kind: MemoryOp, may: cStream | cOffset},
	OpMemImport:      {names: "memimport", form: "dv", kind: MemoryOp, may: cElem},
	OpUavArenaLoad:   {names: "uav_arena_load", form: "d1", kind: MemoryOp, need: cID, may: cSize | cCached, space: views},
	OpUavArenaStore:  {names: "uav_arena_store", form: "M1s", kind: MemoryOp, need: cID, may: cSize, space: views},
	OpUavAtomic:      {names: "uav_%", form: "vs", kind: MemoryOp, need: cID, space: views},
	OpUavCmp:         {names: "uav_cmp", form: "vss", kind: MemoryOp, need: cID, space: views},
	OpUavLoad:        {names: "uav_load", form: "dv", kind: MemoryOp, need: cID, may: cCached, space: views},
	OpUavRawLoad:     {names: "uav_raw_load", form: "d1", kind: MemoryOp, need: cID, may: cCached, space: views},
	OpUavRawStore:    {names: "uav_raw_store", form: "m1s", kind: MemoryOp, need: cID, space: views},
	OpUavReadAtomic:  {names: "uav_read_%", form: "dvs", kind: MemoryOp, need: cID, space: views},
	OpUavReadCmpXchg: {names: "uav_read_cmp_xchg", form: "dvss", kind: MemoryOp, need: cID, space: views},
	OpUavStore:       {names: "uav_store", form: "vs", kind: MemoryOp, need: cID, space: views},
	OpUavStructLoad:  {names: "uav_struct_load", form: "dv", kind: MemoryOp, need: cID, may: cCached, space: views},
	OpUavStructStore: {names: "uav_struct_store", form: "mvs", kind: MemoryOp, need: cID, space: views},

	OpBreak:             {names: "break", kind: Flow, role: Break},
	OpBreakLogicalNZ:    {names: "break_logicalnz", form: "1", kind: Flow, role: Break},
	OpBreakLogicalZ:     {names: "break_logicalz", form: "1", kind: Flow, role: Break},
	OpBreakC:            {names: "breakc", form: "11", kind: Flow, role: Break, need: cRelOp},
	OpCall:              {names: "call", form: "n", kind: Flow, role: Call},
	OpCallLogicalNZ:     {names: "call_logicalnz", form: "1n", kind: Flow, role: Call},
	OpCallLogicalZ:      {names: "call_logicalz", form: "1n", kind: Flow, role: Call},
	OpCallNZ:            {names: "callnz", form: "1n", kind: Flow, role: Call},
	OpCase:              {names: "case", form: "i", kind: Flow, role: Case},
	opContinue:          {names: "continue", kind: Flow, role: Continue},
	OpContinueLogicalNZ: {names: "continue_logicalnz", form: "1", kind: Flow, role: Continue},
	OpContinueLogicalZ:  {names: "continue_logicalz", form: "1", kind: Flow, role: Continue},
	OpContinueC:         {names: "continuec", form: "11", kind: Flow, role: Continue, need: cRelOp},
	OpDefault:           {names: "default", kind: Flow, role: Case},
	OpDiscardLogicalNZ:  {names: "discard_logicalnz", form: "1", kind: Flow, role: Discard},
	OpDiscardLogicalZ:   {names: "discard_logicalz", form: "1", kind: Flow, role: Discard},
	OpElse:              {names: "else", kind: Flow, role: Else},
	OpEnd:               {names: "end", kind: Flow, role: End},
	OpEndFunc:           {names: "endfunc", kind: Flow, role: EndFunc},
	OpEndIf:             {names: "endif", kind: Flow, role: EndIf},
	OpEndLoop:           {names: "endloop", kind: Flow, role: EndLoop},
	OpEndMain:           {names: "endmain", kind: Flow, role: EndMain},
	OpEndSwitch:         {names: "endswitch", kind: Flow, role: EndSwitch},
	OpFunc:              {names: "func", form: "n", kind: Flow, role: Func},
	OpIfLogicalNZ:       {names: "if_logicalnz", form: "1", kind: Flow, role: If},
	OpIfLogicalZ:        {names: "if_logicalz", form: "1", kind: Flow, role: If},
	OpIfC:               {names: "ifc", form: "11", kind: Flow, role: If, need: cRelOp},
	OpIfNZ:              {names: "ifnz", form: "1", kind: Flow, role: If},
	OpKill:              {names: "kill", form: "v", kind: Flow, role: Discard},
	opLoop:              {names: "loop", form: "O", kind: Flow, role: Loop},
	OpRet:               {names: "ret", kind: Flow, role: Return},
	opRetDyn:            {names: "ret_dyn", kind: Flow, role: Return},
	OpRetLogicalNZ:      {names: "ret_logicalnz", form: "1", kind: Flow, role: Return},
	OpRetLogicalZ:       {names: "ret_logicalz", form: "1", kind: Flow, role: Return},
	OpSwitch:            {names: "switch", form: "1", kind: Flow, role: Switch},
	OpWhileLoop:         {names: "whileloop", kind: Flow, role: Loop},

	OpDclArenaUav:         {names: "dcl_arena_uav", kind: Declaration, need: cID, space: views},
	OpDclCB:               {names: "dcl_cb", form: "A", kind: Declaration, declares: files(ConstBuf, ImmConstBuf)},
	OpDclGds:              {names: "dcl_gds", form: "n", kind: Declaration, need: cID, space: shared},
	OpDclGlobalFlags:      {names: "dcl_global_flags", form: "F", kind: Declaration},
	OpDclIndexedTempArray: {names: "dcl_indexed_temp_array", form: "A", kind: Declaration, declares: files(TempArray)},
	OpDclInput: {names: "dcl_input", form: "D", kind: Declaration, may: cUsage | cInterp,
		declares: files(Input, WinCoord, ObjIndex, AbsThreadID, AbsThreadFlat, GroupThreadID, GroupThreadFlat,
			GroupID, GroupFlat, Face, PrimitiveID, InstanceID)},
	OpDclLds:               {names: "dcl_lds", form: "n", kind: Declaration, need: cID, space: local},
	OpDclLdsSharingMode:    {names: "dcl_lds_sharing_mode", form: "W", kind: Declaration},
	OpDclLdsSizePerThread:  {names: "dcl_lds_size_per_thread", form: "n", kind: Declaration},
	OpDclLiteral:           {names: "dcl_literal", form: "RLLLL", kind: Declaration, declares: files(Literal)},
	OpDclMaxThreadPerGroup: {names: "dcl_max_thread_per_group", form: "n", kind: Declaration},
	OpDclNumThreadPerGroup: {names: "dcl_num_thread_per_group dcl_num_thread_per_blk", form: "nNN", kind: Declaration},
	OpDclODepth:            {names: "dcl_odepth", kind: Declaration},
	OpDclOutput: {names: "dcl_output", form: "D", kind: Declaration, may: cUsage,
		declares: files(Output, Depth, SampleMask)},
	opDclPersist: {names: "dcl_persist", form: "A", kind: Declaration, declares: files(Persistent)},
	OpDclRawUav:  {names: "dcl_raw_uav", kind: Declaration, need: cID, space: views},
	OpDclResource: {names: "dcl_resource", kind: Declaration,
		need: cID | cType | cFmtX | cFmtY | cFmtZ | cFmtW, space: resources},
	opDclSharedTemp:          {names: "dcl_shared_temp", form: "R", kind: Declaration, declares: files(SharedTemp)},
	OpDclStructGds:           {names: "dcl_struct_gds", form: "nn", kind: Declaration, need: cID, space: shared},
	OpDclStructLds:           {names: "dcl_struct_lds", form: "nn", kind: Declaration, need: cID, space: local},
	OpDclStructUav:           {names: "dcl_struct_uav", form: "n", kind: Declaration, need: cID, space: views},
	OpDclTotalNumThreadGroup: {names: "dcl_total_num_thread_group", form: "nNN", kind: Declaration},
	OpDclUav:                 {names: "dcl_uav", kind: Declaration, need: cID | cType | cFmtX, space: views},
}
