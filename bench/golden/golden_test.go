package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/bench/internal/root"
)

// copyTo copies a file of the repository.
func copyTo(t *testing.T, from string, to ...string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(to...)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// corpus makes a corpus from testdata, with four pairs, and returns options for its pairs.
func corpus(t *testing.T) *options {
	t.Helper()
	t.Chdir(".") // restores the working directory
	if err := root.Enter(); err != nil {
		t.Fatal(err)
	}
	o := &options{corpus: t.TempDir(), stored: t.TempDir(), sweep: "pairs-d3d9-separate"}
	for _, name := range []string{"a", "b", "c", "d"} {
		copyTo(t, "testdata/conv1d/conv1d.vsh", o.corpus, "d3d9/pairs", name, "vs.vso")
		copyTo(t, "testdata/conv1d/conv1d.psh", o.corpus, "d3d9/pairs", name, "ps.pso")
	}
	return o
}

// lines returns the stored lines of the sweep of o.
func (o *options) lines(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.stored, o.sweep+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(data)))
}

// TestCompare checks that an update stores a line for each input, that a comparison finds no difference
// then, and that it finds changed, missing and surplus lines.
func TestCompare(t *testing.T) {
	o := corpus(t)
	compare := func() (string, error) {
		var w strings.Builder
		err := o.run(&w)
		return w.String(), err
	}
	if _, err := compare(); err == nil {
		t.Error("a comparison with a missing file succeeds")
	}
	o.update = true
	if out, err := compare(); err != nil {
		t.Fatal(out, err)
	}
	list := o.lines(t)
	if fields := strings.Split(list[0], "\t"); len(list) != 4 || len(fields) != 5 || fields[0] != "a" ||
		fields[1] != "improved" ||
		len(fields[3]) != 64+1+64 || !strings.Contains(fields[4], "ps.slots=") {
		t.Fatalf("lines %q", list)
	}
	o.update = false
	if out, err := compare(); err != nil || out != "no difference in 4 lines\n" {
		t.Errorf("nothing changed: %q, %v", out, err)
	}
	for _, test := range []struct {
		name, want string
		change     func([]string) []string
	}{
		{"changed", "- " + strings.Replace(list[1], "improved", "unchanged", 1) + "+ " + list[1], func(l []string) []string {
			l[1] = strings.Replace(l[1], "improved", "unchanged", 1)
			return l
		}},
		{"missing", "- \n+ " + list[3], func(l []string) []string { return l[:3] }},
		{"surplus", "lacks 1 inputs that have lines, such as e\n",
			func(l []string) []string { return append(l, "e\timproved\n") }},
	} {
		text := strings.Join(test.change(slices.Clone(list)), "")
		if err := os.WriteFile(filepath.Join(o.stored, o.sweep+".txt"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := compare(); err == nil || !strings.HasSuffix(out, test.want) ||
			!strings.Contains(err.Error(), "1 lines") {
			t.Errorf("%s: %q, %v", test.name, out, err)
		}
	}
	o.update = true
	if out, err := compare(); err != nil || !slices.Equal(o.lines(t), list) {
		t.Errorf("an update does not restore the lines: %q, %v", out, err)
	}
}

// TestFailed checks the line of an input that is refused, and of a kernel.
func TestFailed(t *testing.T) {
	o := corpus(t)
	o.sweep, o.update = "kernels-O1", true
	copyTo(t, "testdata/conv1d/conv1d.psh", o.corpus, "il", "b.il")
	copyTo(t, "testdata/il/transpose.il", o.corpus, "il", "c.il")
	if err := os.WriteFile(filepath.Join(o.corpus, "il", "a.il"), []byte("il_cs_2_0\nnonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := o.run(new(strings.Builder)); err != nil {
		t.Fatal(err)
	}
	list := o.lines(t)
	if len(list) != 3 || !strings.HasPrefix(list[0], "a.il\tfailed\t") || !strings.Contains(list[2], "cycles=") {
		t.Errorf("lines %q", list)
	}
}

// TestInput checks that -input writes the programs and the report of an input for each sweep, and
// that missing inputs are errors.
func TestInput(t *testing.T) {
	o := corpus(t)
	o.input, o.out = "c", filepath.Join(t.TempDir(), "out")
	if err := o.run(new(strings.Builder)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vs.vso", "ps.pso", "report.json"} {
		if info, err := os.Stat(filepath.Join(o.out, o.sweep, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	o.input = "x"
	if err := o.run(new(strings.Builder)); err == nil {
		t.Error("an unknown input is accepted")
	}
	o.sweep, o.input, o.out, o.update = "effects-d3d9", "", "", true
	if err := o.run(new(strings.Builder)); err == nil {
		t.Error("a corpus without the inputs of a sweep is accepted")
	}
}

// TestStored checks that every sweep has stored lines in order, and that none of them has a verdict that
// .ci/run would reject.
func TestStored(t *testing.T) {
	for _, s := range sweeps {
		o := options{stored: "testdata", sweep: s.name}
		list := o.lines(t)
		if !slices.IsSorted(list) || len(list) < 50 {
			t.Errorf("%s: %d lines", s.name, len(list))
		}
		for _, line := range list {
			fields := strings.Split(line, "\t")
			if len(fields) != 5 || fields[1] != "failed" &&
				!slices.Contains([]string{"proved", "proved-real", "bounded", "tested"}, fields[2]) {
				t.Errorf("%s: %s", s.name, line)
			}
		}
	}
}
