package cleanup_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/verify"
)

// spelled are programs for 4*x + K + 0.5 in r1.x, where x is the number of the column: l2.x is K, and r0.x its sum
// with the position.
var spelled = []string{
	"mad r1.x, vWinCoord0.x, l0.w, l2.x\nadd r1.x, r1.x, l1.y",
	"mul r1.x, vWinCoord0.x, l0.w\nadd r1.x, r1.x, l1.y\nadd r1.x, r1.x, l2.x",
	"add r1.x, vWinCoord0.x, l1.x\nmad r1.x, r1.x, l0.w, l2.x\nadd r1.x, r1.x, l0.z",
	"imad r1.x, r9.x, l3.x, l3.y\nitof r1.x, r1.x\nadd r1.x, r1.x, l2.x\nsub r1.x, r1.x, l0.z",
	"ishl r1.x, r9.x, l3.z\nior r1.x, r1.x, l3.y\nitof r1.x, r1.x\nsub r1.x, r1.x, l0.z\nadd r1.x, r1.x, l2.x",
}

// texelKernel returns a kernel with n fetches, each at one of three places, in a random spelling.
func texelKernel(r *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(`il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[12]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 0.0, 1.0, 0.5, 4.0
dcl_literal l1, -0.5, -1.5, 0.0, 0.0
dcl_literal l3, 4, 1, 2, 0
dcl_literal l4, 0.0, 1.0, 2.0, 3.0
mov r0, l0.x
ftoi r9.x, vWinCoord0.x
mov r1.y, vWinCoord0.y
`)
	for k := range n {
		code := strings.ReplaceAll(spelled[r.IntN(len(spelled))], "l2.x", "l4."+"xyz"[r.IntN(3):][:1])
		lane := "xyzw"[r.IntN(4)]
		fmt.Fprintf(&b, "%s\nsample_resource(0)_sampler(0) r2.%c, r1.xy\nmad r0.x, r2.%[2]c, cb0[%d].x, r0.x\n", code, lane, k)
	}
	b.WriteString("mov o0, r0.xxxx\nend\n")
	return b.String()
}

// Fetches of one texel become one, and the result is proved. Results with a shifted coordinate are refused.
func TestTexelsRandom(t *testing.T) {
	n := 80
	if testing.Short() {
		n = 12
	}
	wrong := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 4))
		text := texelKernel(r, 4+r.IntN(7))
		k, err := il.Parse("texels", []byte(text))
		if err != nil || len(il.Check(k)) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		out, _ := passtest.Rewrite(t, k, "gvn{texels=true},dce", []*passes.Pass{cleanup.GVN, cleanup.DCE}, passes.Real)
		if got := strings.Count(string(il.Print(out)), "sample_"); got > 3 {
			t.Errorf("%d: %d fetches of 3 texels\n%s\n%s", seed, got, text, il.Print(out))
		}
		o := verify.Options{Numerics: passes.Real, Brief: true}
		if v := verify.CheckKernel(k, out, o); v.Verdict < verify.ProvedReal {
			t.Errorf("%d: %v %s\n%s\n%s", seed, v.Verdict, v.Why, text, il.Print(out))
		}
		lines := strings.SplitAfter(string(il.Print(out)), "\n")
		for i, line := range lines {
			if !strings.HasPrefix(line, "sample_") {
				continue
			}
			at := line[strings.LastIndex(line, " ")+1:]
			name, _, _ := strings.Cut(at, ".")
			by := []string{"l0.y", "l1.x", "l0.w"}[r.IntN(3)] // half a texel to the left is another one
			lines[i] = fmt.Sprintf("add %s.x___, %[1]s.x, %s\n%s", name, by, line)
			if k, err := il.Parse("wrong", []byte(strings.Join(lines, ""))); err == nil && len(il.Check(k)) == 0 {
				if wrong++; verify.CheckKernel(k, out, o).Verdict.OK() {
					t.Errorf("%d: a wrong one is accepted\n%s", seed, il.Print(k))
				}
			}
			lines[i] = line
		}
	}
	if t.Logf("%d wrong ones", wrong); wrong < 2*n {
		t.Errorf("%d wrong ones", wrong)
	}
}
