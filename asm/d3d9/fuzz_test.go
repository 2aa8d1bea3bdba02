package d3d9

import (
	"bytes"
	"encoding/binary"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"math/rand/v2"
	"testing"
)

// seeds are texts that together use every form of the language.
var seeds = []string{
	"vs_1_1\ndcl_position v0\ndef c4, 1, -0.5, 1e-20, 0x7fc00001\nmov a0.x, v0.x\nadd r0, c[a0.x + 3], -v0.yzxw\nexpp r1.xy, r0.x\nmov oFog, r0.x\nm4x4 oPos, v0, c0\n",
	"vs.2.x\r\ndefi i0, 1, -2, 3, 0\r\ndefb b0, true\r\nif !b0\r\nloop aL, i0\r\nmul r0.xy, c3[aL], r1\r\nbreak_gt r0.x, c0.y\r\nendloop\r\nelse\r\ncallnz l1, p0.x\r\nendif\r\nret\r\nlabel l1\r\nsetp_le p0, r0, r1\r\n(!p0.y) mov oT0.xy, r0\r\nret",
	"#define M(a, b) mad r##a, b, c[a + 1], c[N]\n#define N (2)\n#undef N\n#define N 2\nvs.1.1\n#if defined(N) && N > 1 // both\nM(1, v0) M(3, r1.xyz)\n#elif !N\n#error no\n#else\n#include \"x\"\n#endif\n",
	"#define ONE c0.x\nvs_3_0\n//! comment 12345678\n//! 00000001\ndcl_texcoord3 o1.xy // t\ndcl_2d s0\nmov o[aL + 1], -r0_abs /* x */\ntexldl r1, v[a0.y], s0.wzyx\nmov_sat r2, ONE",
	"ps_1_1\ntex t0\nmul_x2_sat r0.rgb, 1-t0, v0_bx2 ; a\n+mov_d2 r0.a, -t0_bias.b\n",
	"ps_1_4\ntexld r0, t0_dw.xyw\nphase\ntexcrd r1.rgb, t1\nbem r1.rg, c0, r0\ncnd r0, r0.a, -r1_x2, c1",
	"ps_2_0\ndcl_pp t0.xy\ndcl v0\ndcl_cube s1\ntexldp_pp r0, t0, s1\ntexkill r0\nsincos r1.xy, r0.x, c0, c1\nmov oDepth, r0.x\nmov oC0, r0",
	"ps_3_0\ndcl_color0_centroid v0\ndcl vPos.xy\ndcl vFace\nrep i0\nif_lt vFace, c0.x\ntexldd r0, v[aL], s15, r1, r2\ndsx r3, r0\nendif\nendrep\n",
}

// checkText checks the guarantees of Parse, Print and Encode on a text. A text that parses prints
// unchanged, or, with directives, as an equivalent text without them. It has the same meaning in
// canonical form, and its encoding decodes to the same statements.
func checkText(t *testing.T, src []byte) {
	p, err := Parse("fuzz", src)
	if err != nil {
		return
	}
	if got := Print(p); bytes.IndexByte(src, '#') >= 0 && !bytes.Equal(got, src) {
		q, err := Parse("fuzz", got)
		if err != nil {
			t.Fatalf("%.1000q is %.1000q without directives: %v", src, got, err)
		}
		sameProgram(t, "flattened", q, p)
		if again := Print(q); !bytes.Equal(again, got) {
			t.Fatalf("%.1000q, which %.1000q comes to, prints as %.1000q", got, src, again)
		}
	} else if !bytes.Equal(got, src) {
		t.Fatalf("%.1000q prints as %.1000q", src, got)
	}
	text := Print(stripped(p))
	q, err := Parse("fuzz", text)
	if err != nil {
		t.Fatalf("%q is %q in canonical form: %v", src, text, err)
	}
	sameProgram(t, "canonical", q, p)
	data, err := Encode(p)
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	d, err := Decode("fuzz", data)
	if err != nil {
		t.Fatalf("%q encodes to %x: %v", src, data, err)
	}
	sameProgram(t, "decoded", d, p)
}

