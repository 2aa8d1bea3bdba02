package verify

import (
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// TestPartialPrecision compares programs that round in different places. Parts that are equal only over the
// reals are added to both versions, so that the field proof has to judge instead of the proof by terms.
func TestPartialPrecision(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after string
		ok            bool
	}{
		{"dropped", "mul_pp r0, t0, t1; mov oC0, r0", "mul r0, t0, t1; mov oC0, r0", true},
		{"added", "mul r0, t0, t1; mov oC0, r0", "mul_pp r0, t0, t1; mov oC0, r0", false},
		{"outputs exchanged", "mul_pp r0, t0, t1; mul r1, t0, t1; mov oC0, r0; mov oC1, r1",
			"mul_pp r0, t0, t1; mul r1, t0, t1; mov oC0, r1; mov oC1, r0", false},
		{"registers exchanged", "mul_pp r0, t0, t1; mul r1, t0, t1; mov oC0, r0; mov oC1, r1",
			"mul_pp r1, t0, t1; mul r0, t0, t1; mov oC0, r1; mov oC1, r0", true},
		{"one for both", "mul_pp r0, t0, t1; mul r1, t0, t1; mov oC0, r0; mov oC1, r1",
			"mul_pp r0, t0, t1; mov oC0, r0; mov oC1, r0", false},
		{"the better one for both", "mul_pp r0, t0, t1; mul r1, t0, t1; mov oC0, r0; mov oC1, r1",
			"mul r0, t0, t1; mov oC0, r0; mov oC1, r0", true},
		{"of one use dropped", "mul_pp r0, t0, t1; mov oC0, r0; mov oC1, r0",
			"mul_pp r0, t0, t1; mul r1, t0, t1; mov oC0, r0; mov oC1, r1", true},
		{"of the other use dropped", "mul_pp r0, t0, t1; add r0, r0, t0; mul r1, r0, r0; mul r2, r0, t1; mov oC0, r1; mov oC1, r2",
			"mul_pp r0, t0, t1; mul r1, t0, t1; add r0, r0, t0; add r1, r1, t0; mul r2, r1, t1; mul r0, r0, r0; mov oC0, r0; mov oC1, r2", true},
		{"moved to another use", "mul_pp r0, t0, t1; add r1, t0, t0; mad r0, r0, r1, r1; mov oC0, r0",
			"mul r0, t0, t1; add_pp r1, t0, t0; mad r0, r0, r1, r1; mov oC0, r0", false},
		{"moved to the result", "mul_pp r0, t0, t1; add r0, r0, t0; mov oC0, r0",
			"mul r0, t0, t1; add_pp r0, r0, t0; mov oC0, r0", false},
		{"moved to a move", "mul_pp r0, t0, t1; mov r1, r0; mul r1, r1, r1; mov oC0, r1",
			"mul r0, t0, t1; mov_pp r1, r0; mul r1, r1, r1; mov oC0, r1", true},
		{"moved to a move for one use", "mul_pp r0, t0, t1; mul r1, r0, r0; mov oC0, r1; mov oC1, r0",
			"mul r0, t0, t1; mov_pp r1, r0; mul r1, r1, r1; mov oC0, r1; mov oC1, r0", true},
		{"added by a move", "mul r0, t0, t1; mov r1, r0; mul r1, r1, r1; mov oC0, r1",
			"mul r0, t0, t1; mov_pp r1, r0; mul r1, r1, r1; mov oC0, r1", false},
		{"of a second rounding dropped", "mul_pp r0, t0, t1; mov_pp r1, r0; mov oC0, r1",
			"mul r0, t0, t1; mov_pp r1, r0; mov oC0, r1", true},
		{"of a negation", "mul_pp r0, -t0, t1; mov oC0, r0", "mul_pp r0, t0, t1; mov r0, -r0; mov oC0, r0", true},
		{"before or after saturation", "mul_pp r0, t0, t1; mov_sat r0, r0; mov oC0, r0",
			"mul_sat_pp r0, t0, t1; mov oC0, r0", true},

		{"coordinate", "mul r0, t0, t1; mul_pp r1, r0, r0; texld r0, r0, s0; mul r0, r0, r1; mov oC0, r0",
			"mul_pp r0, t0, t1; mul_pp r1, r0, r0; texld r0, r0, s0; mul r0, r0, r1; mov oC0, r0", false},
		{"coordinate that is rounded elsewhere",
			"mul r0, t0, t1; mov_pp r1, r0; texld r0, r0, s0; mul r0, r0, r1; mov oC0, r0", "mul_pp r0, t0, t1; mov r1, r0; texld r0, r0, s0; mul r0, r0, r1; mov oC0, r0", false},
		{"coordinate made precise", "mul_pp r0, t0, t1; mov r1, r0; texld r0, r0, s0; mul r0, r0, r1; mov oC0, r0",
			"mul r0, t0, t1; mov_pp r1, r0; texld r0, r0, s0; mul r0, r0, r1; mov oC0, r0", true},
		{"of a texture dropped", "texld_pp r0, t0, s0; mov oC0, r0", "texld r0, t0, s0; mov oC0, r0", true},
		{"of a texture added", "texld r0, t0, s0; mov oC0, r0", "texld_pp r0, t0, s0; mov oC0, r0", false},
		{"of one of two textures", "texld_pp r0, t0, s0; texld r1, t0, s0; mul r1, r1, r1; mov oC0, r0; mov oC1, r1",
			"texld r0, t0, s0; texld_pp r1, t0, s0; mul r1, r1, r1; mov oC0, r0; mov oC1, r1", false},
		{"kill", "mul r0, t0, t1; mul_pp r1, t0, t1; texkill r0; mov oC0, r1",
			"mul r0, t0, t1; mul_pp r1, t0, t1; texkill r1; mov oC0, r1", false},
		{"kill made precise", "mul r0, t0, t1; mul_pp r1, t0, t1; texkill r1; mov oC0, r1",
			"mul r0, t0, t1; mul_pp r1, t0, t1; texkill r0; mov oC0, r1", true},
		{"choice", "mul_pp r0, t0, t1; mul r1, t0, t1; cmp r2, t0, r0, r1; mov oC0, r2",
			"mul_pp r0, t0, t1; mul r1, t0, t1; cmp r2, t0, r1, r0; mov oC0, r2", false},
		{"choice made precise", "mul_pp r0, t0, t1; mul r1, t0, t1; cmp r2, t0, r0, r1; mov oC0, r2",
			"mul r0, t0, t1; mov oC0, r0", true},
		{"component", "mul_pp r0.x, t0, t1; mul r0.yzw, t0, t1; mov oC0, r0",
			"mul_pp r0.y, t0, t1; mul r0.xzw, t0, t1; mov oC0, r0", false},
		{"component of a sum", "mul_pp r0, t0, t1; dp4 r0, r0, t0; mov oC0, r0",
			"mul_pp r0.xyz, t0, t1; mul r0.w, t0, t1; dp4 r0, r0, t0; mov oC0, r0", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			const one, other = "mad r9, t0, t1, t0; mul r8, t0, t1; add r8, r8, t1; ", "mul r8, t0, t1; add r9, r8, t0; mad r8, t0, t1, t1; "
			const end = "; mov oC2, r8; mov oC3, r9"
			head := "ps_2_x; dcl t0; dcl t1; dcl_2d s0; "
			between := func(body, tail string) string {
				if tail != "" && !strings.Contains(body, "oC1") {
					tail = "; mov oC1, r9" + tail
				}
				return head + body + tail
			}
			for _, split := range []bool{false, true} {
				before, after := between(c.before, ""), between(c.after, "")
				if split {
					before, after = between(one+c.before, end), between(other+c.after, end)
				}
				for seed := range uint64(3) {
					r := Check(pairOf(t, "", before), pairOf(t, "", after), Options{Numerics: Real, Seed: seed})
					if c.ok && r.Verdict < ProvedReal || !c.ok && (r.Verdict != Unknown || !strings.Contains(r.Why, "precision")) {
						t.Errorf("split %v: %v, %s", split, r.Verdict, r.Why)
					}
				}
			}
		})
	}
}

