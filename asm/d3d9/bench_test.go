package d3d9

import "testing"

// corpusPrograms reads every program of the corpus that is in the given form.
func corpusPrograms(b *testing.B, binary bool) (sources [][]byte, programs []*Program, statements, bytes int) {
	b.Helper()
	files := textFiles(b)
	if binary {
		files = bytecodeFiles(b)
	}
	for _, path := range files {
		data := readFile(b, path)
		p, err := Read(path, data)
		if err != nil {
			b.Fatal(err)
		}
		sources, programs = append(sources, data), append(programs, p)
		statements += len(p.Insts)
		bytes += len(data)
	}
	return sources, programs, statements, bytes
}

// measure runs one pass over the corpus in each iteration.
func measure(b *testing.B, statements, bytes int, pass func()) {
	b.Helper()
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		pass()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(statements), "ns/instruction")
}

func BenchmarkParse(b *testing.B) {
	sources, _, n, size := corpusPrograms(b, false)
	measure(b, n, size, func() {
		for _, src := range sources {
			if _, err := Parse("", src); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	sources, _, n, size := corpusPrograms(b, true)
	measure(b, n, size, func() {
		for _, src := range sources {
			if _, err := Decode("", src); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEncode encodes programs from their fields, without kept tokens.
func BenchmarkEncode(b *testing.B) {
	_, programs, n, size := corpusPrograms(b, true)
	for i := range programs {
		programs[i] = stripped(programs[i])
	}
	measure(b, n, size, func() {
		for _, p := range programs {
			if _, err := Encode(p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPrint prints bytecode programs in canonical form, as a disassembler does.
func BenchmarkPrint(b *testing.B) {
	_, programs, n, size := corpusPrograms(b, true)
	measure(b, n, size, func() {
		for _, p := range programs {
			Print(p)
		}
	})
}
