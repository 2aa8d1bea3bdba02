package shaderlift_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
)

// TestSingleSteps checks that at least 99 % of the single rewrites of passes are proved.
func TestSingleSteps(t *testing.T) {
	files := []string{"testdata/conv1d/conv1d.vsh,testdata/conv1d/conv1d.psh"}
	if pairs := testcorpus.GlobOptional(t, "corpus/d3d9/pairs/*"); len(pairs) > 0 {
		for i := 0; i < len(pairs); i += testcorpus.Count(80, 40) {
			v, _ := filepath.Glob(filepath.Join(pairs[i], "*vs*"))
			p, _ := filepath.Glob(filepath.Join(pairs[i], "*ps*"))
			if len(v) == 1 && len(p) == 1 {
				files = append(files, v[0]+","+p[0])
			}
		}
	}
	var list [][2]verify.Pair
	for _, names := range files {
		list = append(list, singleSteps(t, strings.Split(names, ","))...)
	}
	if least := 4; len(list) < least {
		t.Errorf("%d steps, not %d", len(list), least)
	}
	bad := 0
	for _, versions := range list {
		rep := verify.Check(versions[0], versions[1], verify.Options{Numerics: verify.Real, Brief: !testcorpus.Whole})
		if !rep.Unstable && rep.Verdict != verify.Proved && rep.Verdict != verify.ProvedReal {
			bad++
			t.Logf("%v: %s", rep.Verdict, rep.Why)
		}
		if rep.Verdict == verify.Refuted {
			t.Errorf("a step is refuted: %s", rep.Why)
		}
	}
	if 100*bad > len(list) {
		t.Errorf("%d of %d steps are not proved, more than 1 %%", bad, len(list))
	}
}

// singleSteps returns pairs of versions before and after single rewrites, up to a few.
func singleSteps(t *testing.T, names []string) (list [][2]verify.Pair) {
	var in shaderlift.Input
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: name, Data: data})
	}
	last := in.Files
	for fuel := 1; fuel <= 12; fuel++ {
		res, err := shaderlift.Optimize(t.Context(), in,
			shaderlift.Options{Limits: shaderlift.Limits{Fuel: &fuel}, Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		if slices.EqualFunc(last, res.Files, func(a, b shaderlift.File) bool { return string(a.Data) == string(b.Data) }) {
			continue
		}
		list = append(list, [2]verify.Pair{stepPrograms(t, last), stepPrograms(t, res.Files)})
		last = res.Files
	}
	return list
}

// stepPrograms reads the files of a pair, in either form.
func stepPrograms(t *testing.T, files []shaderlift.File) (p verify.Pair) {
	for i, to := range []**d3d9.Program{&p.Vertex, &p.Pixel} {
		var err error
		if *to, err = d3d9.Read(files[i].Name, files[i].Data); err != nil {
			t.Fatal(err)
		}
	}
	return p
}
