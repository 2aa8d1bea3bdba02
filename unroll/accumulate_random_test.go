package unroll_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/unroll"
	"github.com/shaderlift/shaderlift/verify"
)

// random returns a kernel with a loop, or a nested one, that loads and stores at random places.
func random(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[4]\ndcl_literal l0, 0.0, 1.0, 0.5, 0.0\ndcl_literal l1, 0, 2, 2, 3")
	line("ishl r0.x, vaTid.x, l1.y\nmov r1, l0.y\nmov r2.x, l0.x\nmov r6, l0.x")
	component := func() string { return "xyzw"[r.IntN(4):][:1] }
	body := func(counter string) {
		for range 2 + r.IntN(5) {
			switch r.IntN(8) {
			case 0, 1:
				line("mov r1.%s, g[r0.x + %d].%s", component(), r.IntN(3), component())
			case 2:
				line("add r1.%s, r1.%s, g[r0.x + %d].%s", component(), component(), r.IntN(3), component())
			case 3, 4:
				line("mov g[r0.x + %d].%s, r1.%s", r.IntN(3), component(), component())
			case 5:
				line("mad r1.%s, %s, cb0[%d].%s, r1.%s", component(), counter, 1+r.IntN(3), component(), component())
			case 6:
				line("mov g[r0.x + %d], r1_neg(x)", r.IntN(3))
			case 7:
				line("ge r3.x, r1.%s, cb0[2].y\nif_logicalnz r3.x\nadd r6.x, r6.x, r1.%s\nbreak\nendif", component(), component())
			}
		}
	}
	line("whileloop\nge r2.y, r2.x, cb0[0].x\nbreak_logicalnz r2.y")
	if r.IntN(3) == 0 {
		line("mov r4.x, l0.x\nwhileloop\nge r4.y, r4.x, cb0[0].y\nbreak_logicalnz r4.y")
		body("r4.x")
		line("add r4.x, r4.x, l0.y\nendloop")
	}
	body("r2.x")
	line("add r2.x, r2.x, l0.y\nendloop\nadd r6.x, r6.x, r1.x\nmov g[r0.x + 3].x, r6.x\nend")
	return b.String()
}

// Kernels that keep memory in registers compute the same, and without one of their memory statements they do
// not.
func TestAccumulateRandom(t *testing.T) {
	n := testcorpus.Count(40, 100)
	kept, altered := 0, 0
	p := passes.Pipeline{{Pass: unroll.Accumulate}}
	for seed := range n {
		text := random(rand.New(rand.NewPCG(uint64(seed), 1)))
		k, err := il.Parse("random", []byte(text))
		if err != nil || len(il.Check(k)) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		u, err := (&passtest.Source{Kernel: k}).Lift()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Terms}); err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		if u.Tile.Same() {
			continue
		}
		kept++
		out, err := amdil.Emit(k, u.Kernel)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		o := verify.Options{Numerics: passes.Terms, Tile: u.Tile, Brief: true}
		if v := verify.CheckKernel(k, out, o); v.Verdict != verify.Proved {
			t.Errorf("%d: %v %s\n%s\n%s", seed, v.Verdict, v.Why, text, il.Print(out))
		}
		whole := string(il.Print(out))
		at := strings.LastIndex(whole[:strings.LastIndex(whole, "mov g")], "mov g")
		if at < 0 || strings.Contains(whole[at:], "endloop") {
			continue
		}
		end := at + strings.IndexByte(whole[at:], '\n') + 1
		if wrong, err := il.Parse("altered", []byte(whole[:at]+whole[end:])); err == nil {
			altered++
			if v := verify.CheckKernel(k, wrong, o); v.Verdict.OK() {
				t.Errorf("%d: without a store it is %v\n%s\n%s", seed, v.Verdict, text, il.Print(wrong))
			}
		}
	}
	t.Logf("%d of %d kept in registers, %d altered", kept, n, altered)
	if kept < n/2 || altered < kept/4 {
		t.Errorf("%d of %d kept in registers, %d altered", kept, n, altered)
	}
}
