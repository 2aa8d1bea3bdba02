package spirv

import (
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// assemble translates a text and compiles the module.
func assemble(t *testing.T, path string) *Program {
	t.Helper()
	as, err := exec.LookPath("spirv-as")
	if err != nil {
		t.Skip("spirv-as is not installed")
	}
	data, err := exec.Command(as, "--target-env", "vulkan1.1", path, "-o", "-").Output()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	p, err := Compile(data, "", nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return p
}

// mixedBatch returns a batch whose quads alternate between random inputs and special values.
func mixedBatch(p *Program, seed int) *Batch {
	b := randomBatch(p, uint32(seed))
	for i, c := range p.Inputs() {
		for l := range Lanes {
			if l/4%2 == 1 && c.Kind != Bool {
				b.In[i][l] = interp.SpecialValue(seed*Lanes+l, i)
			}
		}
	}
	return b
}

// translate returns the batch with the inputs of program q in place of those of p.
func translate(b *Batch, p, q *Program) *Batch {
	r := *b
	r.In = make([]Vec, len(q.Inputs()))
	for i, c := range p.Inputs() {
		for k, d := range q.Inputs() {
			if c.String() == d.String() {
				r.In[k] = b.In[i]
			}
		}
	}
	return &r
}

// differences counts the invocations of seven batches in which a program has other results than the original, where those
// are defined.
func differences(t *testing.T, before, after *Program) (n int) {
	for seed := range 7 {
		env, other := testEnv(), testEnv()
		env.Fill, other.Fill = 1, 2
		b := mixedBatch(before, seed)
		x, again, y := runs(t, before, env, b), runs(t, before, other, b), runs(t, after, env, translate(b, before, after))
		for lane := range Lanes {
			if compareLane(before, before, x, again, lane) && !compareLane(before, after, x, y, lane) {
				n++
			}
		}
	}
	return n
}

// compareLane reports whether an invocation has the same results in two runs. A discarded fragment has no outputs.
func compareLane(p, q *Program, x, y *Result, lane int) bool {
	if (x.Killed^y.Killed)>>lane&1 != 0 || (x.Undefined^y.Undefined)>>lane&1 != 0 {
		return false
	}
	if (x.Killed|x.Unfinished|y.Unfinished)>>lane&1 != 0 {
		return true
	}
	for i, c := range p.Outputs() {
		for k, d := range q.Outputs() {
			if a, b := x.Out[i][lane], y.Out[k][lane]; c.String() == d.String() && a != b &&
				!(c.Kind == Float && float(a) != float(a) && float(b) != float(b)) {
				return false
			}
		}
	}
	return true
}

// unseen lists wrong cases that an execution cannot tell from right ones: they change only decorations.
var unseen = map[string]bool{"relaxed-moves-to-operand": true, "relaxed-inlined-division": true}

// Executions tell wrong rewrites apart and show no difference of right ones.
func TestBugs(t *testing.T) {
	for _, path := range testcorpus.Glob(t, "corpus/spirv/bugs/*/*.before.spvasm") {
		set, name := filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".before.spvasm")
		before, after := assemble(t, path), assemble(t, strings.Replace(path, ".before.", ".after.", 1))
		n := differences(t, before, after)
		switch wrong := set == "wrong" && !unseen[name]; {
		case name == "self-difference-relaxed": // infinities need not be kept
		case wrong != (n > 0):
			t.Errorf("%s/%s: %d invocations differ", set, name, n)
		}
	}
}

// drawPair draws a triangle that covers a small target with a random seed.
func drawPair(t *testing.T, vertex, fragment *Program, seed, fill uint64) *Picture {
	t.Helper()
	env := testEnv()
	env.Fill = fill
	d := &Draw{Vertex: vertex, Fragment: fragment, VertexEnv: env, FragmentEnv: env, Width: 6, Height: 5, Cover: true,
		Attribute: func(c Component, v int) uint32 {
			if c.Location == 2 && c.Component == 3 { // w of the position in the corpus
				return word(1 + float32(v)*0.5)
			}
			return random(uint32(seed)*1000+c.Location*100+c.Component*10+uint32(v), c.Kind)
		}}
	p, err := d.Run()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// near reports whether two floats agree up to roundings.
func near(a, b uint32) bool {
	x, y := float64(float(a)), float64(float(b))
	return a == b || math.Abs(x-y) <= 1e-5*(1+math.Abs(x)+math.Abs(y))
}

// Draws tell wrong rewrites of pairs apart, and show no difference of right ones.
func TestBugPairs(t *testing.T) {
	for _, path := range testcorpus.Glob(t, "corpus/spirv/bugs/pairs/*/*.before.vert.spvasm") {
		set, name := filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".before.vert.spvasm")
		after := strings.Replace(path, ".before.", ".after.", 1)
		fragment := strings.NewReplacer(".vert.", ".frag.")
		v, f := assemble(t, path), assemble(t, fragment.Replace(path))
		w, g := assemble(t, after), assemble(t, fragment.Replace(after))
		n := 0
		for seed := range uint64(4) {
			x, y := drawPair(t, v, f, seed, 1), drawPair(t, w, g, seed, 2)
			for i := range x.Out {
				for at, covered := range x.Covered {
					if covered && !near(x.Out[i][at], y.Out[i][at]) {
						n++
					}
				}
			}
		}
		// Unread components that only one side lacks are a matter of the interface.
		if wrong := set == "wrong" && name != "dead-components-one-side"; wrong != (n > 0) {
			t.Errorf("%s/%s: %d results differ", set, name, n)
		}
	}
}
