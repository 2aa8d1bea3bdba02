package combine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// combine runs the pass with all rules that numerics admit.
func combine(t testing.TB, f *ir.Func, numerics passes.Class) {
	t.Helper()
	stage := passes.Stage{Pass: Pass}
	if _, err := passes.Run(&passes.Unit{Pixel: f}, passes.Pipeline{stage},
		passes.Config{Numerics: numerics}); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
}

// closeOutputs fails unless two programs compute nearly the same.
func closeOutputs(t testing.TB, name string, before, after *ir.Func) {
	t.Helper()
	if err := passtest.Compare(before, after); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// ops lists the operations of f in order.
func ops(f *ir.Func) string {
	var names []string
	f.Walk(func(in *ir.Instr) { names = append(names, in.Op.String()) })
	return strings.Join(names, " ")
}

const (
	ps3 = "ps_3_0\ndef c9, 0, 1, 0.5, 2\ndef c10, -1, 4, 3, 0.1\ndcl_texcoord0 v0\ndcl_texcoord1 v1\ndcl_2d s0\n"
	ps2 = "ps_2_0\ndef c9, 0, 1, 0.5, 2\ndef c10, -1, 4, 3, 0.1\ndcl t0\ndcl t1\ndcl_2d s0\n"
	vs2 = "vs_2_0\ndef c9, 0, 1, 0.5, 2\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\n"
)

// ruleTests lists the operations that are left of small programs.
var ruleTests = []struct{ name, src, want string }{
	// mul and add
	{"mul and add", ps3 + "mul r0, v0, v1\nadd oC0, r0, c0", "mul add"}, // two inputs: v0 and v1
	{"mul and add of one input", ps3 + "mul r0, v0, v0.wzyx\nadd oC0, r0, c0", "mad"},
	{"add and mul", ps3 + "mul r0, v0, c0\nadd oC0, c0.x, r0", "mad"},
	{"no port for a second constant", ps3 + "mul r0, v0, c0\nadd oC0, r0, c1", "mul add"},
	{"negated product", ps3 + "mul r0, v0, c0\nadd oC0, v0.x, -r0", "mad"},
	{"saturated sum", ps3 + "mul r0, v0, c0\nadd_sat oC0, r0, v0", "mad"},
	{"saturated product", ps3 + "mul_sat r0, v0, c0\nadd oC0, r0, v0", "mul add"},
	{"product with two readers that add", ps3 + "mul r0, v0, c0\nadd r1, r0, c0\nadd r2, r0, v0\nmin oC0, r1, r2",
		"mad mad min"},
	{"product with another reader", ps3 + "mul r0, v0, c0\nadd r1, r0, c0\nmin oC0, r0, r1", "mul add min"},
	{"product added to itself", ps3 + "mul r0, v0, c0\nadd oC0, r0, r0.wzyx", "mul add"},
	{"partial precision only if it was enough for both", ps3 + "mul r0, v0, c0\nadd_pp oC0, r0, v0", "mad"},
	{"predicated", ps3 + "setp_gt p0, v0, c0\nmov r1, c0\nmul r0, v0, c0\n(p0) add r1, r0, v0\nmov oC0, r1",
		"setp mov mul add mov"},
	{"swizzles of ps_2_0", ps2 + "mul r0, t0, c0\nadd r0, r0.yzxw, t0\nmov oC0, r0", "mad"},
	{"composed swizzles that ps_2_0 lacks", ps2 + "mul r0, t0.wzyx, c0\nadd r0, r0.yzxw, t0\nmov oC0, r0", "mul add"},

	// chains of literals
	{"literal factors", ps3 + "mul r0, v0, c9.w\nmul oC0, r0, c9.w", "mul"},
	{"inexact literal factors", ps3 + "mul r0, v0, c10.w\nmul oC0, r0, c10.w", "mul mul"},
	{"scale and offset twice", ps3 + "mad r0, v0, c9.w, c10.x\nmad oC0, r0, c9.z, c9.z", "mov"}, // (2x-1)/2+1/2 = x
	{"literal sums", ps3 + "add r0, v0, c9.y\nadd oC0, -r0, c9.w", "add"},
	{"literal after a product", ps3 + "mad r0, v0, v0.wzyx, c9.y\nadd oC0, r0, c9.z", "mad"},
	{"scaled then scaled and added", ps3 + "mul r0, v0, c9.w\nmad oC0, r0, c9.w, v0.x", "mad"},

	// dot products
	{"lanes of a product", ps3 + "mul r0.xyz, v0, c0\nadd r0.x, r0.x, r0.y\nadd oC0.x, r0.x, r0.z", "dp3"},
	{"chain of mads", ps3 + "mul r0.x, v0.x, c0.x\nmad r0.x, v0.y, c0.y, r0.x\nmad oC0.x, v0.z, c0.z, r0.x", "dp3"},
	{"any order", ps3 + "mul r0.x, c0.z, v0.x\nmad r0.x, v0.y, c0.y, r0.x\nmad oC0.x, v0.z, c0.x, r0.x", "dp3"},
	{"four", ps3 + "dp3 r0.x, v0, c0\nmad oC0.x, v0.w, c0.w, r0.x", "dp4"},
	{"subtracted products", ps3 + "mul r0.x, v0.x, c0.x\nmad r0.x, v0.y, c0.y, r0.x\nmad oC0.x, v0.z, c0.z, -r0.x", "mul mad mad"}, // one register, two signs
	{"all subtracted", ps3 + "mul r0.x, v0.x, -c0.x\nmad r0.x, -v0.y, c0.y, r0.x\nmad oC0.x, v0.z, -c0.z, r0.x", "dp3"},
	{"factors of three registers", ps3 + "mul r0.x, v0.x, c0.x\nmad r0.x, v0.y, c0.y, r0.x\nmad oC0.x, v1.z, c0.z, r0.x",
		"mul mad mad"},
	{"literal offset", ps3 + "dp3 r0.x, v0, c10\nadd oC0.x, r0.x, v0.w", "dp4"},
	{"offset", ps3 + "mad r0.x, v0.x, c0.x, c0.w\nmad r0.x, v0.y, c0.y, r0.x\nmad oC0.x, v0.z, c0.z, r0.x", "dp3 add"},
	{"offset that is a factor too", ps3 + "dp4 r0.x, v0, v0\nadd oC0.x, v0.w, r0.x", "dp4 add"},
	{"literals in the program's order", ps3 + "mad r0.x, c9.w, c10.x, c9.y\nmad oC0, r0.x, c10.y, -c10.y", "mad mad"},
	{"two and an offset", ps3 + "mul r0.xy, v0, c0\nadd r0.x, r0.x, r0.y\nadd oC0.x, r0.x, v0.z", "dp2add"},
	{"two mads are as good", ps3 + "mad r0.x, v0.x, c0.x, v0.z\nmad oC0.x, v0.y, c0.y, r0.x", "mad mad"},
	{"a partial sum is needed", ps3 + "mul r0.x, v0.x, c0.x\nmad r0.x, v0.y, c0.y, r0.x\nmad r0.y, v0.z, c0.z, r0.x\nmul oC0.x, r0.x, r0.y", "mul mad mad mul"},

	// lengths next to normalized vectors; gvn later removes the duplicates
	{"normalized, with its length", ps3 + "nrm r0.xyz, v0\ndp3 r1.x, v0, v0\nmul oC0, r0.xyzz, r1.x",
		"dp3 rsq mul dp3 mul"},
	{"normalized before", ps3 + "dp3 r1.x, -v0, -v0\nnrm r0.xy, v0\nmul oC0, r0.xyyy, r1.x", "dp3 dp3 rsq mul mul"},
	{"normalized, with that of another", ps3 + "nrm r0.xyz, v0\ndp3 r1.x, v1, v1\nmul oC0, r0.xyzz, r1.x", "nrm dp3 mul"},
	{"normalized, with another product", ps3 + "nrm r0.xyz, v0\ndp3 r1.x, v0, v0.yzxw\nmul oC0, r0.xyzz, r1.x",
		"nrm dp3 mul"},
	{"normalized, with a product of signs", ps3 + "nrm r0.xyz, v0\ndp3 r1.x, v0, -v0\nmul oC0, r0.xyzz, r1.x",
		"nrm dp3 mul"},
	{"normalized, with a clamped length", ps3 + "nrm r0.xyz, v0\ndp3_sat r1.x, v0, v0\nmul oC0, r0.xyzz, r1.x",
		"nrm dp3 mul"},
	{"normalized in partial precision", ps3 + "nrm_pp r0.xyz, v0\ndp3_pp r1.x, v0, v0\nmul oC0, r0.xyzz, r1.x",
		"nrm dp3 mul"},

	// clamps
	{"clamp to 0..1", ps3 + "mul r0, v0, c0\nmin r0, r0, c9.y\nmax oC0, r0, c9.x", "mul"},
	{"clamp, the other way round", ps3 + "mul r0, v0, c0\nmax r0, c9.x, r0\nmin oC0, c9.y, r0", "mul"},
	{"no saturation in vs_2_0", vs2 + "min r0, v1, c9.y\nmax oT0, r0, c9.x", "mov min max"},
	{"other bounds", ps3 + "min r0, v0, c9.w\nmax oC0, r0, c9.x", "min max"},
	{"two lower bounds", ps3 + "max r0, v0, c9.x\nmax oC0, r0, c9.y", "max"},
	{"idle clamp", ps3 + "mul_sat r0, v0, c0\nmax oC0, r0, c9.x", "mul"},
	{"fraction of a sum", ps3 + "add r0, v0, c10.z\nfrc oC0, r0", "frc"},
	{"fraction that the summand leaves nothing of", ps3 + "def c11, 16777216, 0, 0, 0\nadd r0, v0, c11.x\nfrc oC0, r0",
		"add frc"},
	{"fraction that the summand leaves too little of", ps3 + "def c11, 100, 0, 0, 0\nadd r0, v0, c11.x\nfrc oC0, r0",
		"add frc"},
	{"square is not negative", ps3 + "dp3 r0, v0, v0\nmax oC0, r0, c9.x", "dp3"},
	{"saturation with another reader", ps3 + "mul r0, v0, c0\nmov_sat r1, r0\nadd oC0, r1, r0", "mul mov add"},

	// choices
	{"larger", ps3 + "add r0, v0, -c0\ncmp oC0, r0, v0, c0", "max"},
	{"smaller", ps3 + "add r0, v0, -c0\ncmp oC0, r0, c0, v0", "min"},
	{"not the difference", ps3 + "add r0, v0, c0\ncmp oC0, r0, v0, c0", "add cmp"},
	{"absolute value", ps3 + "add r0, v0, c0\nmax r0, r0, -r0\nmul oC0, r0, c0", "add mov mul"},
	{"no modifier for it in ps_2_0", ps2 + "add r0, t0, c0\nmax r0, r0, -r0\nmul r0, r0, c0\nmov oC0, r0", "add max mul"},
	{"choice decides a choice", ps3 + "cmp r0.x, v0.x, c9.x, c9.y\ncmp oC0, -r0.x, v0, c0", "cmp"},
	{"choice times a value", ps3 + "cmp r0.x, v0.x, c9.y, c9.x\nmul oC0, r0.x, v0", "cmp"},
	{"no port for the value and zero", ps3 + "cmp r0.x, v0.x, c9.y, c9.x\nmul oC0, r0.x, c0", "cmp mul"},
	{"interpolation by a choice", ps3 + "cmp r0.x, v0.x, c9.y, c9.x\nmov r1, c1\nlrp oC0, r0.x, c0, r1", "mov cmp"},
	{"one less a choice", ps3 + "cmp r0.x, v0.x, c9.y, c9.x\nadd r0.x, -r0.x, c9.y\nadd oC0, r0.x, v0", "cmp add"},
	{"choice with another reader", ps3 + "cmp r0.x, v0.x, c9.y, c9.x\nmul r1, r0.x, c0\nadd oC0, r1, r0.x", "cmp mad"},

	{"negated past a bound, as an inverse cosine is",
		ps3 + "mul r0.x, v0.x, c0.x\nmad r0.y, r0.x, -c9.w, c10.z\ncmp r0.z, v0.y, c9.x, c9.y\nmad oC0.x, r0.y, r0.z, r0.x", "mul add cmp"},
	{"factor of both sides", ps3 + "mov r2, c1\nmul r0, v0, r2\nmul r1, c0, r2\ncmp oC0, v0.x, r0, r1", "mov cmp mul"},

	// interpolation, powers, inverses
	{"from zero", ps3 + "lrp oC0, v0.x, v0, c9.x", "mul"},
	{"to zero", ps3 + "lrp oC0, v0.x, c9.x, v0", "mad"},
	{"between literals", ps3 + "lrp oC0, v0.x, c9.y, c9.z", "mad"},
	{"between values", ps3 + "mov r0, c1\nlrp oC0, v0.x, c0, r0", "mov lrp"},
	{"square", ps3 + "log r0.x, v0.x\nmul r0.x, r0.x, c9.w\nexp oC0, r0.x", "mul"},
	{"square root", ps3 + "dp3 r0.x, v0, v0\npow r1, r0.x, c9.z\nmov oC0, r1", "dp3 rsq rcp"},
	{"cube", ps3 + "pow r1, v0.x, c10.z\nmov oC0, r1", "mul mul"},
	{"fourth power", ps3 + "pow r1, v0.x, c10.y\nmov oC0, r1", "mul mul"},
	{"another power", ps3 + "pow r1, v0.x, c10.w\nmov oC0, r1", "pow"},
	{"reciprocal of a reciprocal", ps3 + "rcp r0.x, v0.x\nrcp r0.x, r0.x\nadd oC0, r0.x, v0", "mov add"},

	// destinations
	{"replicated result", ps3 + "mad r0.x, v0.x, c0.x, c0.y\nmov oC0, r0.x", "mad"},
	{"replicated result in ps_2_0", ps2 + "mad r0.x, t0.x, c0.x, c0.y\nmov r0, r0.x\nmov oC0, r0", "mad"},
	{"saturated move", ps3 + "mul r0.xy, v0, c0\nmov_sat oC0.zw, r0.xxxy", "mul"},
	{"rearrangement that ps_2_0 cannot read",
		ps2 + "mul r0.xy, t0, c0\nmov r0.yz, r0.xxyw\nmov r0.xw, t0.x\nmov oC0, r0", "mul mov mov"},
}

func TestRules(t *testing.T) {
	for _, test := range ruleTests {
		t.Run(test.name, func(t *testing.T) {
			f := passtest.Lift(t, test.src)
			before := f.Clone()
			combine(t, f, passes.Real)
			if got := ops(f); got != test.want {
				t.Errorf("left is %q, want %q\n%s", got, test.want, f)
			}
			closeOutputs(t, test.name, before, f)
		})
	}
}

// Rewrites without the option are proved to be equal over the reals.
func TestProved(t *testing.T) {
	for _, test := range ruleTests {
		p, err := d3d9.Parse("test.asm", []byte(test.src))
		if err != nil {
			t.Fatal(err)
		}
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		old := ops(f)
		if err := Pass.Run(&passes.Ctx{Pass: Pass, Numerics: passes.Real}, &passes.Unit{Pixel: f}); err != nil {
			t.Fatal(err)
		}
		if ops(f) == old {
			continue
		}
		q, err := vsps.Emit(p, f)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		before, after := verify.Pair{Pixel: p}, verify.Pair{Pixel: q}
		if p.Model.Stage == d3d9.Vertex {
			before, after = verify.Pair{Vertex: p}, verify.Pair{Vertex: q}
		}
		if v := verify.Check(before, after, verify.Options{Numerics: verify.Real}); v.Verdict < verify.ProvedReal {
			t.Errorf("%s: %v: %s\n%s", test.name, v.Verdict, v.Why, f)
		}
	}
}

// Each rule needs its class of numerics.
func TestNumerics(t *testing.T) {
	const (
		fuse   = ps3 + "mul r0, v0, c0\nadd oC0, r0, v0"
		choose = ps3 + "cmp r0.x, v0.x, c9.y, c9.x\nadd oC0, -r0.x, c9.y"
		widen  = ps3 + "mul r0.x, v0.x, c0.x\nmov oC0, r0.x"
	)
	for _, test := range []struct {
		src      string
		numerics passes.Class
		want     string
	}{
		{fuse, passes.Real, "mad"},
		{fuse, passes.Bits, "mul add"},
		{choose, passes.Bits, "cmp"},
		{choose, passes.Terms, "cmp add"},
		{widen, passes.Terms, "mul"},
	} {
		f := passtest.Lift(t, test.src)
		combine(t, f, test.numerics)
		if got := ops(f); got != test.want {
			t.Errorf("numerics %v leave %q of\n%s, want %q", test.numerics, got, test.src, test.want)
		}
	}
}

func TestPositionsKeepTheirTerms(t *testing.T) {
	f := passtest.Lift(t, "vs_2_0\ndcl_position v0\nmul r0, v0, c0\nadd r0, r0, c0\nmov oPos, r0\nmul r1, v0, c0\nadd oT0, r1, v0")
	combine(t, f, passes.Real)
	if got, want := ops(f), "mul add mad"; got != want {
		t.Errorf("left is %q, want %q", got, want)
	}
}

func TestPartialPrecisionDoesNotSpread(t *testing.T) {
	for _, test := range []struct {
		mul, add string
		want     ir.Mods
	}{
		{"mul", "add", 0}, {"mul_pp", "add", 0}, {"mul", "add_pp", 0}, {"mul_pp", "add_pp", ir.Half}, {"mul_pp",
			"add_sat_pp", ir.Half | ir.Sat},
	} {
		f := passtest.Lift(t, ps3+test.mul+" r0, v0, c0\n"+test.add+" oC0, r0, v0")
		combine(t, f, passes.Real)
		if in := f.Body.Code[0]; in.Op != ir.OpMad || in.Mods != test.want {
			t.Errorf("%s and %s make %v with modifiers %b", test.mul, test.add, in.Op, in.Mods)
		}
	}
}

// The program is valid after every step.
func TestFuel(t *testing.T) {
	before := passtest.Lift(t, program(80))
	for fuel := range 20 {
		f := before.Clone()
		cfg := passes.Config{Numerics: passes.Real, Fuel: &fuel}
		stage := passes.Stage{Pass: Pass}
		if _, err := passes.Run(&passes.Unit{Pixel: f}, passes.Pipeline{stage}, cfg); err != nil {
			t.Fatal(err)
		}
		closeOutputs(t, fmt.Sprint("fuel ", fuel), before, f)
	}
}

func TestRandomPrograms(t *testing.T) {
	for n := range 60 {
		f := passtest.Lift(t, program(20+3*n))
		before := f.Clone()
		combine(t, f, passes.Real)
		closeOutputs(t, fmt.Sprint(n), before, f)
		again := ops(f)
		combine(t, f, passes.Real)
		if ops(f) != again {
			t.Errorf("%d: a second run changes it", n)
		}
	}
}

// program returns a program of about n instructions with bounded values.
func program(n int) string {
	var b strings.Builder
	b.WriteString(ps3 + "mov r0, v0\nmov r1, v1\nmov r2, v0\nmov r3, v1\n")
	rng := rand.New(rand.NewPCG(uint64(n), 2))
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	temp := func() string { return fmt.Sprintf("r%d", rng.IntN(4)) }
	swz := func() string { return pick("", "", ".x", ".y", ".z", ".w", ".wzyx") }
	lit := func() string { return pick("c9.x", "c9.y", "c9.z", "c9", "-c9.y") }
	for range n {
		d := temp() + pick("", "", ".x", ".xy", ".w")
		x, y := pick("", "-")+temp()+swz(), temp()+swz()
		switch rng.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "mul%s %s, %s, %s\n", pick("", "_sat"), d, x, lit())
		case 1:
			fmt.Fprintf(&b, "add%s %s, %s, %s\n", pick("", "_sat"), d, x, lit())
		case 2:
			fmt.Fprintf(&b, "mad_sat %s, %s, %s, %s\n", d, x, y, lit())
		case 3:
			fmt.Fprintf(&b, "%s %s, %s, %s\n", pick("min", "max"), d, x, lit())
		case 4:
			fmt.Fprintf(&b, "cmp %s, %s, %s, %s\n", d, x, pick("c9.x", "c9.y", y), lit())
		case 5:
			fmt.Fprintf(&b, "mul_sat %s, %s, %s\n", d, x, y)
		case 6:
			fmt.Fprintf(&b, "mul r4, %s, c0\nadd_sat %s, r4, %s\n", x, d, y)
		case 7:
			fmt.Fprintf(&b, "add r4, %s, -%s\ncmp %s, r4, %s, %s\n", temp(), y, d, x, y)
		case 8:
			fmt.Fprintf(&b, "mov %s, %s\n", d, x)
		}
	}
	b.WriteString("add r0, r0, r1\nadd r2, r2, r3\nadd oC0, r0, r2\n")
	return b.String()
}

func TestCorpus(t *testing.T) {
	programs, before, after := 0, 0, 0
	passtest.Corpus(t, func(s *passtest.Source) {
		path, f := s.Name, s.MustLift(t)
		old := f.Clone()
		combine(t, f, passes.Real)
		closeOutputs(t, path, old, f)
		slots := f.Dialect.Slots
		old.Walk(func(in *ir.Instr) { before += slots(in) })
		f.Walk(func(in *ir.Instr) { after += slots(in) })
		programs++
	})
	t.Logf("%d programs, %d slots of instructions became %d", programs, before, after)
	if after >= before {
		t.Error("nothing was combined")
	}
}

func BenchmarkCombine(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := passtest.Lift(b, program(n))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				u := &passes.Unit{Pixel: f.Clone()}
				b.StartTimer()
				if err := Pass.Run(&passes.Ctx{Pass: Pass, Numerics: passes.Real}, u); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}

func TestFixtures(t *testing.T) {
	table := []*passes.Pass{Pass, cleanup.Copyprop, cleanup.DCE, cleanup.GVN}
	passtest.Run(t, table, "../../testdata/passes/combine-alu")
}
