package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// TestPairDecorations checks changes of decorations whose effect no term of a pair shows.
func TestPairDecorations(t *testing.T) {
	send, use := "OpStore %q %px", loadFloats+"%s = OpFMul %float %x %f2\nOpStore %of %s"
	member := "%m = OpAccessChain %pof %q %i0\nOpStore %m %px"
	const relaxed, feedback = "OpDecorate %s RelaxedPrecision\n", "OpDecorate %q XfbStride 16\nOpDecorate %q XfbBuffer "
	for _, c := range []struct{ what, varying, body, vertex, vertex2, fragment, fragment2, want string }{
		{"no change", "%pof", send, "", "OpDecorate %q Centroid", "", "", ""},
		{"invariant", "%pof", send, "OpDecorate %q Invariant", "", "", "", "location 0"},
		{"buffer of a block", "%poB", member, feedback + "0", feedback + "1", "", "", "location 0"},
		{"precision of an input", "%pof", send, "", "", relaxed, relaxed + "OpDecorate %a RelaxedPrecision", "partial precision"},
		{"precision of a load", "%pof", send, "", "", relaxed, relaxed + "OpDecorate %x RelaxedPrecision", "partial precision"},
		{"precision of both", "%pof", send, "OpDecorate %q RelaxedPrecision", "OpDecorate %q RelaxedPrecision",
			relaxed + "OpDecorate %a RelaxedPrecision", relaxed, "only the vertex stage"},
	} {
		before := verify.Modules{vertexModule(t, c.vertex+"\n", c.varying, c.body),
			fragmentModule(t, c.fragment+"\n", use)}
		after := verify.Modules{vertexModule(t, c.vertex2+"\n", c.varying, c.body),
			fragmentModule(t, c.fragment2+"\n", use)}
		r := verify.CheckModules(before, after, verify.Options{Numerics: ir.Real})
		if c.want == "" && !r.Verdict.OK() || c.want != "" && (r.Verdict.OK() || !strings.Contains(r.Why, c.want)) {
			t.Errorf("%s: %v: %s", c.what, r.Verdict, r.Why)
		}
	}
}

// TestVaryingOfAnyID checks that the kind of a varying does not depend on the numbers of ids.
func TestVaryingOfAnyID(t *testing.T) {
	body := loadFloats + "OpStore %of %x"
	for n := range 32 { // strings that shift the ids
		shift := ""
		for k := range n {
			shift += fmt.Sprintf("%%s%d = OpString \"\"\n", k)
		}
		version := func(vertex, fragment string) verify.Modules {
			text := strings.Replace(fragmentText(fragment, body), "OpDecorate", shift+"OpDecorate", 1)
			return verify.Modules{vertexModule(t, vertex, "%pof", "OpStore %q %px"), parseModule(t, text)}
		}
		before := version("OpDecorate %q RelaxedPrecision\n", "OpDecorate %a RelaxedPrecision\n")
		r := verify.CheckModules(before, version("", ""), verify.Options{Numerics: ir.Real})
		if r.Verdict != verify.Proved {
			t.Errorf("%d strings: %v: %s", n, r.Verdict, r.Why)
		}
	}
}
