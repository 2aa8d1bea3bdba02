package d3d9

import "strconv"

// Spellings that are fixed words, indexed by their values.
var (
	usageNames = [...]string{
		UsagePosition: "position", UsageBlendWeight: "blendweight", UsageBlendIndices: "blendindices",
		UsageNormal: "normal", UsagePSize: "psize", UsageTexCoord: "texcoord", UsageTangent: "tangent",
		UsageBinormal: "binormal", usageTessFactor: "tessfactor", UsagePositionT: "positiont",
		UsageColor: "color", UsageFog: "fog", UsageDepth: "depth", usageSample: "sample",
	}
	texTypeNames = [...]string{Tex1D: "1d", Tex2D: "2d", TexCube: "cube", TexVolume: "volume"}
	cmpNames     = [...]string{CmpGT: "gt", CmpEQ: "eq", CmpGE: "ge", CmpLT: "lt", CmpNE: "ne", CmpLE: "le"}
)

// srcMods are the source modifiers in their canonical spelling: the text before the register and
// the text after it. ModNone has neither.
var srcMods = [...]struct{ prefix, suffix string }{
	ModNeg:     {"-", ""},
	ModBias:    {"", "_bias"},
	ModBiasNeg: {"-", "_bias"},
	ModSign:    {"", "_bx2"},
	ModSignNeg: {"-", "_bx2"},
	ModComp:    {"1-", ""},
	ModX2:      {"", "_x2"},
	ModX2Neg:   {"-", "_x2"},
	ModDZ:      {"", "_dz"},
	ModDW:      {"", "_dw"},
	ModAbs:     {"", "_abs"},
	ModAbsNeg:  {"-", "_abs"},
	ModNot:     {"!", ""},
}

// modAliases are further spellings of source modifiers: MSDN spells the projections of ps_1_4 as
// _dz or _db, and _dw or _da.
var modAliases = map[string]string{"_da": "_dw", "_db": "_dz"}

// shiftNames are the result shifts of ps_1_x, with their power of two.
var shiftNames = []struct {
	name  string
	shift int8
}{{"x2", 1}, {"x4", 2}, {"x8", 3}, {"d2", -1}, {"d4", -2}, {"d8", -3}}

// dstMods are the destination modifiers in the order of printing.
var dstMods = []struct {
	name string
	mod  DstMod
}{{"sat", Saturate}, {"pp", PartialPrecision}, {"centroid", Centroid}}

// opsByName lists the ops that share a mnemonic; the model and a comparison suffix distinguish
// them.
var opsByName = func() map[string][]Op {
	m := make(map[string][]Op, numOps)
	for op := OpNop; op < OpComment; op++ {
		m[opTable[op].name] = append(m[opTable[op].name], op)
	}
	return m
}()

// String returns the semantic's name in a dcl.
func (u Usage) String() string {
	if int(u) >= len(usageNames) {
		return "usage" + strconv.Itoa(int(u))
	}
	return usageNames[u]
}

// String returns the name in a dcl, empty for TexUnknown.
func (t TexType) String() string {
	if int(t) >= len(texTypeNames) {
		return "texture" + strconv.Itoa(int(t))
	}
	return texTypeNames[t]
}

// String returns the suffix of the mnemonic, without its underscore.
func (c Cmp) String() string {
	if int(c) >= len(cmpNames) {
		return "cmp" + strconv.Itoa(int(c))
	}
	return cmpNames[c]
}

// indexOf returns the index of a word in a list of spellings. It does not find empty spellings,
// which values without a name have.
func indexOf(names []string, word string) (int, bool) {
	for i, n := range names {
		if n == word && n != "" {
			return i, true
		}
	}
	return 0, false
}
