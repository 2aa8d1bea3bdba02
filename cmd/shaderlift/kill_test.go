package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asCommand in the environment makes the test binary the command.
const asCommand = "SHADERLIFT_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A run that is killed, at any moment and with another one writing the same files, leaves
// inputs as they were and no file that is not whole. SHADERLIFT_KILLS is how often (10).
func TestKilled(t *testing.T) {
	kills := 10
	if n, err := strconv.Atoi(os.Getenv("SHADERLIFT_KILLS")); err == nil {
		kills = n
	}
	sources, err := filepath.Glob("../../testdata/*/*.[vp]sh")
	if err != nil || len(sources) == 0 {
		t.Fatal("no programs: ", err)
	}
	root := t.TempDir()
	inputs := map[string][]byte{}
	for i := range 20 {
		for _, source := range sources {
			data, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, "in", strconv.Itoa(i), filepath.Base(source))
			if err := writeFile(path, data); err != nil {
				t.Fatal(err)
			}
			inputs[path] = data
		}
	}
	out, report := filepath.Join(root, "out"), filepath.Join(root, "report.json")
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "opt", "-q", "-o", out, "--report", report, filepath.Join(root, "in"))
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	begin := time.Now()
	if err := start().Wait(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	whole := contents(t, out)
	if len(whole) != len(inputs) {
		t.Fatalf("%d files of %d inputs", len(whole), len(inputs))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		if r.IntN(2) == 0 {
			os.RemoveAll(out)
		}
		one, other := start(), start()
		time.Sleep(time.Duration(r.Int64N(int64(took) + 1)))
		one.Process.Kill()
		other.Process.Kill()
		one.Wait()
		other.Wait()
		for name, data := range contents(t, out) {
			if !bytes.Equal(data, whole[name]) {
				t.Fatalf("%s is not whole", name)
			}
		}
		if data, err := os.ReadFile(report); err == nil && !bytes.HasSuffix(data, []byte("}\n")) {
			t.Fatal("the report is not whole")
		}
	}
	for path, data := range inputs {
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Errorf("%s is no longer what it was: %v", path, err)
		}
	}
}

// contents are the files of a directory by name, temporary ones left out.
func contents(t *testing.T, dir string) map[string][]byte {
	files := map[string][]byte{}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".tmp") {
			if files[path], err = os.ReadFile(path); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	return files
}
