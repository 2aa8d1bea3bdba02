package shaderlift_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// partlyFrames surround the statements of programs: r0 and r1 have inputs, and r7 becomes the output.
var partlyFrames = map[string][2]string{
	"ps3": {"ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_2d s0\nmov r0, v0\nmul r1, v1, c9\nmov r7, r1\n",
		"\nmov oC0, r7\n"},
	"ps2": {"ps_2_x\ndcl t0\ndcl t1\ndcl_2d s0\nmov r0, t0\nmul r1, t1, c9\nmov r7, r1\n", "\nmov oC0, r7\n"},
	"vs2": {"vs_2_x\ndcl_position v0\ndcl_texcoord v1\nmov r0, v1\nmul r1, v1, c9\nmov r7, r1\nmov oPos, v0\n",
		"\nmov oT0, r7\n"},
	"vs3": {"vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov r0, v1\nmul r1, v1, c9\nmov r7, r1\nmov o0, v0\n", "\nmov o1, r7\n"},
}

// partlyPrograms are programs that read a component that only some of the paths have written: the
// frame, then the statements.
var partlyPrograms = []string{
	// A condition that is tested twice.
	"ps3: if_gt r0.x, c0.x; mov r2, r1; endif; mul r3, r0, c1; if_gt r0.x, c0.x; add r7, r3, r2; endif",
	"ps2: if_gt r0.x, c0.x; mov r2, r1; endif; mul r3, r0, c1; if_gt r0.x, c0.x; add r7, r3, r2; endif",
	"vs2: if_gt r0.x, c0.x; mov r2, r1; endif; mul r3, r0, c1; if_gt r0.x, c0.x; add r7, r3, r2; endif",
	"vs3: if_gt r0.x, c0.x; mov r2, r1; endif; mul r3, r0, c1; if_gt r0.x, c0.x; add r7, r3, r2; endif",
	"ps3: if b0; mov r2, r1; endif; if b0; add r7, r0, r2; endif",
	"vs2: if b0; mov r2, r1; endif; if b0; add r7, r0, r2; endif",
	"ps3: setp_gt p0, r0, c0; if p0.x; mov r2, r1; endif; if p0.x; add r7, r0, r2; endif",
	"ps3: if b0; mov r2, r1; else; mov r3, r1; endif; if b0; mov r7, r2; else; mov r7, r3; endif",
	// Always read.
	"ps3: if_gt r0.x, c0.x; mov r2, r1; endif; add r7, r0, r2",
	"ps3: if_gt r0.x, c0.x; mul r2, r1, c1; endif; cmp r7, r0, r2, r1",
	"vs3: if_gt r0.x, c0.x; mul r2, r1, c1; endif; mad r7, r0, r2, r1",
	"ps3: if_gt r0.x, c0.x; mul r2, r1, c1; endif; mov r7, r2",
	"vs3: if b0; mul r2, r1, c1; endif; mov r7.xy, r2; mov r7.zw, r2.yyyx",
	"ps3: if b0; mul r2, r1, c1; endif; mov r7, r2.wzyx",
	// Components.
	"ps3: mov r2.xyz, r1; if_gt r0.x, c0.x; mov r2.w, c1.x; endif; add r7, r0, r2",
	"ps3: if_gt r0.x, c0.x; mov r2.xy, r1; else; mov r2.yz, r0; endif; mov r2.w, c0.x; mul r7, r2, r1",
	"vs2: if b0; mov r2.xy, r1; else; mov r2.zw, r0; endif; dp4 r7, r2, r1",
	"ps2: if b0; mov r2.x, r1; endif; if b1; mov r2.y, r1; endif; if b2; mov r2.zw, r1; endif; mul r7, r2, r0",
	// Nests.
	"ps3: if_gt r0.x, c0.x; if_lt r0.y, c0.y; mov r2, r1; endif; endif; if_gt r0.x, c0.x; if_lt r0.y, c0.y; add r7, r0, r2; endif; endif",
	"ps3: if b0; if b1; mov r2, r1; else; mov r2.x, r0; endif; else; if b2; mov r2.yz, r0; endif; endif; add r7, r2, r1",
	"vs3: if b0; mov r2, r1; if b1; mov r3, r2; endif; endif; if b1; add r7, r3, r1; endif",
	"ps3: if b0; mov r2, r1; endif; if b1; mov r3, r2; else; mov r3, r0; endif; add r7, r3, r1",
	"ps3: if b0; mov r2, r1; endif; mov r3, r2; if b1; mov r2, r0; endif; mad r7, r3, r2, r1",
	"ps3: if b0; mov r2, r1; endif; mov r3.xyz, r2.yzx; mov r3.w, c0.x; if b1; mul r3, r3, c2; endif; add r7, r3, r2",
	// Loops.
	"ps3: rep i0; mul r2, r1, c1; endrep; add r7, r0, r2",
	"vs2: rep i0; mul r2, r1, c1; endrep; add r7, r0, r2",
	"ps3: loop aL, i0; mad r2, r1, c1, r0; break_gt r2.x, c0.x; mov r3, r2; endloop; add r7, r0, r3",
	"ps3: rep i0; break_gt r0.x, c0.x; add r0, r0, c1; mov r2, r0; endrep; mov r7, r2",
	"ps3: rep i0; if_gt r0.x, c0.x; mov r2, r1; break; endif; add r0.x, r0.x, c1.x; endrep; mul r7, r2, r0",
	"ps3: rep i0; if b0; add r7, r7, r2; endif; mul r2, r1, c1; endrep",
	"ps3: rep i0; add r7, r7, r2; mul r2, r1, c1; endrep",
	"vs3: rep i0; rep i1; mov r2, r1; endrep; add r7, r7, r2; endrep",
	"vs2: rep i0; if b0; mov r2, r1; else; mov r3, r1; endif; endrep; if b0; mov r7, r2; else; mov r7, r3; endif",
	"ps3: rep i0; setp_gt p0, r0, c0; if p0.x; mov r2.xy, r1; endif; breakp p0.y; add r0, r0, c1; endrep; mov r2.zw, c0; mul r7, r2, r1",
	// Calls.
	"ps3: callnz l0, b0; if b0; add r7, r0, r2; endif; @ret; label l0; mul r2, r1, c1; ret",
	"vs2: callnz l0, b0; add r7, r0, r2; @ret; label l0; mul r2, r1, c1; ret",
	"ps3: if b0; mov r2, r1; endif; call l0; call l0; @ret; label l0; add r7, r7, r2; ret",
	// Predicates.
	"ps3: setp_gt p0, r0, c0; if b0; mov r2.x, r1; endif; (p0) mov r2.yzw, r0; add r7, r2, r1",
	"ps3: if b0; setp_gt p0, r0, c0; endif; if b0; (p0) mov r7, r0; endif",
	"vs2: if b0; setp_gt p0.x, r0, c0; endif; (p0.x) mov r7, r0",
	"ps2: if b0; setp_gt p0, r0, c0; endif; if p0.x; mov r7, r0; endif",
	// The address register.
	"vs2: if b0; mova a0.x, r0; endif; if b0; add r7, r1, c[a0.x + 20]; endif",
	"vs3: if b0; mova a0, r0; endif; mul r7, r1, c[a0.w + 20]",
	// Fetches and texkill.
	"ps3: if b0; texld r2, v0, s0; endif; if b0; mul r7, r2, r1; endif",
	"ps3: if_gt r0.x, c0.x; mov r2, r1; else; mov r3, r1; endif; if_gt r0.x, c0.x; texldl r7, r2, s0; endif",
	"ps3: if b0; mov r2, r1; endif; if b0; texkill r2; endif",
	"ps2: if b0; mul r2, r1, c1; endif; texkill r2; add r7, r7, c1",
}

