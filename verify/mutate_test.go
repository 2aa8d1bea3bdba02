package verify

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

var mutants = flag.Int("mutants", 150, "number of mutants that TestMutants makes")

// A mutation changes a statement, or reports that it does not apply. What it
// removes becomes a nop.
type mutation struct {
	name  string
	apply func(r *stream, p *d3d9.Program, in *d3d9.Inst) bool
}

func pick(r *stream, n int) int { return int(r.next() % uint64(n)) }

// source picks a source operand that reads a value.
func source(r *stream, in *d3d9.Inst) *d3d9.Src {
	if in.NSrc == 0 || in.Op.Kind() != d3d9.Arithmetic {
		return nil
	}
	return &in.Src[pick(r, int(in.NSrc))]
}

var mutations = []mutation{
	{"swizzle", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		s := source(r, in)
		if s == nil {
			return false
		}
		old := s.Swz
		if s.Swz.IsReplicate() {
			s.Swz = d3d9.Replicate(pick(r, 4))
		} else {
			s.Swz ^= d3d9.Swizzle(1+pick(r, 3)) << (2 * pick(r, 4))
		}
		return s.Swz != old
	}},
	{"neg", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		s := source(r, in)
		if s == nil || s.Mod > d3d9.ModNeg {
			return false
		}
		s.Mod ^= d3d9.ModNeg
		return true
	}},
	{"abs lost", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		s := source(r, in)
		if s == nil || s.Mod != d3d9.ModAbs && s.Mod != d3d9.ModAbsNeg {
			return false
		}
		s.Mod -= d3d9.ModAbs
		return true
	}},
	{"mask", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if !in.HasDst || in.Op.Kind() == d3d9.Declaration || in.Dst.Mask.Count() < 2 {
			return false
		}
		m := in.Dst.Mask &^ (1 << pick(r, 4))
		if m == in.Dst.Mask || m == 0 {
			return false
		}
		in.Dst.Mask = m
		return true
	}},
	{"op", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		other := map[d3d9.Op]d3d9.Op{
			d3d9.OpAdd: d3d9.OpMul, d3d9.OpMul: d3d9.OpAdd, d3d9.OpMin: d3d9.OpMax, d3d9.OpMax: d3d9.OpMin,
			d3d9.OpDp3: d3d9.OpDp4, d3d9.OpDp4: d3d9.OpDp3, d3d9.OpRcp: d3d9.OpRsq, d3d9.OpRsq: d3d9.OpRcp,
			d3d9.OpMad: d3d9.OpCmp, d3d9.OpCmp: d3d9.OpMad, d3d9.OpLrp: d3d9.OpMad, d3d9.OpFrc: d3d9.OpMov,
			d3d9.OpSlt: d3d9.OpSge, d3d9.OpSge: d3d9.OpSlt, d3d9.OpExp: d3d9.OpLog, d3d9.OpLog: d3d9.OpExp, d3d9.OpAbs: d3d9.OpMov,
		}
		op, ok := other[in.Op]
		in.Op = op
		return ok
	}},
	{"register", func(r *stream, p *d3d9.Program, in *d3d9.Inst) bool {
		s := source(r, in)
		if s == nil || s.File != d3d9.Temp && s.File != d3d9.Const && s.File != d3d9.Input {
			return false
		}
		old := s.Index
		s.Index = uint16(pick(r, int(old)+3))
		return s.Index != old
	}},
	{"destination", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if !in.HasDst || in.Dst.File != d3d9.Temp || in.Op.Kind() == d3d9.Declaration {
			return false
		}
		old := in.Dst.Index
		in.Dst.Index = uint16(pick(r, int(old)+2))
		return in.Dst.Index != old
	}},
	{"sat", func(_ *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if !in.HasDst || in.Dst.Mods&d3d9.Saturate == 0 {
			return false
		}
		in.Dst.Mods &^= d3d9.Saturate
		return true
	}},
	{"constant", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if in.Op != d3d9.OpDef {
			return false
		}
		c := pick(r, 4)
		f := math.Float32frombits(in.Imm[c])
		in.Imm[c] = math.Float32bits([]float32{f * 1.25, -f, f + 1, 0.5}[pick(r, 4)])
		return math.Float32frombits(in.Imm[c]) != f
	}},
	{"kill", func(_ *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if in.Op != d3d9.OpTexKill {
			return false
		}
		*in = d3d9.Inst{Op: d3d9.OpNop, Pos: in.Pos}
		return true
	}},
	{"removed", func(_ *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if in.Op.Kind() != d3d9.Arithmetic || in.Op == d3d9.OpNop {
			return false
		}
		*in = d3d9.Inst{Op: d3d9.OpNop, Pos: in.Pos}
		return true
	}},
	{"sampler", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if in.Op.Kind() != d3d9.TextureOp || in.NSrc < 2 || in.Src[1].File != d3d9.Sampler {
			return false
		}
		old := in.Src[1].Index
		in.Src[1].Index = uint16(pick(r, int(old)+2))
		return in.Src[1].Index != old
	}},
	{"condition", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		switch {
		case in.Op == d3d9.OpIf:
			in.Src[0].Mod ^= d3d9.ModNot
		case in.Cmp != 0:
			in.Cmp = in.Cmp%6 + 1
		default:
			return false
		}
		return true
	}},
	{"trip count", func(r *stream, _ *d3d9.Program, in *d3d9.Inst) bool {
		if in.Op != d3d9.OpDefI {
			return false
		}
		in.Imm[0] ^= 1 + uint32(pick(r, 3))
		return true
	}},
}

