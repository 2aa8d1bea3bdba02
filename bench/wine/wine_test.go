package wine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/bench/internal/root"
	"github.com/shaderlift/shaderlift/bench/wine"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// home is the folder of the Wine prefixes, one a model. Tests share them, since Wine takes seconds to make one.
var home string

func TestMain(m *testing.M) { os.Exit(withHome(m.Run)) }

// withHome runs the tests in the root folder of the repository.
func withHome(run func() int) int {
	err := root.Enter()
	if err != nil {
		panic(err)
	}
	if home, err = os.MkdirTemp("", "wine"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	return run()
}

// start returns a runner for a device that has shader models up to version.
func start(t *testing.T, version int) *wine.Runner {
	t.Helper()
	r, err := wine.StartModel(filepath.Join(home, strconv.Itoa(version)), version)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// asked returns the value of SHADERLIFT_WINE. Without a value it skips the test. With a value it fails the test
// if Wine cannot be used.
func asked(t *testing.T) string {
	t.Helper()
	scope := os.Getenv("SHADERLIFT_WINE")
	if scope == "" {
		t.Skip("set SHADERLIFT_WINE=1 to compare with Wine")
	}
	if err := wine.Available(); err != nil {
		t.Fatalf("SHADERLIFT_WINE is set, and Wine cannot be used: %v", err)
	}
	return scope
}

// wanted is the number of counting draws that a sample compares.
const wanted = 60

// TestWine compares the interpreter with Wine on random draws of shader pairs before and after optimization,
// and Wine's two pictures with each other. The pictures may differ by no more than explained rounding, and by
// no more than the bound that package verify states for the draw. SHADERLIFT_WINE enables the test: for a
// sample of the corpus in about a minute, for all of it if the value is "all", otherwise for the pairs with the
// value in their names. Without a corpus it uses the pairs in testdata.
func TestWine(t *testing.T) {
	scope := asked(t)
	pairs := corpusPairs(t)
	sample := len(pairs) > 0 && scope == "1"
	plan := everything
	switch {
	case sample:
		pairs, plan = spread(pairs), containsInst
	case len(pairs) == 0:
		pairs = testdataPairs(t)
	case scope != "all":
		pairs = slices.DeleteFunc(pairs, func(s wine.Subject) bool { return !strings.Contains(s.Name, scope) })
		plan = func(t *testing.T, p wine.Subject, i int) []wine.Subject {
			return slices.Concat(containsInst(t, p, 0), containsInst(t, p, 1), everything(t, p, i))
		}
	}
	if len(pairs) == 0 {
		t.Fatalf("no pair has %q in its name", scope)
	}
	r := start(t, 3)

	var sum tally
	for chunk := range slices.Chunk(pairs, wanted/3) {
		var batch []wine.Subject
		for i, p := range chunk {
			batch = append(batch, plan(t, p, i)...)
		}
		sum.draw(t, r, batch)
		if sample && sum.counted >= wanted {
			break
		}
	}
	sum.print(t)
	switch {
	case sum.drawn == 0, sample && sum.counted < wanted:
		t.Errorf("%d draws, of which %d count", sum.drawn, sum.counted)
	case sample && sum.bounded == 0:
		t.Error("no draw has a bound")
	}
	if sample && (sum.types[d3d9.Tex2D] == 0 || sum.types[d3d9.TexCube] == 0 || sum.types[d3d9.TexVolume] == 0) {
		t.Errorf("not every type of texture was drawn: %v", sum.types)
	}
}

// TestWineFit compares pictures of version 3 pairs with those of their ports to ps_2_0: 20 of the corpus, or
// all that fit if SHADERLIFT_WINE is "all".
func TestWineFit(t *testing.T) {
	scope := asked(t)
	const few = 20
	var batch []wine.Subject
	for _, p := range spread(corpusPairs(t)) {
		if scope != "all" && len(batch) == few {
			break
		}
		if p.Before.Pixel.Model.Major < 3 {
			continue
		}
		s := optimized(t, p, shaderlift.Options{Fit: "ps_2_0"})
		if s.After == nil {
			continue
		}
		if s.Case = meaningfulCase(t, &s, 1); s.Case != nil {
			s.Case = filtered(s.Case)
			s.Bounds = bounds(t, &s, s.Case)
			batch = append(batch, s)
		}
	}
	if len(batch) == 0 {
		testcorpus.Path(t, "corpus/d3d9/pairs")
		t.Fatal("nothing fits")
	}
	r := start(t, 3)
	var sum tally
	sum.draw(t, r, batch)
	sum.print(t)
	if sum.counted == 0 {
		t.Error("no draw counts")
	}
}

// TestWineTargets compares pictures of pairs before and after optimization for several targets, with mirrored
// constants and within the stated bound. It draws five pairs that change, or a hundred if SHADERLIFT_WINE is
// "all" or "targets".
func TestWineTargets(t *testing.T) {
	scope := asked(t)
	most := 5
	if scope == "all" || scope == "targets" {
		most = 100
	}
	r := start(t, 3)
	for _, target := range []shaderlift.Target{shaderlift.PortableTarget, shaderlift.SlotTarget, "nvidia", "r420"} {
		t.Run(string(target), func(t *testing.T) {
			var batch []wine.Subject
			for i, p := range spread(corpusPairs(t)) {
				if len(batch) == most {
					break
				}
				s := optimized(t, p, shaderlift.Options{Target: target,
					Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
				if s.After == nil {
					continue
				}
				if s.Case = meaningfulCase(t, &s, 1); s.Case == nil {
					continue
				}
				if i%2 == 0 {
					s.Case = filtered(s.Case)
				}
				s.Bounds = bounds(t, &s, s.Case)
				batch = append(batch, s)
			}
			if len(batch) == 0 {
				testcorpus.Path(t, "corpus/d3d9/pairs")
				t.Fatal("no pair changes")
			}
			var sum tally
			sum.draw(t, r, batch)
			sum.print(t)
			if sum.counted == 0 || sum.bounded == 0 {
				t.Errorf("%d draws count, %d have a bound", sum.counted, sum.bounded)
			}
		})
	}
}

// containsInst returns one draw of a pair, optimized with mirrored host constants so that code motion has the
// most to do. Every other pair keeps unfiltered textures.
func containsInst(t *testing.T, p wine.Subject, i int) []wine.Subject {
	t.Helper()
	c := meaningfulCase(t, &p, 1)
	if c == nil {
		return nil
	}
	if i%2 == 0 {
		c = filtered(c)
	}
	s := optimized(t, p, shaderlift.Options{Target: shaderlift.SlotTarget,
		Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}})
	s.Case, s.Bounds = c, bounds(t, &s, c)
	return []wine.Subject{s}
}

// everything returns draws of a pair optimized with separate and with mirrored host constants, or one draw if
// the results are equal. All textures are filtered.
func everything(t *testing.T, p wine.Subject, _ int) (list []wine.Subject) {
	t.Helper()
	c, _, err := draws.Random(p.Before.Vertex, p.Before.Pixel, 1)
	if err != nil {
		t.Logf("%s cannot be drawn: %v", p.Name, err)
		return nil
	}
	c = filtered(c)
	for _, host := range []shaderlift.HostConstants{shaderlift.Separate, shaderlift.Mirrored} {
		s := optimized(t, p, shaderlift.Options{Target: shaderlift.SlotTarget,
			Host: shaderlift.HostOptions{PixelConstants: host}})
		if host == shaderlift.Mirrored && reflect.DeepEqual(s.After, list[0].After) {
			break
		}
		s.Name = fmt.Sprintf("%s, constants %s", p.Name, host)
		s.Case, s.Bounds = c, bounds(t, &s, c)
		list = append(list, s)
	}
	return list
}

// tally counts the outcomes of draws.
type tally struct {
	drawn                int
	counted              int // draws that count
	changed              int // draws of pairs that optimization changed
	bounded              int // of the changed draws, those with a bound
	visible              int // of the changed draws, those in which rounding is visible
	total, after, change wine.Agreement
	margin               wine.Margin
	worst                string // the draw with the largest fraction of its bound
	types                map[d3d9.TexType]int
}

// draw draws a batch with r and adds the outcomes.
func (y *tally) draw(t *testing.T, r *wine.Runner, batch []wine.Subject) {
	t.Helper()
	outcomes, err := r.Check(batch)
	if err != nil {
		t.Fatal(err)
	}
	for i := range outcomes {
		y.take(t, &batch[i], &outcomes[i])
	}
}

// take adds the outcome of a draw, or fails the test.
func (y *tally) take(t *testing.T, s *wine.Subject, o *wine.Outcome) {
	t.Helper()
	switch {
	case o.Err != nil:
		t.Errorf("%s: %v", s.Name, o.Err)
		return
	case o.Wrong() > 0:
		for what, a := range map[string]*wine.Agreement{"before": &o.Before, "after": o.After,
			"after against before": o.Change} {
			if a != nil && a.Wrong > 0 {
				t.Errorf("%s, %s: %d of %d components disagree; %v", s.Name, what, a.Wrong, a.Compared, a.First)
			}
		}
		if m := &o.Margin; m.Beyond > 0 {
			t.Errorf("%s: %d of %d components are beyond their bound, by %.3g times; %v", s.Name, m.Beyond, m.Bounded,
				m.Largest, m.First)
		}
		return
	case !o.Counts():
		t.Logf("%s does not count: %+v, %+v", s.Name, o.Picture, o.Before)
	default:
		y.counted++
	}
	y.count(s.Case)
	y.drawn++
	add(&y.total, o.Before)
	if o.After == nil {
		return
	}
	y.changed++
	add(&y.after, *o.After)
	add(&y.change, *o.Change)
	if o.Visible > 0 {
		y.visible++
		t.Logf("%s: roundings show: %d of %d components are apart by more than a thousandth", s.Name, o.Visible,
			o.Change.Compared)
	}
	if o.Margin.Bounded > 0 {
		y.bounded++
		y.margin.Bounded += o.Margin.Bounded
		if o.Margin.Largest >= y.margin.Largest {
			y.margin.Largest, y.worst = o.Margin.Largest, s.Name
		}
	}
}

func (y *tally) print(t *testing.T) {
	t.Helper()
	for _, x := range []struct {
		what  string
		draws int
		a     wine.Agreement
	}{{"before", y.drawn, y.total}, {"after", y.changed, y.after}, {"after against before", y.changed, y.change}} {
		t.Logf("%s: %d draws: %d components compared, %d close, %d special, %d unstable, %d wrong", x.what, x.draws,
			x.a.Compared, x.a.Close, x.a.Special, x.a.Unstable, x.a.Wrong)
	}
	t.Logf("%d of %d draws show a meaningful picture", y.counted, y.drawn)
	t.Logf("roundings show in %d of %d draws", y.visible, y.changed)
	t.Logf("%d of %d draws have a bound: of %d components none is beyond it, the largest difference is %.3g of it (%s)",
		y.bounded, y.changed, y.margin.Bounded, y.margin.Largest, y.worst)
}

// meaningfulCase returns a random case for a subject, or nil if its picture would show too little.
func meaningfulCase(t *testing.T, s *wine.Subject, seed uint64) *interp.Case {
	t.Helper()
	c, picture, err := draws.Random(s.Before.Vertex, s.Before.Pixel, seed)
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

// filtered returns c with linear filters on all its textures, so that the draw has a bound.
func filtered(c *interp.Case) *interp.Case {
	d := *c
	for _, set := range []*interp.TextureSet{&d.VertexTex, &d.PixelTex} {
		for i, tex := range set {
			if tex != nil {
				smooth := *tex
				smooth.Filter = max(smooth.Filter, interp.Linear)
				set[i] = &smooth
			}
		}
	}
	return &d
}

// optimized adds the optimized pair to s, unless the pair stays unchanged or cannot be made to fit.
func optimized(t *testing.T, s wine.Subject, o shaderlift.Options) wine.Subject {
	t.Helper()
	in := shaderlift.Input{Name: s.Name}
	for _, p := range []*d3d9.Program{s.Before.Vertex, s.Before.Pixel} {
		data, err := d3d9.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: p.Model.String(), Data: data})
	}
	res, err := shaderlift.Optimize(t.Context(), in, o)
	if errors.Is(err, shaderlift.ErrFit) {
		return s
	}
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	if res.Status != shaderlift.Improved {
		return s
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
		s.Uploads = append(s.Uploads, draws.Upload{From: u.From.Index, To: u.To.Index, Lowered: u.Lowered()})
	}
	return s
}

// bounds returns the bounds of the difference between the pictures of a draw, or nil if they are unknown.
func bounds(t *testing.T, s *wine.Subject, c *interp.Case) *rounding.Bounds {
	t.Helper()
	box, ok := wine.BoxOf(c)
	if !ok || s.After == nil {
		return nil
	}
	o := verify.Options{Box: box, Uploads: s.Uploads}
	b, err := verify.Bound(verify.Pair(s.Before), verify.Pair(*s.After), verify.ProvedReal, o)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return b
}

func add(sum *wine.Agreement, a wine.Agreement) {
	sum.Compared += a.Compared
	sum.Close += a.Close
	sum.Special += a.Special
	sum.Unstable += a.Unstable
	sum.Wrong += a.Wrong
}

// count adds the types of the textures of a case.
func (y *tally) count(c *interp.Case) {
	if y.types == nil {
		y.types = map[d3d9.TexType]int{}
	}
	for _, set := range []*interp.TextureSet{&c.VertexTex, &c.PixelTex} {
		for _, tex := range set {
			if tex != nil {
				y.types[tex.Type]++
			}
		}
	}
}

const corpus = "../shared/corpus/d3d9"

// corpusPairs returns the pairs of the corpus: those of bytecode, and those of text whose pixel program is
// ps_2_0 or later.
func corpusPairs(t *testing.T) []wine.Subject {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(corpus, "pairs", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var subjects []wine.Subject
	for _, dir := range dirs {
		if s, ok := pairIn(t, dir); ok {
			subjects = append(subjects, s)
		}
	}
	table, err := os.ReadFile(filepath.Join(corpus, "PAIRS.tsv"))
	if err != nil {
		return subjects
	}
	for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		if f := strings.Split(line, "\t"); i > 0 && !strings.Contains(f[1], ".ps_1_") {
			before := wine.Programs{Vertex: readProgram(t, f[0]), Pixel: readProgram(t, f[1])}
			subjects = append(subjects, wine.Subject{Name: f[1], Before: before})
		}
	}
	return subjects
}

// readProgram reads a program of the corpus.
func readProgram(t *testing.T, name string) *d3d9.Program {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := d3d9.Read(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// testdataPairs returns the pairs in the folders of testdata.
func testdataPairs(t *testing.T) []wine.Subject {
	t.Helper()
	var subjects []wine.Subject
	err := filepath.WalkDir("testdata", func(path string, e os.DirEntry, err error) error {
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

// spread orders subjects so that every prefix is a varied sample. The rare subjects with volume textures come
// first, and neighbours, which are variants of one effect, are far apart.
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
	asked(t)
	vs := parse(t, passVS)
	scaled := func(by string) wine.Programs {
		return wine.Programs{Vertex: vs, Pixel: parse(t,
			"ps_3_0\ndef c0, "+by+", 0, 0, 0\ndcl_texcoord v0\nmul oC0, v0, c0.x\n")}
	}
	c := parseCase(t, squareCase)
	ulp, more := scaled("1.0000001"), scaled("1.001")
	r := start(t, 3)
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