// TestPartialPrecisionElsewhere checks inputs, predicates and loops, in separate programs.
func TestPartialPrecisionElsewhere(t *testing.T) {
	const vertex = "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0, v1; mov oT1, v1"
	pixel := func(body string) string { return "ps_2_0; dcl_pp t0; dcl t1; " + body }
	flow := func(body string) string { return ps3("mov r0, v0; " + body + "; mov oC0, r0") }
	for _, c := range []struct {
		name              string
		vs, before, after string
		ok                bool
	}{
		{"varyings exchanged", vertex, pixel("mul r0, t0, t0; mul r1, t1, t1; mov oC0, r0; mov oC1, r1"),
			pixel("mul r0, t0, t0; mul r1, t1, t1; mov oC0, r1; mov oC1, r0"), false},
		{"the precise one for both", vertex, pixel("mul r0, t0, t0; mad r1, t1, t1, t1; mov oC0, r0; mov oC1, r1"),
			pixel("mul r0, t1, t1; mov oC0, r0; add r0, r0, t1; mov oC1, r0"), true},
		{"the other one for both", vertex, pixel("mul r0, t0, t0; mad r1, t1, t1, t1; mov oC0, r0; mov oC1, r1"),
			pixel("mul r0, t0, t0; mov oC0, r0; add r0, r0, t0; mov oC1, r0"), false},
		{"comparison added", "", flow("setp_gt p0, v0, v1; (p0) mov r0, v1"),
			flow("setp_gt_pp p0, v0, v1; (p0) mov r0, v1"), false},
		{"comparison dropped", "", flow("setp_gt_pp p0, v0, v1; (p0) mov r0, v1"),
			flow("setp_gt p0, v0, v1; (p0) mov r0, v1"), true},
		{"under a predicate", "", flow("setp_gt p0, v0, v1; (p0) mul_pp r0, v1, v0; (!p0) mul r0, v1, v0"),
			flow("setp_gt p0, v0, v1; (!p0) mul_pp r0, v1, v0; (p0) mul r0, v1, v0"), false},
		{"in a branch", "", flow("if_gt v0.x, v1.x; mul_pp r0, v1, v0; else; mul r0, v1, v0; endif"),
			flow("if_gt v0.x, v1.x; mul r0, v1, v0; else; mul_pp r0, v1, v0; endif"), false},
		{"in a branch, dropped", "", flow("if_gt v0.x, v1.x; mad_pp r0, v1, v0, v1; else; mul_pp r0, v1, v0; endif"),
			flow("if_gt v0.x, v1.x; mul r0, v1, v0; add r0, r0, v1; else; mul_pp r0, v1, v0; endif"), true},
		{"in a loop", "", flow("mov r1, v1; rep i0; mad_pp r0, r0, v1, v0; mul r1, r1, v1; endrep; add r0, r0, r1"),
			flow("mov r1, v1; rep i0; mul r2, r0, v1; add r0, r2, v0; mul_pp r1, r1, v1; endrep; add r0, r0, r1"), false},
		{"in a loop, dropped", "", flow("mov r1, v1; rep i0; mad_pp r0, r0, v1, v0; mul_pp r1, r1, v1; endrep; add r0, r0, r1"), flow("mov r1, v1; rep i0; mul r2, r0, v1; add r0, r2, v0; mul_pp r1, r1, v1; endrep; add r0, r0, r1"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Check(pairOf(t, c.vs, c.before), pairOf(t, c.vs, c.after), Options{Numerics: Real, Seed: 1})
			if c.ok && r.Verdict < ProvedReal || !c.ok && (r.Verdict != Unknown || !strings.Contains(r.Why, "precision")) {
				t.Errorf("%v, %s", r.Verdict, r.Why)
			}
		})
	}
}

