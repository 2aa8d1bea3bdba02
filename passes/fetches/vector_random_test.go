package fetches_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/verify"
)

// random returns a kernel that fetches from two resources at random: from rows that a loop counts along or
// that follow from the position.
func random(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\ndcl_cb cb0[10]")
	for id := range 2 {
		line("dcl_resource_id(%d)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)", id)
	}
	step, scale := []int{2, 4, 4, 8}[r.IntN(4)], []int{4, 8, 6, 1}[r.IntN(4)]
	bases := [2]string{[]string{"r1.x", "r2.x"}[r.IntN(2)], []string{"r1.x", "r2.x", "r1.y"}[r.IntN(3)]}
	line("dcl_literal l0, 0.0, %d.0, %d.0, 0.5\ndcl_literal l1, 0.0, 1.0, 2.0, 3.0\ndcl_literal l2, 4.5, 6.0, 1.5, -0.5",
		step, scale)
	line("mov r0, l0.x\nmad r1.x, vWinCoord0.x, l0.z, l2.%c\nmov r1.yz, vWinCoord0.xy\nmov r2.x, l1.%c",
		"xyzw"[r.IntN(4)], "xyzw"[r.IntN(4)])
	looped := r.IntN(2) == 0
	if looped {
		line("whileloop\nge r2.y, r2.x, cb0[0].x\nbreak_logicalnz r2.y")
	}
	for k := range 2 + r.IntN(8) {
		resource := r.IntN(2)
		line("add r3.x, %s, l%d.%c", bases[resource], []int{1, 1, 2}[r.IntN(3)], "xyzw"[r.IntN(4)])
		if r.IntN(3) == 0 {
			line("add r3.x, r3.x, l0.w")
		}
		offset := ""
		if r.IntN(4) == 0 {
			offset = fmt.Sprintf("_aoffimmi(%d.0,%d.0,0.0)", r.IntN(4), r.IntN(2))
		}
		line("mov r3.y, r1.z\nsample_resource(%d)_sampler(0)%s r4.%c, r3.xy\nmad r0.%c, r4.%[3]c, cb0[%d].x, r0.%[4]c",
			resource, offset, "xyzw"[k%4], "xyzw"[r.IntN(4)], 1+k)
	}
	if looped {
		line("add r2.x, r2.x, l0.y\nendloop")
	}
	line("mov o0, r0\nend")
	return b.String()
}

// Kernels with packed resources compute the same, and a result with another literal does not.
func TestVectorRandom(t *testing.T) {
	n := 120
	if testing.Short() {
		n = 30
	}
	packed, fewer, altered := 0, 0, 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		text := random(r)
		k, err := il.Parse("random", []byte(text))
		if err != nil || len(il.Check(k)) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		u, err := (&passtest.Source{Kernel: k}).Lift()
		if err != nil {
			t.Fatal(err)
		}
		p, err := passes.Parse(fmt.Sprintf("vectorize-fetches{resource=all,width=%d}", 2+2*r.IntN(2)),
			[]*passes.Pass{fetches.Vectorize})
		if err != nil {
			t.Fatal(err)
		}
		report, err := passes.Run(u, p, passes.Config{Numerics: passes.Real})
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		if u.Tile.Same() {
			if len(report.Remarks) == 0 {
				t.Errorf("%d: nothing is packed without a reason\n%s", seed, text)
			}
			continue
		}
		packed++
		out, err := amdil.Emit(k, u.Kernel)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		if count(out) < count(k) {
			fewer++
		}
		o := verify.Options{Numerics: passes.Real, Tile: u.Tile, Brief: true}
		if v := verify.CheckKernel(k, out, o); !v.Verdict.OK() {
			t.Errorf("%d: %v %s, %v\n%s\n%s", seed, v.Verdict, v.Why, u.Tile, text, il.Print(out))
		}
		if changed := alter(r, out); changed != nil {
			altered++
			if v := verify.CheckKernel(k, changed, o); v.Verdict.OK() {
				t.Errorf("%d: a wrong one is %v\n%s\n%s", seed, v.Verdict, text, il.Print(changed))
			}
		}
	}
	t.Logf("%d of %d packed, %d with fewer fetches, %d altered", packed, n, fewer, altered)
	if packed < n/4 || fewer < packed/2 || altered < packed/4 {
		t.Errorf("%d of %d packed, %d with fewer fetches, %d altered", packed, n, fewer, altered)
	}
}

func count(k *il.Kernel) (n int) {
	for i := range k.Insts {
		if k.Insts[i].Op == il.OpSample {
			n++
		}
	}
	return n
}

// alter returns k with the lanes of a packed fetch permuted, or its coordinate shifted by two elements. It
// returns nil if there is no fetch of two lanes.
func alter(r *rand.Rand, k *il.Kernel) *il.Kernel {
	text := string(il.Print(k))
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "sample") {
			continue
		}
		var dst, src string
		if _, err := fmt.Sscanf(line[strings.Index(line, " ")+1:], "%s %s", &dst, &src); err != nil ||
			!strings.Contains(dst, "xy") {
			continue
		}
		name, _, _ := strings.Cut(dst, ".")
		more := line + fmt.Sprintf("mov %s.xy, %[1]s.yx\n", name)
		if r.IntN(2) == 0 {
			from, swizzle, _ := strings.Cut(src, ".")
			more = fmt.Sprintf("add %s.%c, %[1]s.%[2]c, l1.z\n", from, (swizzle + "x")[0]) + line
		}
		out, err := il.Parse("altered", []byte(strings.Replace(text, line, more, 1)))
		if err != nil || len(il.Check(out)) > 0 {
			return nil
		}
		return out
	}
	return nil
}