// mutant makes a program that differs from p in one statement.
func mutant(r *stream, p *d3d9.Program) (*d3d9.Program, string) {
	for range 200 {
		m := &mutations[pick(r, len(mutations))]
		q := clone(p)
		i := pick(r, len(q.Insts))
		in := &q.Insts[i]
		in.Raw, in.Text = nil, ""
		if m.apply(r, q, in) {
			return q, fmt.Sprintf("%s in statement %d: %s", m.name, i, d3d9.Format(p.Model, &p.Insts[i]))
		}
	}
	return nil, ""
}

// A mutant that is accepted must be the same program to anyone who runs it, so it is
// executed on far more input than the check used.
func TestMutants(t *testing.T) {
	pairs := readCorpus(t, 5)
	for _, c := range checkCases {
		if c.vs != "" && c.ps != "" {
			pairs = append(pairs, namedPair{c.name, pairOf(t, c.vs, c.ps)})
		}
	}
	pairs = append(pairs, namedPair{"moved convolution", pairOf(t, vsConv2, psConv2)})
	score := map[Verdict]int{}
	r := stream(2)
	missed, invalid := 0, 0
	for range *mutants {
		p := pairs[pick(&r, len(pairs))]
		after, what := p.Pair, ""
		if pick(&r, 3) == 0 {
			after.Vertex, what = mutant(&r, p.Vertex)
		} else {
			after.Pixel, what = mutant(&r, p.Pixel)
		}
		if after.Vertex == nil || after.Pixel == nil {
			continue
		}
		rep := Check(p.Pair, after, Options{Numerics: Real, Seed: 3})
		if len(rep.Rungs) == 0 {
			invalid++
			continue
		}
		score[rep.Verdict]++
		if !rep.Verdict.OK() {
			continue
		}
		if x := runBoth(t, p.Pair, after, rep.Verdict); x != "" {
			missed++
			t.Errorf("%s: %s: %v, but %s", p.name, what, rep.Verdict, x)
		} else if testing.Verbose() {
			t.Logf("%s: %s: %v %s", p.name, what, rep.Verdict, rep.Why)
		}
	}
	caught := score[Refuted] + score[Unknown]
	t.Logf("%d mutants invalid, %d accepted as equivalent, %d caught (%d with a counterexample), %d missed: score %.4f",
		invalid, score[Proved]+score[ProvedReal]+score[Tested]-missed, caught, score[Refuted], missed, float64(caught)/float64(max(1, caught+missed)))
}

// runBoth executes two pairs on many inputs and describes the first difference that
// the verdict rules out.
func runBoth(t *testing.T, before, after Pair, v Verdict) string {
	c := &checker{ladder: ladder{Options: Options{Numerics: Real, Effort: Full, Seed: 99}}, before: before, after: after}
	c.terms.why = "not proved"
	equal := closeBy
	if v == Proved {
		c.terms.why = ""
		equal = sameBits
	}
	sides, err := c.compile(before, after)
	if err != nil {
		t.Fatal(err)
	}
	for k, tr := range c.trials() {
		b, err := tr.execute(sides[0], interp.Numerics{}, 0)
		if err != nil {
			continue
		}
		a, err := tr.execute(sides[1], interp.Numerics{}, 0)
		if err != nil {
			return err.Error()
		}
		if x := compare(b, a, equal); (x.differing > 0 || x.shape != "") && c.confirmed(tr, interp.Numerics{}, uint64(k)) {
			return fmt.Sprintf("%s%s: %v, was %v at %d of %d points", x.shape, x.first.output, x.first.after, x.first.before, x.differing, x.points)
		}
	}
	return ""
}
