package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// permutations writes n pairs that differ in a literal into a folder and returns a list of them. It
// uses the corpus if available, and else the convolution.
func permutations(t *testing.T, dir string, n int) (list string) {
	t.Helper()
	pairs := [][2]string{{"../../testdata/conv1d/conv1d.vsh", "../../testdata/conv1d/conv1d.psh"}}
	if vertices := testcorpus.GlobOptional(t, "corpus/d3d9/pairs/*/vs.*"); vertices != nil {
		pairs = nil
		for _, v := range vertices {
			pairs = append(pairs, [2]string{v, filepath.Join(filepath.Dir(v), strings.ReplaceAll(filepath.Base(v), "vs", "ps"))})
		}
	}
	literal := regexp.MustCompile(`(?m)^(def c\d+, )[^,]+`)
	var names strings.Builder
	texts := map[string]string{}
	for k := range n {
		pair := pairs[k%len(pairs)]
		var paths []string
		for i, path := range pair {
			text, known := texts[path]
			if !known {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				listed, err := shaderlift.Disassemble(shaderlift.File{Name: path, Data: data})
				if err != nil {
					t.Fatal(err)
				}
				text = string(listed)
				texts[path] = text
			}
			if at := literal.FindStringSubmatchIndex(text); at != nil {
				text = fmt.Sprintf("%s%s0.%06d1%s", text[:at[0]], text[at[2]:at[3]], k, text[at[1]:])
			}
			paths = append(paths, filepath.Join(dir, strconv.Itoa(k/1000), fmt.Sprintf("%d.%s", k, []string{"vsh", "psh"}[i])))
			if err := writeFile(paths[i], fmt.Appendf([]byte(text), "// %d\n", k)); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintln(&names, strings.Join(paths, ","))
	}
	list = filepath.Join(dir, "list")
	if err := writeFile(list, []byte(names.String())); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestScale runs a batch of many shaders twice with the same cache and folder. The second run must
// take a twentieth of the time, report the same, and need no more memory than a small batch.
// SHADERLIFT_SCALE is the number of shaders; the default is small, and times are not compared.
func TestScale(t *testing.T) {
	few, many := 10, 40
	n, err := strconv.Atoi(os.Getenv("SHADERLIFT_SCALE"))
	long := err == nil && n > 0
	if long {
		few, many = max(n/10, 1), n
	}
	root := t.TempDir()
	run := func(n int, cache string) (seconds float64, mebibytes int64, report []byte) {
		t.Helper()
		list := filepath.Join(root, strconv.Itoa(n), "list")
		if _, err := os.Stat(list); err != nil {
			list = permutations(t, filepath.Dir(list), n)
		}
		out := filepath.Join(root, strconv.Itoa(n)+"-out")
		start := time.Now()
		cmd := exec.Command(os.Args[0], "opt", "-q", "--target", "d3d9", "--cache", cache, "--cache-size", "65536", "-o",
			out, "--report", out+".json", "@"+list)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		seconds = time.Since(start).Seconds()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			mebibytes = usage.Maxrss >> 10
		}
		if report, err = os.ReadFile(out + ".json"); err != nil {
			t.Fatal(err)
		}
		return seconds, mebibytes, regexp.MustCompile(`(?m)^ *"seconds": .*$`).ReplaceAll(report, nil)
	}
	_, small, _ := run(few, filepath.Join(root, "cache-few"))
	cache := filepath.Join(root, "cache")
	first, memory, one := run(many, cache)
	again, same, two := run(many, cache)
	t.Logf("%d shaders: %.1f s, then %.1f s (%.1f times as fast); %d and %d MiB, of %d shaders %d MiB", many, first,
		again, first/again, memory, same, few, small)
	if !bytes.Equal(one, two) {
		t.Error("the reports differ")
	}
	if long && first < 20*again {
		t.Errorf("the second run takes %.1f s, the first one %.1f s", again, first)
	}
	if long && memory > 2*small {
		t.Errorf("%d MiB for %d shaders, %d for %d", memory, many, small, few)
	}
}
