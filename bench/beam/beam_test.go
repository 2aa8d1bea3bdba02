package main

import (
	"archive/zip"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

// asCommand is the variable that makes the test binary act as the command.
const asCommand = "SHADERLIFT_BEAM_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	ptest.MainWithDefault(m, "prism")
}

// tree creates a folder of shaders, with one content under several names, unreadable shaders, and
// other files.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	copied := map[string]string{
		"a/blur.vsh": "examples/programs/blur.vsh", "a/blur.psh": "examples/programs/blur.psh",
		"b/deep/same.vsh": "examples/programs/blur.vsh", "b/deep/same.psh": "examples/programs/blur.psh",
		"c/conv1d.vsh": "testdata/conv1d/conv1d.vsh", "c/conv1d.psh": "testdata/conv1d/conv1d.psh",
		"many/blur.psh": "examples/programs/blur.psh", "many/toon.psh": "examples/programs/toon.psh", "many/nbody.il": "examples/programs/nbody.il",
	}
	for to, from := range copied {
		data, err := os.ReadFile(filepath.Join("../..", from))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(root, to), data)
	}
	put(t, filepath.Join(root, "many/bad.psh"), []byte("ps_2_0\nnonsense r0\n"))
	put(t, filepath.Join(root, "many/worse.psh"), []byte("ps_2_0\nnonsense r0\n"))
	put(t, filepath.Join(root, "many/notes.txt"), []byte("no shader"))
	return root
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// files returns the files in a folder by path.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, err := os.ReadFile(filepath.Join(root, path))
			list[path] = string(data)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// optimized returns the output of the command for a folder: its programs, and the results of its report
// as lines.
func optimized(t *testing.T, root string) (programs map[string]string, lines []string) {
	t.Helper()
	dir := t.TempDir()
	command, out, report := filepath.Join(dir, "shaderlift"), filepath.Join(dir, "out"), filepath.Join(dir, "report.json")
	if text, err := exec.Command("go", "build", "-C", "../..", "-buildvcs=false", "-o", command,
		"./cmd/shaderlift").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if text, err := exec.Command(command, "opt", "-o", out, "--report", report, root).CombinedOutput(); err == nil {
		t.Fatalf("unreadable inputs are no errors:\n%s", text)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Results []json.RawMessage }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for _, res := range r.Results {
		var b bytes.Buffer
		if err := json.Compact(&b, res); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, b.String())
	}
	return files(t, out), lines
}

// TestLikeOpt checks that the pipeline writes the same bytes and results as opt, from a folder and
// from an archive of it, for any number of report files.
func TestLikeOpt(t *testing.T) {
	root := tree(t)
	programs, lines := optimized(t, root)
	if len(lines) != 8 || len(programs) != 9 {
		t.Fatalf("opt has %d results and %d programs", len(lines), len(programs))
	}
	archive := filepath.Join(t.TempDir(), "shaders.zip")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, archive, b.Bytes())
	for _, from := range []string{root, archive} {
		dir := t.TempDir()
		shards := 1
		if from == archive {
			shards = 3
		}
		c, err := run(t.Context(), Settings{Output: filepath.Join(dir, "out")}, []string{from},
			filepath.Join(dir, "report"), shards)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.String(); got != "2 improved, 0 changed, 4 unchanged, 2 failed, 6 contents" {
			t.Errorf("%s: %s", from, got)
		}
		same(t, programs, files(t, filepath.Join(dir, "out")))
		var got []string
		for name, text := range files(t, dir) {
			if strings.HasPrefix(name, "report-") {
				got = append(got, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
			}
		}
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], archive, root)
		}
		if len(got) != len(lines) {
			t.Errorf("%s: %d lines, not %d", from, len(got), len(lines))
		}
		for _, line := range got {
			if !slices.Contains(lines, line) {
				t.Errorf("%s reports\n%s", from, line)
			}
		}
	}
}

func same(t *testing.T, want, got map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is\n%s\nnot\n%s", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %d programs, not %d", len(got), len(want))
	}
}

// TestKilled checks that killed runs leave only complete files, and that the run that ends has the
// programs and results of opt.
func TestKilled(t *testing.T) {
	root := tree(t)
	programs, lines := optimized(t, root)
	dir := t.TempDir()
	out, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
	begin := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-output", out, "-report", report, root)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	put(t, report+"-00000-of-00001.jsonl"+part+rand.Text(), []byte("half"))
	for written := range len(programs) {
		put(t, filepath.Join(out, "a", "old.psh"+part+rand.Text()), []byte("half"))
		cmd := begin()
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		for running := true; running && len(files(t, out)) <= written; {
			select {
			case <-done:
				running = false
			case <-time.After(time.Millisecond):
			}
		}
		cmd.Process.Kill()
		<-done
		for name, text := range files(t, out) {
			if !strings.Contains(name, part) && text != programs[name] {
				t.Errorf("%d files: a run that was killed left %s as\n%s", written, name, text)
			}
		}
	}
	var exit *exec.ExitError
	if err := begin().Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 { // two files are not programs
		t.Fatal(err)
	}
	same(t, programs, files(t, out))
	if list := files(t, dir); len(list) != len(programs)+1 {
		t.Errorf("there are %d files", len(list))
	}
	got := strings.Split(strings.TrimSuffix(files(t, dir)["report-00000-of-00001.jsonl"], "\n"), "\n")
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		t.Errorf("reported is\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// TestList checks lists of files and pairs, one per line. A missing file fails without stopping
// others.
func TestList(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "list")
	put(t, list, []byte("# shaders\n../../testdata/conv1d/conv1d.vsh,../../testdata/conv1d/conv1d.psh\n\nnone.psh\n"))
	c, err := run(t.Context(), Settings{HostConstants: "mirrored"}, []string{"@" + list, "none.psh"},
		filepath.Join(dir, "report"), 1)
	if err != nil || c["improved"] != 1 || c["failed"] != 1 {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := run(t.Context(), Settings{}, []string{"@none"}, "", 1); err == nil {
		t.Error("a missing list is accepted")
	}
	if _, err := (&Settings{Target: "abacus"}).options(); err == nil {
		t.Error("an unknown target is accepted")
	}
}

// TestChanged checks that a file that changed before it is optimized fails.
func TestChanged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "p.psh")
	put(t, name, []byte("ps_2_0\nmov oC0, c0\n"))
	var at string
	var shader Shader
	if err := expand(name, func(key string, s Shader) error { at, shader = key, s; return nil }); err != nil {
		t.Fatal(err)
	}
	if contents, err := (archives{}).read(&shader, at); err != nil || len(contents) != 1 {
		t.Errorf("%q, %v", contents, err)
	}
	put(t, name, []byte("ps_2_0\nmov oC0, c1\n"))
	if _, err := (archives{}).read(&shader, at); err != errChanged {
		t.Errorf("a changed file is read: %v", err)
	}
}
