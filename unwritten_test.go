package shaderlift_test

import (
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// unwrittenPrograms read components that no path has written.
var unwrittenPrograms = []string{
	"ps_3_0\ndef c8, 0, 1, 0, 0\ndcl_texcoord v0.xy\ndcl_2d s0\ndp3 r2.x, r1, c8\ntexld r0, v0, s0\nmul r2.x, r2.x, c8.x\nadd oC0, r0, r2.x\n",
	"ps_3_0\ndcl_texcoord v0.xy\ndcl_2d s0\ntexld r1, v0, s0\nmov r30.x, r1.y\nmov oC0, r30\n",
	"vs_2_0\ndcl_position v0\nm4x4 oPos, v0, c0\ndp4 r3.z, v0, c4\nmov oT6.zw, r3\nmov oT6.xy, v0\nmov oT7.w, r3.z\n",
	"vs_1_1\ndcl_position v0\nmov oPos.xyz, v0\nmov oT0, v0\n",
	"vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmov o0.xyw, v0\nmov r0, v0\nmov o1.xz, r0\n",
	// Two unwritten registers stay distinct: no rewrite may merge them.
	"ps_3_0\nadd r0, r1, c0\nadd r2, r3, c0\nadd oC0, r0, -r2\n",
	"ps_2_0\nmul r0, r1.x, c0\nmad r0, r2.y, c1, r0\nmov oC0, r0\n",
	// A register that is written after its first read, and read again.
	"ps_3_0\ndcl_texcoord v0\nadd r0, r1, v0\nmul r1, v0, c0\nmul r2, r1, r0\nadd oC0, r2, r1.wzyx\n",
	"vs_2_x\ndcl_position v0\nmov oPos, v0\n(p0) mov r0, v0\nmov oT0, r0\n",
	"vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, c[a0.x]\nmul oT1, c[a0.y + 2], v0\n",
	"ps_3_0\ndcl_texcoord v0\nrep i0\nadd r0.xyz, r0.wxyz, v0\nendrep\nmov oC0, r0\n",
	"ps_3_0\ndcl_texcoord v0\nif_gt r1.x, v0.x\nmov r0, v0\nelse\nmov r0, r2\nendif\nmov oC0, r0\n",
	"ps_1_1\ntex t0\nmul r0.xyz, t0, r1\nmov r0.w, r1\n",
	"ps_1_1\ntex t0\nmov r0.xyz, t0\n",
	"ps_1_4\ntexld r0, t0\nmul r1.xyz, r0, r2\nadd r0, r0, r1\n",
}

// TestUnwritten checks that programs that read unwritten components are optimized, with a remark, and
// that the result depends on these components like the input.
func TestUnwritten(t *testing.T) {
	for _, text := range unwrittenPrograms {
		in := program("a", text)
		for _, o := range []shaderlift.Options{{}, {Target: "d3d9"}, {Target: "d3d9", Numerics: shaderlift.Bits},
			{Target: "d3d9", Pipeline: "O3"}, {Pipeline: "O1"}, {Pipeline: "O0"}} {
			res, err := shaderlift.Optimize(t.Context(), in, o)
			if err != nil || len(res.Faults) > 0 || res.Verdict() < verify.ProvedReal {
				t.Errorf("%s%s %s: %v, %v, %v", text, o.Target, o.Pipeline, res.Verdict(), err, res.Remarks)
				continue
			}
			if !hasRemark(res, "uninitialized-register") && !hasRemark(res, "unwritten-output") {
				t.Errorf("%s no remark tells", text)
			}
			if hasRemark(res, "unverified") || hasRemark(res, "cannot-write") {
				t.Errorf("%s%s %s: %v", text, o.Target, o.Pipeline, res.Remarks)
			}
		}
		if code, err := shaderlift.Assemble(in.Files[0]); err != nil {
			t.Errorf("%s%v", text, err)
		} else if _, err := shaderlift.Optimize(t.Context(), program("a", string(code)), shaderlift.Options{}); err != nil {
			t.Errorf("%s as bytecode: %v", text, err)
		}
	}
}

// TestUnwrittenRandom optimizes random programs with deleted statements.
func TestUnwrittenRandom(t *testing.T) {
	models := [][2]d3d9.Model{{d3d9.VS30, d3d9.PS30}, {d3d9.VS2X, d3d9.PS2X}, {d3d9.VS20, d3d9.PS20},
		{d3d9.VS11, d3d9.PS11}, {d3d9.VS11, d3d9.PS14}}
	some, improved := optimizeChanged(t, models, testcorpus.Count(uint64(100), 3000), 9, gen.Unwritten)
	if some < 50 || improved < 20 {
		t.Errorf("%d programs read what nothing has written, and %d pairs are better: that shows little", some, improved)
	}
}
