package combine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

const kernelHead = "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\ndcl_cb cb0[4]\n" +
	"dcl_literal l0, 0, 1, 2, 3\ndcl_literal l1, 4, 16, 31, 0xFFFFFFFF\ndcl_literal l2, 0.0, 1.0, 2.0, 0.5\n"

// wordTests lists the operations that are left of statements between the conversion of v0 to integers in r0
// and the conversion of r1 to floats.
var wordTests = []struct{ name, src, want string }{
	{"times a power of two", "imul r1, r0, l1.x", "ishl"},
	{"times another number", "imul r1, r0, l0.w", "imul"},
	{"times one", "imul r1, r0, l0.y", ""},
	{"times zero", "imul r1, r0, l0.x", "mov"},
	{"times minus one", "imul r1, r0, l1.w", "ineg"},
	{"times powers of two, a lane each", "imul r1, r0, l1.xyxy", "ishl"},
	{"divided by a power of two", "udiv r1, r0, l1.y", "ushr"},
	{"divided by zero", "udiv r1, r0, l0.x", "udiv"},
	{"rest of a power of two", "umod r1, r0, l1.y", "iand"},
	{"rest of one", "umod r1, r0, l0.y", "mov"},
	{"rest of three", "umod r1, r0, l0.w", "umod"},
	{"product with minus one and a sum", "imad r1, r0, l1.w, cb0[0]", "isub"},
	{"product with one and a sum", "imad r1, r0, l0.y, cb0[0]", "iadd"},
	{"product and no sum", "imad r1, r0, cb0[0], l0.x", "imul"},
	{"sums of literals", "iadd r1, r0, l0.y; iadd r1, r1, l0.w", "iadd"},
	{"there and back", "iadd r1, r0, l0.y; iadd r1, r1, l1.w", ""},
	{"difference of a sum", "iadd r1, r0, l0.y; iadd r1, l0.w, r1_neg(xyzw)", "isub"},
	{"negated difference", "iadd r1, l0.w, r0_neg(xyzw); inegate r1, r1", "iadd"},
	{"sum with a negation", "inegate r1, r0; iadd r1, cb0[0], r1", "isub"},
	{"negation of something else", "inegate r2, r0; iadd r1, cb0[0], r2; ixor r1, r1, r2", "ineg iadd ixor"},
	{"shifts add up", "ishl r1, r0, l0.z; ishl r1, r1, l0.w", "ishl"},
	{"shifts beyond the word", "ishl r1, r0, l1.y; ishl r1, r1, l1.y", "ishl ishl"},
	{"counts are taken modulo 32", "ushr r1, r0, l1.w; ushr r1, r1, l0.y", "ushr ushr"},
	{"signed shifts stop", "ishr r1, r0, l1.y; ishr r1, r1, l1.z", "ishr"},
	{"up after down", "ushr r1, r0, l0.w; ishl r1, r1, l0.w", "iand"},
	{"down after up", "ishl r1, r0, l0.w; ushr r1, r1, l0.w", "iand"},
	{"up after down by less", "ushr r1, r0, l0.w; ishl r1, r1, l0.z", "ushr ishl"},
	{"masks", "iand r1, r0, l1.z; iand r1, r1, l1.y", "iand"},
	{"a mask of nothing", "ushr r1, r0, l1.z; iand r1, r1, l0.y", "ushr"},
	{"products", "imul r1, r0, l0.w; ishl r1, r1, l0.w", "imul"},
	{"quotients", "udiv r1, r0, l0.w; udiv r1, r1, l0.w", "udiv"},
	{"quotient of a shift", "ushr r1, r0, l0.z; udiv r1, r1, l0.w", "udiv"},
	{"exclusive twice", "ixor r1, r0, cb0[0]; ixor r1, cb0[0], r1", ""},
	{"with itself", "ixor r1, r0, r0", "mov"},
	{"not equal", "ieq r1, r0, cb0[0]; inot r1, r1", "ine"},
	{"not less", "ult r1, r0, cb0[0]; ieq r1, r1, l0.x", "uge"},
	{"not less of floats", "lt r1, v0, cb0[0]; inot r1, r1", "flt inot"},
	{"chosen by whether zero", "ine r1, l0.x, r0; cmov_logical r1, r1, cb0[0], cb0[1]", "sel"},
	{"the same either way", "cmov_logical r1, r0, cb0[0], cb0[0]", "mov"},
	{"chosen by a word negated in one lane", "ieq r1, r0, l0.x; cmov_logical r1, r1_neg(x), cb0[0], cb0[1]", "ieq sel"},
	{"smaller", "ige r1, r0, cb0[0]; cmov_logical r1, r1, cb0[0], r0", "imin"},
	{"larger", "ult r1, cb0[0], r0; cmov_logical r1, r1, r0, cb0[0]", "umax"},
	{"smaller of floats", "lt r1, v0, cb0[0]; cmov_logical r1, r1, v0, cb0[0]", "flt sel"},
	{"product and sum", "mul r1, v0, cb0[0]; add r1, r1, cb0[1]", "mad"},
	{"product and sum of IEEE 754", "mul_ieee r1, v0, cb0[0]; add r1, cb0[1], r1_neg(xyzw)", "madieee"},
	{"chain of IEEE 754", "mul_ieee r1, v0, l2.z; mul r1, r1, l2.w", "mov"},
	{"dot products are no cheaper", "mul r1.x, v0.x, cb0[0].x; mad r1.x, v0.y, cb0[0].y, r1.x; mad r1, v0.z, cb0[0].z, r1.x", "mul mad mad"},
	{"an undefined operand", "imad r1, r7, l1.w, cb0[0]", "imad"},
}

