package vulkan

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/interp/spirv"
)

// lavapipe is the description of Mesa's software driver in Debian.
const lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"

// newJudge builds a judge on lavapipe, or skips the test.
func newJudge(t *testing.T) *Judge {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	for _, file := range []string{"/usr/include/vulkan/vulkan.h", lavapipe} {
		if _, err := os.Stat(file); err != nil {
			t.Skipf("%v: install libvulkan-dev and mesa-vulkan-drivers", err)
		}
	}
	j, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	j.Driver = lavapipe
	return j
}

// comparison counts pixels and components of one draw.
type comparison struct{ drawn, compared, differ, coverage int }

// compare compares the picture of the interpreter with the targets of the judge. Components agree within tolerance.
// Undefined components are those that differ between pictures of several fillings. Unstable components are those that
// leave the tolerance when the attributes change by roundings.
func compare(d *spirv.Draw, p *spirv.Picture, others, nudged []*spirv.Picture, targets [][]uint32) (n comparison) {
	for at, covered := range p.Covered {
		drawn := false
		for _, t := range targets {
			for k := range 4 {
				drawn = drawn || t[4*at+k] != Unwritten
			}
		}
		if drawn != covered {
			n.coverage++
		}
		if !drawn || !covered {
			continue
		}
		n.drawn++
		for i, c := range d.Fragment.Outputs() {
			a := p.Out[i][at]
			differs := func(o *spirv.Picture) bool { return o.Out[i][at] != a }
			unstable := func(o *spirv.Picture) bool { return !near(c.Kind, a, o.Out[i][at]) }
			if c.IsBuiltIn || slices.ContainsFunc(others, differs) || slices.ContainsFunc(nudged, unstable) {
				continue
			}
			n.compared++
			if !near(c.Kind, a, targets[c.Location][4*at+int(c.Component)]) {
				n.differ++
			}
		}
	}
	return n
}

// near reports whether the words of two components agree within the tolerance. A component a that is not finite agrees
// with everything.
func near(kind spirv.Kind, a, b uint32) bool {
	const tolerance = 2e-3
	x, y := float64(math.Float32frombits(a)), float64(math.Float32frombits(b))
	return a == b || kind == spirv.Float && math.Abs(x-y) <= tolerance*(1+math.Abs(x)) || x-x != 0
}

// pairPaths lists the sure pairs of the corpus.
func pairPaths(t *testing.T) (pairs [][2]string) {
	const root = "../../../shared/corpus/spirv"
	table, err := os.ReadFile(filepath.Join(root, "PAIRS.tsv"))
	if err != nil {
		t.Skipf("%v: the corpus is not beside the repository", err)
	}
	for _, line := range strings.Split(string(table), "\n")[1:] {
		if f := strings.Split(line, "\t"); len(f) > 3 && f[3] != "iface-guess" && !strings.Contains(f[1], "#") {
			pairs = append(pairs, [2]string{filepath.Join(root, f[1]), filepath.Join(root, f[2])})
		}
	}
	return pairs
}

// drawBoth draws a pair with the interpreter and the judge. It returns an empty comparison and a reason if they cannot be
// compared.
func drawBoth(t *testing.T, j *Judge, pair [2]string) (n comparison, reason string) {
	var data [2][]byte
	var programs [2]*spirv.Program
	cubes := false
	for k, path := range pair {
		var err error
		if data[k], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if programs[k], err = spirv.Compile(data[k], "", nil); err != nil {
			return n, "not compiled"
		}
		for _, b := range programs[k].Bindings() {
			cubes = cubes || b.Dim == 3
		}
	}
	// draw multiplies the attributes by a factor.
	draw := func(fill uint64, factor float32) (*spirv.Draw, *spirv.Picture) {
		e := spirv.GeneratedEnv(1)
		e.Fill = fill
		// The interpreter does not filter across the edges of cubes.
		e.Sampler = func(spirv.Resource) spirv.Sampler { return spirv.Sampler{Nearest: cubes} }
		d := &spirv.Draw{Vertex: programs[0], Fragment: programs[1], VertexEnv: e, FragmentEnv: e, Width: 8, Height: 8,
			Attribute: func(c spirv.Component, v int) uint32 {
				w := spirv.GeneratedAttribute(1, c, v)
				if c.Kind != spirv.Float {
					return w
				}
				return math.Float32bits(math.Float32frombits(w) * factor)
			}}
		p, err := d.Run()
		if err != nil {
			t.Fatal(err)
		}
		return d, p
	}
	d, p := draw(1, 1)
	var others, nudged []*spirv.Picture
	for fill := range uint64(8) {
		_, other := draw(fill, 1)
		others = append(others, other)
	}
	for _, factor := range []float32{1 - 0x1p-22, 1 + 0x1p-22} {
		_, other := draw(1, factor)
		nudged = append(nudged, other)
	}
	targets, err := j.Draw(d, data[0], data[1])
	switch {
	case errors.Is(err, ErrUnsupported):
		return n, "not supported by the judge"
	case err != nil:
		t.Logf("%s: %v", pair[1], err)
		return n, "failed in the driver"
	}
	if n = compare(d, p, others, nudged, targets); n.compared == 0 {
		return n, "nothing drawn that is defined"
	}
	return n, ""
}

// Lavapipe and the interpreter draw the same pictures. A few pixels may differ at edges, and a few components where the
// program amplifies roundings of its own operations.
func TestLavapipe(t *testing.T) {
	j := newJudge(t)
	modules, same := map[string]bool{}, map[string]bool{}
	reasons := map[string]int{}
	for _, pair := range testcorpus.EveryNth(pairPaths(t), 5) {
		n, reason := drawBoth(t, j, pair)
		if reason != "" {
			reasons[reason]++
			continue
		}
		agree := n.coverage <= 6 && n.differ*20 <= n.compared
		if !agree {
			t.Logf("%s, %s: %+v", pair[0], pair[1], n)
		}
		for _, path := range pair {
			modules[path] = true
			same[path] = same[path] || agree
		}
	}
	agree := 0
	for _, ok := range same {
		if ok {
			agree++
		}
	}
	t.Logf("%d of %d modules agree; pairs not compared: %v", agree, len(modules), reasons)
	if agree*100 < 95*len(modules) {
		t.Errorf("%d of %d modules agree", agree, len(modules))
	}
}