// checkCode checks the guarantees of Decode, Encode and Print on bytecode. Bytecode that decodes
// encodes to the same words, from its fields too, and its disassembly has the same meaning.
func checkCode(t *testing.T, data []byte) {
	p, err := Decode("fuzz", data)
	if err != nil {
		return
	}
	_, _ = p.ConstantTable() // must not panic
	for _, q := range []*Program{p, stripped(p)} {
		if got, err := Encode(q); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%x encodes as %x (%v)", data, got, err)
		}
	}
	text := Print(p)
	q, err := Parse("fuzz", text)
	if err != nil {
		t.Fatalf("%x disassembles to %q: %v", data, text, err)
	}
	sameProgram(t, "disassembled", q, plainLoops(p))
}

// plainLoops returns p with the one swizzle of relative aL that text can express.
func plainLoops(p *Program) *Program {
	q := stripped(p)
	plain := func(r *Rel) {
		if r.File == Loop {
			r.Swz = Identity
		}
	}
	for i := range q.Insts {
		in := &q.Insts[i]
		plain(&in.Dst.Rel)
		for k := range in.Src {
			plain(&in.Src[k].Rel)
		}
	}
	return q
}

func seedCode(t testing.TB, text string) []byte {
	p, err := Parse("seed", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	data, err := Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(checkText)
}

func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add(seedCode(f, s))
	}
	f.Add(code(append([]uint32{0xFFFF0200, 0x0001FFFE | uint32(len(table("n", 64))-1)<<16},
		append(table("n", 64), endToken)...)...))
	f.Fuzz(checkCode)
}

// TestDamaged checks that ten thousand damaged programs, truncated or with changed bits and bytes,
// are refused or satisfy the guarantees.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2003))
	var texts, codes [][]byte
	for _, s := range seeds {
		texts = append(texts, []byte(s))
		codes = append(codes, seedCode(t, s))
	}
	if len(testcorpus.GlobOptional(t, "corpus/d3d9")) > 0 {
		for _, files := range []struct {
			to    *[][]byte
			paths []string
		}{{&texts, textFiles(t)}, {&codes, bytecodeFiles(t)}} {
			for range 4 {
				if data := readFile(t, files.paths[rng.IntN(len(files.paths))]); len(data) < 8<<10 {
					*files.to = append(*files.to, data)
				}
			}
		}
	}
	const rounds = 5000
	for range rounds {
		text := damage(rng, texts[rng.IntN(len(texts))])
		if rng.IntN(2) == 0 && len(text) > 0 { // prefer characters of the language
			text[rng.IntN(len(text))] = "rvcoxyzw0123.,-+[]()_ \n#/;"[rng.IntN(26)]
		}
		checkText(t, text)
		checkCode(t, damage(rng, codes[rng.IntN(len(codes))]))
	}
}

// damage returns a copy of data, truncated or with some bits flipped.
func damage(rng *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	if rng.IntN(4) == 0 {
		return data[:rng.IntN(len(data)+1)]
	}
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(data))
		data[i] ^= 1 << rng.IntN(8)
	}
	return data
}

// TestHugeInputs checks that the work is linear in the input: half a million tokens of each
// construct that could nest or repeat.
func TestHugeInputs(t *testing.T) {
	for name, src := range map[string]string{
		"parentheses": "vs_3_0\n" + string(bytes.Repeat([]byte("("), 1<<19)),
		"sum":         "vs_1_1\nmov r0, c[0" + string(bytes.Repeat([]byte("+0"), 1<<18)) + "]",
		"signs":       "vs_1_1\nmov r0, " + string(bytes.Repeat([]byte("-"), 1<<19)),
		"ifs":         "vs_3_0\n" + string(bytes.Repeat([]byte("if b0\n"), 1<<16)),
		"defines":     string(bytes.Repeat([]byte("#define M r1 r2\n"), 1<<15)) + "vs_1_1",
		"word":        "vs_1_1\nmov " + string(bytes.Repeat([]byte("r"), 1<<20)),
		"blocks":      "vs_1_1\n" + string(bytes.Repeat([]byte("//! comment 00000000\n"), 1<<15)),
		"continued":   "vs_1_1\n#define M \\\n" + string(bytes.Repeat([]byte("1 \\\n"), 1<<17)),
	} {
		t.Run(name, func(t *testing.T) { checkText(t, []byte(src)) })
	}
	empty := binary.LittleEndian.AppendUint32(nil, 0xFFFE0300)
	checkCode(t, append(empty, bytes.Repeat([]byte{0, 0, 0, 0}, 1<<17)...))
}
