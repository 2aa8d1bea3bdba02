package wine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/wine"
)

// wanted is how many draws that count TestWine compares.
const wanted = 60

// TestWine compares the interpreter with Wine on a random draw for each of many
// pairs, before and after optimization, and Wine's two pictures with each other. The
// pairs are those of the corpus next to the repository, else those in testdata. It
// takes about a minute and runs when the variable SHADERLIFT_WINE is set.
func TestWine(t *testing.T) {
	if os.Getenv("SHADERLIFT_WINE") == "" || testing.Short() {
		t.Skip("set SHADERLIFT_WINE=1 to compare with Wine")
	}
	if err := wine.Available(); err != nil {
		t.Skip(err)
	}
	subjects, least := spread(corpusPairs(t)), wanted
	if len(subjects) == 0 {
		subjects, least = testdataPairs(t), 1
	}
	if len(subjects) == 0 {
		t.Skip("no shader pairs, neither next to the repository nor in testdata")
	}
	r, err := wine.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()

	counted, changed := 0, 0
	var total, after, change wine.Agreement
	types := map[d3d9.TexType]int{}
	for chunk := range slices.Chunk(subjects, wanted/3) {
		var batch []wine.Subject
		for _, s := range chunk {
			if s.Case = meaningfulCase(t, &s); s.Case != nil {
				optimize(t, &s)
				batch = append(batch, s)
			}
		}
		outcomes, err := r.Check(batch)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range outcomes {
			switch {
			case o.Err != nil:
				t.Errorf("%s: %v", batch[i].Name, o.Err)
			case o.Wrong() > 0:
				for what, a := range map[string]*wine.Agreement{"before": &o.Before, "after": o.After, "after against before": o.Change} {
					if a != nil && a.Wrong > 0 {
						t.Errorf("%s, %s: %d of %d components disagree; %v", batch[i].Name, what, a.Wrong, a.Compared, a.First)
					}
				}
			case !o.Counts():
				t.Logf("%s does not count: %+v, %+v", batch[i].Name, o.Picture, o.Before)
			default:
				counted++
				add(&total, o.Before)
				count(types, batch[i].Case)
				if o.After != nil {
					changed++
					add(&after, *o.After)
					add(&change, *o.Change)
				}
			}
		}
		if counted >= wanted {
			break
		}
	}
	for _, x := range []struct {
		what  string
		draws int
		a     wine.Agreement
	}{{"before", counted, total}, {"after", changed, after}, {"after against before", changed, change}} {
		t.Logf("%s: %d draws: %d components compared, %d close, %d special, %d unstable, %d wrong", x.what, x.draws,
			x.a.Compared, x.a.Close, x.a.Special, x.a.Unstable, x.a.Wrong)
	}
	if counted < least {
		t.Errorf("%d draws count, want %d", counted, least)
	}
	if least == wanted && (types[d3d9.Tex2D] == 0 || types[d3d9.TexCube] == 0 || types[d3d9.TexVolume] == 0) {
		t.Errorf("not every type of texture was drawn: %v", types)
	}
}

// meaningfulCase makes up a case for a subject, nil if it would show too little.
func meaningfulCase(t *testing.T, s *wine.Subject) *interp.Case {
	t.Helper()
	c, picture, err := draws.Random(s.Before.Vertex, s.Before.Pixel, 1)
	switch {
	case err != nil:
		t.Logf("%s cannot be drawn: %v", s.Name, err)
		return nil
	case !picture.Meaningful():
		t.Logf("%s shows too little: %+v", s.Name, picture)
		return nil
	}
	return c
}

