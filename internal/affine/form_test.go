package affine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
)

// lift returns a kernel with this code, and the values of o0.x and o0.y.
func lift(t *testing.T, code string) (f *ir.Func, a, b *ir.Value) {
	t.Helper()
	text := `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[2]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 0.0, 1.0, 0.5, 4.0
dcl_literal l1, 0, 1, 2, 3
dcl_literal l2, 4, 5, -4, 0x80000000
` + code + "\nend\n"
	k, err := il.Parse("test", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if f, err = amdil.Lift(k); err != nil {
		t.Fatal(err)
	}
	for _, o := range f.Outs {
		switch o.Reg.Comp {
		case 0:
			a = o.V
		case 1:
			b = o.V
		}
	}
	return f, a, b
}

// Each code computes o0.x and o0.y, which differ by a number or are unrelated (none).
func TestForms(t *testing.T) {
	const none = 0.125
	loop := func(first, trip string) string {
		return first + "\nmov r9.x, cb0[0].x\nwhileloop\nige r9.y, l1.x, r9.x\nbreak_logicalnz r9.y\n" + trip +
			"\nsample_resource(0)_sampler(0) r8, r1.xy\nmov r2, r1\niadd r9.x, r9.x, l2.z\nendloop\nmov o0.xy, r2.xyxx\n"
	}
	for _, c := range []struct {
		name, code string
		integer    bool
		want       float64
	}{
		{"floats", "add r1.x, vWinCoord0.x, l0.y\nadd r1.y, r1.x, l0.z\nmov o0.xy, r1.xyxx", false, 0.5},
		{"order of a sum", "add r1.x, vWinCoord0.x, vWinCoord0.y\nadd r1.y, vWinCoord0.y, vWinCoord0.x\nmov o0.xy, r1.xyxx",
			false, 0},
		{"mad", "mad r1.x, cb0[0].x, cb0[0].y, l0.y\nmad r1.y, cb0[0].y, cb0[0].x, l0.w\nmov o0.xy, r1.xyxx", false, 3},
		{"multiples", "mul r1.x, vWinCoord0.x, l0.w\nadd r1.y, vWinCoord0.x, l0.y\nmov o0.xy, r1.xyxx", false, none},
		{"converted integers", "iadd r1.x, cb0[0].x, l1.w\nitof r1.x, r1.x\nitof r1.y, cb0[0].x\nmov o0.xy, r1.xyxx",
			false, -3},
		{"words", "imad r1.x, cb0[0].x, l2.x, l1.y\nishl r1.y, cb0[0].x, l1.z\nmov o0.xy, r1.xyxx", true, -1},
		{"or", "ishl r1.x, cb0[0].x, l1.z\nior r1.y, r1.x, l1.w\nmov o0.xy, r1.xyxx", true, 3},
		{"or of an unknown bit", "ishl r1.x, cb0[0].x, l1.z\nior r1.y, r1.x, l2.y\nmov o0.xy, r1.xyxx", true, none},
		{"mask", "imad r1.x, cb0[0].x, l2.x, l1.w\nand r1.y, r1.x, l2.z\nmov o0.xy, r1.xyxx", true, -3},
		{"mask of unknown bits", "imad r1.x, cb0[0].x, l1.z, l1.w\nand r1.y, r1.x, l2.z\nmov o0.xy, r1.xyxx", true, none},
		{"another reading", "iadd r1.x, cb0[0].x, l1.w\nmov r1.y, cb0[0].x\nmov o0.xy, r1.xyxx", false, none},
		{"pixel", "ftoi r1.x, vWinCoord0.x\nitof r1.x, r1.x\nmov r1.y, vWinCoord0.x\nmov o0.xy, r1.xyxx", false, 0.5},
		{"rounded down", "add r1.x, vWinCoord0.x, l0.w\nflr r1.x, r1.x\nmov r1.y, vWinCoord0.x\nmov o0.xy, r1.xyxx", false, -3.5},
		{"rounded towards zero", "sub r1.x, vWinCoord0.x, l0.w\nftoi r1.x, r1.x\nitof r1.x, r1.x\nmov r1.y, vWinCoord0.x\n" +
			"mov o0.xy, r1.xyxx", false, none},
		{"absolute", "add r1.x, cb0[0].x_abs, l0.y\nmov r1.y, cb0[0].x\nmov o0.xy, r1.xyxx", false, none},
		{"negative", "sub r1.x, l0.y, cb0[0].x\nmov r1.y, cb0[0].x_neg(xyzw)\nmov o0.xy, r1.xyxx", false, -1},
		{"unchanged lane", "mov r2.x, vWinCoord0.x\nwhileloop\nge r3.x, r2.y, l0.w\nbreak_logicalnz r3.x\n" +
			"add r2.xy, r2.xyxx, l0.xyxx\nendloop\nmov o0.x, r2.x\nmov o0.y, vWinCoord0.x", false, 0},
		{"two counters", loop("mov r1.x, l0.x\nmov r1.y, l0.z", "add r1.xy, r1.xyxx, l0.yyxx"), false, none},
		{"two counters at an end", "mov r1.x, l0.x\nmov r1.y, l0.z\nwhileloop\nge r3.x, r1.y, l0.w\n" +
			"break_logicalnz r3.x\nadd r1.xy, r1.xyxx, l0.yyxx\nendloop\nmov o0.xy, r1.xyxx", false, 0.5},
		{"two steps", "mov r1.x, l0.x\nmov r1.y, l0.z\nwhileloop\nge r3.x, r1.y, l0.w\n" +
			"break_logicalnz r3.x\nadd r1.xy, r1.xyxx, l0.ywxx\nendloop\nmov o0.xy, r1.xyxx", false, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, a, b := lift(t, c.code)
			fs := affine.NewForms(f)
			x, y := fs.Of(ir.Lane{V: a}, c.integer), fs.Of(ir.Lane{V: b}, c.integer)
			got := none
			if fs.Base(x) == fs.Base(y) {
				got = y.Plus - x.Plus
			}
			if got != c.want {
				t.Errorf("the difference is %g, want %g (%g: none)\n%s", got, c.want, none, c.code)
			}
		})
	}
}

