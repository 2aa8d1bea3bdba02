package r600

// The operations, named by their mnemonics.
const (
	OpNone Op = iota

	OpAdd
	OpMul
	OpMulIEEE
	OpMax
	OpMin
	OpMaxDX10
	OpMinDX10
	OpSetE
	OpSetGT
	OpSetGE
	OpSetNE
	OpSetEDX10
	OpSetGTDX10
	OpSetGEDX10
	OpSetNEDX10
	OpFract
	OpTrunc
	OpCeil
	OpRndNE
	OpFloor
	OpMov
	OpMulAdd
	OpMulAddM2
	OpMulAddM4
	OpMulAddD2
	OpMulAddIEEE
	OpCndE
	OpCndGT
	OpCndGE
	OpMulAddIEEEM2
	OpMulAddIEEEM4
	OpMulAddIEEED2

	OpAndInt
	OpOrInt
	OpXorInt
	OpAddInt
	OpSubInt
	OpMaxInt
	OpMinInt
	OpMaxUint
	OpMinUint
	OpSetEInt
	OpSetGTInt
	OpSetGEInt
	OpSetNEInt
	OpSetGTUint
	OpSetGEUint
	OpNotInt
	OpCndEInt
	OpCndGTInt
	OpCndGEInt
	OpAShrInt
	OpLShrInt
	OpLShlInt
	OpAddcUint
	OpSubbUint
	OpBFRevInt

	OpPredSetE
	OpPredSetGT
	OpPredSetGE
	OpPredSetNE
	OpPredSetEInt
	OpPredSetGTInt
	OpPredSetGEInt
	OpPredSetNEInt
	OpPredSetGTUint
	OpPredSetGEUint
	OpKillE
	OpKillGT
	OpKillGE
	OpKillNE
	OpKillEInt
	OpKillGTInt
	OpKillGEInt
	OpKillNEInt
	OpKillGTUint
	OpKillGEUint

	OpExpIEEE
	OpLogClamped
	OpLogIEEE
	OpRecipClamped
	OpRecipFF
	OpRecipIEEE
	OpRecipSqrtClamped
	OpRecipSqrtFF
	OpRecipSqrtIEEE
	OpSqrtIEEE
	OpSin
	OpCos
	OpFltToInt
	OpFltToUint
	OpIntToFlt
	OpUintToFlt
	OpMulLoInt
	OpMulHiInt
	OpMulLoUint
	OpMulHiUint
	opRecipInt
	OpRecipUint
	OpMulLit
	opMulLitM2
	opMulLitM4
	opMulLitD2

	OpDot4
	OpDot4IEEE
	OpMax4
	OpCube

	OpMova
	OpMovaFloor
	OpMovaInt
	OpMovaGprInt

	OpAdd64
	OpMin64
	OpMax64
	OpSetE64
	OpSetNE64
	OpSetGT64
	OpSetGE64
	OpLdexp64
	opPredSetE64
	opPredSetGT64
	opPredSetGE64
	OpFlt64ToFlt32
	OpFlt32ToFlt64
	OpFract64
	OpFrexp64
	OpMul64
	OpMulAdd64
	OpFma64
	opRecip64
	opRecipSqrt64
	opSqrt64

	OpFma
	OpBFEUint
	OpBFEInt
	OpBFIInt
	OpBitAlignInt
	OpByteAlignInt
	OpLerpUint
	OpSadAccumUint
	OpMulAddUint24
	OpBFMInt
	OpMulUint24
	opMulHiUint24
	opSadAccumPrevUint
	OpBCNTInt
	OpFFBHUint
	OpFFBHInt
	OpFFBLInt
	OpUbyte0Flt
	OpUbyte1Flt
	OpUbyte2Flt
	OpUbyte3Flt
	OpFlt16ToFlt32
	OpFlt32ToFlt16
	opInterpXy
	opInterpZw
	opInterpX
	opInterpZ
	opInterpLoadP0

	OpLDSReadRet
	OpLDSWrite
	OpLDSCmpStore
	OpLDSAdd
	OpLDSSub
	OpLDSRsub
	OpLDSInc
	OpLDSDec
	OpLDSMinInt
	OpLDSMaxInt
	OpLDSMinUint
	OpLDSMaxUint
	OpLDSAnd
	OpLDSOr
	OpLDSXor
	opLDSMskOr
	OpLDSAddRet
	OpLDSSubRet
	OpLDSRsubRet
	OpLDSIncRet
	OpLDSDecRet
	OpLDSMinIntRet
	OpLDSMaxIntRet
	OpLDSMinUintRet
	OpLDSMaxUintRet
	OpLDSAndRet
	OpLDSOrRet
	OpLDSXorRet
	OpLDSXchgRet
	opLDSMskOrRet
	OpLDSCmpXchgRet
	OpGroupBarrier

	numOps
)