func liftKernel(t testing.TB, src string) (*passtest.Source, *passes.Unit) {
	t.Helper()
	k, err := il.Parse("test.il", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	s := &passtest.Source{Name: "test", Kernel: k}
	u, err := s.Lift()
	if err != nil {
		t.Fatal(err)
	}
	return s, u
}

// Each rule makes its rewrite, keeps bits except for float rules, and is proved.
func TestWordRules(t *testing.T) {
	for _, test := range wordTests {
		t.Run(test.name, func(t *testing.T) {
			s, u := liftKernel(t, kernelHead+"ftoi r0, v0\n"+strings.ReplaceAll(test.src, "; ", "\n")+"\nitof o0, r1\nend\n")
			numerics := verify.Bits
			if strings.Contains(test.src, "mul ") || strings.Contains(test.src, "mul_ieee") {
				numerics = verify.Real
			}
			if err := Pass.Run(&passes.Ctx{Pass: Pass, Numerics: passes.Class(numerics)}, u); err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSuffix(strings.TrimPrefix(ops(u.Kernel), "ftoi "), "itof")
			if got = strings.TrimSpace(got); got != test.want {
				t.Errorf("left is %q, want %q\n%s", got, test.want, u.Kernel)
			}
			out, err := s.Emit(u)
			if err != nil {
				t.Fatal(err)
			}
			if r := verify.CheckKernel(s.Kernel, out.Kernel, verify.Options{Numerics: numerics}); r.Verdict < verify.ProvedReal {
				t.Errorf("%v: %s", r.Verdict, r.Why)
			}
		})
	}
}

// priced runs the pass on u, which was lifted from s, for a chip.
func priced(t testing.TB, s *passtest.Source, u *passes.Unit, name string) passes.Report {
	t.Helper()
	target, err := chip.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	cfg := passes.Config{Numerics: passes.Real,
		Measure: func(u *passes.Unit) (passes.Cost, error) { return s.MeasureKernel(u, target) }}
	if _, err := cfg.Measure(u); err != nil {
		cfg.Measure = nil // not a kernel for that chip
	}
	report, err := passes.Run(u, passes.Pipeline{{Pass: Pass}}, cfg)
	if err != nil {
		t.Fatalf("%v\n%s", err, u.Kernel)
	}
	return report
}

// wordProgram returns a kernel of about n operations on words with literals.
func wordProgram(n int) string {
	var b strings.Builder
	b.WriteString(kernelHead + "ftoi r0, v0\nftoi r1, v0.wzyx\nftoi r2, cb0[0]\nmov r3, cb0[1]\n")
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	temp := func() string { return fmt.Sprintf("r%d", rng.IntN(4)) }
	for range n {
		d := temp() + pick("", "", ".xy", ".zw", ".x")
		x, y := temp(), pick(temp(), temp(), "l0", "l1", "l0.x", "l0.y", "l0.z", "l1.x", "l1.y", "l1.w")
		switch op := pick("iadd", "iadd", "imul", "imad", "udiv", "umod", "iand", "ior", "ixor", "ishl", "ushr", "ishr",
			"inot", "inegate", "sel", "compare", "floats"); op {
		case "imad":
			fmt.Fprintf(&b, "imad %s, %s, %s, %s\n", d, x, y, temp())
		case "inot", "inegate":
			fmt.Fprintf(&b, "%s %s, %s\n", op, d, x)
		case "sel":
			fmt.Fprintf(&b, "%s r4, %s, %s\ncmov_logical %s, r4, %s, %s\n", pick("ieq", "ine", "ilt", "ige", "ult", "uge"), x,
				y, d, pick(x, y), pick(x, y))
		case "compare":
			fmt.Fprintf(&b, "%s %s, %s, %s\n", pick("ieq", "ine", "ilt", "ige", "ult", "uge"), d, x, y)
		case "floats":
			fmt.Fprintf(&b, "mul%s r4, v0, cb0[1]\nadd r4, r4, cb0[2]\ndp2_ieee r4.x, r4.xy, v0.xy\nftoi %s, r4\n",
				pick("", "_ieee"), d)
		default:
			fmt.Fprintf(&b, "%s %s, %s, %s\n", op, d, x, y)
		}
	}
	b.WriteString("ixor r0, r0, r1\nixor r2, r2, r3\nixor r0, r0, r2\nitof o0, r0\nend\n")
	return b.String()
}

// Random kernels compute the same after the pass, on each chip, whatever the model accepts.
func TestRandomKernels(t *testing.T) {
	check := func(name string, s *passtest.Source, u *passes.Unit, chip string) int {
		report := priced(t, s, u, chip)
		out, err := s.Emit(u)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r := verify.CheckKernel(s.Kernel, out.Kernel, verify.Options{Numerics: verify.Real}); r.Verdict == verify.Refuted {
			t.Errorf("%s for %s: %s %v\n%s", name, chip, r.Why, r.Counterexample, il.Print(out.Kernel))
		}
		return report.Steps
	}
	words, general := 0, 0
	chips := []string{"rv670", "rv770", "cypress"}
	for n := range testcorpus.Count(30, 60) {
		s, u := liftKernel(t, wordProgram(10+n))
		words += check(fmt.Sprint("words ", n), s, u, chips[n%3])
	}
	for seed := range testcorpus.Count[uint64](45, 90) {
		s := &passtest.Source{Name: "random", Kernel: ilgen.Kernel(seed, ilgen.Options{})}
		u, err := s.Lift()
		if err != nil {
			t.Fatal(err)
		}
		general += check(fmt.Sprint("seed ", seed), s, u, chips[seed%3])
	}
	t.Logf("%d rewrites in programs on words, %d in others", words, general)
	if words < testcorpus.Count(50, 100) {
		t.Errorf("%d rewrites", words)
	}
}

// Every prefix of the rewrites leaves a valid program.
func TestKernelFuel(t *testing.T) {
	for fuel := range 40 {
		s, u := liftKernel(t, wordProgram(50))
		cfg := passes.Config{Numerics: passes.Real, Fuel: &fuel}
		if _, err := passes.Run(u, passes.Pipeline{{Pass: Pass}}, cfg); err != nil {
			t.Fatal(err)
		}
		out, err := s.Emit(u)
		if err != nil {
			t.Fatal(err)
		}
		if r := verify.CheckKernel(s.Kernel, out.Kernel, verify.Options{Numerics: verify.Real}); r.Verdict == verify.Refuted {
			t.Fatalf("fuel %d: %s", fuel, r.Why)
		}
	}
}

// maxStatements bounds the kernels of the corpus that are priced.
const maxStatements = 200

// The corpus takes fewer operations, and no kernel costs more than before.
func TestKernelCorpus(t *testing.T) {
	paths := testcorpus.Glob(t, "corpus/il/*.il")
	target, err := chip.ByName("cypress")
	if err != nil {
		t.Fatal(err)
	}
	kernels, before, after := 0, 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(path, data)
		if err != nil || len(il.Check(k)) > 0 || len(k.Insts) > maxStatements {
			continue // malformed, or slow to price
		}
		s := &passtest.Source{Name: path, Kernel: k}
		u, err := s.Lift()
		if err != nil {
			continue
		}
		old, err := s.MeasureKernel(u, target)
		if err != nil {
			continue
		}
		priced(t, s, u, "cypress")
		now, err := s.MeasureKernel(u, target)
		if err != nil || old.Less(now) {
			t.Errorf("%s: %v, was %v (%v)", path, now, old, err)
		}
		kernels++
		before += old[2]
		after += now[2]
	}
	t.Logf("%d kernels, %d operations became %d", kernels, before, after)
	if after >= before {
		t.Error("nothing was combined")
	}
}

func BenchmarkKernel(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, u := liftKernel(b, wordProgram(n))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				v := &passes.Unit{Kernel: u.Kernel.Clone()}
				b.StartTimer()
				if err := Pass.Run(&passes.Ctx{Pass: Pass, Numerics: passes.Real}, v); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}