// partly marks or unmarks the selected statements of a copy of p, and counts them.
func partly(p *d3d9.Program, half bool, which func(in *d3d9.Inst) bool) (*d3d9.Program, int) {
	q, n := clone(p), 0
	for i := range q.Insts {
		in := &q.Insts[i]
		computes := in.Op.Kind() == d3d9.Arithmetic || in.Op.Kind() == d3d9.TextureOp && in.Op != d3d9.OpTexKill
		if in.HasDst && computes && (in.Dst.Mods&d3d9.PartialPrecision == 0) == half && which(in) {
			in.Dst.Mods ^= d3d9.PartialPrecision
			in.Text, in.Raw = "", nil
			n++
		}
	}
	return q, n
}

// TestCorpusPartialPrecision checks programs of compilers that use much partial precision. Any of it may be
// dropped, and none may be added, whether the proof by terms or the field proof judges.
func TestCorpusPartialPrecision(t *testing.T) {
	t.Parallel()
	files := testcorpus.Glob(t, "corpus/d3d9/text/*/*.asm")
	verdicts := map[string]int{}
	step := testcorpus.Count(32, 2)
	for i := 0; i < len(files); i += step {
		data, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		p, err := d3d9.Read(files[i], data)
		if err != nil || p.Model.Stage != d3d9.Pixel || p.Model.Major < 2 {
			continue
		}
		r := symbolic.Stream(i)
		other, _ := split(p)
		for _, q := range []*d3d9.Program{p, other} {
			less, n := partly(q, false, func(*d3d9.Inst) bool { return r.Next()&1 == 0 })
			if n == 0 {
				break
			}
			rep := Check(Pair{Pixel: p}, Pair{Pixel: less}, Options{Numerics: Real, Brief: !long})
			verdicts["less "+rep.Verdict.String()]++
			if rep.Verdict < ProvedReal {
				t.Errorf("%s, less: %v, %s", files[i], rep.Verdict, rep.Why)
			}
			at := r.Next() % 8
			more, n := partly(q, true, func(*d3d9.Inst) bool { at--; return at == 0 })
			if n == 0 {
				continue
			}
			rep = Check(Pair{Pixel: p}, Pair{Pixel: more}, Options{Numerics: Real, Brief: !long})
			verdicts["more "+rep.Verdict.String()]++
			if rep.Verdict.OK() {
				t.Errorf("%s, more: %v", files[i], rep.Verdict)
			}
		}
	}
	t.Logf("%v", verdicts)
}
