package d3d9

import (
	"bytes"
	"encoding/binary"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// corpusFiles lists the files of the corpus with one of the extensions, in order.
func corpusFiles(t testing.TB, exts ...string) []string {
	t.Helper()
	root := testcorpus.Path(t, "corpus/d3d9")
	var files []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && slices.Contains(exts, filepath.Ext(path)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("the corpus at %s has no files of type %v", root, exts)
	}
	return files
}

func bytecodeFiles(t testing.TB) []string { return corpusFiles(t, ".vso", ".pso", ".bin") }
func textFiles(t testing.TB) []string     { return corpusFiles(t, ".asm") }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// stripped returns p without the spelling of its input.
func stripped(p *Program) *Program {
	q := &Program{Model: p.Model, Rest: p.Rest, Insts: slices.Clone(p.Insts)}
	for i := range q.Insts {
		in := &q.Insts[i]
		in.Raw, in.Lead, in.Text = nil, "", ""
	}
	return q
}

func sameProgram(t *testing.T, what string, got, want *Program) {
	t.Helper()
	if got.Model != want.Model || len(got.Insts) != len(want.Insts) {
		t.Fatalf("%s: %s with %d statements, want %s with %d", what, got.Model, len(got.Insts), want.Model, len(want.Insts))
	}
	for i := range got.Insts {
		if g, w := &got.Insts[i], &want.Insts[i]; !g.Same(w) {
			t.Fatalf("%s: statement %d is\n%s\nwant\n%s", what, i, Format(got.Model, g), Format(want.Model, w))
		}
	}
}

// TestCorpusBytecode checks that fields determine the tokens of real programs, and that their
// disassembly assembles to the same tokens.
func TestCorpusBytecode(t *testing.T) {
	files := bytecodeFiles(t)
	statements := 0
	for _, path := range files {
		data := readFile(t, path)
		p, err := Decode(path, data)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		statements += len(p.Insts)
		again, err := Encode(stripped(p))
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s: encoding the fields gives other tokens (%v)", path, err)
			continue
		}
		if copied, err := Encode(p); err != nil || !bytes.Equal(copied, data) {
			t.Errorf("%s: encoding it untouched gives other tokens (%v)", path, err)
		}
		text := Print(p)
		q, err := Parse(path, text)
		if err != nil {
			t.Errorf("the disassembly does not assemble: %v", err)
			continue
		}
		sameProgram(t, path, q, p)
		if assembled, err := Encode(q); err != nil || !bytes.Equal(assembled, data[:len(data)-4*len(p.Rest)]) {
			t.Errorf("%s: the disassembly assembles to other tokens (%v)", path, err)
		}
	}
	t.Logf("%d files, %d statements", len(files), statements)
}

// TestCorpusText checks that texts print byte for byte, and have the same meaning in canonical
// form.
func TestCorpusText(t *testing.T) {
	files := textFiles(t)
	statements := 0
	for _, path := range files {
		src := readFile(t, path)
		p, err := Parse(path, src)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		statements += len(p.Insts)
		if printed := Print(p); !bytes.Equal(printed, src) {
			t.Errorf("%s: printing it untouched gives other text", path)
		}
		canonical := Print(stripped(p))
		q, err := Parse(path, canonical)
		if err != nil {
			t.Errorf("the canonical text does not parse: %v", err)
			continue
		}
		sameProgram(t, path, q, p)
		data, err := Encode(p)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		d, err := Decode(path, data)
		if err != nil {
			t.Errorf("what it assembles to does not decode: %v", err)
			continue
		}
		sameProgram(t, path, d, p)
	}
	t.Logf("%d files, %d statements", len(files), statements)
}

// TestCorpusTextAgainstBytecode checks that texts assemble to the bytecode of the corpus, if it has
// both forms.
func TestCorpusTextAgainstBytecode(t *testing.T) {
	n := 0
	for _, bin := range corpusFiles(t, ".bin") {
		src, err := os.ReadFile(strings.TrimSuffix(bin, ".bin") + ".asm")
		if err != nil {
			continue
		}
		n++
		text, err := Parse(bin, src)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		want, err := Decode(bin, readFile(t, bin))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		want.Insts = slices.DeleteFunc(want.Insts, func(in Inst) bool { return in.Op == OpComment })
		got := &Program{Model: text.Model, Insts: slices.DeleteFunc(text.Insts,
			func(in Inst) bool { return in.Op == OpComment })}
		sameProgram(t, bin, got, want)
	}
	t.Logf("%d programs in both forms", n)
}

func words(data []byte) []uint32 {
	var ws []uint32
	for ; len(data) >= 4; data = data[4:] {
		ws = append(ws, binary.LittleEndian.Uint32(data))
	}
	return ws
}
