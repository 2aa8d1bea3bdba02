package shaderlift_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/verify"
)

// paper returns a kernel that was written from the text of a paper. The test is skipped without the shared corpus.
func paper(t *testing.T, name string) shaderlift.Input {
	t.Helper()
	return kernelFile(t, testcorpus.Path(t, "corpus/papers/"+name+".asm"))
}

// constants returns promised constants. It panics if one is malformed.
func constants(list ...string) (known []shaderlift.Constant) {
	for _, text := range list {
		c, err := shaderlift.ParseConstant(text)
		if err != nil {
			panic(err)
		}
		known = append(known, c)
	}
	return known
}

// paperStep is a step of a paper, on a program that shows it. A letter for the paper and a number name each of its
// facts: Jang 2009, Ikeda 2006, Volkov 2011, Daga 2011 and the PLDI tutorial of 2008.
type paperStep struct {
	ids string
	// route is the way to the step: a function of the package, or the name of a document.
	route string
	// program has names of programs of testdata/papers.txtar, or of files. Verify has two versions.
	program string
	o       shaderlift.Options
	// at is the most cycles or pixel slots of the result, as a part of those of the input; 0 does not ask for a gain.
	at float64
	// shows are texts of the result: of its programs, or of the report in JSON. A text after ! is not in it.
	shows []string
	// missing is the reason why the step is not found.
	missing string
}

// papersPrograms returns the programs of testdata/papers.txtar, and others that repeat statements, by name.
func papersPrograms(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/papers.txtar")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{"gj.il": string(ilgen.GaussJordan(8))}
	for _, f := range txtar.Parse(data).Files {
		programs[f.Name] = string(f.Data)
	}
	const pixels = "il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\n" +
		"dcl_output_generic o0\ndcl_cb cb0[200]\n"
	programs["nest.il"] = pixels + strings.Repeat("if_logicalnz cb0[0].x\n", 33) +
		strings.Repeat("endif\n", 33) + "mov o0, cb0[1]\nend\n"
	var b, uses strings.Builder
	b.WriteString(pixels + "dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n")
	for i := range 140 {
		fmt.Fprintf(&b, "add r201.xy__, vWinCoord0.xy, cb0[%d].xy\nsample_resource(0)_sampler(0) r%d, r201.xy\n", i, i)
		fmt.Fprintf(&uses, "mad r202, r202, r%d, r%d\n", i, 139-i)
	}
	programs["spill.il"] = b.String() + "mov r202, r0\n" + uses.String() + "mov o0, r202\nend\n"
	programs["big.vsh"] = strings.Replace(programs["pass.vsh"], "mov oPos, v0\n",
		"mov r0, v0\n"+strings.Repeat("mad r0, r0, c20.x, r0\n", 124)+"mov oPos, r0\n", 1)
	vertex, moves := "vs_2_0\ndcl_position v0\n", "mov oPos, v0\n"
	pixel, body := "ps_2_0\ndcl_2d s0\n", "texld r0, t0, s0\n"
	for i := range 7 {
		vertex += fmt.Sprintf("dcl_texcoord%d v%d\n", i, i+1)
		moves += fmt.Sprintf("mov oT%d, v%d\n", i, i+1)
		pixel += fmt.Sprintf("dcl t%d\n", i)
		body += fmt.Sprintf("add r1, t%d, c%d\nmul r0, r0, r1\nadd r0, r0, t%d\n", i, i, i)
	}
	programs["full.vsh"], programs["full.psh"] = vertex+moves, pixel+body+"mov oC0, r0\n"
	return programs
}

// paperInput returns the input with names of programs, joined by a comma. Names that end in so are bytecode.
func paperInput(t *testing.T, programs map[string]string, names string) (in shaderlift.Input) {
	t.Helper()
	for name := range strings.SplitSeq(names, ",") {
		text, ok := programs[name]
		data := []byte(text)
		var err error
		switch source := strings.TrimSuffix(name, "o") + "h"; {
		case strings.Contains(name, "/"):
			data, err = os.ReadFile(name)
		case strings.HasSuffix(name, "so"):
			data, err = shaderlift.Assemble(shaderlift.File{Name: source, Data: []byte(programs[source])})
		case !ok:
			t.Fatalf("no program %s", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: name, Data: data})
	}
	return in
}

