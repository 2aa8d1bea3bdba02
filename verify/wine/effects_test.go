package wine_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/fxtest"
	"github.com/shaderlift/shaderlift/verify/wine"
)

// TestWineEffects loads effects before and after optimization through D3DX as Wine
// implements it: an application sees the same in both, and every pass draws the same with
// the same parameters. It runs when the variable SHADERLIFT_WINE is set: on effects made
// here and on some of those next to the repository, on all of them if the value
// is "all", else on those with the value in their names.
func TestWineEffects(t *testing.T) {
	scope := os.Getenv("SHADERLIFT_WINE")
	if scope == "" || testing.Short() {
		t.Skip("set SHADERLIFT_WINE=1 to load effects through Wine")
	}
	if err := wine.Available(); err != nil {
		t.Fatalf("SHADERLIFT_WINE is set, and Wine cannot be used: %v", err)
	}
	names := []string{"constants", "elements", "passes", "arrays", "bones"}
	before := [][]byte{effectOfConstants(), effectOfElements(), effectOfPasses(), effectOfArrays(), effectOfBones()}
	made := len(before)
	paths, _ := filepath.Glob(filepath.Join(corpus, "effects", "*.efb"))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if scope == "all" || scope == "1" && i%8 == 0 && len(data) < 100<<10 || scope != "1" && strings.Contains(filepath.Base(path), scope) {
			names, before = append(names, filepath.Base(path)), append(before, data)
		}
	}
	var after [][]byte
	for i, data := range before {
		res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: []shaderlift.File{{Name: names[i], Data: data}}}, shaderlift.Options{})
		if err != nil || i < made && res.Status != shaderlift.Improved {
			t.Fatalf("%s is %s (%v)", names[i], res.Status, err)
		}
		for _, g := range res.Groups {
			for _, p := range g.Pairs {
				if i < made && p.PixelSlots.After >= p.PixelSlots.Before {
					t.Errorf("%s: %+v is no better", names[i], p)
				}
			}
		}
		after = append(after, res.Files[0].Data)
	}

	r, err := wine.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seen, err := r.Effects(slices.Concat(before, after)...)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		compareEffects(t, name, seen[i], seen[len(names)+i])
	}
	for i := range made {
		if pictures := picturesIn(seen[i]); len(pictures) == 0 || slices.ContainsFunc(pictures, blank) || len(slices.Compact(pictures)) < 2 {
			t.Errorf("%s: the draws do not tell parameters apart, or show nothing", names[i])
		}
	}
}

// compareEffects compares what was seen of two versions of an effect: numbers of pictures
// may differ by a thousandth.
func compareEffects(t *testing.T, name string, before, after []string) {
	t.Helper()
	if len(before) != len(after) {
		t.Errorf("%s: %d lines and %d", name, len(before), len(after))
		return
	}
	draws, worst := 0, 0.0
	for i, line := range before {
		was, is := strings.Fields(line), strings.Fields(after[i])
		switch {
		case strings.HasPrefix(line, "failed"):
			t.Errorf("%s: %s", name, line)
		case len(was) != len(is) || len(was) > 1 && was[1] != is[1] || !strings.HasPrefix(line, "drawn") && line != after[i]:
			t.Errorf("%s: %q becomes %q", name, line, after[i])
		case strings.HasPrefix(line, "drawn"):
			draws++
			for k := range was[2:] {
				if x, y := number(was[2+k]), number(is[2+k]); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
					worst = max(worst, math.Abs(x-y)/max(1, math.Abs(x), math.Abs(y)))
				}
			}
		}
	}
	if draws == 0 || math.IsNaN(worst) || worst > 1e-3 {
		t.Errorf("%s: %d draws are up to %g apart", name, draws, worst)
	}
	t.Logf("%s: %d draws, at most %.2g apart", name, draws, worst)
}

// number is NaN for all the ways to print that.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

func picturesIn(lines []string) (pictures []string) {
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, "drawn "); ok {
			_, picture, _ := strings.Cut(rest, " ")
			pictures = append(pictures, picture)
		}
	}
	return pictures
}

func blank(picture string) bool { return strings.Trim(picture, "0 ") == "" }

const (
	effectVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov oT0, v1\n"
	effectPixel  = "ps_2_0\ndcl t0\ndcl_2d s0\nadd r0.xy, t0, c3\ntexld r0, r0, s0\nmul r0, r0, c0\nmov oC0, r0\n"
	// slowPixel gets better by itself.
	slowPixel = "ps_2_0\ndcl t0\nmul r1, t0, t0\nmul r0, t0, c0\nadd r0, r0, c"
)

func named(text string, constants ...d3d9.Constant) fxtest.Shader {
	return fxtest.Shader{Data: fxtest.WithTable(fxtest.Assemble(text), constants...)}
}

// transform is a matrix in c0 to c3.
func transform() d3d9.Constant {
	return d3d9.Constant{Name: "Transform", Set: d3d9.SetFloat4, Count: 4, Class: uint16(fx.MatrixColumns), Type: uint16(fx.Float), Rows: 4, Columns: 4, Elements: 1}
}

func newEffect() *fxtest.Builder {
	var b fxtest.Builder
	b.Param(fxtest.Vector("Colour", 4), fxtest.Vector("Range", 2, math.Float32bits(0.5)))
	b.Param(fxtest.Vector("Offset", 4))
	b.Param(fxtest.Matrix("Transform", 4, 4))
	b.Sampler("Image", "ImageSampler")
	return &b
}

