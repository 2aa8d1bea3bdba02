package words

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// TestWordsAreSound evaluates random expressions over two words, as terms and as words. Expressions that
// are one term must have one value.
func TestWordsAreSound(t *testing.T) {
	dom := symbolic.NewTerms()
	w := wordAlgebra[symbolic.Term]{New[symbolic.Term](dom)}
	var inputs [2]symbolic.Term
	for i := range inputs {
		inputs[i] = dom.Opaque(symbolic.TagInput, uint64(i), nil)
	}
	const points = 24
	type value [points]uint32
	type expr struct {
		text string
		t    symbolic.Term
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
		bits := [...]uint32{rng.Uint32(), rng.Uint32N(34), 1 << rng.IntN(32), 1<<rng.IntN(32) - 1,
			^uint32(0) << rng.IntN(32), 3, 5}[rng.IntN(7)]
		e := expr{text: fmt.Sprintf("%#x", bits), t: dom.Literal(bits)}
		for k := range e.v {
			e.v[k] = bits
		}
		return e
	}
	prims := []ir.Prim{ir.PrimIAdd, ir.PrimISub, ir.PrimIMul, ir.PrimIShl, ir.PrimUShr, ir.PrimUShr, ir.PrimIShr,
		ir.PrimIAnd, ir.PrimIAnd,
		ir.PrimIOr, ir.PrimIXor, ir.PrimUDiv, ir.PrimUMod, ir.PrimIMin, ir.PrimUMax, ir.PrimILt, ir.PrimUGe, ir.PrimIEq, ir.PrimSel, ir.PrimBfi, ir.PrimINot,
		ir.PrimUMin, ir.PrimIMax, ir.PrimILt, ir.PrimIGe, ir.PrimINe, ir.PrimINeg, ir.PrimIMad, ir.PrimUBitExtract, ir.PrimBitAlign,
		ir.PrimICarry, ir.PrimIBorrow, ir.PrimULt, ir.PrimULt, ir.PrimIOr, ir.PrimINot}
	known, first := map[symbolic.Term]value{}, map[symbolic.Term]string{}
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
		n := map[ir.Prim]int{ir.PrimINot: 1, ir.PrimINeg: 1, ir.PrimSel: 3, ir.PrimBfi: 3, ir.PrimIMad: 3,
			ir.PrimUBitExtract: 3, ir.PrimBitAlign: 3}[p]
		if n == 0 {
			n = 2
		}
		args = args[:n]
		if p == ir.PrimUBitExtract { // bits of the last one
			args[0], args[2] = args[2], args[0]
		}
		e := expr{text: p.String() + "("}
		terms := make([]symbolic.Term, n)
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
			switch p { // these are not folded
			case ir.PrimUBitExtract:
				e.v[k] = words[2] >> (words[1] & 31) & (1<<(words[0]&31) - 1)
			case ir.PrimICarry, ir.PrimIBorrow:
				x, y := words[0], words[1]
				if p == ir.PrimICarry {
					x, y = x+y, x
				}
				if e.v[k] = 0; x < y {
					e.v[k] = 1
				}
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
