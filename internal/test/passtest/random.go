package passtest

import (
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// Random is a test of passes on random kernels. Each changed kernel must be proved the same terms, and wrong variants
// must be refused.
type Random struct {
	// Count is the number of kernels, and Wrong the number of variants of each.
	Count, Wrong int
	// Seed selects the kernels.
	Seed uint64
	// Kernel returns the text of a kernel, and Pipeline the passes for one.
	Kernel   func(r *rand.Rand) string
	Pipeline func(n int) passes.Pipeline
	// Changed reports whether the passes changed a kernel. If it is nil, any rewrite counts.
	Changed func(u *passes.Unit) bool
	// More, if set, tests a changed kernel further. It returns the number of further variants that are refused.
	More func(t *testing.T, c *Changed) (refused int)
}

// Changed is a kernel that passes changed.
type Changed struct {
	Before, After *il.Kernel
	Options       verify.Options
	Rand          *rand.Rand
}

// Test runs the test. At least half of the kernels must change, and 200 variants must be refused.
func (x Random) Test(t *testing.T) {
	t.Helper()
	changed, refused, accepted := 0, 0, 0
	for n := range x.Count {
		text := x.Kernel(rand.New(rand.NewPCG(uint64(n), x.Seed)))
		k, err := il.Parse("random", []byte(text))
		if err != nil || len(il.Check(k)) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		u, err := (&Source{Kernel: k}).Lift()
		if err != nil {
			t.Fatal(err)
		}
		report, err := passes.Run(u, x.Pipeline(n), passes.Config{Numerics: passes.Terms})
		if err != nil {
			t.Fatalf("%d: %v\n%s", n, err, text)
		}
		if x.Changed == nil && report.Steps == 0 || x.Changed != nil && !x.Changed(u) {
			continue
		}
		changed++
		out, err := amdil.Emit(k, u.Kernel)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		c := &Changed{Before: k, After: out, Options: verify.Options{Numerics: passes.Terms, Tile: u.Tile, Brief: true},
			Rand: rand.New(rand.NewPCG(uint64(n), x.Seed+1))}
		if v := verify.CheckKernel(k, out, c.Options); v.Verdict != verify.Proved {
			t.Errorf("%d: %v %s\n%s\n%s", n, v.Verdict, v.Why, text, il.Print(out))
		}
		wrong, right := Refused(t, k, out, c.Options, c.Rand, x.Wrong)
		refused, accepted = refused+wrong, accepted+right
		if x.More != nil {
			refused += x.More(t, c)
		}
	}
	t.Logf("%d of %d changed, %d variants refused, %d accepted", changed, x.Count, refused, accepted)
	if changed < x.Count/2 || refused < 200 {
		t.Errorf("%d of %d changed, %d variants refused", changed, x.Count, refused)
	}
}

// Always returns the same passes for each kernel.
func Always(list ...*passes.Pass) func(int) passes.Pipeline {
	var p passes.Pipeline
	for _, pass := range list {
		p = append(p, passes.Stage{Pass: pass})
	}
	return func(int) passes.Pipeline { return p }
}
