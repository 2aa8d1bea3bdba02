package draw

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

func parse(t testing.TB, text string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func price(t testing.TB, name string, vs, ps *d3d9.Program) Price {
	t.Helper()
	d, err := New(nil, vs, ps)
	if err != nil {
		t.Fatal(err)
	}
	target, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := target.Price(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pixelWith returns a pixel program with some code before the write of r0.
func pixelWith(code string) string {
	return "ps_3_0\ndef c8, 0, 1, 0.3, 5\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_2d s0\nadd r0, v0, v1\n" +
		strings.ReplaceAll(code, "; ", "\n") + "\nmov oC0, r0\n"
}

// pixelOf returns a pixel program of some code.
func pixelOf(code string) string {
	return "ps_3_0\ndef c8, 0, 1, 0.3, 5\ndef c9, 7, 11, 13, 17\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_2d s0\n" +
		strings.ReplaceAll(code, "; ", "\n") + "\n"
}

// TestSlopes checks the cost of one more operation. It was measured with Mesa 25.0.7's compilers as
// a slope between programs that differ by it, or is documented. Arithmetic comes first, then
// special functions.
func TestSlopes(t *testing.T) {
	for _, c := range []struct {
		target, code string
		alu, special float64
	}{
		{target: "gcn", code: "mad r0, r0, v0, v1", alu: 4},
		{target: "gcn", code: "mad r0.x, r0, v0, v1", alu: 1},
		{target: "gcn", code: "mad r0, r0, c0, c1", alu: 8}, // two constants: one must be moved
		{target: "rdna", code: "mad r0, r0, c0, c1", alu: 4},
		{target: "gcn", code: "mul r0, r0, v0; add r0, r0, v1", alu: 4}, // they fuse
		{target: "rdna", code: "lrp r0, v0, r0, v1", alu: 8},
		{target: "gcn", code: "mov r1, -r0; mov r2, r1.wzyx; mov_sat r0, r2", alu: 0},
		{target: "gcn", code: "mul r0, r0, c8.y; add r0, r0, c8.x", alu: 0},
		{target: "gcn", code: "frc r0, r0", alu: 4},
		{target: "rdna3", code: "frc r0, r0", alu: 8},
		{target: "rdna", code: "cmp r0, v0, r0, v1", alu: 8},
		{target: "rdna", code: "cmp r0, r0, v0, v1", alu: 4},                    // the addends are compared
		{target: "gcn", code: "cmp r1, v0, c8.y, c8.x; mul r0, r0, r1", alu: 8}, // the product is the choice
		{target: "nvidia", code: "cmp r1, v0, c8.y, c8.x; mul r0, r0, r1", alu: 12},
		{target: "gcn", code: "rcp r0.x, r0.x", alu: 4},
		{target: "rdna", code: "rcp r0.x, r0.x", alu: 1, special: 4},
		{target: "nvidia", code: "rcp r0.x, r0.x", alu: 1, special: 8},
		{target: "gcn", code: "log r0.x, r0.x", alu: 6},
		{target: "gcn", code: "pow r0.x, r0.x, v0.y", alu: 9},
		{target: "gcn", code: "dsx r0, r0", alu: 8},
		{target: "nvidia", code: "dp3 r0.x, r0, v0", alu: 3},
		{target: "rdna", code: "dp2add r0.x, r0, c8.zwzw, r0.z", alu: 7}, // 6, with the sum included
		{target: "gcn", code: "dp2add r0.x, r0, c8.zwzw, r0.z", alu: 9},
		{target: "midgard", code: "mad r0, r0, v0, v1", alu: 2}, // a product and a sum
		{target: "midgard", code: "mad r0.x, r0, v0, v1", alu: 2},
		{target: "midgard", code: "dp4 r0, r0, v0", alu: 1},
		{target: "midgard", code: "mul r0, r0, v0; rcp r1.x, r0.x; mul r0, r0, r1.x", alu: 3.5},
		{target: "midgard", code: "cmp r0, v0, r0, v1", alu: 2},
		{target: "adreno", code: "mad r0, r0, v0, v1", alu: 4},
		{target: "adreno", code: "rsq r0.x, r0.x", alu: 1},
		{target: "adreno", code: "frc r0.x, r0.x", alu: 2},
		{target: "adreno", code: "mul r1.x, c0.x, c1.x; mul r0, r0, r1.x", alu: 4}, // once for a draw
		{target: "adreno", code: "texldp r1, v0, s0; mul r0, r0, r1", alu: 10},
		{target: "rv670", code: "mad r0, r0, v0, v1", alu: 1},
		{target: "rv670", code: "mad r0, r0, v0, v1; dp4 r0.x, r0, v0", alu: 2},
		{target: "cypress", code: "frc r0, r0", alu: 1},
		{target: "rv515", code: "mad r0, r0, v0, v1; mad r0, r0, v0, v1", alu: 1},                   // the sum is folded
		{target: "rv515", code: "mul r0.xyz, r0, v0; mul r0.w, r0.w, v1.w; mul r0, r0, v0", alu: 1}, // colour and alpha are one instruction
	} {
		before := price(t, c.target, nil, parse(t, pixelWith("")))
		after := price(t, c.target, nil, parse(t, pixelWith(c.code)))
		alu, special := after.Pixel[Arithmetic]-before.Pixel[Arithmetic], after.Pixel[Special]-before.Pixel[Special]
		if alu != c.alu || special != c.special {
			t.Errorf("%s: %s: takes %g and %g of the special unit, not %g and %g", c.target, c.code, alu, special, c.alu,
				c.special)
		}
	}
}

const sender = "vs_3_0\ndef c8, 1, 0, 0, 0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\n"

// TestComponents checks the cost of one more component that the pixel program reads. Its source in
// the vertex program is a separate value, a copy, a host constant, or a literal.
func TestComponents(t *testing.T) {
	receiver := "ps_3_0\ndcl_texcoord v0\nmul r0, v0.x, c0.x\nadd oC0, r0, %s\n"
	for _, c := range []struct {
		target                      string
		own, copied, host, constant float64
	}{
		{"gcn", 2, 0, 1, 0},
		{"rdna", 2, 0, 1, 0},
		{"rdna3", 4, 0, 2, 0},
		{"nvidia", 11, 11, 11, 11},
		{"adreno", 1, 1, 1, 1},
		{"bifrost", 0, 0, 0, 0},
		{"midgard", 0, 0, 0, 0}, // with others of its register
	} {
		for _, x := range []struct {
			y    string
			want float64
		}{{"v1.y", c.own}, {"v1.x", c.copied}, {"c1.x", c.host}, {"c8.y", c.constant}} {
			vs := parse(t, sender+"mov o1.x, v1.x\nmov o1.y, "+x.y+"\nmov o1.zw, v1\n")
			work := func(ps string) float64 {
				p := price(t, c.target, vs, parse(t, ps))
				return p.Pixel.Work()
			}
			// Compare with a component that exists anyway, so that the sum is computed in either
			// case.
			got := work(fmt.Sprintf(receiver, "v0.y")) - work(fmt.Sprintf(receiver, "v0.x"))
			if got != x.want {
				t.Errorf("%s: a component with %s takes %g, not %g", c.target, x.y, got, x.want)
			}
		}
	}
}

// TestInterpolationInGroups checks that Evergreen interpolates two components of a register in a
// group. Earlier chips interpolate outside the program.
func TestInterpolationInGroups(t *testing.T) {
	for target, want := range map[string]float64{"cypress": 2, "rv770": 0} {
		one := price(t, target, nil, parse(t, "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\nadd oC0, v0, c0\n"))
		two := price(t, target, nil, parse(t, "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\nadd oC0, v0, v1\n"))
		if got := two.Pixel[Arithmetic] - one.Pixel[Arithmetic]; got != want {
			t.Errorf("%s: a register takes %g groups, not %g", target, got, want)
		}
	}
}

// TestTime checks the limits of a draw: fetches of large texels, the output, or arithmetic.
func TestTime(t *testing.T) {
	p := price(t, "gcn", nil, parse(t, pixelWith("texld r1, v0, s0; mad r0, r1, r0, v1")))
	for _, c := range []struct {
		scene Scene
		time  float64
		by    Pipe
	}{
		{Scene{RGBA8, NoWrite, 256}, 25, Arithmetic}, // 8 components, a move of coordinates, 4 sums and 4 products
		{Scene{RGBA32F, NoWrite, 256}, 64, Texture},
		{Scene{RGBA32F, BlendRGBA16F, 256}, 256, Output},
	} {
		if got, by := p.Time(c.scene); got != c.time || by != c.by {
			t.Errorf("%+v: %g by %v, not %g by %v", c.scene, got, by, c.time, c.by)
		}
	}
}

// TestVertexAlone checks that a vertex program without a pixel program ignores the work of pixels.
func TestVertexAlone(t *testing.T) {
	p := price(t, "rdna", parse(t, sender+"mad o1, v1, v0, v0\n"), nil)
	if time, by := p.Time(Scene{RGBA8, BlendRGBA16F, 4}); time != 1 || by != Arithmetic {
		t.Errorf("%g by %v, not 1 by %v", time, by, Arithmetic)
	}
}

// TestLoops checks that a loop costs as much as its trips, except for code that compilers hoist.
func TestLoops(t *testing.T) {
	loop := func(trips int, code string) float64 {
		return price(t, "rdna", nil, parse(t, fmt.Sprintf("ps_3_0\ndefi i0, %d, 0, 1, 0\ndcl_texcoord v0\nmov r0, v0\nrep i0\n%s\nendrep\nmov oC0, r0\n", trips, strings.ReplaceAll(code, "; ", "\n")))).Pixel[Arithmetic]
	}
	if got := loop(10, "mad r0, r0, v0, c0") - loop(4, "mad r0, r0, v0, c0"); got != 24 {
		t.Errorf("six trips more take %g, not 24", got)
	}
	// The product is the same in all trips.
	if got := loop(10, "mul r1, v0, v0; add r0, r0, r1") - loop(4, "mul r1, v0, v0; add r0, r0, r1"); got != 24 {
		t.Errorf("six trips more take %g, not 24", got)
	}
}

// TestCorpus checks that every program of the corpus has a price on every target. Some prices are
// equal: savings that drivers find themselves are worth nothing.
func TestCorpus(t *testing.T) {
	for _, folder := range testcorpus.EveryNth(testcorpus.Glob(t, "corpus/d3d9/pairs/*"), 15) {
		var vs, ps *d3d9.Program
		files, _ := filepath.Glob(folder + "/*")
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := d3d9.Read(file, data)
			if err != nil {
				t.Fatal(err)
			}
			if p.Model.Stage == d3d9.Vertex {
				vs = p
			} else {
				ps = p
			}
		}
		for _, target := range Targets() {
			p := price(t, target.Name, vs, ps)
			for pipe, x := range p.Pixel {
				if x < 0 || x != x {
					t.Errorf("%s: %s: %v %g", folder, target.Name, Pipe(pipe), x)
				}
			}
			if time, _ := p.Time(Scene{RGBA8, NoWrite, 256}); time <= 0 {
				t.Errorf("%s: takes no time on %s", folder, target.Name)
			}
		}
	}
}

// TestPrimitives checks the cost of a vertex on NVIDIA's GPU. It depends on the components that
// pixels read, beyond the table by its slope, or on attributes if they cost more. Pixels share it.
func TestPrimitives(t *testing.T) {
	draw := func(components, attributes int) Price {
		vs, ps := "vs_3_0\ndcl_position o0\n", "ps_3_0\n"
		sum, body := "mov r0, c0\n", ""
		for i := range attributes {
			vs += fmt.Sprintf("dcl_texcoord%d v%d\n", i, i)
			body += fmt.Sprintf("add r0, r0, v%d\n", i)
		}
		body += "mov o0, r0\n"
		for i := 0; 4*i < components; i++ {
			mask := "xyzw"[:min(4, components-4*i)]
			vs += fmt.Sprintf("dcl_texcoord%d o%d\n", i, i+1)
			ps += fmt.Sprintf("dcl_texcoord%d v%d\n", i, i)
			body += fmt.Sprintf("mul o%d, r0, c%d\n", i+1, i+1)
			sum += fmt.Sprintf("add r0.%s, r0, v%d\n", mask, i)
		}
		return price(t, "nvidia", parse(t, vs+"mov r0, c0\n"+body), parse(t, ps+sum+"mov oC0, r0\n"))
	}
	for _, c := range []struct {
		components, attributes int
		want                   float64
	}{{0, 1, 2390}, {7, 1, 4400}, {28, 1, 13140 + 4*10750.0/24}, {3, 6, 6 * 680}} {
		p := draw(c.components, c.attributes)
		if got := p.Vertex[Primitive]; got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("%d components of %d attributes: %g, not %g", c.components, c.attributes, got, c.want)
		}
		if time, by := p.Time(Scene{RGBA8, NoWrite, 16}); by != Primitive || time != p.Vertex[Primitive]/16 {
			t.Errorf("%d components of %d attributes: %g by %v", c.components, c.attributes, time, by)
		}
	}
}

// TestShortest checks that the shortest draw runs those loops once that a condition may end or the
// host counts.
func TestShortest(t *testing.T) {
	for _, c := range []struct {
		loop string
		want float64 // four components added in a trip, four that a loop hands on, and eight that are interpolated, each for three; less than 0 if there is no other draw
	}{
		{"rep i0\nadd r0, r0, v1\nendrep", -1},
		{"rep i1\nadd r0, r0, v1\nendrep", 32},
		{"rep i0\nadd r0, r0, v1\nif_gt r0.x, c0.x\nbreak\nendif\nendrep", 33}, // and the comparison
		{"rep i0\nrep i0\nadd r0, r0, v1\nbreak_gt r0.x, c0.x\nendrep\nendrep", 64},
	} {
		d, err := New(nil, nil, parse(t, "ps_3_0\ndefi i0, 4, 0, 0, 0\ndcl_texcoord v0\ndcl_texcoord1 v1\nmov r0, v0\n"+
			c.loop+"\nmov oC0, r0\n"))
		if err != nil {
			t.Fatal(err)
		}
		short, differs := d.Shortest()
		if differs != (c.want >= 0) {
			t.Errorf("%s: differs: %v", c.loop, differs)
		}
		if !differs {
			continue
		}
		target, _ := ByName("nvidia")
		long, err := target.Price(d)
		if err != nil {
			t.Fatal(err)
		}
		p, err := target.Price(short)
		if err != nil {
			t.Fatal(err)
		}
		if long.Pixel[Arithmetic] <= p.Pixel[Arithmetic] {
			t.Errorf("%s: %g as long as it may be, %g if not", c.loop, long.Pixel[Arithmetic], p.Pixel[Arithmetic])
		}
		if p.Pixel[Arithmetic] != c.want {
			t.Errorf("%s: %g, not %g", c.loop, p.Pixel[Arithmetic], c.want)
		}
	}
}

// TestEnd checks that pricing ends with the budget, before and after the programs of a draw are
// cached.
func TestEnd(t *testing.T) {
	ps := parse(t, pixelWith(strings.Repeat("mad r0, r0, v1, c1; ", 100)))
	for _, target := range Targets() {
		ctx, cancel := context.WithCancel(t.Context())
		var draws []*Draw
		for range 2 {
			d, err := New(budget.New(ctx, 0, 0), nil, ps)
			if err != nil {
				t.Fatal(err)
			}
			draws = append(draws, d)
		}
		if _, err := target.Price(draws[0]); err != nil {
			t.Errorf("%s: before the end: %v", target.Name, err)
		}
		cancel()
		for i, d := range draws {
			if _, err := target.Price(d); err != budget.ErrTime {
				t.Errorf("%s: draw %d after the end: %v", target.Name, i, err)
			}
		}
	}
}
