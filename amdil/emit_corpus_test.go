package amdil_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
)

// file is a well-formed kernel of the corpus.
type file struct {
	name string
	*il.Kernel
	runs func() *passtest.Runs // of one launch, created once for all tests
}

// files are the available kernels, read once. No test modifies a kernel.
var files []file

// corpus visits the well-formed kernels of the corpus.
func corpus(t testing.TB, visit func(f file)) {
	t.Helper()
	if files == nil {
		for _, path := range append(testcorpus.Glob(t, "corpus/il/*.il"), testcorpus.Glob(t, "reference/matmul/*.il")...) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if k, err := il.Parse(path, data); err == nil {
				files = append(files, file{filepath.Base(path), k,
					sync.OnceValue(func() *passtest.Runs { return passtest.Launch(k, 1) })})
			}
		}
	}
	for _, f := range files {
		visit(f)
	}
}

// statements returns the number of statements that are not declarations, and of movs among them.
func statements(k *il.Kernel) (n, movs int) {
	for i := range k.Insts {
		if k.Insts[i].Op.Kind() != il.Declaration {
			n++
		}
		if k.Insts[i].Op == il.OpMov {
			movs++
		}
	}
	return n, movs
}

// emitted writes f over k and reads the result back from its text.
func emitted(t testing.TB, name string, k *il.Kernel, f *ir.Func) (*il.Kernel, *ir.Func) {
	t.Helper()
	out, err := amdil.Emit(k, f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := il.Print(out)
	out, err = il.Parse(name, text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	if diags := il.Check(out); len(diags) > 0 {
		t.Fatalf("%s: %v\n%s", name, diags, text)
	}
	g, err := amdil.Lift(out)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return out, g
}

// An untouched kernel is emitted unchanged, except that calls are inlined and unreachable code is dropped. A
// second round trip changes nothing.
func TestEmitCorpus(t *testing.T) {
	var total, after, same, n, ran int // statements of kernels without calls, and kernels
	corpus(t, func(file file) {
		name, k := file.name, file.Kernel
		f, err := amdil.Lift(k)
		if err != nil {
			t.Fatal(err)
		}
		out, g := emitted(t, name, k, f)
		if file.runs().Same(t, out) {
			ran++
		}
		before, _ := statements(k)
		now, _ := statements(out)
		n++
		if !calls(k) {
			total, after = total+before, after+now
		}
		if f.StructuralHash() == g.StructuralHash() {
			same++
		}
		if !calls(k) && (now > before || now == before && f.StructuralHash() != g.StructuralHash()) { // moves of a register to itself disappear
			t.Errorf("%s: %d statements are %d now; same function: %v", name, before, now,
				f.StructuralHash() == g.StructuralHash())
		}
		again, h := emitted(t, name, out, g)
		if g.StructuralHash() != h.StructuralHash() {
			t.Errorf("%s changes again in the second round trip", name)
		}
		if !slices.EqualFunc(out.Insts, again.Insts, func(a, b il.Inst) bool { return a.Same(&b) }) {
			t.Errorf("%s is written differently the second time", name)
		}
	})
	t.Logf("%d kernels of which %d are the same function and %d run; %d statements of %d where nothing is called", n,
		same, ran, after, total)
}

func calls(k *il.Kernel) bool {
	for i := range k.Insts {
		if k.Insts[i].Op.Role() == il.Call {
			return true
		}
	}
	return false
}
