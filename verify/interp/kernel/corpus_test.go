package kernel

import (
	"path/filepath"
	"testing"

	much "github.com/shaderlift/shaderlift/internal/test/testcorpus" // its name is taken here
)

// malformed lists kernels of the corpus that the parser rejects.
var malformed = map[string]bool{"correlator_Kernel_1x1_mem.il": true, "correlator_Kernel_2x2_mem.il": true,
	"ocelot_kernel.il": true}

// TestCorpus checks that every kernel compiles and ends under its default launches. The results must vary
// between elements, unless the kernel clears memory.
func TestCorpus(t *testing.T) {
	steps, all, executed := 0, 0, 0
	for _, path := range corpus(t, "corpus/il/*.il", "reference/matmul/*.il") {
		name := filepath.Base(path)
		k, err := readKernel(t, path)
		if malformed[name] != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		p, err := Compile(k)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		lively := name == "a2_ClearMemory.il"
		for seed := range much.Count[uint64](2, 3) {
			c := DefaultCase(k, seed)
			seen := make([]bool, p.stmts)
			r, err := p.Run(c, Options{Steps: 1 << 26, Seen: seen})
			if err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
				continue
			}
			steps += r.Steps
			a, n := p.coverage(seen)
			all, executed = all+a, executed+n
			lively = lively || varies(p, c, r)
		}
		if !lively {
			t.Errorf("%s: the launches made up for it leave nothing", name)
		}
	}
	if executed*10 < all*7 {
		t.Errorf("the launches execute %d of %d instructions", executed, all)
	}
	t.Logf("%d steps; %d of %d instructions executed", steps, executed, all)
}

// varies reports whether a launch left a result that depends on the element or changes memory.
func varies(p *Program, c *Case, r *Result) bool {
	before := newLaunch(p, c)
	for _, name := range r.Names() {
		words := r.Named(name)
		for i, w := range words {
			switch {
			case name == "g" && w != before.global[i]:
				return true
			case name[0] == 'o' && w != words[i%4]:
				return true
			}
		}
	}
	for _, v := range r.Views {
		for i, w := range v.Words {
			if w != before.views[v.ID].words[i] {
				return true
			}
		}
	}
	return false
}
