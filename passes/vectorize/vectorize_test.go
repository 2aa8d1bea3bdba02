package vectorize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

func vectorize(t testing.TB, f *ir.Func) {
	t.Helper()
	if err := Pass.Run(&passes.Ctx{Pass: Pass}, &passes.Unit{Pixel: f}); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
}

// sameOutputs fails unless two programs compute exactly the same.
func sameOutputs(t testing.TB, name string, before, after *ir.Func) {
	t.Helper()
	for seed := range uint32(4) {
		want, got := passtest.Execute(before, seed), passtest.Execute(after, seed)
		if len(want) != len(got) {
			t.Fatalf("%s: %d outputs, were %d", name, len(got), len(want))
		}
		for r, x := range want {
			if y, ok := got[r]; !ok || x != y && !(math.IsNaN(float64(x)) && math.IsNaN(float64(y))) {
				t.Fatalf("%s: output %v is %v, was %v", name, r, y, x)
			}
		}
	}
}

func count(f *ir.Func, op ir.Op) (n int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op == op || op == ir.OpInvalid && in.Op != ir.OpLoad {
			n++
		}
	})
	return n
}

// TestJoins checks how many instructions of an op are left in small programs.
func TestJoins(t *testing.T) {
	const ps3 = "ps_3_0\ndcl_texcoord0 v0\ndcl_texcoord1 v1\ndcl_2d s0\n"
	const ps2 = "ps_2_0\ndcl t0\ndcl t1\ndcl_2d s0\n"
	const vs2 = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\n"
	for _, test := range []struct {
		name string
		src  string
		op   ir.Op
		want int
	}{
		{"lanes of the same registers", ps3 + `
mul r0.x, v0.x, c0.x
mul r1.x, v0.y, c0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 1},
		{"four of them", ps3 + `
mul r0.x, v0.x, c0.x
mul r1.x, v0.y, c0.y
mul r2.x, v0.z, c0.z
mul r3.x, v0.w, c0.w
add r0.x, r0.x, r1.x
add r0.x, r0.x, r2.x
add r0.x, r0.x, r3.x
mov oC0, r0.x`, ir.OpMul, 1},
		{"exchanged factors", ps3 + `
mul r0.x, v0.x, c0.x
mul r1.x, c0.y, v0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 1},
		{"a chain follows its producers", ps3 + `
mul r0.x, v0.x, c0.x
add r0.x, r0.x, c1.x
mul r1.x, v0.y, c0.y
add r1.x, r1.x, c1.y
dp3 r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpAdd, 1},
		{"single results are brought together", ps3 + `
rcp r0.x, v0.x
rcp r1.x, v0.y
mul r0.x, r0.x, v1.x
mul r1.x, r1.x, v1.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 1},
		{"not where swizzles are few", ps2 + `
rcp r0.x, t0.x
rcp r1.x, t0.y
mul r0.x, r0.x, t1.x
mul r1.x, r1.x, t1.y
add r0.x, r0.x, r1.x
mov r0, r0.x
mov oC0, r0`, ir.OpMul, 2},
		{"moves that build a vector", ps3 + `
mov r0.x, v0.z
mov r0.y, v0.w
texld r0, r0, s0
mov oC0, r0`, ir.OpMov, 2},
		{"samples of the same place", ps3 + `
texld r0.x, v0, s0
texld r1.w, v0, s0
mul r0, r0.x, r1.w
mov oC0, r0`, ir.OpFetch, 1},
		{"swizzles of ps_2_0 allow the identity", ps2 + `
mul r0.x, t0.x, c0.x
mul r1.y, t0.y, c0.y
add r0.x, r0.x, r1.y
mov r0, r0.x
mov oC0, r0`, ir.OpMul, 1},
		{"lanes may move for the swizzles of ps_2_0", ps2 + `
mul r0.x, t0.z, c0.z
mul r1.x, t0.w, c0.w
add r0.x, r0.x, r1.x
mov r0, r0.x
mov oC0, r0`, ir.OpMul, 1},
		{"no swizzle of ps_2_0 reads x and y exchanged against y and x", ps2 + `
mul r0.x, t0.x, c0.y
mul r1.x, t0.y, c0.x
add r0.x, r0.x, r1.x
mov r0, r0.x
mov oC0, r0`, ir.OpMul, 2},
		{"but those of ps_3_0 do", ps3 + `
mul r0.x, v0.x, c0.y
mul r1.x, v0.y, c0.x
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 1},
		{"different registers", ps3 + `
mul r0.x, v0.x, c0.x
mul r1.x, v1.x, c0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 2},
		{"different constants", ps3 + `
mul r0.x, v0.x, c0.x
mul r1.x, v0.y, c1.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 2},
		{"one depends on the other", ps3 + `
mul r0.x, v0.x, c0.x
mul r0.y, r0.x, c0.y
mov oC0, r0.y`, ir.OpMul, 2},
		{"through a third", ps3 + `
mul r0.x, v0.x, v0.y
add r0.y, r0.x, c0.x
mul r0.z, r0.y, r0.y
mov oC0, r0.z`, ir.OpMul, 2},
		{"a negated operand", ps3 + `
add r0.x, v0.x, c0.x
add r1.x, v0.y, -c0.y
mul r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpAdd, 2},
		{"saturation of one", ps3 + `
mul_sat r0.x, v0.x, c0.x
mul r1.x, v0.y, c0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 2},
		{"saturation of both", ps3 + `
mul_sat r0.x, v0.x, c0.x
mul_sat r1.x, v0.y, c0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 1},
		{"partial precision of one", ps3 + `
mul_pp r0.x, v0.x, c0.x
mul r1.x, v0.y, c0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 2},
		{"predicated", ps3 + `
setp_gt p0, v1, c1
mov r0, c0
mov r1, c0
(p0.x) mul r0.x, v0.x, c0.x
(p0.x) mul r1.x, v0.y, c0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 2},
		{"different scalar operands", ps3 + `
rcp r0.x, v0.x
rcp r1.x, v0.y
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpRcp, 2},
		{"outputs of different registers", vs2 + `
mul oT0, v1.x, c0.x
mul oT1, v1.y, c0.y`, ir.OpMul, 2},
		{"an output and a temporary", vs2 + `
mul oT0.x, v1.x, c0.x
mul r0.x, v1.y, c0.y
add oT0.yzw, r0.x, c1`, ir.OpMul, 2},
		{"one output register", vs2 + `
mul oT0.x, v1.x, c0.x
mul oT0.y, v1.y, c0.y
mov oT0.zw, c1`, ir.OpMul, 1},
		{"code that feeds a position", "vs_2_0\ndcl_position v0\n" + `
mul r0.x, v0.x, c0.x
mul r0.y, v0.y, c0.y
dp3 oPos, r0.x, r0.y`, ir.OpMul, 1},
		{"not across a change of the address", vs2 + `
mova a0.x, v1.x
mul r0.x, v1.x, c0[a0.x].x
mova a0.x, v1.y
mul r1.x, v1.y, c0[a0.x].y
add oT0, r0.x, r1.x`, ir.OpMul, 2},
		{"the same indexed register", vs2 + `
mova a0.x, v1.x
mul r0.x, v1.x, c0[a0.x].x
mul r1.x, v1.y, c0[a0.x].y
add oT0, r0.x, r1.x`, ir.OpMul, 1},
		{"not into or out of a branch", ps3 + `
mul r0.x, v0.x, c0.x
if_gt v0.w, c0.w
mul r1.x, v0.y, c0.y
add r0.x, r0.x, r1.x
endif
mov oC0, r0.x`, ir.OpMul, 2},
		{"loop-carried values of different registers stay where they are", ps3 + `
defi i0, 4, 0, 0, 0
mov r0.x, v0.x
mov r1.x, v0.y
rep i0
mul r0.x, r0.x, c0.x
mul r1.x, r1.x, c0.y
endrep
add r0.x, r0.x, r1.x
mov oC0, r0.x`, ir.OpMul, 2},
		{"carried values join with values that the loop only reads", ps3 + `
defi i0, 4, 0, 0, 0
mov r0.y, c0.x
mov r1.z, c0.y
rep i0
add r1.z, r1.z, r0.y
endrep
mov oC0, r1.z`, ir.OpMov, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := passtest.Lift(t, test.src)
			before := f.Clone()
			vectorize(t, f)
			if n := count(f, test.op); n != test.want {
				t.Errorf("%d %vs are left, want %d\n%s", n, test.op, test.want, f)
			}
			sameOutputs(t, test.name, before, f)
		})
	}
}

// A program stays valid if its steps are cut short anywhere.
func TestFuel(t *testing.T) {
	f := passtest.Lift(t, program(60))
	before := f.Clone()
	for fuel := range 12 {
		f := before.Clone()
		u := &passes.Unit{Pixel: f}
		if _, err := passes.Run(u, passes.Pipeline{{Pass: Pass}}, passes.Config{Fuel: &fuel}); err != nil {
			t.Fatal(err)
		}
		if got := count(before, ir.OpInvalid) - count(f, ir.OpInvalid); got > fuel {
			t.Errorf("%d joins with fuel for %d", got, fuel)
		}
		sameOutputs(t, fmt.Sprint("fuel ", fuel), before, f)
	}
}

func TestIdempotent(t *testing.T) {
	f := passtest.Lift(t, program(300))
	vectorize(t, f)
	n := count(f, ir.OpInvalid)
	vectorize(t, f)
	if again := count(f, ir.OpInvalid); again != n {
		t.Errorf("a second run leaves %d instructions of %d", again, n)
	}
}

func TestRandomPrograms(t *testing.T) {
	for n := range 40 {
		f := passtest.Lift(t, program(20+5*n))
		before := f.Clone()
		vectorize(t, f)
		sameOutputs(t, fmt.Sprint(n), before, f)
	}
}

// program returns a program of about n scalar instructions.
func program(n int) string {
	var b strings.Builder
	b.WriteString("ps_3_0\ndcl_texcoord0 v0\ndcl_texcoord1 v1\nmov r0, v0\nmov r1, v1\nmov r2, v0\nmov r3, v1\n")
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	temp := func() string { return fmt.Sprintf("r%d", rng.IntN(4)) }
	comp := func() string { return string("xyzw"[rng.IntN(4)]) }
	for range n {
		d := temp() + "." + comp()
		x, y := temp()+"."+comp(), fmt.Sprintf("c%d.%s", rng.IntN(2), comp())
		switch rng.IntN(6) {
		case 0, 1:
			fmt.Fprintf(&b, "mul %s, %s, %s\n", d, x, y)
		case 2, 3:
			fmt.Fprintf(&b, "add %s, %s, %s\n", d, x, y)
		case 4:
			fmt.Fprintf(&b, "mad %s, %s, %s, %s\n", d, x, y, temp()+"."+comp())
		case 5:
			fmt.Fprintf(&b, "frc %s, %s\n", d, x)
		}
	}
	b.WriteString("add r0, r0, r1\nadd r2, r2, r3\nadd oC0, r0, r2\n")
	return b.String()
}

func TestCorpus(t *testing.T) {
	programs, joined := 0, 0
	passtest.Corpus(t, func(s *passtest.Source) {
		path, f := s.Name, s.MustLift(t)
		before := f.Clone()
		vectorize(t, f)
		sameOutputs(t, path, before, f)
		programs++
		joined += count(before, ir.OpInvalid) - count(f, ir.OpInvalid)
	})
	t.Logf("%d programs, %d instructions joined into others", programs, joined)
	if joined == 0 {
		t.Error("nothing was joined")
	}
}

func BenchmarkVectorize(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := passtest.Lift(b, program(n))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				u := &passes.Unit{Pixel: f.Clone()}
				b.StartTimer()
				if err := Pass.Run(&passes.Ctx{Pass: Pass}, u); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}
