package d3d9

import (
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestValidateCorpus checks that all known programs are valid, except some ps_1_x examples for
// parsers.
func TestValidateCorpus(t *testing.T) {
	slots, valid, skipped := 0, 0, 0
	for _, path := range slices.Concat(bytecodeFiles(t), textFiles(t)) {
		p, err := Read(path, readFile(t, path))
		if err != nil {
			continue // breaks the rules of form, which other tests check
		}
		ds := Faults(p)
		if strings.Contains(path, "atifs") && len(ds) > 0 {
			skipped++
			continue
		}
		if len(ds) > 0 {
			t.Errorf("%v", ds)
			continue
		}
		valid++
		if filepath.Ext(path) == ".pso" && strings.Contains(filepath.ToSlash(path), "/d3d9/pairs/") {
			slots += Measure(p).Slots
		}
	}
	t.Logf("%d programs valid, %d examples for parsers not, %d pixel slots in the pairs", valid, skipped, slots)
	if slots < 24000 || slots > 24200 { // the reference counts about 24,100
		t.Errorf("the pixel programs of the pairs take %d slots", slots)
	}
}

// FuzzValidate checks that Validate does not panic on any program that parses. The assembler's
// tests break most rules.
func FuzzValidate(f *testing.F) {
	for _, test := range ruleTests {
		f.Add([]byte(strings.Replace(test.frame, "@", test.bad, 1)))
	}
	for _, path := range testcorpus.GlobOptional(f, "corpus/d3d9/wine_asm_tests.json") {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, src := range strings.Split(string(data), `"source":`) {
			if src, err := strconv.QuotedPrefix(strings.TrimSpace(src)); err == nil {
				if text, err := strconv.Unquote(src); err == nil {
					f.Add([]byte(text))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read("fuzz", data)
		if err != nil {
			return
		}
		Measure(p)
		last := 0
		for _, d := range Validate(p) {
			if d.Code == "" || d.Pos.Line < last {
				t.Fatalf("%v is out of order or without code", d)
			}
			last = d.Pos.Line
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	_, programs, n, size := corpusPrograms(b, true)
	measure(b, n, size, func() {
		for _, p := range programs {
			Validate(p)
		}
	})
}

func BenchmarkMeasure(b *testing.B) {
	_, programs, n, size := corpusPrograms(b, true)
	measure(b, n, size, func() {
		for _, p := range programs {
			Measure(p)
		}
	})
}