// partlyProgram returns a program of the list.
func partlyProgram(t *testing.T, text string) shaderlift.Input {
	t.Helper()
	name, body, ok := strings.Cut(text, ": ")
	frame := partlyFrames[name]
	if !ok || frame[0] == "" {
		t.Fatalf("no frame of %s", text)
	}
	head, tail := body, ""
	if i := strings.Index(body, "@ret;"); i >= 0 {
		head, tail = body[:i], "ret\n"+body[i+len("@ret;"):]
	}
	lines := strings.NewReplacer("; ", "\n", ";", "\n")
	return program("a", frame[0]+lines.Replace(head)+frame[1]+lines.Replace(tail)+"\n")
}

// TestPartlyInitialized checks that programs that read components unwritten on some path are accepted,
// with a remark. The results are proved to depend on these components like the input.
func TestPartlyInitialized(t *testing.T) {
	improved := 0
	for _, text := range partlyPrograms {
		in := partlyProgram(t, text)
		for _, o := range []shaderlift.Options{{Target: "d3d9"}, {}, {Target: "d3d9", Numerics: shaderlift.Bits},
			{Target: "d3d9", Pipeline: "flatten", Keep: true}} {
			res, err := shaderlift.Optimize(t.Context(), in, o)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if !slices.ContainsFunc(res.Remarks, func(r shaderlift.Remark) bool { return r.Code == d3d9.PartlyInitialized }) {
				t.Errorf("%s: no remark tells", text)
			}
			if i := slices.IndexFunc(res.Remarks,
				func(r shaderlift.Remark) bool { return r.Code == "unverified" || r.Code == "cannot-write" }); i >= 0 {
				t.Errorf("%s: %s", text, res.Remarks[i].Message)
			}
			if len(res.Faults) > 0 || res.Status == shaderlift.Improved && res.Verdict() < verify.ProvedReal {
				t.Errorf("%s: %v, faults %v", text, res.Verdict(), res.Faults)
			}
			if res.Status == shaderlift.Improved {
				improved++
				out := shaderlift.Input{Name: "a", Files: res.Files}
				if _, err := shaderlift.Verify(t.Context(), in, out, o); err != nil {
					t.Errorf("%s: %v", text, err)
				}
				if _, err := shaderlift.Optimize(t.Context(), out, o); err != nil {
					t.Errorf("%s: the result is refused: %v", text, err)
				}
			}
		}
		if _, err := shaderlift.Explain(t.Context(), in, shaderlift.Options{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if improved < len(partlyPrograms) {
		t.Errorf("%d results of %d programs are better: the list shows little", improved, len(partlyPrograms))
	}
}

// TestUndefined checks that reads of components that an instruction left undefined are rejected. It
// also checks that a subroutine stays if it is called before and after the write of its operand.
// Rewrites of that call would have to read an undefined value.
func TestUndefined(t *testing.T) {
	const text = "vs2: sincos r2.x, r0.x, c1, c2; if b0; sincos r3.x, r0.y, c1, c2; endif; add r7, r2.x, r3.y"
	_, err := shaderlift.Optimize(t.Context(), partlyProgram(t, text), shaderlift.Options{})
	var d *asm.Diag
	if !errors.As(err, &d) || d.Code != "undefined-register" {
		t.Errorf("%s gives %v", text, err)
	}
	res, err := shaderlift.Optimize(t.Context(),
		partlyProgram(t, "vs3: call l0; mul r2, r1, c2; call l0; @ret; label l0; if b0; add r7, r7, r2; endif; ret"), shaderlift.Options{Target: "d3d9"})
	if err != nil || res.Status != shaderlift.Unchanged {
		t.Errorf("%v, %v", res, err)
	}
}

// TestPartlyRandom checks that random programs of this kind are optimized without a fault, and that a
// proof shows the same dependence on unwritten components.
func TestPartlyRandom(t *testing.T) {
	models := [][2]d3d9.Model{{d3d9.VS30, d3d9.PS30}, {d3d9.VS2X, d3d9.PS2X}, {d3d9.VS20, d3d9.PS2X}}
	if _, improved := optimizeChanged(t, models, testcorpus.Count(uint64(75), 3000), 7, gen.Partly); improved < 50 {
		t.Errorf("%d are better: that shows little", improved)
	}
}

// optimizeChanged optimizes n random pairs after a change of their programs, where that is possible. It returns the
// numbers of changed programs and of improved pairs.
func optimizeChanged(t *testing.T, models [][2]d3d9.Model, n, stream uint64,
	change func(gen.Source, *d3d9.Program) *d3d9.Program) (changed, improved int) {
	t.Helper()
	k := uint64(len(models))
	for seed := range n {
		m := models[seed%k]
		vs, ps := gen.PairOf(m[0], m[1], seed, 6+int(seed%40))
		src := gen.Seeded(seed, stream)
		for _, p := range []**d3d9.Program{&ps, &vs} {
			if q := change(src, *p); q != nil {
				*p, changed = q, changed+1
			}
		}
		in := shaderlift.Input{Name: fmt.Sprint(seed)}
		for i, p := range []*d3d9.Program{vs, ps} {
			data, err := d3d9.Write(p)
			if err != nil {
				t.Fatal(err)
			}
			in.Files = append(in.Files, shaderlift.File{Name: []string{"vertex", "pixel"}[i], Data: data})
		}
		o := shaderlift.Options{Target: []shaderlift.Target{"d3d9", "portable"}[seed/k%2],
			Host: shaderlift.HostOptions{PixelConstants: shaderlift.HostConstants(seed / (2 * k) % 2)}}
		res, err := shaderlift.Optimize(t.Context(), in, o)
		switch {
		case err != nil || len(res.Faults) > 0 || res.Status == shaderlift.Improved && res.Verdict() < verify.ProvedReal:
			t.Errorf("seed %d: %v, %v, faults %v, %v", seed, res.Verdict(), err, res.Faults, res.Remarks)
		case res.Status == shaderlift.Improved:
			improved++
		}
	}
	return changed, improved
}