// try takes the route. It returns the cost as a part of the cost of the input, and the text of the result. Results of
// a level are proved.
func (s *paperStep) try(t *testing.T, programs map[string]string) (part float64, text string) {
	t.Helper()
	var res *shaderlift.Result
	var err error
	var files []shaderlift.File
	var report any
	before, after, _ := strings.Cut(s.program, " ")
	var in shaderlift.Input
	if before != "" {
		in = paperInput(t, programs, before)
	}
	switch s.route {
	default:
		data, err := os.ReadFile(s.route)
		if err != nil {
			t.Fatal(err)
		}
		return 1, string(data)
	case "level":
		res, err = shaderlift.Optimize(t.Context(), in, s.o)
	case "explain":
		res, err = shaderlift.Explain(t.Context(), in, s.o)
	case "advice": // and its version
		if res, err = shaderlift.Explain(t.Context(), in, s.o); err == nil && len(res.Advice) > 0 {
			o := s.o
			o.Pipeline, o.Keep = res.Advice[len(res.Advice)-1].Pipeline, true
			made, err := shaderlift.Optimize(t.Context(), in, o)
			partly := func(m shaderlift.Remark) bool { return m.Code == "unverified" }
			if err != nil || made.Verdict() < verify.ProvedReal || slices.ContainsFunc(made.Remarks, partly) {
				t.Errorf("%s: %v, %v", s.ids, made, err)
			} else {
				res.Files = made.Files
			}
		}
	case "tune":
		o := shaderlift.TuneOptions{Options: s.o, Budget: 1 << 20, MayChange: kernel.Domain | kernel.Memory}
		res, err = shaderlift.Tune(t.Context(), in, o)
	case "verify":
		res, err = shaderlift.Verify(t.Context(), in, paperInput(t, programs, after), s.o)
	case "split":
		var split *shaderlift.Splitting
		if split, err = shaderlift.Split(t.Context(), in, s.o, 0); err == nil {
			report, files = split, split.Files
		}
	case "stats":
		if res, err = shaderlift.Stats(t.Context(), in, s.o); err == nil {
			var listing []byte
			listing, err = shaderlift.Listing(t.Context(), in, s.o)
			files = append(files, shaderlift.File{Data: listing})
		}
	}
	if err != nil {
		return 1, err.Error()
	}
	if part = 1; res != nil {
		report, files = res, append(files, res.Files...)
		if s.route == "level" && res.Verdict() < verify.ProvedReal {
			t.Errorf("%s: %v", s.ids, res.Verdict())
		}
		switch k := res.Kernel; {
		case len(res.Advice) > 0:
			part = res.Advice[len(res.Advice)-1].Cycles / k.CurrentCost().Cycles
		case k != nil:
			part = k.CurrentCost().Cycles / k.Before.Cycles
		case len(res.Stages) > 0:
			pixel := res.Stages[len(res.Stages)-1]
			part = float64(pixel.CurrentCost().Slots) / float64(pixel.Before.Slots)
		}
	}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	text = string(data)
	for _, f := range files {
		text += "\n" + string(f.Data)
	}
	return part, text
}

// TestPapersSteps checks that each step of the papers is found without a pipeline, or has a reason why not, and that
// each fact of the papers has a step. Facts without one say nothing about programs.
func TestPapersSteps(t *testing.T) {
	programs, covered := papersPrograms(t), map[string]bool{}
	for id := range strings.FieldsSeq("J30 J34 J36 J38 I33 I39 V04 V19 D14 P02 P17 P36") {
		covered[id] = true
	}
	for _, s := range paperSteps {
		part, text := s.try(t, programs)
		found := s.at == 0 || part <= s.at
		for _, want := range s.shows {
			want, absent := strings.CutPrefix(want, "!")
			if strings.Contains(text, want) == absent {
				found = false
				t.Logf("%s: %q", s.ids, want)
			}
		}
		switch {
		case found && s.missing != "":
			t.Errorf("%s are found, but have a reason why not: %s", s.ids, s.missing)
		case s.missing != "":
			t.Logf("%s are missing: %s", s.ids, s.missing)
		case !found:
			t.Errorf("%s: %s of %s: %.3f of the cost\n%.2000s", s.ids, s.route, s.program, part, text)
		}
		for id := range strings.FieldsSeq(s.ids) {
			covered[id] = true
		}
	}
	for paper, facts := range map[string]int{"J": 40, "I": 43, "V": 20, "D": 20, "P": 40} {
		for n := range facts {
			if id := fmt.Sprintf("%s%02d", paper, n+1); !covered[id] {
				t.Errorf("no step for %s", id)
			}
		}
	}
}

// TestPapersSpelling checks that the advice for a matrix product does not depend on how its addresses are written:
// with one index of four components, with an integer counter, with a half, with mad, or as in testdata. All of them
// fetch four numbers at a time for tiles.
func TestPapersSpelling(t *testing.T) {
	least, most := 0.0, 0.0
	for _, name := range []string{"", "jang/mm_naive", "jang/mm_int", "jang/mm_half", "jang/mm_mad"} {
		in, rows := kernelFile(t, "testdata/il/jang_naive.il"), "cb0[0].x=256"
		if name != "" {
			in = paper(t, name)
		}
		if strings.HasSuffix(name, "int") {
			rows += "i"
		}
		res, err := shaderlift.Explain(t.Context(), in, launch("", 256, rows))
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Advice) == 0 {
			t.Errorf("%s: no advice", in.Path())
			continue
		}
		a := res.Advice[len(res.Advice)-1]
		if want := kernel.Domain | kernel.Bindings | kernel.Outputs; a.Host != want {
			t.Errorf("%s: %+v", in.Path(), a)
		}
		if least == 0 || a.Cycles < least {
			least = a.Cycles
		}
		most = max(most, a.Cycles)
	}
	if most > 1.1*least || most > 2907347/10 {
		t.Errorf("from %.0f to %.0f cycles", least, most)
	}
}

// TestPapersBodies checks that a search may choose a tile that is slower on a small launch, and reports it.
func TestPapersBodies(t *testing.T) {
	o := shaderlift.TuneOptions{MayChange: kernel.Domain, Budget: 1 << 20}
	res, err := shaderlift.Tune(t.Context(), kernelFile(t, "testdata/coarsen/nbody.il"), o)
	if err != nil || res.Coarsened == nil || res.Status != shaderlift.Improved || res.Kernel.CurrentCost().Cycles > 60000 {
		t.Fatalf("%v, %+v, %v", res.Status, res.Kernel, err)
	}
	if !slices.ContainsFunc(res.Remarks, func(r shaderlift.Remark) bool { return r.Code == opt.CodeSlowerLaunch }) {
		t.Errorf("%v", res.Remarks)
	}
	for _, v := range res.Tuning.Front {
		if slower := v.Coarsened != nil && v.Coarsened.Tile.Count() >= 4; slower != (v.Slower != "") {
			t.Errorf("%s: %q", v.Pipeline, v.Slower)
		}
	}
}
