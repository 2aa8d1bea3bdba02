package d3d9

import "strconv"

// Spellings that are fixed words, indexed by what they spell.
var (
	usageNames = [...]string{
		UsagePosition: "position", UsageBlendWeight: "blendweight", UsageBlendIndices: "blendindices",
		UsageNormal: "normal", UsagePSize: "psize", UsageTexCoord: "texcoord", UsageTangent: "tangent",
		UsageBinormal: "binormal", UsageTessFactor: "tessfactor", UsagePositionT: "positiont",
		UsageColor: "color", UsageFog: "fog", UsageDepth: "depth", UsageSample: "sample",
	}
	texTypeNames = [...]string{Tex1D: "1d", Tex2D: "2d", TexCube: "cube", TexVolume: "volume"}
	cmpNames     = [...]string{CmpGT: "gt", CmpEQ: "eq", CmpGE: "ge", CmpLT: "lt", CmpNE: "ne", CmpLE: "le"}
)

// srcMods are the source modifiers in their canonical spelling: what comes before the
// register and what after. ModNone has neither.
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

// modAliases are further spellings of source modifiers: MSDN has the projections of
// ps_1_4 as _dz and _db, _dw and _da.
var modAliases = map[string]string{"_da": "_dw", "_db": "_dz"}

// shiftNames are the result shifts of ps_1_x, by the power of two.
var shiftNames = []struct {
	name  string
	shift int8
}{{"x2", 1}, {"x4", 2}, {"x8", 3}, {"d2", -1}, {"d4", -2}, {"d8", -3}}

// dstMods are the destination modifiers in the order they are printed in.
var dstMods = []struct {
	name string
	mod  DstMod
}{{"sat", Saturate}, {"pp", PartialPrecision}, {"centroid", Centroid}}

// opsByName lists the ops that share a mnemonic: the model and a comparison
// suffix tell them apart.
var opsByName = func() map[string][]Op {
	m := make(map[string][]Op, numOps)
	for op := OpNop; op < OpComment; op++ {
		m[opTable[op].name] = append(m[opTable[op].name], op)
	}
	return m
}()

// String is the semantic's name in a dcl.
func (u Usage) String() string {
	if int(u) >= len(usageNames) {
		return "usage" + strconv.Itoa(int(u))
	}
	return usageNames[u]
}

// String is the name in a dcl, empty for TexUnknown.
func (t TexType) String() string {
	if int(t) >= len(texTypeNames) {
		return "texture" + strconv.Itoa(int(t))
	}
	return texTypeNames[t]
}

// String is the suffix of the mnemonic, without its underscore.
func (c Cmp) String() string {
	if int(c) >= len(cmpNames) {
		return "cmp" + strconv.Itoa(int(c))
	}
	return cmpNames[c]
}

// indexOf finds a word in a list of spellings. The empty ones, of values without a
// name, are not found.
func indexOf(names []string, word string) (int, bool) {
	for i, n := range names {
		if n == word && n != "" {
			return i, true
		}
	}
	return 0, false
}