// The opcode table: the slot table of Mesa's r600 driver (r600_isa.h), with the double,
// integer and bit operations of AMD's instruction set documents. Slots are those of
// R600, R700 and Evergreen. A row is name, sources of each slot, slots by family,
// flags.
var opTable = [numOps]opInfo{
	// Floats, any slot.
	OpAdd:          {"ADD", 2, anySlot, fFloat},
	OpMul:          {"MUL", 2, anySlot, fFloat},
	OpMulIEEE:      {"MUL_IEEE", 2, anySlot, fFloat},
	OpMax:          {"MAX", 2, anySlot, fFloat},
	OpMin:          {"MIN", 2, anySlot, fFloat},
	OpMaxDX10:      {"MAX_DX10", 2, anySlot, fFloat},
	OpMinDX10:      {"MIN_DX10", 2, anySlot, fFloat},
	OpSetE:         {"SETE", 2, anySlot, fFloat},
	OpSetGT:        {"SETGT", 2, anySlot, fFloat},
	OpSetGE:        {"SETGE", 2, anySlot, fFloat},
	OpSetNE:        {"SETNE", 2, anySlot, fFloat},
	OpSetEDX10:     {"SETE_DX10", 2, anySlot, fFloat},
	OpSetGTDX10:    {"SETGT_DX10", 2, anySlot, fFloat},
	OpSetGEDX10:    {"SETGE_DX10", 2, anySlot, fFloat},
	OpSetNEDX10:    {"SETNE_DX10", 2, anySlot, fFloat},
	OpFract:        {"FRACT", 1, anySlot, fFloat},
	OpTrunc:        {"TRUNC", 1, anySlot, fFloat},
	OpCeil:         {"CEIL", 1, anySlot, fFloat},
	OpRndNE:        {"RNDNE", 1, anySlot, fFloat},
	OpFloor:        {"FLOOR", 1, anySlot, fFloat},
	OpMov:          {"MOV", 1, anySlot, fFloat},
	OpMulAdd:       {"MULADD", 3, anySlot, fFloat | fOp3},
	OpMulAddM2:     {"MULADD_M2", 3, anySlot, fFloat | fOp3},
	OpMulAddM4:     {"MULADD_M4", 3, anySlot, fFloat | fOp3},
	OpMulAddD2:     {"MULADD_D2", 3, anySlot, fFloat | fOp3},
	OpMulAddIEEE:   {"MULADD_IEEE", 3, anySlot, fFloat | fOp3},
	OpCndE:         {"CNDE", 3, anySlot, fFloat | fOp3},
	OpCndGT:        {"CNDGT", 3, anySlot, fFloat | fOp3},
	OpCndGE:        {"CNDGE", 3, anySlot, fFloat | fOp3},
	OpMulAddIEEEM2: {"MULADD_IEEE_M2", 3, perFamily{Any, Any, Absent}, fFloat | fOp3},
	OpMulAddIEEEM4: {"MULADD_IEEE_M4", 3, perFamily{Any, Any, Absent}, fFloat | fOp3},
	OpMulAddIEEED2: {"MULADD_IEEE_D2", 3, perFamily{Any, Any, Absent}, fFloat | fOp3},

	// Integers, any slot; shifts are transcendental on R600.
	OpAndInt:    {"AND_INT", 2, anySlot, 0},
	OpOrInt:     {"OR_INT", 2, anySlot, 0},
	OpXorInt:    {"XOR_INT", 2, anySlot, 0},
	OpAddInt:    {"ADD_INT", 2, anySlot, 0},
	OpSubInt:    {"SUB_INT", 2, anySlot, 0},
	OpMaxInt:    {"MAX_INT", 2, anySlot, 0},
	OpMinInt:    {"MIN_INT", 2, anySlot, 0},
	OpMaxUint:   {"MAX_UINT", 2, anySlot, 0},
	OpMinUint:   {"MIN_UINT", 2, anySlot, 0},
	OpSetEInt:   {"SETE_INT", 2, anySlot, 0},
	OpSetGTInt:  {"SETGT_INT", 2, anySlot, 0},
	OpSetGEInt:  {"SETGE_INT", 2, anySlot, 0},
	OpSetNEInt:  {"SETNE_INT", 2, anySlot, 0},
	OpSetGTUint: {"SETGT_UINT", 2, anySlot, 0},
	OpSetGEUint: {"SETGE_UINT", 2, anySlot, 0},
	OpNotInt:    {"NOT_INT", 1, anySlot, 0},
	OpCndEInt:   {"CNDE_INT", 3, anySlot, fOp3},
	OpCndGTInt:  {"CNDGT_INT", 3, anySlot, fOp3},
	OpCndGEInt:  {"CNDGE_INT", 3, anySlot, fOp3},
	OpAShrInt:   {"ASHR_INT", 2, perFamily{Trans, Any, Any}, 0},
	OpLShrInt:   {"LSHR_INT", 2, perFamily{Trans, Any, Any}, 0},
	OpLShlInt:   {"LSHL_INT", 2, perFamily{Trans, Any, Any}, 0},
	OpAddcUint:  {"ADDC_UINT", 2, perFamily{Absent, Absent, Any}, 0},
	OpSubbUint:  {"SUBB_UINT", 2, perFamily{Absent, Absent, Any}, 0},
	OpBFRevInt:  {"BFREV_INT", 1, perFamily{Absent, Absent, Any}, 0},

	// Predicates and kills.
	OpPredSetE:      {"PRED_SETE", 2, anySlot, fFloat | fOnce | fPred},
	OpPredSetGT:     {"PRED_SETGT", 2, anySlot, fFloat | fOnce | fPred},
	OpPredSetGE:     {"PRED_SETGE", 2, anySlot, fFloat | fOnce | fPred},
	OpPredSetNE:     {"PRED_SETNE", 2, anySlot, fFloat | fOnce | fPred},
	OpPredSetEInt:   {"PRED_SETE_INT", 2, anySlot, fOnce | fPred},
	OpPredSetGTInt:  {"PRED_SETGT_INT", 2, anySlot, fOnce | fPred},
	OpPredSetGEInt:  {"PRED_SETGE_INT", 2, anySlot, fOnce | fPred},
	OpPredSetNEInt:  {"PRED_SETNE_INT", 2, anySlot, fOnce | fPred},
	OpPredSetGTUint: {"PRED_SETGT_UINT", 2, anySlot, fOnce | fPred},
	OpPredSetGEUint: {"PRED_SETGE_UINT", 2, anySlot, fOnce | fPred},
	OpKillE:         {"KILLE", 2, anySlot, fFloat | fOnce | fKill},
	OpKillGT:        {"KILLGT", 2, anySlot, fFloat | fOnce | fKill},
	OpKillGE:        {"KILLGE", 2, anySlot, fFloat | fOnce | fKill},
	OpKillNE:        {"KILLNE", 2, anySlot, fFloat | fOnce | fKill},
	OpKillEInt:      {"KILLE_INT", 2, anySlot, fOnce | fKill},
	OpKillGTInt:     {"KILLGT_INT", 2, anySlot, fOnce | fKill},
	OpKillGEInt:     {"KILLGE_INT", 2, anySlot, fOnce | fKill},
	OpKillNEInt:     {"KILLNE_INT", 2, anySlot, fOnce | fKill},
	OpKillGTUint:    {"KILLGT_UINT", 2, anySlot, fOnce | fKill},
	OpKillGEUint:    {"KILLGE_UINT", 2, anySlot, fOnce | fKill},

	// Transcendentals and conversions.
	OpExpIEEE:          {"EXP_IEEE", 1, transOnly, fFloat},
	OpLogClamped:       {"LOG_CLAMPED", 1, transOnly, fFloat},
	OpLogIEEE:          {"LOG_IEEE", 1, transOnly, fFloat},
	OpRecipClamped:     {"RECIP_CLAMPED", 1, transOnly, fFloat},
	OpRecipFF:          {"RECIP_FF", 1, transOnly, fFloat},
	OpRecipIEEE:        {"RECIP_IEEE", 1, transOnly, fFloat},
	OpRecipSqrtClamped: {"RECIPSQRT_CLAMPED", 1, transOnly, fFloat},
	OpRecipSqrtFF:      {"RECIPSQRT_FF", 1, transOnly, fFloat},
	OpRecipSqrtIEEE:    {"RECIPSQRT_IEEE", 1, transOnly, fFloat},
	OpSqrtIEEE:         {"SQRT_IEEE", 1, transOnly, fFloat},
	OpSin:              {"SIN", 1, transOnly, fFloat},
	OpCos:              {"COS", 1, transOnly, fFloat},
	OpFltToInt:         {"FLT_TO_INT", 1, perFamily{Trans, Trans, Vector}, fFloat},
	OpFltToUint:        {"FLT_TO_UINT", 1, transOnly, fFloat},
	OpIntToFlt:         {"INT_TO_FLT", 1, transOnly, 0},
	OpUintToFlt:        {"UINT_TO_FLT", 1, transOnly, 0},
	OpMulLoInt:         {"MULLO_INT", 2, transOnly, 0},
	OpMulHiInt:         {"MULHI_INT", 2, transOnly, 0},
	OpMulLoUint:        {"MULLO_UINT", 2, transOnly, 0},
	OpMulHiUint:        {"MULHI_UINT", 2, transOnly, 0},
	opRecipInt:         {"RECIP_INT", 1, transOnly, 0},
	OpRecipUint:        {"RECIP_UINT", 1, transOnly, 0},
	OpMulLit:           {"MUL_LIT", 3, transOnly, fFloat | fOp3},
	opMulLitM2:         {"MUL_LIT_M2", 3, transOnly, fFloat | fOp3},
	opMulLitM4:         {"MUL_LIT_M4", 3, transOnly, fFloat | fOp3},
	opMulLitD2:         {"MUL_LIT_D2", 3, transOnly, fFloat | fOp3},

	// Four slots together.
	OpDot4:     {"DOT4", 2, fourSlots, fFloat | fReduce},
	OpDot4IEEE: {"DOT4_IEEE", 2, fourSlots, fFloat | fReduce},
	OpMax4:     {"MAX4", 1, fourSlots, fFloat | fReduce},
	OpCube:     {"CUBE", 2, fourSlots, fFloat},

	// Address register.
	OpMova:       {"MOVA", 1, perFamily{Vector, Vector, Absent}, fFloat | fOnce | fMova},
	OpMovaFloor:  {"MOVA_FLOOR", 1, perFamily{Vector, Vector, Absent}, fFloat | fOnce | fMova},
	OpMovaInt:    {"MOVA_INT", 1, perFamily{Vector, Vector, Vector}, fOnce | fMova},
	OpMovaGprInt: {"MOVA_GPR_INT", 1, perFamily{Trans, Absent, Absent}, fOnce | fMova},

	// Doubles: two vector slots, or four if they use the multiplier.
	OpAdd64:        {"ADD_64", 2, twoSlots, fFloat},
	OpMin64:        {"MIN_64", 2, twoSlots, fFloat},
	OpMax64:        {"MAX_64", 2, twoSlots, fFloat},
	OpSetE64:       {"SETE_64", 2, twoSlots, fFloat},
	OpSetNE64:      {"SETNE_64", 2, twoSlots, fFloat},
	OpSetGT64:      {"SETGT_64", 2, twoSlots, fFloat},
	OpSetGE64:      {"SETGE_64", 2, twoSlots, fFloat},
	OpLdexp64:      {"LDEXP_64", 2, twoSlots, fFloat},
	opPredSetE64:   {"PRED_SETE_64", 2, twoSlots, fFloat | fOnce | fPred},
	opPredSetGT64:  {"PRED_SETGT_64", 2, twoSlots, fFloat | fOnce | fPred},
	opPredSetGE64:  {"PRED_SETGE_64", 2, twoSlots, fFloat | fOnce | fPred},
	OpFlt64ToFlt32: {"FLT64_TO_FLT32", 1, twoSlots, fFloat},
	OpFlt32ToFlt64: {"FLT32_TO_FLT64", 1, twoSlots, fFloat},
	OpFract64:      {"FRACT_64", 1, twoSlots, fFloat},
	OpFrexp64:      {"FREXP_64", 1, fourSlots, fFloat},
	OpMul64:        {"MUL_64", 2, fourSlots, fFloat},
	OpMulAdd64:     {"MULADD_64", 3, perFamily{Quad, Quad, Absent}, fFloat | fOp3},
	OpFma64:        {"FMA_64", 3, perFamily{Absent, Absent, Quad}, fFloat | fOp3},
	opRecip64:      {"RECIP_64", 1, perFamily{Absent, Absent, Trans}, fFloat},
	opRecipSqrt64:  {"RECIPSQRT_64", 1, perFamily{Absent, Absent, Trans}, fFloat},
	opSqrt64:       {"SQRT_64", 1, perFamily{Absent, Absent, Trans}, fFloat},

	// Evergreen, vector slots.
	OpFma:              {"FMA", 3, newVector, fFloat | fOp3},
	OpBFEUint:          {"BFE_UINT", 3, newVector, fOp3},
	OpBFEInt:           {"BFE_INT", 3, newVector, fOp3},
	OpBFIInt:           {"BFI_INT", 3, newVector, fOp3},
	OpBitAlignInt:      {"BIT_ALIGN_INT", 3, newVector, fOp3},
	OpByteAlignInt:     {"BYTE_ALIGN_INT", 3, newVector, fOp3},
	OpLerpUint:         {"LERP_UINT", 3, newVector, fOp3},
	OpSadAccumUint:     {"SAD_ACCUM_UINT", 3, newVector, fOp3},
	OpMulAddUint24:     {"MULADD_UINT24", 3, newVector, fOp3},
	OpBFMInt:           {"BFM_INT", 2, newVector, 0},
	OpMulUint24:        {"MUL_UINT24", 2, newVector, 0},
	opMulHiUint24:      {"MULHI_UINT24", 2, newVector, 0},
	opSadAccumPrevUint: {"SAD_ACCUM_PREV_UINT", 2, newVector, 0},
	OpBCNTInt:          {"BCNT_INT", 1, newVector, 0},
	OpFFBHUint:         {"FFBH_UINT", 1, newVector, 0},
	OpFFBHInt:          {"FFBH_INT", 1, newVector, 0},
	OpFFBLInt:          {"FFBL_INT", 1, newVector, 0},
	OpUbyte0Flt:        {"UBYTE0_FLT", 1, newVector, 0},
	OpUbyte1Flt:        {"UBYTE1_FLT", 1, newVector, 0},
	OpUbyte2Flt:        {"UBYTE2_FLT", 1, newVector, 0},
	OpUbyte3Flt:        {"UBYTE3_FLT", 1, newVector, 0},
	OpFlt16ToFlt32:     {"FLT16_TO_FLT32", 1, newVector, 0},
	OpFlt32ToFlt16:     {"FLT32_TO_FLT16", 1, newVector, fFloat},
	opInterpXy:         {"INTERP_XY", 2, perFamily{Absent, Absent, Quad}, fFloat},
	opInterpZw:         {"INTERP_ZW", 2, perFamily{Absent, Absent, Quad}, fFloat},
	opInterpX:          {"INTERP_X", 2, perFamily{Absent, Absent, Quad}, fFloat},
	opInterpZ:          {"INTERP_Z", 2, perFamily{Absent, Absent, Quad}, fFloat},
	opInterpLoadP0:     {"INTERP_LOAD_P0", 1, newVector, fFloat},

	// Local data share: address first. A _RET operation returns the old value.
	OpLDSReadRet:    {"LDS_READ_RET", 1, newVector, fMemory},
	OpLDSWrite:      {"LDS_WRITE", 2, newVector, fMemory},
	OpLDSCmpStore:   {"LDS_CMP_STORE", 3, newVector, fMemory},
	OpLDSAdd:        {"LDS_ADD", 2, newVector, fMemory},
	OpLDSSub:        {"LDS_SUB", 2, newVector, fMemory},
	OpLDSRsub:       {"LDS_RSUB", 2, newVector, fMemory},
	OpLDSInc:        {"LDS_INC", 2, newVector, fMemory},
	OpLDSDec:        {"LDS_DEC", 2, newVector, fMemory},
	OpLDSMinInt:     {"LDS_MIN_INT", 2, newVector, fMemory},
	OpLDSMaxInt:     {"LDS_MAX_INT", 2, newVector, fMemory},
	OpLDSMinUint:    {"LDS_MIN_UINT", 2, newVector, fMemory},
	OpLDSMaxUint:    {"LDS_MAX_UINT", 2, newVector, fMemory},
	OpLDSAnd:        {"LDS_AND", 2, newVector, fMemory},
	OpLDSOr:         {"LDS_OR", 2, newVector, fMemory},
	OpLDSXor:        {"LDS_XOR", 2, newVector, fMemory},
	opLDSMskOr:      {"LDS_MSKOR", 3, newVector, fMemory},
	OpLDSAddRet:     {"LDS_ADD_RET", 2, newVector, fMemory},
	OpLDSSubRet:     {"LDS_SUB_RET", 2, newVector, fMemory},
	OpLDSRsubRet:    {"LDS_RSUB_RET", 2, newVector, fMemory},
	OpLDSIncRet:     {"LDS_INC_RET", 2, newVector, fMemory},
	OpLDSDecRet:     {"LDS_DEC_RET", 2, newVector, fMemory},
	OpLDSMinIntRet:  {"LDS_MIN_INT_RET", 2, newVector, fMemory},
	OpLDSMaxIntRet:  {"LDS_MAX_INT_RET", 2, newVector, fMemory},
	OpLDSMinUintRet: {"LDS_MIN_UINT_RET", 2, newVector, fMemory},
	OpLDSMaxUintRet: {"LDS_MAX_UINT_RET", 2, newVector, fMemory},
	OpLDSAndRet:     {"LDS_AND_RET", 2, newVector, fMemory},
	OpLDSOrRet:      {"LDS_OR_RET", 2, newVector, fMemory},
	OpLDSXorRet:     {"LDS_XOR_RET", 2, newVector, fMemory},
	OpLDSXchgRet:    {"LDS_XCHG_RET", 2, newVector, fMemory},
	opLDSMskOrRet:   {"LDS_MSKOR_RET", 3, newVector, fMemory},
	OpLDSCmpXchgRet: {"LDS_CMP_XCHG_RET", 3, newVector, fMemory},
	OpGroupBarrier:  {"GROUP_BARRIER", 0, newVector, fMemory | fOnce},
}

// The most common slot rows. newVector is for operations introduced with Evergreen.
var (
	anySlot   = perFamily{Any, Any, Any}
	transOnly = perFamily{Trans, Trans, Trans}
	newVector = perFamily{Absent, Absent, Vector}
	fourSlots = perFamily{Quad, Quad, Quad}
	twoSlots  = perFamily{Pair, Pair, Pair}
)
