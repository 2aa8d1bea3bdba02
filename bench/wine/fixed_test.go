package wine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/bench/wine"
	"github.com/shaderlift/shaderlift/internal/test/gen"
)

// TestWineFixed compares pictures of ps_1_x programs with the interpreter's. It uses the corpus, and enough
// generated programs for 48 draws that count, or 400 if SHADERLIFT_WINE is "all".
func TestWineFixed(t *testing.T) {
	scope := asked(t)
	want := 48
	if scope == "all" {
		want = 400
	}
	r := start(t, 3)
	plain, err := d3d9.Read("plain.vsh", []byte(plainVertex))
	if err != nil {
		t.Fatal(err)
	}
	batch := fixedCorpus(t, plain)
	var sum tally
	for seed := uint64(0); sum.counted < want && seed < 4*uint64(want); {
		for ; len(batch) < 40; seed++ {
			if s := generatedFixed(seed, plain); wine.Misread(s.Before) == "" {
				batch = append(batch, fixedSubject(t, s))
			}
		}
		var drawn []wine.Subject
		for _, s := range batch {
			if s.Case != nil {
				drawn = append(drawn, s)
			}
		}
		batch = nil
		outcomes, err := r.Check(drawn)
		if err != nil {
			t.Fatal(err)
		}
		for i := range outcomes {
			if sum.take(t, &drawn[i], &outcomes[i]); outcomes[i].Wrong() > 0 {
				t.Logf("the programs are\n%s", text(&drawn[i].Before))
			}
		}
	}
	sum.print(t)
	if sum.counted < want {
		t.Errorf("of %d draws %d count", sum.drawn, sum.counted)
	}
}

// fixedSubject returns a draw of a pair. It has no case if the picture shows too little.
func fixedSubject(t *testing.T, s wine.Subject) wine.Subject {
	t.Helper()
	if c := meaningfulCase(t, &s, 1); c != nil {
		s.Case = filtered(c)
	}
	return s
}

// generatedFixed returns a generated ps_1_x program behind the given vertex program. Vertex programs are not
// generated, because Wine does not translate some and misreads others.
func generatedFixed(seed uint64, vs *d3d9.Program) wine.Subject {
	src := gen.Seeded(seed, 0xf1)
	m := gen.FixedModels[seed%4]
	ps := gen.ProgramFrom(src, m, 4+src.IntN(8))
	return wine.Subject{Name: fmt.Sprintf("generated %d of %s", seed, m), Before: wine.Programs{Vertex: vs, Pixel: ps}}
}

// fixedCorpus returns the ps_1_x texts of the corpus with their vertex programs. plain replaces a missing
// vertex program.
func fixedCorpus(t *testing.T, plain *d3d9.Program) (list []wine.Subject) {
	t.Helper()
	partner := map[string]string{}
	if table, err := os.ReadFile(filepath.Join(corpus, "PAIRS.tsv")); err == nil {
		for line := range strings.Lines(string(table)) {
			f := strings.Split(line, "\t")
			partner[f[1]] = f[0]
		}
	}
	files, err := filepath.Glob(filepath.Join(corpus, "text", "*", "*.ps_1_*.asm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, err := filepath.Rel(corpus, file)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ps, err := d3d9.Read(name, data)
		if err != nil || len(d3d9.Validate(ps)) > 0 {
			t.Logf("%s is no valid program", name)
			continue
		}
		s := wine.Subject{Name: name, Before: wine.Programs{Vertex: plain, Pixel: ps}}
		if vs, ok := partner[name]; ok {
			s.Before.Vertex = readProgram(t, vs)
		}
		list = append(list, fixedSubject(t, s))
	}
	return list
}

// plainVertex writes every input of a pixel program from attributes. It shifts some, so that there are negative
// values.
const plainVertex = `vs_1_1
dcl_position v0
dcl_color0 v1
dcl_color1 v2
dcl_texcoord0 v3
dcl_texcoord1 v4
dcl_texcoord2 v5
dcl_texcoord3 v6
dcl_texcoord4 v7
dcl_texcoord5 v8
mov oPos, v0
mov oD0, v1
mov oD1, v2
mov oT0, v3
add oT1, v4, c1
mov oT2, v5
add oT3, v6, c3
mov oT4, v7
add oT5, v8, c5
`

// text returns the text of the programs of a pair, also if they were read from bytecode.
func text(p *wine.Programs) string {
	if p == nil {
		return "the same"
	}
	vs, ps := *p.Vertex, *p.Pixel
	vs.Binary, ps.Binary = false, false
	return string(d3d9.Print(&vs)) + string(d3d9.Print(&ps))
}
