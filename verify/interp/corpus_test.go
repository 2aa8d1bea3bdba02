package interp

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// pairNames lists the corpus, or skips the test if it is missing.
func pairNames(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, path := range testcorpus.Glob(t, "corpus/d3d9/pairs/*") {
		names = append(names, filepath.Base(path))
	}
	return names
}

// TestCorpusPairs draws every pair from bytecode and from its disassembly. The pictures must be equal and
// not empty.
func TestCorpusPairs(t *testing.T) {
	names := testcorpus.EveryNth(pairNames(t), 3)
	drawn, half := 0, 0
	for i, name := range names {
		vp, pp := corpusPair(t, name)
		c := DefaultCase(vp, pp)
		vs, ps := mustCompile(t, vp), mustCompile(t, pp)
		img, err := Draw(vs, ps, c, Numerics{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if img.Coverage() > 0 {
			drawn++
		}
		if 2*img.Coverage() >= c.Width*c.Height {
			half++
		}
		if i%8 != 0 {
			continue
		}
		if again := DefaultCase(vp, pp); string(again.Format()) != string(c.Format()) {
			t.Errorf("%s: the default case is not the same twice", name)
		}
		parsed, err := ParseCase(name, c.Format())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img2, err := Draw(viaText(t, vp), viaText(t, pp), parsed, Numerics{})
		if err != nil {
			t.Errorf("%s as text: %v", name, err)
			continue
		}
		for k := range img.Targets {
			for j, v := range img.Targets[k] {
				if !same(v, img2.Targets[k][j]) {
					t.Fatalf("%s: oC%d differs after a trip through text: %g, %g", name, k, v, img2.Targets[k][j])
				}
			}
		}
	}
	t.Logf("%d pairs: %d cover something, %d half the target", len(names), drawn, half)
	if drawn != len(names) {
		t.Errorf("%d of %d pairs draw nothing by default", len(names)-drawn, len(names))
	}
}

func viaText(t *testing.T, p *d3d9.Program) *Shader {
	t.Helper()
	q := *p
	q.Binary = false
	return mustCompile(t, mustParse(t, string(d3d9.Print(&q))))
}

// TestCorpusText runs every program of the supported models.
func TestCorpusText(t *testing.T) {
	n := 0
	for _, dir := range []string{"text", "gpgpu"} {
		filepath.WalkDir(testcorpus.Path(t, "corpus/d3d9/"+dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			p, err := d3d9.Read(path, data)
			if err != nil || p.Model.Stage == d3d9.Pixel && p.Model.Major < 2 {
				return nil // other tests cover parsing
			}
			s, err := Compile(p)
			if err != nil {
				t.Error(err)
				return nil
			}
			if _, err := s.Run(&Env{}, 4, nil); err != nil && !strings.Contains(err.Error(), "step-limit") {
				t.Error(err)
			}
			n++
			return nil
		})
	}
	t.Logf("%d programs", n)
}