// effectOfConstants has a pass whose vertex program gains Offset.
func effectOfConstants() []byte {
	b := newEffect()
	b.Technique("Main", fxtest.Vector("Order", 1))
	sampler := d3d9.Constant{Name: "ImageSampler", Set: d3d9.SetSampler, Count: 1, Class: uint16(fx.ObjectClass), Type: uint16(fx.Sampler2D), Rows: 1, Columns: 1, Elements: 1}
	b.Pass("P0", named(effectVertex, transform()), named(effectPixel, d3d9.Constant{Name: "Colour"}, sampler, d3d9.Constant{Name: "Offset", Index: 3}))
	return b.Build()
}

// effectOfElements has a pass whose pixel program is an element of an array.
func effectOfElements() []byte {
	b := newEffect()
	var programs [][]byte
	for i := range 4 {
		text := slowPixel + strconv.Itoa(i+1) + "\nmov oC0, r0\n"
		programs = append(programs, named(text, d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Offset", Index: i + 1}).Data)
	}
	b.Array(fx.PixelShader, "Programs", programs...)
	b.Param(fxtest.Ints("Indices", 3, 1, 0, 2))
	b.Param(fxtest.Ints("Index", 0))
	b.Technique("Main")
	b.Pass("P0", named(effectVertex, transform()), fxtest.Shader{Data: fxtest.Selector("Programs", "Indices", "Index"), Usage: fx.Selection})
	return b.Build()
}

// effectOfPasses has a pass that draws with the vertex program of another.
func effectOfPasses() []byte {
	b := newEffect()
	b.Technique("Main")
	colour, offset := d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Offset", Index: 1}
	b.Pass("P0", named(effectVertex, transform()), named(slowPixel+"1\nmov oC0, r0\n", colour, offset))
	b.Pass("P1", fxtest.Shader{}, named("ps_2_0\ndcl t0\nmul r1, t0, t0\nmul r0, t0.wzyx, c0\nmov oC0, r0\n", colour))
	return b.Build()
}

// lit adds two pixel programs in an array, which look at a point from an eye, and a pass that
// chooses from them and from vertex programs. Its four indices draw every pair.
func lit(b *fxtest.Builder, vertex ...[]byte) []byte {
	b.Param(fxtest.Vector("Eye", 4))
	b.Array(fx.VertexShader, "Vertices", vertex...)
	const pixel = "ps_2_0\ndcl t0\ndcl t1.xyz\ndcl t2.xyz\nadd r1.xyz, -t1, c1\ndp3 r2.x, r1, t2\nadd r0, t0, c3\n"
	colour, offset := d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Offset", Index: 3}
	eye := d3d9.Constant{Name: "Eye", Index: 1}
	b.Array(fx.PixelShader, "Pixels", named(pixel+"mul r0, r0, r2.x\nmul r0, r0, c0\nmov oC0, r0\n", colour, eye, offset).Data,
		named(pixel+"mul r0, r0, r2.x\nmad r0, r0, r0, c0\nmov oC0, r0\n", colour, eye, offset).Data)
	b.Param(fxtest.Ints("VertexOf", 0, 1, 0, 1))
	b.Param(fxtest.Ints("PixelOf", 1, 0, 0, 1))
	b.Param(fxtest.Ints("Index", 0))
	b.Technique("Main")
	b.Pass("P0", fxtest.Shader{Data: fxtest.Selector("Vertices", "VertexOf", "Index"), Usage: fx.Selection},
		fxtest.Shader{Data: fxtest.Selector("Pixels", "PixelOf", "Index"), Usage: fx.Selection})
	return b.Build()
}

// effectOfArrays chooses both programs by an index, as BasicEffect does.
func effectOfArrays() []byte {
	const vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_normal v2\nm4x4 oPos, v0, c0\nmov oT1.xyz, v0\nmov oT2.xyz, v2\n"
	return lit(newEffect(), named(vertex+"mov oT0, v1\n", transform()).Data, named(vertex+"mul oT0, v1, c4\n", d3d9.Constant{Name: "Colour", Index: 4}, transform()).Data)
}

// effectOfBones has vertex programs that move vertices by one bone and by two, as SkinnedEffect
// does.
func effectOfBones() []byte {
	b := newEffect()
	bones := fxtest.Vector("Bones", 4)
	bones.Type.Elements = 6
	bones.SetWords(make([]uint32, 24)...)
	b.Param(bones)
	entry := d3d9.Constant{Name: "Bones", Set: d3d9.SetFloat4, Index: 8, Count: 6, Class: uint16(fx.Vector), Type: uint16(fx.Float), Rows: 1, Columns: 4, Elements: 6}
	program := func(weigh string) []byte {
		return named("vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_normal v2\ndcl_blendindices v3\ndcl_blendweight v4\nmova a0.xy, v3\n"+weigh+
			"mul r1.xyz, r0, v0\nmov r1.w, v0.w\nm4x4 oPos, r1, c0\nmov oT0, v1\nmov oT1.xyz, r1\nmul oT2.xyz, v2, r0\n", entry, transform()).Data
	}
	return lit(b, program("mov r0, c8[a0.x]\n"), program("mul r0, c8[a0.x], v4.x\nmad r0, c9[a0.y], v4.y, r0\n"))
}
