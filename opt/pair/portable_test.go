package pair

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/machine/draw"
)

// drawn returns a draw of a pair that arithmetic limits on every GPU, as each pixel has 256 multiply-adds. The caller
// closes it.
func drawn(t *testing.T) *draw.Draw {
	t.Helper()
	read := func(name, text string) *d3d9.Program {
		p, err := d3d9.Read(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	d, err := draw.New(nil, read("a.vsh", "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n"),
		read("a.psh", "ps_3_0\ndcl_texcoord v0\nmov r0, v0\n"+strings.Repeat("mad r0, r0, v0, c0\n", 64)+"mov oC0, r0\n"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestLimits changes the price of a draw on one GPU, and checks whether the version counts as worse.
func TestLimits(t *testing.T) {
	d := drawn(t)
	defer d.Close()
	for _, test := range []struct {
		target Target
		on     string
		change func(p *draw.Price)
		worse  string // part of the reason, empty if it is not worse
	}{
		{"portable", "intel", func(p *draw.Price) { p.Pixel[draw.Arithmetic] *= 1.004 }, ""},
		{"portable", "intel", func(p *draw.Price) { p.Pixel[draw.Arithmetic] *= 1.006 }, "a pixel takes"},
		{"portable", "nvidia", func(p *draw.Price) { p.Pixel[draw.Special] *= 2 }, ""},
		{"portable", "nvidia", func(p *draw.Price) { p.Vertex[draw.Primitive] *= 1.15 }, ""},
		{"portable", "gcn", func(p *draw.Price) { p.Pixel[draw.Special]++ }, "of work on gcn"}, // hidden, but counted
		{"portable", "gcn", func(p *draw.Price) { p.Pixel[draw.Arithmetic] *= 0.99 }, ""},
		{"intel", "intel", func(p *draw.Price) { p.Pixel[draw.Arithmetic] *= 1.004 }, "a pixel takes"},
		{"portable,intel", "intel", func(p *draw.Price) { p.Pixel[draw.Arithmetic] *= 1.004 }, "a pixel takes"},
		{"portable,gcn", "intel", func(p *draw.Price) { p.Pixel[draw.Arithmetic] *= 1.004 }, ""},
		{"bifrost", "bifrost", func(p *draw.Price) { p.Pixel[draw.Interpolation]++ }, ""},
		{"valhall", "valhall", func(p *draw.Price) { p.Pixel[draw.Interpolation]++ }, "of work on valhall"},
		{"nvidia", "nvidia", func(p *draw.Price) { p.Pixel[draw.Special]++ }, "of work on nvidia"},
	} {
		g, err := NewGPUs(test.target, 0, nil, func() (*draw.Draw, error) { return drawn(t), nil })
		if err != nil {
			t.Fatal(err)
		}
		on, err := draw.ByName(test.on)
		if err != nil {
			t.Fatal(err)
		}
		before, err := on.Price(d)
		if err != nil {
			t.Fatal(err)
		}
		after := before
		test.change(&after)
		var sum Comparison
		g.versus(&sum, on, &before, &after)
		if (sum.Worse == "") != (test.worse == "") || !strings.Contains(sum.Worse, test.worse) {
			t.Errorf("%s, changed on %s: %q, want %q", test.target, test.on, sum.Worse, test.worse)
		}
	}
}

// TestSmallTriangles checks the limit for meshes of small triangles, where the work for vertices decides.
func TestSmallTriangles(t *testing.T) {
	d := drawn(t)
	defer d.Close()
	g, err := NewGPUs(PortableTarget, 0, nil, func() (*draw.Draw, error) { return drawn(t), nil })
	if err != nil {
		t.Fatal(err)
	}
	on, err := draw.ByName("nvidia")
	if err != nil {
		t.Fatal(err)
	}
	before, err := on.Price(d)
	if err != nil {
		t.Fatal(err)
	}
	pixel, _ := before.Time(g.limits[0].scene)
	before.Vertex[draw.Primitive] = pixel * g.pixels / smaller // both take equally long in a mesh of small triangles
	for _, test := range []struct {
		rise  float64
		worse bool
	}{{1.19, false}, {1.21, true}} {
		after := before
		after.Vertex[draw.Primitive] *= test.rise
		var sum Comparison
		if g.versus(&sum, on, &before, &after); (sum.Worse != "") != test.worse {
			t.Errorf("a rise to %.0f %%: %q", 100*test.rise, sum.Worse)
		}
	}
}

// TestSlight checks the least average saving of work.
func TestSlight(t *testing.T) {
	for _, test := range []struct {
		x    Comparison
		want bool
	}{
		{Comparison{pixels: []float64{0, 0}}, false},
		{Comparison{pixels: []float64{0, 0.05}, moved: true}, false},
		{Comparison{pixels: []float64{0, 0.03}, moved: true}, true},
		{Comparison{pixels: []float64{0.5, 0}, moved: true, fewer: "cypress"}, true},
	} {
		if got := test.x.Slight(); (got != "") != test.want {
			t.Errorf("%v: %q", test.x.pixels, got)
		}
	}
}

// TestFewer checks which versions with slightly fewer operations in as many groups count as a slight gain.
func TestFewer(t *testing.T) {
	d := drawn(t)
	defer d.Close()
	g, err := NewGPUs(PortableTarget, 0, nil, func() (*draw.Draw, error) { return drawn(t), nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		on     string
		fewer  int // operations of 100
		groups float64
		want   bool
	}{
		{"cypress", 4, 0, true}, {"cypress", 6, 0, false}, {"cypress", 0, 0, false}, {"cypress", -4, 0, false},
		{"cypress", 4, 1, false}, {"r420", 4, 0, false},
	} {
		on, err := draw.ByName(test.on)
		if err != nil {
			t.Fatal(err)
		}
		before, err := on.Price(d)
		if err != nil {
			t.Fatal(err)
		}
		before.Operations = 100
		after := before
		after.Operations -= test.fewer
		after.Pixel[draw.Arithmetic] -= test.groups
		var sum Comparison
		if g.versus(&sum, on, &before, &after); (sum.fewer != "") != test.want {
			t.Errorf("%d operations and %g groups fewer on %s: %q", test.fewer, test.groups, test.on, sum.fewer)
		}
	}
}

// TestGPUsOnce checks that a list of targets prices each GPU once.
func TestGPUsOnce(t *testing.T) {
	all, err := PortableTarget.GPUs()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		list Target
		want int
	}{{"portable,nvidia", len(all)}, {"nvidia,d3d9,portable,portable", len(all)}, {"nvidia,r420,nvidia", 2},
		{"desktop", len(all)}, {"phones", 4}, {"phones,desktop", len(draw.Targets())}, {"vulkan", 9}} {
		if list, err := test.list.GPUs(); err != nil || len(list) != test.want {
			t.Errorf("%s: %d GPUs, want %d (%v)", test.list, len(list), test.want, err)
		}
	}
}

// TestNamesGPUs checks that names of groups of GPUs do not count as names of GPUs.
func TestNamesGPUs(t *testing.T) {
	for target, want := range map[Target]bool{"": false, "d3d9": false, "portable": false, "desktop": false, "phones": false,
		"vulkan": false, "bifrost": true, "bifrost,adreno": true, "bifrost,desktop": false} {
		if target.NamesGPUs() != want {
			t.Errorf("%q: %v, want %v", target, !want, want)
		}
	}
}
