package d3d9

import (
	"github.com/shaderlift/shaderlift/internal/testcorpus"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// All programs seen in the field are valid, but for some of ps_1_x that are no more than
// examples for parsers.
func TestValidateCorpus(t *testing.T) {
	slots, valid, skipped := 0, 0, 0
	for _, path := range slices.Concat(bytecodeFiles(t), textFiles(t)) {
		p, err := Read(path, readFile(t, path))
		if err != nil {
			continue // of bad form, which is for other tests
		}
		ds := Validate(p)
		if strings.Contains(path, "atifs") && len(ds) > 0 {
			skipped++
			continue
		}
		if len(ds) > 0 {
			t.Errorf("%v", ds)
			continue
		}
		valid++
		if filepath.Ext(path) == ".pso" {
			slots += Measure(p).Slots
		}
	}
	t.Logf("%d programs valid, %d examples for parsers not, %d pixel slots in the pairs", valid, skipped, slots)
	if slots < 24000 || slots > 24200 { // about 24,100 as the reference counts
		t.Errorf("the pixel programs of the pairs take %d slots", slots)
	}
}

// Validate must not panic, whatever parses. The assembler's own tests break most rules.
func FuzzValidate(f *testing.F) {
	for _, test := range ruleTests {
		f.Add([]byte(strings.Replace(test.frame, "@", test.bad, 1)))
	}
	for _, path := range testcorpus.Some(f, "corpus/d3d9/wine_asm_tests.json") {
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
