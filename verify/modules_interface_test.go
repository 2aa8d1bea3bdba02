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

// TestOpaqueStage checks pairs with a stage that is not understood. It must stay the same. If it is the fragment stage,
// components of the vertex stage that it does not declare are free.
func TestOpaqueStage(t *testing.T) {
	const unknown = "%e = OpGroupNonUniformElect %bool %i0\n"
	const both, sum, product = "%r = OpCompositeConstruct %v2 %px %py\nOpStore %q %r",
		loadFloats + "%s = OpFAdd %float %x %x\nOpStore %of %s", loadFloats + "%s = OpFMul %float %x %f2\nOpStore %of %s"
	for _, c := range []struct{ what, varying, vertex, varying2, vertex2, fragment, fragment2 string }{
		{"=unread component", "%pov2", both, "%pov2", strings.Replace(both, "%py", "%px", 1), unknown + sum, unknown + sum},
		{"=narrower varying", "%pov2", both, "%pof", "OpStore %q %px", unknown + sum, unknown + sum},
		{"read component", "%pov2", both, "%pov2", strings.Replace(both, "%px", "%py", 1), unknown + sum, unknown + sum},
		{"other value", "%pov2", both, "%pof", "OpStore %q %py", unknown + sum, unknown + sum},
		{"other type", "%pov2", both, "%pov4", "OpStore %q %pp", unknown + sum, unknown + sum},
		{"unwritten varying", "%pov2", both, "%pof", "", unknown + sum, unknown + sum},
		{"other opaque stage", "%pov2", both, "%pof", "OpStore %q %px", unknown + sum, unknown + product},
		{"=opaque vertex stage", "%pof", unknown + "OpStore %q %px", "%pof", unknown + "OpStore %q %px", sum, product},
		{"other fragment stage", "%pof", unknown + "OpStore %q %px", "%pof", unknown + "OpStore %q %px", sum,
			strings.Replace(product, "%f2", "%x", 1)},
		{"both opaque", "%pof", unknown + "OpStore %q %px", "%pof", unknown + "OpStore %q %px", unknown + sum, unknown + product},
	} {
		before := verify.Modules{vertexModule(t, "", c.varying, c.vertex), fragmentModule(t, "", c.fragment)}
		after := verify.Modules{vertexModule(t, "", c.varying2, c.vertex2), fragmentModule(t, "", c.fragment2)}
		r := verify.CheckModules(before, after, verify.Options{Numerics: ir.Real})
		if r.Verdict.OK() != strings.HasPrefix(c.what, "=") {
			t.Errorf("%s: %v: %s", c.what, r.Verdict, r.Why)
		}
	}
}
