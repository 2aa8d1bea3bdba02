package verify

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// namedKernel is a kernel of the project or of the corpus.
type namedKernel struct {
	name string
	k    *il.Kernel
}

func readKernels(t testing.TB) (list []namedKernel) {
	t.Helper()
	files, _ := filepath.Glob("../testdata/il/*.il")
	for _, file := range append(files, testcorpus.GlobOptional(t, "corpus/il/*.il")...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(file, data)
		if err != nil || len(il.Check(k)) > 0 {
			continue // malformed as found
		}
		list = append(list, namedKernel{filepath.Base(file), k})
	}
	return list
}

// cloneKernel copies a kernel so that its statements can be changed.
func cloneKernel(k *il.Kernel) *il.Kernel {
	c := *k
	c.Insts = append([]il.Inst(nil), k.Insts...)
	return &c
}

// editedKernel calls edit on every statement of a copy of k except declarations, and counts the changed ones.
func editedKernel(k *il.Kernel, edit func(in *il.Inst) bool) (*il.Kernel, int) {
	c, n := cloneKernel(k), 0
	for i := range c.Insts {
		if in := &c.Insts[i]; in.Op.Kind() != il.Declaration && edit(in) {
			in.Text = ""
			n++
		}
	}
	return c, n
}

// commuted exchanges the factors or summands of a statement.
func commuted(in *il.Inst) bool {
	switch in.Op {
	case il.OpAdd, il.OpMul, il.OpMad, il.OpDp3, il.OpDp4, il.OpIAdd, il.OpIMul, il.OpIMad, il.OpIAnd, il.OpIOr,
		il.OpIXor, il.OpDAdd, il.OpDMul, il.OpDMad:
		in.Src[0], in.Src[1] = in.Src[1], in.Src[0]
		return true
	}
	return false
}

// renamed moves every temporary to another register.
func renamed(in *il.Inst) bool {
	changed := false
	move := func(r *il.Reg) {
		if r.File == il.Temp {
			r.Num += 700
			changed = true
		}
	}
	index := func(a *il.Addr) {
		if a.Rel != nil {
			rel := *a.Rel
			move(&rel.Reg)
			a.Rel = &rel
		}
	}
	if in.HasDst {
		move(&in.Dst.Reg)
		index(&in.Dst.Addr)
	}
	for i := range in.Sources() {
		move(&in.Src[i].Reg)
		index(&in.Src[i].Addr)
	}
	return changed
}

// TestKernelCorpus checks that unchanged kernels, and those with operands exchanged or registers renamed, are
// the same terms. It executes one in three as well.
func TestKernelCorpus(t *testing.T) {
	edits := []struct {
		name string
		edit func(in *il.Inst) bool
	}{{"commuted", commuted}, {"renamed", renamed}, {"itself", func(*il.Inst) bool { return true }}}
	for i, c := range readKernels(t) {
		for j, e := range edits {
			after, n := editedKernel(c.k, e.edit)
			if n == 0 {
				continue
			}
			if (i+j)%len(edits) != 0 || !long && i%2 > 0 {
				if v := proofOf(t, c.k, after); v != Proved {
					t.Errorf("%s %s: %v", c.name, e.name, v)
				}
			} else if r := CheckKernel(c.k, after, Options{Numerics: Terms, Seed: 7}); r.Verdict != Proved {
				t.Errorf("%s %s: %v: %s", c.name, e.name, r.Verdict, r.Why)
			}
		}
	}
}
