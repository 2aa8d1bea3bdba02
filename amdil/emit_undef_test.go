package amdil_test

import (
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify"
)

// rehome changes the register hints of temporaries to the registers that to returns, and keeps components.
func rehome(f *ir.Func, to func() uint16) {
	move := func(v *ir.Value) {
		if v != nil && v.Home.File == ir.File(il.Temp) {
			v.Home.Index = to()
		}
	}
	f.EachRegion(func(r *ir.Region) {
		for _, v := range r.Params {
			move(v)
		}
	})
	f.Walk(func(in *ir.Instr) { in.EachDef(move) })
}

// A read of an unwritten register gives its value at the start, even if all values prefer one register.
func TestEmitUndefined(t *testing.T) {
	const head = `il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_cb cb0[2]
mul r1, v0, cb0[0]
mul r2, r1, cb0[1]
mul r3.xy__, r2, r1
mul r4, r2.zzzw, r1.xxxw
`
	const tail = "mad o0, r0, v0, r2\nend\n"
	for _, test := range []struct{ name, code string }{
		{"then", "if_logicalnz r2.x\nmul r0, v0, r1\nendif\n" + tail},
		{"else", "if_logicalnz r2.x\nelse\nmul r0, v0, r1\nendif\n" + tail},
		{"both sides, parts", "if_logicalnz r2.x\nmul r0.xy__, v0, r1\nelse\nmul r0.__zw, v0, r4\nendif\n" + tail},
		{"nested", "if_logicalnz r2.x\nmul r5, r4, r4\nif_logicalnz r5.y\nmul r0, v0, r5\nendif\nendif\n" + tail},
		{"switch", "switch r2.x\ncase 1\nmul r0, v0, r1\nbreak\ncase 7\nmul r0.x___, v0.x, r4.x\nbreak\nendswitch\n" + tail},
		{"loop", "whileloop\nadd r4, r4, r1\nif_logicalnz r4.y\nadd r0, r0, r4\nendif\nbreak_logicalnz r4.x\nendloop\n" +
			tail},
		{"break", "whileloop\nadd r4, r4, r1\nbreak_logicalnz r4.x\nmul r0, r4, r3.xyxy\nbreak_logicalnz r4.y\nendloop\n" +
			tail},
		{"operand", "mul r0._yzw, r4, r1\nmad o0, r0, v0, r2\nend\n"},
		{"operand alone", "add r3, r4, r1\nmad o0, r0.xxyy, r3, r2\nend\n"},
		{"move", "add r3, r4, r1\nmov r0, r9\nmad o0, r0, r3, r2\nend\n"},
		{"output", "mov o0, r1\nadd r5, o0, r4\nmov o0.xy__, r5\nmov o0.__zw, r9\nend\n"},
		{"two of one place", "if_logicalnz r2.x\nif_logicalnz r2.y\nmul r0, v0, r1\nendif\nmul r6, r0, r2\nelse\nif_logicalnz r2.z\nmul r5, r4, r1\nendif\nmul r6, r5, r1\nendif\nmad o0, r6, v0, r2\nend\n"},
	} {
		k, err := il.Parse(test.name, []byte(head+test.code))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 7; n += testcorpus.Count(3, 1) {
			f, err := amdil.Lift(k)
			if err != nil {
				t.Fatal(err)
			}
			rehome(f, func() uint16 { return uint16(n) })
			out, _ := emitted(t, test.name, k, f)
			passtest.SameRuns(t, k, out, 2)
			if r := verify.CheckKernel(k, out, verify.Options{}); !r.Verdict.OK() {
				t.Errorf("%s, all in r%d: %v: %s %v\n%s", test.name, n, r.Verdict, r.Why, r.Counterexample, il.Print(out))
				break
			}
		}
	}
}

// The written code computes the same for any register hints.
func TestEmitAnyHomes(t *testing.T) {
	corpus(t, func(file file) {
		f, err := amdil.Lift(file.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		rehome(f, func() uint16 { return uint16(random.IntN(12)) })
		out, _ := emitted(t, file.name, file.Kernel, f)
		file.runs().Same(t, out)
	})
}
