package il

import (
	"path/filepath"
	"testing"
)

// sets returns the kernels to measure: all well-formed ones of the corpus, and the longest alone.
func sets(b *testing.B) []set {
	corpus, longest := set{name: "corpus"}, set{name: "longest"}
	for _, path := range corpusFiles(b) {
		if malformed[filepath.Base(path)] == "" {
			corpus.sources = append(corpus.sources, readFile(b, path))
		}
		if filepath.Base(path) == "grvk_e1m1.il" {
			longest.sources = append(longest.sources, readFile(b, path))
		}
	}
	return []set{corpus, longest}
}

type set struct {
	name    string
	sources [][]byte
}

// measure runs one pass over each set of kernels in each iteration.
func measure(b *testing.B, pass func(src []byte, k *Kernel)) {
	for _, s := range sets(b) {
		b.Run(s.name, func(b *testing.B) {
			var parsed []*Kernel
			statements, size := 0, 0
			for _, src := range s.sources {
				k, err := Parse("", src)
				if err != nil {
					b.Fatal(err)
				}
				parsed = append(parsed, stripped(k))
				statements += len(k.Insts)
				size += len(src)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for i, src := range s.sources {
					pass(src, parsed[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(statements), "ns/instruction")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	measure(b, func(src []byte, _ *Kernel) {
		if _, err := Parse("", src); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkPrint prints in canonical form.
func BenchmarkPrint(b *testing.B) { measure(b, func(_ []byte, k *Kernel) { Print(k) }) }

func BenchmarkCheck(b *testing.B) { measure(b, func(_ []byte, k *Kernel) { Check(k) }) }