// optimize fills in what the pair becomes, with the host's constants mirrored so that
// code motion has the most to do, unless it stays as it is.
func optimize(t *testing.T, s *wine.Subject) {
	t.Helper()
	in := shaderlift.Input{Name: s.Name}
	for _, p := range []*d3d9.Program{s.Before.Vertex, s.Before.Pixel} {
		data, err := d3d9.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: p.Model.String(), Data: data})
	}
	res, err := shaderlift.Optimize(in, shaderlift.Options{HostMirrored: true})
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	if res.Status != shaderlift.Improved {
		return
	}
	var programs []*d3d9.Program
	for _, f := range res.Files {
		p, err := d3d9.Read(f.Name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	s.After = &wine.Programs{Vertex: programs[0], Pixel: programs[1]}
	for _, u := range res.Uploads {
		var x draws.Upload
		if _, err := fmt.Sscanf(u.From+" "+u.To, "ps c%d vs c%d", &x.From, &x.To); err != nil {
			t.Fatalf("%s: upload %+v: %v", s.Name, u, err)
		}
		s.Uploads = append(s.Uploads, x)
	}
}

func add(sum *wine.Agreement, a wine.Agreement) {
	sum.Compared += a.Compared
	sum.Close += a.Close
	sum.Special += a.Special
	sum.Unstable += a.Unstable
	sum.Wrong += a.Wrong
}

// count notes the types of the textures of a case.
func count(types map[d3d9.TexType]int, c *interp.Case) {
	for _, set := range []*interp.TextureSet{&c.VertexTex, &c.PixelTex} {
		for _, tex := range set {
			if tex != nil {
				types[tex.Type]++
			}
		}
	}
}

// corpusPairs are the pairs of bytecode next to the repository.
func corpusPairs(t *testing.T) []wine.Subject {
	t.Helper()
	dirs, err := filepath.Glob("../../../shared/corpus/d3d9/pairs/*")
	if err != nil {
		t.Fatal(err)
	}
	var subjects []wine.Subject
	for _, dir := range dirs {
		if s, ok := pairIn(t, dir); ok {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// testdataPairs are the folders of testdata that hold a pair.
func testdataPairs(t *testing.T) []wine.Subject {
	t.Helper()
	var subjects []wine.Subject
	err := filepath.WalkDir("../../testdata", func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			if s, ok := pairIn(t, path); ok {
				subjects = append(subjects, s)
			}
		}
		return err
	})
	if err != nil {
		t.Log(err)
	}
	return subjects
}

// pairIn reads a folder that holds one vertex and one pixel program that can be drawn.
func pairIn(t *testing.T, dir string) (wine.Subject, bool) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	programs := map[d3d9.Stage][]*d3d9.Program{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !d3d9.IsBytecode(data) && !d3d9.IsText(data) {
			continue
		}
		p, err := d3d9.Read(e.Name(), data)
		if err != nil {
			t.Fatal(err)
		}
		programs[p.Model.Stage] = append(programs[p.Model.Stage], p)
	}
	vs, ps := programs[d3d9.Vertex], programs[d3d9.Pixel]
	if len(vs) != 1 || len(ps) != 1 || ps[0].Model.Major < 2 {
		return wine.Subject{}, false
	}
	return wine.Subject{Name: filepath.Base(dir), Before: wine.Programs{Vertex: vs[0], Pixel: ps[0]}}, true
}

// spread orders subjects so that any first few come from all over: the rare ones
// with volume textures first, and neighbours, which are variants of one effect, far apart.
func spread(subjects []wine.Subject) []wine.Subject {
	const stride = 37
	var rare, others []wine.Subject
	for start := range stride {
		for i := start; i < len(subjects); i += stride {
			if hasVolume(subjects[i].Before.Pixel) {
				rare = append(rare, subjects[i])
			} else {
				others = append(others, subjects[i])
			}
		}
	}
	return append(rare, others...)
}

func hasVolume(p *d3d9.Program) bool {
	return slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
		return in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Sampler && in.Decl.Tex == d3d9.TexVolume
	})
}

// TestWineTellsProgramsApart checks that Wine's pictures of a pair before and after
// a change are compared with each other: a change in the last place passes, one of a
// tenth of a percent does not.
func TestWineTellsProgramsApart(t *testing.T) {
	if os.Getenv("SHADERLIFT_WINE") == "" || testing.Short() {
		t.Skip("set SHADERLIFT_WINE=1 to compare with Wine")
	}
	if err := wine.Available(); err != nil {
		t.Skip(err)
	}
	vs := parse(t, passVS)
	scaled := func(by string) wine.Programs {
		return wine.Programs{Vertex: vs, Pixel: parse(t, "ps_3_0\ndef c0, "+by+", 0, 0, 0\ndcl_texcoord v0\nmul oC0, v0, c0.x\n")}
	}
	c := parseCase(t, squareCase)
	ulp, more := scaled("1.0000001"), scaled("1.001")
	r, err := wine.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	outcomes, err := r.Check([]wine.Subject{
		{Name: "ulp", Before: scaled("1"), After: &ulp, Case: c},
		{Name: "more", Before: scaled("1"), After: &more, Case: c},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.Err != nil || o.Before.Wrong != 0 || o.After.Wrong != 0 {
			t.Errorf("outcome %d: %v, before %+v, after %+v", i, o.Err, o.Before, o.After)
		}
	}
	if n := outcomes[0].Wrong(); n != 0 {
		t.Errorf("%d components told apart that differ in the last place", n)
	}
	if outcomes[1].Wrong() == 0 || outcomes[1].Wrong() != outcomes[1].Change.Wrong {
		t.Errorf("a change of 0.1 %% passed: %+v", outcomes[1].Change)
	}
}
