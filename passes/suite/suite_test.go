package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/passes"
)

func TestTable(t *testing.T) {
	if !slices.IsSortedFunc(Passes, func(a, b *passes.Pass) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the table is not sorted by name")
	}
	seen := map[string]bool{}
	for _, p := range Passes {
		if seen[p.Name] || Lookup(p.Name) != p {
			t.Errorf("%s: listed twice", p.Name)
		}
		seen[p.Name] = true
		summary, rest, _ := strings.Cut(p.Doc, "\n")
		if summary == "" || len(summary) > 80 || strings.HasSuffix(summary, ".") || rest != "" && rest[0] != '\n' {
			t.Errorf("%s: the documentation starts with %q, not with a line of summary", p.Name, summary)
		}
		for _, o := range p.Options {
			if o.Doc == "" || o.Check(o.Default) != nil {
				t.Errorf("%s: option %q: no documentation, or a bad default %q", p.Name, o.Name, o.Default)
			}
		}
	}
	if Lookup("nothing") != nil {
		t.Error("there is no pass named nothing")
	}
}

func TestLevels(t *testing.T) {
	for n := range levels {
		p, err := Level(n)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != levels[n] {
			t.Errorf("-O%d is %q, its source %q", n, p, levels[n])
		}
		for _, s := range p {
			if n == 1 && s.Pass.Class != passes.Terms {
				t.Errorf("-O1 runs %s, of class %s", s.Pass.Name, s.Pass.Class)
			}
		}
	}
	for _, n := range []int{-1, len(levels)} {
		if _, err := Level(n); err == nil {
			t.Errorf("there is an -O%d", n)
		}
	}
}

// Levels for GPUs leave to compilers the work that those do themselves.
func TestGPULevels(t *testing.T) {
	for n := range levels {
		p, err := GPULevel(n)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != gpuLevels[n] {
			t.Errorf("-O%d is %q, its source %q", n, p, gpuLevels[n])
		}
		for _, s := range p {
			switch s.Pass.Name {
			case "unroll", "sink", "vectorize", "pack", "group-fetches", "merge-registers":
				t.Errorf("-O%d runs %s", n, s.Pass.Name)
			}
		}
	}
	if _, err := GPULevel(len(levels)); err == nil {
		t.Errorf("there is an -O%d", len(levels))
	}
}

// The order constraints name passes of the table and reject violations.
func TestOrder(t *testing.T) {
	for _, o := range order {
		if Lookup(o.first) == nil || Lookup(o.then) == nil {
			t.Errorf("order of %s and %s: not in the table", o.first, o.then)
			continue
		}
		if err := check(mustParse(o.then + "," + o.first + ",dce")); err == nil {
			t.Errorf("%s before %s passes the check", o.then, o.first)
		}
	}
	if err := check(mustParse("dce,gvn")); err == nil {
		t.Error("a pipeline that ends with dead code passes the check")
	}
}
