package suite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/diag"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// writer writes random programs of ps_3_0 with much dead, repeated, moved or known code, under branches,
// loops and predicates.
type writer struct {
	rnd   *rand.Rand
	b     strings.Builder
	depth int
}

func (w *writer) pick(words ...string) string { return words[w.rnd.IntN(len(words))] }

func (w *writer) reg() string { return fmt.Sprintf("r%d", w.rnd.IntN(5)) }

// sources returns a temporary, an input, a host constant or a literal for each operand. At most one operand
// of an instruction is from each of the last three.
func (w *writer) sources(n int) []string {
	leaves := []string{w.pick("v0", "v1"), w.pick("c0", "c1", "c8", "c9")}
	out := make([]string, n)
	for i := range out {
		s := w.reg()
		if k := w.rnd.IntN(4); k < len(leaves) && leaves[k] != "" {
			s, leaves[k] = leaves[k], ""
		}
		out[i] = w.pick("", "", "", "-") + s + w.pick("", "", ".x", ".wzyx", ".yxxx", "_abs")
	}
	return out
}

func (w *writer) statements(n int) {
	for range n {
		switch k := w.rnd.IntN(20); {
		case k == 0 && w.depth < 2:
			w.block(w.pick("if b0", "if b1", "if_gt r0.x, c0.x", "if_lt c8.x, c8.y", "if_ne r1.x, r1.y"), "endif",
				w.rnd.IntN(2) == 0)
		case k == 1 && w.depth < 2:
			w.block(w.pick("rep i0", "rep i1", "rep i2"), "endrep", false)
		case k == 2:
			fmt.Fprintf(&w.b, "setp_%s p0, %s, %s\n", w.pick("gt", "le"), w.reg(), w.pick("c0", "c8"))
		case k == 3:
			fmt.Fprintf(&w.b, "texldl %s, %s, s0\n", w.reg(), w.reg())
		default:
			op := w.pick("mov 1", "mov 1", "mov 1", "add 2", "mul 2", "mad 3", "lrp 3", "cmp 3", "dp3 2", "min 2", "max 2",
				"rcp 1", "frc 1")
			name, count, _ := strings.Cut(op, " ")
			src := w.sources(int(count[0] - '0'))
			if name == "lrp" {
				for i := range src {
					src[i] = strings.ReplaceAll(src[i], "r4", "r0")
				}
			}
			if name == "rcp" {
				src[0] = strings.TrimPrefix(w.reg(), "-") + ".w"
			}
			mods, dst := w.pick("", "", "_pp", "_sat"), w.reg()
			switch name {
			case "frc":
				mods = ""
			case "lrp":
				dst = "r4" // must not be a source
			}
			fmt.Fprintf(&w.b, "%s%s%s %s%s, %s\n", w.pick("", "", "", "", "", "(p0) "), name, mods,
				dst, w.pick("", "", ".x", ".xyz", ".zw", ".y"), strings.Join(src, ", "))
		}
	}
}

func (w *writer) block(head, tail string, sides bool) {
	w.depth++
	fmt.Fprintln(&w.b, head)
	w.statements(1 + w.rnd.IntN(5))
	if sides {
		fmt.Fprintln(&w.b, "else")
		w.statements(w.rnd.IntN(4))
	}
	if tail == "endrep" && w.rnd.IntN(3) == 0 {
		fmt.Fprintln(&w.b, w.pick("break_gt r0.x, c0.x", "break_ne r1.x, r1.x"))
		w.statements(w.rnd.IntN(3))
	}
	fmt.Fprintln(&w.b, tail)
	w.depth--
}

func random(seed uint64, size int) string {
	w := &writer{rnd: rand.New(rand.NewPCG(seed, 1))}
	w.b.WriteString(`ps_3_0
def c8, 0, 1, -1, 0.5
def c9, 2, 0, 1, 3
defi i0, 3, 0, 0, 0
defi i1, 0, 0, 0, 0
defb b0, true
dcl_color v0
dcl_texcoord v1
dcl_2d s0
mov r0, v0
mov r1, v1
mov r2, c8
mov r3, v0.wzyx
mov r4, v0
setp_gt p0, r0, r1
`)
	w.statements(size)
	w.b.WriteString("mov oC0, r0\nmov oC1, r1\n")
	return w.b.String()
}

// For any program, the result costs no more and verifies.
func FuzzPasses(f *testing.F) {
	for seed := range testcorpus.Count[uint64](7, 40) {
		f.Add(seed, uint8(seed), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size, stages uint8) {
		src := random(seed, int(size)%40)
		in, err := d3d9.Parse("random", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if d3d9.Validate(in) != nil {
			t.Skip("not a valid program")
		}
		s := &passtest.Source{Name: "random", Pixel: in}
		u, err := s.Lift()
		if err != nil {
			t.Fatal(err)
		}
		pipeline := []string{"dce", "copyprop", "copyprop{mixed=true}", "fold,dce", "gvn", "gvn{mixed=true}",
			"fold,dce,gvn{mixed=true},copyprop{mixed=true},dce", "dce,copyprop,reassociate,dce"}
		p, err := suite.Parse(pipeline[int(stages)%len(pipeline)])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Measure(u); err != nil {
			t.Fatalf("a valid program does not come back: %v\n%s", err, src)
		}
		cfg := passes.Config{Numerics: passes.Real}
		if strings.Contains(p.String(), "reassociate") { // it needs prices
			cfg.Measure = s.Measure
		}
		if _, err := passes.Run(u, p, cfg); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		out, err := s.Emit(u)
		if exceedsLimit(err) {
			t.Skip("the passes, run unpriced, took more than the model has: ", err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if v := verify.Check(verify.Pair{Pixel: in}, verify.Pair{Pixel: out.Pixel},
			verify.Options{Numerics: verify.Real}); v.Verdict == verify.Refuted {
			t.Errorf("%s: %v: %s %+v\n%s\n%s\n%v", p, v.Verdict, v.Why, v.Counterexample, src, d3d9.Print(out.Pixel), u.Pixel)
		}
	})
}

// exceedsLimit reports whether an emission failed because a program is too large for its model.
func exceedsLimit(err error) bool {
	var d *asm.Diag
	if !errors.As(err, &d) {
		return false
	}
	e := diag.Lookup(d.Code)
	return e != nil && e.Severity == diag.Limit
}
