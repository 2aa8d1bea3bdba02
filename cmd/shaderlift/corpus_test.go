package main

import (
	"bytes"
	"context"
	"encoding/json"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpusTree links a part of the corpus into a folder: every nth pair and the
// texts of two projects.
func corpusTree(t *testing.T, n int) string {
	t.Helper()
	pairs := testcorpus.Glob(t, "corpus/d3d9/pairs/*")
	root := t.TempDir()
	var folders []string
	for i := 0; i < len(pairs); i += n {
		folders = append(folders, pairs[i])
	}
	for _, name := range []string{"libsdl-org_SDL", "aap_librw"} {
		folders = append(folders, testcorpus.Path(t, "corpus/d3d9/text/"+name))
	}
	for _, from := range folders {
		to := filepath.Join(root, filepath.Base(filepath.Dir(from)), filepath.Base(from))
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// tree reads all files below root.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// command runs the command, which must succeed.
func command(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	if status := run(context.Background(), args, strings.NewReader(""), &out, &err); status != statusDone {
		t.Fatalf("%v: status %d\n%s", args, status, &err)
	}
	return out.String(), err.String()
}

// TestUntouchedTree checks that without passes the written tree equals the input.
func TestUntouchedTree(t *testing.T) {
	in, out := corpusTree(t, 16), t.TempDir()
	command(t, "opt", "-q", "-O0", "-o", out, in)
	want, got := tree(t, in), tree(t, out)
	if len(got) == 0 || len(got) != len(want) {
		t.Errorf("%d files became %d", len(want), len(got))
	}
	for name, data := range got {
		if data != want[name] {
			t.Errorf("%s changed", name)
		}
	}
}

// TestJobs checks that files, reports and their order do not depend on the number of workers.
func TestJobs(t *testing.T) {
	in := corpusTree(t, 16)
	var outputs []map[string]string
	var reports [][]byte
	var lines []string
	for _, jobs := range []string{"1", "4"} {
		out := t.TempDir()
		report := filepath.Join(t.TempDir(), "report.json")
		_, stderr := command(t, "opt", "-v", "-j", jobs, "--host-constants", "mirrored", "-o", out, "--report", report, in)
		lines = append(lines, stderr[:strings.LastIndex(stderr, ";")]) // except the time taken
		outputs = append(outputs, tree(t, out))
		reports = append(reports, timeless(t, report))
	}
	if len(outputs[0]) == 0 || len(outputs[0]) != len(outputs[1]) {
		t.Errorf("%d files and %d files", len(outputs[0]), len(outputs[1]))
	}
	for name, data := range outputs[0] {
		if data != outputs[1][name] {
			t.Errorf("%s depends on the number of workers", name)
		}
	}
	if !bytes.Equal(reports[0], reports[1]) {
		t.Error("the report depends on the number of workers")
	}
	if lines[0] != lines[1] {
		t.Error("what is printed depends on the number of workers")
	}
}

// timeless returns a report without the time taken.
func timeless(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var r map[string]any
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	delete(r["totals"].(map[string]any), "seconds")
	data, err = json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
