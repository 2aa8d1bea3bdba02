package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/passes"
)

// cacheInput returns the input of number n, and cacheResult a result that belongs only to it.
func cacheInput(n int) shaderlift.Input {
	return shaderlift.Input{Name: fmt.Sprint("p", n),
		Files: []shaderlift.File{{Name: "p.psh",
			Data: fmt.Appendf(nil, "ps_2_0\ndef c0, %d, 0, 0, 0\nmov r0, c0\nmov oC0, r0\n", n)}}}
}

func cacheResult(in shaderlift.Input) (*shaderlift.Result, error) {
	return &shaderlift.Result{Name: in.Name, Status: shaderlift.Improved, Files: in.Files, Case: in.Files[0].Data}, nil
}

func newTestCache(t *testing.T, mebibytes int) *cache {
	t.Helper()
	c, err := (&app{err: &stream{Writer: io.Discard}}).openCache(t.TempDir(), mebibytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCacheDamaged checks that a cache with damaged files returns the right result or none, and
// repairs missing entries.
func TestCacheDamaged(t *testing.T) {
	const inputs = 3
	c := newTestCache(t, 1)
	get := func(n int) (hit bool) {
		hit = true
		in := cacheInput(n)
		res, err := c.result("optimize", in, shaderlift.Options{}, func(in shaderlift.Input) (*shaderlift.Result, error) {
			hit = false
			return cacheResult(in)
		})
		want, _ := cacheResult(in)
		if d := cmp.Diff(want, res, cmpopts.IgnoreUnexported(shaderlift.Result{})); d != "" || err != nil {
			t.Fatalf("input %d, hit %t: %v\n%s", n, hit, err, d)
		}
		return hit
	}
	for n := range inputs {
		if get(n) || !get(n) {
			t.Fatalf("input %d is not found only when it was kept", n)
		}
	}
	whole := map[string][]byte{}
	for _, f := range filesBelow(c.dir) {
		data, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		whole[f.path] = data
	}
	if len(whole) != 2*inputs {
		t.Fatalf("%d files for %d inputs", len(whole), inputs)
	}
	tried, misses := 0, 0
	damage := func(path string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		tried++
		for n := range inputs {
			if !get(n) {
				misses++
				if !get(n) {
					t.Fatalf("%s: input %d is not kept again", path, n)
				}
			}
		}
		for path, data := range whole { // except access times of entries, which nothing reads
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, data := range whole {
		for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
			damage(path, data[:n])
		}
		damage(path, append(bytes.Clone(data), '\n'))
		for at := 0; at < len(data); at += 1 + len(data)/60 {
			flipped := bytes.Clone(data)
			flipped[at] ^= 1 << (at % 8)
			damage(path, flipped)
		}
		for other, swapped := range whole {
			if other != path {
				damage(path, swapped)
			}
		}
	}
	// A well-formed entry that refers to the result of another input.
	entries, _ := filepath.Glob(filepath.Join(c.dir, "*", "*-a"))
	for _, path := range entries {
		for _, other := range entries {
			at := len("v1 ") + 2*sha256.Size
			damage(path, append(bytes.Clone(whole[path][:at]), whole[other][at:]...))
		}
	}
	if tried < 300 || misses < tried/2 {
		t.Errorf("%d kinds of damage, %d misses", tried, misses)
	}
}

// TestCacheKey checks that keys differ if results may differ.
func TestCacheKey(t *testing.T) {
	c := newTestCache(t, 1)
	in := cacheInput(1)
	named, other := cacheInput(1), cacheInput(2)
	named.Name = "q"
	moved := cacheInput(1)
	moved.Files[0].Name = "q.psh"
	fuel := 1
	seen := map[[32]byte]int{}
	for i, k := range []struct {
		task string
		in   shaderlift.Input
		o    shaderlift.Options
	}{
		{"optimize", in, shaderlift.Options{}}, {"explain", in, shaderlift.Options{}}, {"optimize", named,
			shaderlift.Options{}},
		{"optimize", other, shaderlift.Options{}}, {"optimize", moved, shaderlift.Options{}}, {"optimize", in,
			shaderlift.Options{Limits: shaderlift.Limits{Fuel: &fuel}}},
		{"optimize", in, shaderlift.Options{Seed: 1}},
		{"optimize", in, shaderlift.Options{Report: shaderlift.ReportOptions{Gains: true}}},
	} {
		key, ok := c.key(k.task, k.in, k.o)
		if old, taken := seen[key]; taken || !ok {
			t.Errorf("the key of %d is that of %d, %t", i, old, ok)
		}
		seen[key] = i
	}
	c.build[0]++
	if key, _ := c.key("optimize", in, shaderlift.Options{}); len(seen) != 8 {
		t.Errorf("%d keys", len(seen))
	} else if _, taken := seen[key]; taken {
		t.Error("another build has the same key")
	}
	if _, ok := c.key("optimize", in, shaderlift.Options{Limits: shaderlift.Limits{Time: time.Second}}); ok {
		t.Error("what a time limit cuts off has a key")
	}
}

// TestCacheShared checks that runs may write concurrently while others remove entries.
func TestCacheShared(t *testing.T) {
	c := newTestCache(t, 1)
	c.most = 8 << 10 // a third of the total
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 60 {
				in := cacheInput((i + w*7) % 40)
				res, err := c.result("optimize", in, shaderlift.Options{}, cacheResult)
				want, _ := cacheResult(in)
				if d := cmp.Diff(want, res, cmpopts.IgnoreUnexported(shaderlift.Result{})); d != "" || err != nil {
					t.Errorf("%v\n%s", err, d)
				}
				if i%10 == 0 {
					c.bound()
				}
			}
		}()
	}
	wg.Wait()
	for i := range folders { // whichever folder was the last one
		c.last.Store(uint32(i))
		c.bound()
	}
	if left := total(filesBelow(c.dir)); left > c.most {
		t.Errorf("%d bytes are left, %d may be", left, c.most)
	}
}

// TestCacheRuns checks that a second run finds all results, and writes and reports the same.
// Failures are reported again.
func TestCacheRuns(t *testing.T) {
	defer func(old []*passes.Pass) { injected = old }(injected)
	injected = nil // results of injected passes are not cached
	root, err := filepath.Abs("../../testdata/conv1d")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("bad.psh", "ps_2_0\nnonsense\n")
	write("include.psh", "ps_2_0\ndcl t0\n#include \"rest.h\"\n")
	write("rest.h", "mul r0, t0, t0\nmov oC0, t0\n")
	pair := filepath.Join(root, "conv1d.vsh") + "," + filepath.Join(root, "conv1d.psh")
	times := regexp.MustCompile(`"seconds": [^\n]*|\d+\.\d s\n`)
	once := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		args = append(strings.Fields("opt --cache cache --report -"), args...)
		run(context.Background(), append(args, "bad.psh", "include.psh", pair), strings.NewReader(""), &out, &out)
		for _, name := range []string{"out/include.psh", "out" + filepath.Join(root, "conv1d.psh")} {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(data)
		}
		return times.ReplaceAllString(out.String(), "")
	}
	count := func() int { return len(filesBelow("cache")) / 2 }
	first := once("-o", "out")
	if count() != 1 {
		t.Errorf("%d results are kept, want that of the pair", count())
	}
	if d := cmp.Diff(first, once("-o", "out"), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("the second run:\n%s", d)
	}
	write("rest.h", "mov oC0, t0\n")
	if once("-o", "out") == first {
		t.Error("a file that is included has changed, and nothing else")
	}
	if once("-o", "out", "-O1"); count() != 2 {
		t.Errorf("%d results of two levels are kept", count())
	}
	if status := run(context.Background(), []string{"opt", "--cache", "bad.psh", "-n", pair}, nil, io.Discard,
		io.Discard); status != statusInput {
		t.Errorf("a cache in a file ends with %d", status)
	}
}
