package spvs_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/spvs"
)

// leastLifted is the share of the modules with one vertex or fragment entry point that must lift.
const leastLifted = 0.95

// TestCorpus lifts all modules of the corpus. Those with other entry points must end in a diagnostic.
func TestCorpus(t *testing.T) {
	root := testcorpus.Path(t, "corpus/spirv")
	var total, lifted int
	reasons := map[string]int{}
	example := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".spv") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, err := spirv.Decode(filepath.Base(path), data)
		if err != nil {
			t.Fatal(err)
		}
		if !oneStage(m) {
			if _, err := spvs.Lift(m, "", spvs.Options{}); err == nil {
				t.Errorf("%s: lifted, but it has no single vertex or fragment entry point", path)
			}
			byStage(t, path, m)
			return nil
		}
		total++
		p, err := spvs.Lift(m, "", spvs.Options{})
		if err != nil {
			var d *asm.Diag
			if !errors.As(err, &d) || d.Code != "not-supported" && d.Code != "too-large" {
				t.Errorf("%s: %v", path, err)
				return nil
			}
			reason := regexp.MustCompile("%[0-9]+").ReplaceAllString(d.Msg, "%_")
			reasons[reason]++
			example[reason] = path
			return nil
		}
		lifted++
		if err := p.Func.Check(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for r := range reasons {
		list = append(list, r)
	}
	sort.Slice(list, func(i, k int) bool { return reasons[list[i]] > reasons[list[k]] })
	for _, r := range list {
		t.Logf("%4d %s (%s)", reasons[r], r, strings.TrimPrefix(example[r], root))
	}
	t.Logf("%d of %d modules lift", lifted, total)
	if float64(lifted) < leastLifted*float64(total) {
		t.Errorf("only %d of %d modules lift", lifted, total)
	}
}

// oneStage reports whether a module has one entry point, of a vertex or fragment program.
func oneStage(m *spirv.Module) bool {
	n, models := 0, 0
	for i := range m.Insts {
		if in := &m.Insts[i]; in.Op == spirv.OpEntryPoint {
			n++
			switch spirv.ExecutionModel(in.Args[0]) {
			case spirv.ExecutionModelVertex, spirv.ExecutionModelFragment:
				models++
			}
		}
	}
	return n == 1 && models == 1
}

// byStage lifts the stages of a module with both, whose entry points may have one name.
func byStage(t *testing.T, path string, m *spirv.Module) {
	stages := map[spirv.ExecutionModel]int{}
	for i := range m.Insts {
		if in := &m.Insts[i]; in.Op == spirv.OpEntryPoint {
			stages[spirv.ExecutionModel(in.Args[0])]++
		}
	}
	both := []spirv.ExecutionModel{spirv.ExecutionModelVertex, spirv.ExecutionModelFragment}
	if len(stages) != 2 || stages[both[0]] != 1 || stages[both[1]] != 1 {
		return
	}
	for k := range both {
		p, err := spvs.Lift(m, "", spvs.Options{Models: both[k : k+1]})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if p.Entry.Model != both[k] {
			t.Errorf("%s: lifted the stage %v, not %v", path, p.Entry.Model, both[k])
		}
	}
}
