package interp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// FuzzRun decodes bytes as a program and runs it under a step limit, all numerics at once, and with
// textures. Decoded programs must compile or be rejected, and must end.
func FuzzRun(f *testing.F) {
	for _, src := range []string{threeTaps, quadVS,
		"vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\ndefi i0, 3, 0, 1, 0\nloop aL, i0\nmov o[aL], c[aL]\nbreak_gt v0.x, c0.y\nendloop\n",
		"vs_2_x\ndcl_position v0\nmova a0, v0\nsetp_gt p0, v0, c0\n(p0) mov oPos, c[a0.x]\ncallnz l0, b0\nret\nlabel l0\nmov oT0, c4[a0.w]\nret\n",
		"ps_3_0\ndcl_2d s0\ndcl_cube s1\ndcl_texcoord v0\ntexld r0, v0, s0\ndsx r1, r0\nif_lt r1.x, c0.x\ntexldl r0, v0, s1\nendif\nnrm r2, r0\ntexkill r2\nmov oC0, r2\nmov oDepth, r2.x\n"} {
		data, err := d3d9.Encode(mustParse(f, src))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, name := range []string{"PostProcessing_Blur__t1_p0", "Billboard__t0_p0"} {
		for _, file := range []string{"vs.vso", "ps.pso"} {
			if data, err := os.ReadFile(filepath.Join(corpus, "pairs", name, file)); err == nil {
				f.Add(data)
			}
		}
	}
	set := &TextureSet{}
	for i := range set {
		typ := []d3d9.TexType{d3d9.Tex2D, d3d9.TexCube, d3d9.TexVolume}[i%3]
		set[i] = NewTexture(typ, 3, 3, 3, Filter(i%3), i%2 == 0, nil, i)
	}
	k := &Constants{Bool: [16]bool{true}, Int: [16][4]int32{{4, 1, 1, 0}, {2, -1, 3, 0}}}
	for i := range 8 {
		k.SetFloat(i, [4]float32{float32(i), -1, nan, 1e30})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := d3d9.Decode("fuzz", data)
		if err != nil || len(p.Insts) > 200 {
			return
		}
		s, err := Compile(p)
		if err != nil {
			return
		}
		in := make([]Words, len(s.Inputs()))
		for i := range in {
			for c := range in[i] {
				in[i][c] = []float32{0.5, float32(i), -1, nan}
			}
		}
		for _, n := range []Numerics{{}, {MulZero: true, FlushDenormals: true, FuseMad: true}} {
			res, err := s.Run(&Env{Constants: k, Textures: set, Numerics: n, Steps: 2000}, 4, in)
			if err != nil {
				return
			}
			if len(res.Out) != len(s.Outputs()) {
				t.Fatalf("%d results for %d outputs", len(res.Out), len(s.Outputs()))
			}
		}
		if p.Model.Stage == d3d9.Vertex {
			ps := mustCompile(t, mustParse(t, showPS))
			c := DefaultCase(p, mustParse(t, showPS))
			c.Vertex = *k
			Draw(s, ps, c, Numerics{}) // may be rejected; must not panic
		}
	})
}
