package amdil_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/passtest"
)

// file is a well-formed kernel of the corpus.
type file struct {
	name string
	*il.Kernel
	runs func() *passtest.Runs // of one launch, made once for all tests
}

// files are those there are, read once. Nothing writes to a kernel.
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
				files = append(files, file{filepath.Base(path), k, sync.OnceValue(func() *passtest.Runs { return passtest.Launch(k, 1) })})
			}
		}
	}
	for _, f := range files {
		visit(f)
	}
}

// statements counts what is not a declaration, and movs of it.
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

// emitted writes f over k and reads that back from its text.
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

// An untouched kernel is written as it was, but for calls, which are inlined, and for
// what can never run; and then again without any change at all.
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
		if f.Hash() == g.Hash() {
			same++
		}
		if !calls(k) && (now > before || now == before && f.Hash() != g.Hash()) { // moves of a register to itself go
			t.Errorf("%s: %d statements are %d now; same function: %v", name, before, now, f.Hash() == g.Hash())
		}
		again, h := emitted(t, name, out, g)
		if g.Hash() != h.Hash() {
			t.Errorf("%s does not settle", name)
		}
		if !slices.EqualFunc(out.Insts, again.Insts, func(a, b il.Inst) bool { return a.Same(&b) }) {
			t.Errorf("%s is written differently the second time", name)
		}
	})
	t.Logf("%d kernels of which %d are the same function and %d run; %d statements of %d where nothing is called", n, same, ran, after, total)
}

func calls(k *il.Kernel) bool {
	for i := range k.Insts {
		if k.Insts[i].Op.Role() == il.Call {
			return true
		}
	}
	return false
}
