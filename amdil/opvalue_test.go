package amdil_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// inputOp returns a kernel that computes r1 from its inputs with the statement s, which reads literals l0 to
// l3.
func inputOp(t *testing.T, s string) *il.Kernel {
	t.Helper()
	text := "il_ps_2_0\ndcl_output_generic o0\n"
	for i := range 4 {
		text += fmt.Sprintf("dcl_input_generic_interp(linear) v%d\n", i)
	}
	name, operands, _ := strings.Cut(s, " ")
	text += name + " " + strings.ReplaceAll(operands, "l", "v") + "\nmov o0, r1\nend\n"
	k, err := il.Parse("op", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return k
}

// crossed returns a launch in which any two input words take each pair of special values once.
func crossed() *kernel.Case {
	const n = len(interp.SpecialWords) * len(interp.SpecialWords)
	c := &kernel.Case{Width: len(interp.SpecialWords), Height: len(interp.SpecialWords)}
	for i := range 4 {
		words := make([]uint32, 0, 4*n)
		for e := range n {
			for lane := range 4 {
				words = append(words, interp.SpecialValue(e, 4*i+lane))
			}
		}
		c.Inputs = append(c.Inputs, kernel.Input{Reg: i, Data: kernel.Data{Kind: kernel.Words, Words: words}})
	}
	return c
}

// If the formula of an operation can be evaluated, the kernel interpreter agrees to the bit, for every pair
// of special values of any two operands.
func TestOpSpecialValues(t *testing.T) {
	folded := 0
	for _, s := range computing() {
		name, _, _ := strings.Cut(s, "_")
		if name, _, _ = strings.Cut(name, " "); slices.Contains(notUnderstood, name) {
			continue
		}
		k := inputOp(t, s)
		f, err := amdil.Lift(k)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		in := f.Body.Code[0]
		if in.Mods&ir.Sat != 0 {
			continue
		}
		if compareSpecial(t, s, k, in) {
			folded++
		}
	}
	t.Logf("%d statements were compared", folded)
	if folded < 90 {
		t.Errorf("only %d statements fold", folded)
	}
}

// compareSpecial compares o0 of k with the formula of in.
func compareSpecial(t *testing.T, s string, k *il.Kernel, in *ir.Instr) (compared bool) {
	p, err := kernel.Compile(k)
	if err != nil {
		t.Fatalf("%v\n%s", err, il.Print(k))
	}
	launch := crossed()
	res, err := p.Run(launch, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for e := range launch.Width * launch.Height {
		for lane, out := range in.Out {
			if out == nil {
				continue
			}
			alg := ir.Words{Fold: true}
			want := ir.Eval(&alg, in.Op, lane, func(src, lane int) uint32 {
				l := in.Src[src][lane]
				home := l.V.Home
				bits := interp.SpecialValue(e, 4*int(home.Index)+int(home.Comp))
				if l.V.Kind == ir.Literal {
					bits = l.V.Bits
				}
				if l.Mod&ir.Neg != 0 {
					bits ^= 1 << 31
				}
				return bits
			})
			if !alg.Fold {
				continue
			}
			compared = true
			if got := res.Out[0][4*e+lane]; got != want {
				var words [16]uint32
				for c := range words {
					words[c] = interp.SpecialValue(e, c)
				}
				t.Errorf("%s with %08X: lane %d is %08X, not %08X", s, words, lane, got, want)
				return compared
			}
		}
	}
	return compared
}
