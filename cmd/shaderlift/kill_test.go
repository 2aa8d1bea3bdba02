package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asCommand is the variable that makes the test binary act as the command.
const asCommand = "SHADERLIFT_TEST_AS_COMMAND"

// commandEnds is called at the end of such a process.
var commandEnds = func() {}

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		injected = nil // cached results depend on them
		status := start()
		commandEnds()
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// TestKilled kills runs at random moments while another run writes other programs to the same
// files. Inputs must stay unchanged and all files complete. After the next run each pair must come
// from one run, without temporary files. SHADERLIFT_KILLS is the number of kills (10).
func TestKilled(t *testing.T) {
	kills := 10
	if n, err := strconv.Atoi(os.Getenv("SHADERLIFT_KILLS")); err == nil {
		kills = n
	}
	root := t.TempDir()
	inputs := map[string][]byte{}
	var list strings.Builder
	for i := range 20 {
		var pair []string
		for _, stage := range []string{"vsh", "psh"} {
			data, err := os.ReadFile("../../testdata/conv1d/conv1d." + stage)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, "in", strconv.Itoa(i)+"."+stage)
			if err := writeFile(path, data); err != nil {
				t.Fatal(err)
			}
			inputs[path], pair = data, append(pair, path)
		}
		fmt.Fprintln(&list, strings.Join(pair, ","))
	}
	all, first := filepath.Join(root, "all"), filepath.Join(root, "first")
	for path, text := range map[string]string{all: list.String(), first: strings.SplitAfter(list.String(), "\n")[0]} {
		if err := writeFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	out, report := filepath.Join(root, "out"), filepath.Join(root, "report.json")
	start := func(list, level string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "opt", "-q", "--target", "d3d9", level, "-o", out, "--report", report, "@"+list)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	levels := [2]string{"-O2", "-O0"}
	var whole [2]map[string][]byte
	var took time.Duration
	for i, level := range levels {
		begin := time.Now()
		if err := start(all, level).Wait(); err != nil {
			t.Fatal(err)
		}
		took = max(took, time.Since(begin))
		if whole[i] = contents(t, out); len(whole[i]) != len(inputs) {
			t.Fatalf("%d files of %d inputs", len(whole[i]), len(inputs))
		}
	}
	// of returns the run that wrote a file.
	of := func(name string, data []byte) int {
		for i := range whole {
			if bytes.Equal(data, whole[i][name]) {
				return i
			}
		}
		t.Fatalf("%s is not whole", name)
		return -1
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		if r.IntN(2) == 0 {
			os.RemoveAll(out)
		}
		one, other := start(all, levels[0]), start(all, levels[1])
		time.Sleep(time.Duration(r.Int64N(int64(took) + 1)))
		one.Process.Kill()
		other.Process.Kill()
		one.Wait()
		other.Wait()
		for name, data := range contents(t, out) {
			of(name, data)
		}
		if data, err := os.ReadFile(report); err == nil && !bytes.HasSuffix(data, []byte("}\n")) {
			t.Fatal("the report is not whole")
		}
		if err := start(first, levels[0]).Wait(); err != nil {
			t.Fatal(err)
		}
		now := contents(t, out)
		for name, data := range now {
			if base, ok := strings.CutSuffix(name, ".vsh"); ok {
				if other, ok := now[base+".psh"]; !ok || of(name, data) != of(base+".psh", other) {
					t.Errorf("%s is of one run and its pixel program of another, or of none", name)
				}
			}
		}
		for _, dir := range directories(append(slices.Collect(maps.Keys(now)), report)) {
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); locks && len(left) > 0 {
				t.Fatalf("left behind: %v", left)
			}
		}
	}
	for path, data := range inputs {
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Errorf("%s is no longer what it was: %v", path, err)
		}
	}
}

// contents returns the files of a directory by name, except hidden ones.
func contents(t *testing.T, dir string) map[string][]byte {
	files := map[string][]byte{}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
			if files[path], err = os.ReadFile(path); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	return files
}
