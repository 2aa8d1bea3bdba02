package spirv

import (
	"math/bits"
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// Modules with one vertex or fragment entry point compile and run.
func TestCorpus(t *testing.T) {
	ran, all := 0, 0
	for _, path := range testcorpus.Glob(t, "corpus/spirv/*/*.spv") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !drawable(data) {
			continue
		}
		all++
		p, err := Compile(data, "", nil)
		if err != nil {
			t.Logf("%s: %v", path, err)
			continue
		}
		if r := runs(t, p, testEnv(), randomBatch(p, 1)); r.Unfinished != 0 {
			t.Logf("%s: %d invocations do not end", path, bits.OnesCount64(r.Unfinished))
			continue
		}
		ran++
	}
	if t.Logf("%d of %d modules run", ran, all); ran*100 < all*96 {
		t.Errorf("%d of %d modules run", ran, all)
	}
}

// drawable reports whether a module has exactly one entry point, a vertex or fragment one.
func drawable(data []byte) bool {
	m, err := readModule(data)
	if err != nil {
		return false
	}
	stages := []Stage{}
	for i := range m.insts {
		if in := &m.insts[i]; in.op == opEntryPoint {
			stages = append(stages, Stage(in.args[0]))
		}
	}
	return len(stages) == 1 && (stages[0] == Vertex || stages[0] == Fragment)
}
