package il

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// malformed are the broken kernels of the corpus, with their diagnostics.
var malformed = map[string]string{
	// Two lines of a C string lack their newline, "ftoi r8.y, r8.yitof r8.y, r8.y": the
	// place is where itof begins.
	"correlator_Kernel_1x1_mem.il": "17:16 glued-statement; 18:16 glued-statement",
	"correlator_Kernel_2x2_mem.il": "23:16 glued-statement; 24:16 glued-statement",
	// Declarations of a generator without a program. The position is the end of the file, after the
	// newline of line 4.
	"ocelot_kernel.il": "5:1 missing-end",
}

// corpusFiles lists the kernels of the corpus and of the reference, in order.
func corpusFiles(t testing.TB) []string {
	t.Helper()
	return append(testcorpus.Glob(t, "corpus/il/*.il"), testcorpus.Glob(t, "reference/matmul/*.il")...)
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// stripped returns k without the spelling of its input.
func stripped(k *Kernel) *Kernel {
	bare := *k
	bare.Head, bare.Tail, bare.Insts = "", "", slices.Clone(k.Insts)
	for i := range bare.Insts {
		bare.Insts[i].Lead, bare.Insts[i].Text = "", ""
	}
	return &bare
}

func sameKernel(t testing.TB, what string, got, want *Kernel) {
	t.Helper()
	if got.Stage != want.Stage || got.MultiPass != want.MultiPass || got.RealTime != want.RealTime ||
		got.Client != want.Client || len(got.Insts) != len(want.Insts) {
		t.Fatalf("%s: another header or %d statements instead of %d", what, len(got.Insts), len(want.Insts))
	}
	for i := range got.Insts {
		if g, w := &got.Insts[i], &want.Insts[i]; !g.Same(w) {
			t.Fatalf("%s: statement %d is\n%s\nwant\n%s", what, i, Format(g), Format(w))
		}
	}
}

// list returns diagnostics as line:col code.
func list(err error) string {
	var ds asm.Diags
	if !errors.As(err, &ds) {
		return fmt.Sprint(err)
	}
	var list []string
	for _, d := range ds {
		list = append(list, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Code))
	}
	return strings.Join(list, "; ")
}

// TestCorpus checks that well-formed kernels print byte for byte, have the same meaning in
// canonical form and break no rule, and that the others are refused at the right place.
func TestCorpus(t *testing.T) {
	files := corpusFiles(t)
	statements, refused := 0, 0
	for _, path := range files {
		src := readFile(t, path)
		if !IsKernel(src) {
			t.Errorf("%s is not taken for IL", path)
		}
		k, err := Parse(path, src)
		if want := malformed[filepath.Base(path)]; want != "" {
			if err == nil || list(err) != want {
				t.Errorf("%s gives %s, want %s", path, list(err), want)
			}
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		statements += len(k.Insts)
		if !bytes.Equal(Print(k), src) {
			t.Errorf("%s: printing it untouched gives other text", path)
		}
		if diags := Check(k); len(diags) > 0 {
			t.Errorf("%v", diags)
		}
		canonical := Print(stripped(k))
		again, err := Parse(path, canonical)
		if err != nil {
			t.Errorf("the canonical text does not parse: %v", err)
			continue
		}
		sameKernel(t, path, again, k)
		if !bytes.Equal(Print(stripped(again)), canonical) {
			t.Errorf("%s: the canonical text is not its own canonical text", path)
		}
	}
	t.Logf("%d kernels, %d refused, %d statements", len(files), refused, statements)
}
