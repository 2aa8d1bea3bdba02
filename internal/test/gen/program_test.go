package gen

import (
	"bytes"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// TestFirstTry checks that nearly every first attempt is valid: the generator must know the rules instead
// of filtering noise.
func TestFirstTry(t *testing.T) {
	for _, m := range Models {
		bad := map[string]int{}
		const n = 300
		for seed := range uint64(n) {
			g := newGen(m, Seeded(seed, 1), 10+int(seed%60))
			p := &d3d9.Program{Model: m, Insts: g.program(nil)}
			if ds := d3d9.Validate(p); len(ds) > 0 {
				bad[ds[0].Msg]++
				if len(bad) == 1 && bad[ds[0].Msg] == 1 {
					t.Logf("%s seed %d: %v\n%s", m, seed, ds, d3d9.Print(p))
				}
			}
		}
		sum := 0
		for _, k := range bad {
			sum += k
		}
		if sum > n/50 {
			t.Errorf("%s: %d of %d are not valid: %v", m, sum, n, bad)
		}
	}
}

// TestCoverage checks that every instruction of a model occurs, and every form of operand.
func TestCoverage(t *testing.T) {
	for _, m := range Models {
		seen := map[d3d9.Op]int{}
		var rel, loopRel, pred, kills, partly, sat, pp, neg, abs, cubes int
		for seed := range uint64(400) {
			p := ProgramOf(m, seed, 60)
			whole := map[d3d9.Reg]bool{} // outputs that are written; true if without a predicate
			for i := range p.Insts {
				in := &p.Insts[i]
				seen[in.Op]++
				if in.HasPred {
					pred++
					if in.Op == d3d9.OpTexKill {
						kills++
					}
				}
				switch in.Dst.File {
				case d3d9.TexOut, d3d9.AttrOut, d3d9.Output:
					if in.Op != d3d9.OpDcl {
						whole[in.Dst.Reg] = whole[in.Dst.Reg] || !in.HasPred
					}
				}
				if in.Dst.Mods&d3d9.Saturate != 0 {
					sat++
				}
				if in.Dst.Mods&d3d9.PartialPrecision != 0 {
					pp++
				}
				if in.Decl.Tex == d3d9.TexCube {
					cubes++
				}
				for _, s := range in.Sources() {
					switch s.Rel.File {
					case d3d9.Addr:
						rel++
					case d3d9.Loop:
						loopRel++
					}
					switch s.Mod {
					case d3d9.ModNeg:
						neg++
					case d3d9.ModAbs, d3d9.ModAbsNeg:
						abs++
					}
				}
			}
			for _, w := range whole {
				if !w {
					partly++
				}
			}
		}
		for op := d3d9.OpNop; op <= d3d9.OpBreakp; op++ {
			if op == d3d9.OpLogp && m.Major == 1 {
				continue
			}
			if op.Exists(m) && seen[op] == 0 {
				t.Errorf("no program of %s has %s: if it computes, add it to choices", m, op)
			}
		}
		check := func(what string, n int, want bool) {
			if (n > 0) != want {
				t.Errorf("%s: %d of %s", m, n, what)
			}
		}
		check("negation", neg, true)
		check("abs", abs, m.Major >= 3)
		check("saturation", sat, m.Stage == d3d9.Pixel || m.Major >= 3)
		check("partial precision", pp, m.Stage == d3d9.Pixel)
		check("predicates", pred, d3d9.CanPredicate(m))
		check("predicated kills", kills, d3d9.CanPredicate(m) && m.Stage == d3d9.Pixel)
		check("outputs written under predicates alone", partly, d3d9.CanPredicate(m) && m.Stage == d3d9.Vertex)
		check("a0", rel, m.Stage == d3d9.Vertex)
		check("aL", loopRel, m.Stage == d3d9.Vertex && m.Major > 1 || m == d3d9.PS30)
		check("cubes", cubes, m.Limits().Regs[d3d9.Sampler] > 0)
	}
}

func TestDeterministic(t *testing.T) {
	for _, m := range Models {
		for seed := range uint64(20) {
			a, _ := d3d9.Write(ProgramOf(m, seed, 40))
			b, _ := d3d9.Write(ProgramOf(m, seed, 40))
			if !bytes.Equal(a, b) {
				t.Fatalf("%s: seed %d gives two programs", m, seed)
			}
			if c, _ := d3d9.Write(ProgramOf(m, seed+1000, 40)); bytes.Equal(a, c) {
				t.Errorf("%s: seeds %d and %d give one program", m, seed, seed+1000)
			}
		}
	}
}

// TestFixedCoverage checks the same for ps_1_x, whose programs are short.
func TestFixedCoverage(t *testing.T) {
	for _, m := range FixedModels {
		seen, mods, shifts, pairs, invalid := map[d3d9.Op]int{}, map[d3d9.SrcMod]int{}, map[int8]int{}, 0, 0
		for seed := range uint64(600) {
			g := newGen(m, Seeded(seed, 1), 8)
			p := &d3d9.Program{Model: m, Insts: g.fixed()}
			if len(d3d9.Validate(p)) > 0 {
				invalid++
				continue
			}
			for i := range p.Insts {
				in := &p.Insts[i]
				seen[in.Op]++
				shifts[in.Dst.Shift]++
				if in.CoIssue {
					pairs++
				}
				for _, s := range in.Sources() {
					mods[s.Mod]++
				}
			}
		}
		if invalid > 60 {
			t.Errorf("%s: %d of 600 are not valid", m, invalid)
		}
		for op := d3d9.OpMov; op <= d3d9.OpBreakp; op++ {
			if op.Exists(m) && seen[op] == 0 {
				t.Errorf("%s: no %s", m, op)
			}
		}
		for mod := range d3d9.ModDW + 1 {
			one := slices.ContainsFunc([]d3d9.Op{d3d9.OpMov, d3d9.OpTexld14}, func(op d3d9.Op) bool {
				return op.Exists(m) && d3d9.ModAllowed(m, op, 0, mod)
			})
			if one != (mods[mod] > 0) {
				t.Errorf("%s: modifier %d is there %d times", m, mod, mods[mod])
			}
		}
		for shift := int8(-3); shift <= 3; shift++ {
			if may := m == d3d9.PS14 || shift >= -1 && shift <= 2; may != (shifts[shift] > 0) {
				t.Errorf("%s: results are shifted by %d %d times", m, shift, shifts[shift])
			}
		}
		if pairs == 0 {
			t.Errorf("%s: nothing is issued together", m)
		}
	}
}

// TestPair checks that the vertex program writes every component that the pixel program declares.
func TestPair(t *testing.T) {
	for seed := range uint64(200) {
		vm, pm := d3d9.VS20, d3d9.PS20
		if seed%2 == 1 {
			vm, pm = d3d9.VS30, d3d9.PS30
		}
		vs, ps := PairOf(vm, pm, seed, 30)
		have := map[port]bool{}
		written := map[d3d9.Reg]d3d9.Mask{}
		for i := range vs.Insts {
			switch in := &vs.Insts[i]; {
			case in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Output:
				have[port{mask: in.Dst.Mask, decl: in.Decl}] = true
			case in.HasDst:
				written[in.Dst.Reg] |= in.Dst.Mask
			}
		}
		for _, p := range wants(ps) {
			ok := have[port{mask: p.mask, decl: p.decl}]
			if pm.Major < 3 {
				file := d3d9.TexOut
				if p.reg.File == d3d9.Input {
					file = d3d9.AttrOut
				}
				ok = p.mask&^written[d3d9.Reg{File: file, Index: p.reg.Index}] == 0
			}
			if !ok {
				t.Fatalf("seed %d: %v is not written by\n%s", seed, p, d3d9.Print(vs))
			}
		}
	}
}

// TestPartly checks that Partly finds programs that read registers that some path has not written, and that
// break no other rule.
func TestPartly(t *testing.T) {
	for _, m := range []d3d9.Model{d3d9.VS20, d3d9.VS2X, d3d9.VS30, d3d9.PS2X, d3d9.PS30} {
		const n = 100
		found := 0
		for seed := range uint64(n) {
			p := Partly(Seeded(seed, 2), ProgramOf(m, seed, 10+int(seed%30)))
			if p == nil {
				continue
			}
			found++
			for _, d := range d3d9.Validate(p) {
				if d.Code != d3d9.PartlyInitialized {
					t.Fatalf("%s seed %d: %v\n%s", m, seed, d, d3d9.Print(p))
				}
			}
		}
		if found < n/2 {
			t.Errorf("%s: %d of %d", m, found, n)
		}
	}
}
