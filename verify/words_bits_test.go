package verify

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Expressions that are one term have one value: random ones over two words, evaluated as
// terms and as words.
func TestWordsAreSound(t *testing.T) {
	dom := newTerms()
	w := wordAlgebra[term]{newWords[term](dom)}
	var inputs [2]term
	for i := range inputs {
		inputs[i] = dom.make(tagInput, uint64(i))
	}
	const points = 24
	type value [points]uint32
	type expr struct {
		text string
		t    term
		v    value
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var base []expr
	for i := range inputs {
		e := expr{text: fmt.Sprint("x", i), t: inputs[i]}
		for k := range e.v {
			e.v[k] = rng.Uint32() >> rng.IntN(32)
			if k%3 == 0 {
				e.v[k] = [...]uint32{0, 1, 1 << 31, 1<<32 - 1, 1<<16 - 1}[rng.IntN(5)]
			}
		}
		base = append(base, e)
	}
	literal := func() expr {
		bits := [...]uint32{rng.Uint32(), rng.Uint32N(34), 1 << rng.IntN(32), 1<<rng.IntN(32) - 1, ^uint32(0) << rng.IntN(32), 3, 5}[rng.IntN(7)]
		e := expr{text: fmt.Sprintf("%#x", bits), t: dom.literal(bits)}
		for k := range e.v {
			e.v[k] = bits
		}
		return e
	}
	prims := []ir.Prim{ir.PrimIAdd, ir.PrimISub, ir.PrimIMul, ir.PrimIShl, ir.PrimUShr, ir.PrimUShr, ir.PrimIShr, ir.PrimIAnd, ir.PrimIAnd,
		ir.PrimIOr, ir.PrimIXor, ir.PrimUDiv, ir.PrimUMod, ir.PrimIMin, ir.PrimUMax, ir.PrimILt, ir.PrimUGe, ir.PrimIEq, ir.PrimSel, ir.PrimBfi, ir.PrimINot,
		ir.PrimUMin, ir.PrimIMax, ir.PrimILt, ir.PrimIGe, ir.PrimINe, ir.PrimINeg, ir.PrimIMad, ir.PrimUBitExtract, ir.PrimBitAlign}
	known, first := map[term]value{}, map[term]string{}
	pool := append([]expr(nil), base...)
	equal := 0
	for range 60000 {
		p := prims[rng.IntN(len(prims))]
		pick := func() expr {
			if rng.IntN(3) == 0 {
				return literal()
			}
			return pool[rng.IntN(len(pool))]
		}
		args := []expr{pool[rng.IntN(len(pool))], pick(), pick()}
		n := map[ir.Prim]int{ir.PrimINot: 1, ir.PrimINeg: 1, ir.PrimSel: 3, ir.PrimBfi: 3, ir.PrimIMad: 3, ir.PrimUBitExtract: 3, ir.PrimBitAlign: 3}[p]
		if n == 0 {
			n = 2
		}
		args = args[:n]
		if p == ir.PrimUBitExtract { // bits of the last one
			args[0], args[2] = args[2], args[0]
		}
		e := expr{text: p.String() + "("}
		terms := make([]term, n)
		for i, a := range args {
			terms[i] = a.t
			e.text += a.text + ", "
		}
		e.text += ")"
		e.t = w.Call(p, terms)
		for k := range e.v {
			words := make([]uint32, n)
			for i, a := range args {
				words[i] = a.v[k]
			}
			switch p { // which are not folded
			case ir.PrimUBitExtract:
				e.v[k] = words[2] >> (words[1] & 31) & (1<<(words[0]&31) - 1)
			case ir.PrimBitAlign:
				e.v[k] = uint32((uint64(words[0])<<32 | uint64(words[1])) >> (words[2] & 31))
			default:
				e.v[k] = (&ir.Words{}).Call(p, words)
			}
		}
		if v, ok := known[e.t]; ok {
			equal++
			if v != e.v {
				t.Fatalf("%s and %s are one term, but have the values %x and %x", first[e.t], e.text, v, e.v)
			}
		} else {
			known[e.t], first[e.t] = e.v, e.text
		}
		if len(e.text) < 90 {
			pool = append(pool, e)
		}
		if len(pool) > 200 {
			pool = append(pool[:2], pool[100:]...)
		}
	}
	t.Logf("%d expressions had a term that was known", equal)
	if equal < 1000 {
		t.Error("hardly any")
	}
}

// What is the same bit for bit, and the next thing that is not.
func TestWordsOfBits(t *testing.T) {
	kernel := func(body string) *il.Kernel {
		const literals = "dcl_literal l5, 4, 255, 3, 28; dcl_literal l6, 8, 0xFFFF0000, 0xFFFF, 7; "
		return parseKernel(t, psKernel(literals+"ftoi r0, v0; "+body+"; itof o0, r1"))
	}
	for _, c := range []struct{ before, after, not string }{
		{"ushr r1, r0, l5.x; iand r1, r1, l5.y", "ubit_extract r1, l6.x, l5.x, r0", "ubit_extract r1, l5.x, l6.x, r0"},
		{"udiv r1, r0, l6.x", "ushr r1, r0, l5.z", "ushr r1, r0, l5.x"},
		{"umod r1, r0, l6.x", "iand r1, r0, l6.w", "iand r1, r0, l5.z"},
		{"ushr r1, r0, l5.x; ishl r1, r1, l5.x", "ushr r1, r0, l5.x; imul r1, r1, l6.x; iadd r1, r1, r1", "ishl r1, r0, l5.x; ushr r1, r1, l5.x"},
		{"udiv r1, r0, l6.w; udiv r1, r1, l6.w", "umod r2, r0, l6.w; udiv r1, r0, l6.w; udiv r1, r1, l6.w", "udiv r1, r0, l6.w"},
		{"ishl r1, r0, l5.x; ushr r2, cb0[0], l5.w; ior r1, r1, r2", "bitalign r1, r0, cb0[0], l5.w", "bitalign r1, r0, cb0[0], l5.x"},
		{"iand r1, r0, l6.y; iand r2, cb0[0], l6.z; ior r1, r1, r2", "bfi r1, l6.y, r0, cb0[0]", "bfi r1, l6.z, r0, cb0[0]"},
		{"ixor r1, r0, cb0[0]; ixor r1, r1, l5.x; ixor r1, r1, cb0[0]", "ixor r1, r0, l5.x", "ixor r1, cb0[0], l5.x"},
		{"ilt r1, r0, cb0[0]; cmov_logical r1, r1, r0, cb0[0]", "imin r1, r0, cb0[0]", "imax r1, r0, cb0[0]"},
		{"ishr r1, r0, l5.w; ishr r1, r1, l5.w", "ishr r1, r0, l5.w; ishr r1, r1, l6.x", "ishr r1, r0, l6.x"},
	} {
		before, after, not := kernel(c.before), kernel(c.after), kernel(c.not)
		if r := CheckKernel(before, after, Options{Numerics: Bits}); r.Verdict != Proved {
			t.Errorf("%s and %s: %v (%s)", c.before, c.after, r.Verdict, r.Why)
		}
		if r := CheckKernel(before, not, Options{Numerics: Bits}); r.Verdict == Proved || r.Verdict == ProvedReal {
			t.Errorf("%s and %s: %v", c.before, c.not, r.Verdict)
		}
	}
}