// The difference of integers with one base holds for all words.
func TestRandomIntegers(t *testing.T) {
	related := 0
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		var code strings.Builder
		code.WriteString("mov r0, cb0[0]\n")
		for n := range 12 {
			op := []string{"iadd", "iadd", "imul", "ishl", "ior", "and", "imad", "inegate"}[r.IntN(8)]
			read := func() string { return fmt.Sprintf("r%d.%c", r.IntN(n+1), "xy"[r.IntN(2)]) }
			literal := fmt.Sprintf("l%d.%c", 1+r.IntN(2), "xyzw"[r.IntN(4)])
			args := []string{read(), literal}
			switch op {
			case "imad":
				args = append(args, read())
			case "inegate":
				args = args[:1]
			case "iadd":
				if r.IntN(3) == 0 {
					args[1] = read()
				}
			}
			fmt.Fprintf(&code, "%s r%d.x, %s\nmov r%[2]d.y, r%[4]d.x\n", op, n+1, strings.Join(args, ", "), r.IntN(n+1))
		}
		code.WriteString("mov o0.x, r12.x\nmov o0.y, r11.x")
		f, _, _ := lift(t, code.String())
		fs := affine.NewForms(f)
		var values []*ir.Value
		f.Walk(func(in *ir.Instr) { in.EachDef(func(v *ir.Value) { values = append(values, v) }) })
		seen := map[affine.Base]*ir.Value{}
		for _, v := range values {
			x := fs.Of(ir.Lane{V: v}, true)
			w, ok := seen[fs.Base(x)]
			if seen[fs.Base(x)] = v; !ok {
				continue
			}
			related++
			want := uint32(int64(x.Plus - fs.Of(ir.Lane{V: w}, true).Plus))
			for range 4 {
				e := evaluation{ir.Words{}, map[*ir.Value]uint32{}, r}
				if got := e.of(v) - e.of(w); got != want {
					t.Fatalf("%d: the difference is %#x, want %#x\n%s", seed, got, want, code.String())
				}
			}
		}
	}
	if related < 500 {
		t.Errorf("%d pairs are related", related)
	}
}

// The remainder of a sum modulo a power of two follows from its form.
func TestAlignment(t *testing.T) {
	for _, c := range []struct {
		code               string
		remainder, modulus uint32
	}{
		{"imad r1.x, cb0[0].x, l2.x, l1.w\nishl r2.x, cb0[0].y, l1.w\niadd o0.x, r1.x, r2.x", 3, 4},
		{"imad o0.x, cb0[0].x, l2.y, l1.w", 0, 1},
		{"iadd o0.x, l1.w, l2.x", 7, 0},
	} {
		f, a, _ := lift(t, c.code)
		if r, m := affine.NewForms(f).Of(ir.Lane{V: a}, true).Alignment(); r != c.remainder || m != c.modulus {
			t.Errorf("%d modulo %d, want %d modulo %d\n%s", r, m, c.remainder, c.modulus, c.code)
		}
	}
}

// evaluation holds the values of random inputs.
type evaluation struct {
	words  ir.Words
	values map[*ir.Value]uint32
	r      *rand.Rand
}

func (e *evaluation) of(v *ir.Value) uint32 {
	if v.Kind == ir.Literal {
		return v.Bits
	}
	x, ok := e.values[v]
	if !ok {
		if x = e.r.Uint32() >> e.r.IntN(32); v.Def != nil {
			x = ir.Eval(&e.words, v.Def.Op, int(v.Lane), func(s, l int) uint32 { return e.of(v.Def.Src[s][l].V) })
		}
		e.values[v] = x
	}
	return x
}
