package kernel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	much "github.com/shaderlift/shaderlift/internal/test/testcorpus" // its name is taken here
)

// leaveAt is a prologue in which invocations with a certain bit in their number leave, so that no
// instruction after it runs in all lanes.
const leaveAt = "dcl_literal l9999, %d, 0, 0, 0\niand r9999.x, %s.x, l9999\nret_logicalnz r9999.x\n"

// TestDivergence checks that the result of an invocation does not depend on the other invocations.
func TestDivergence(t *testing.T) {
	for _, o := range []ilgen.Options{{Size: 60}, {Size: 60, NoMemory: true},
		{Stage: il.Compute, Size: 60, NoMemory: true}, {Size: 60, Straight: true}} {
		for seed := range much.Count[uint64](20, 60) {
			text := string(ilgen.Text(seed, o))
			head, body, _ := strings.Cut(text, "_2_0\n")
			number := "vObjIndex0"
			if o.Stage == il.Compute {
				number = "vaTidFlat"
			}
			all, some := head+"_2_0\n"+body, head+"_2_0\n"+fmt.Sprintf(leaveAt, 5, number)+body
			k, err := il.Parse("k", []byte(all))
			if err != nil {
				t.Fatal(err)
			}
			c := DefaultCase(k, seed)
			r, s := launchOf(t, all, c), launchOf(t, some, c)
			for i := range c.Width * c.Height {
				for n := range r.Out {
					if r.Out[n] == nil {
						continue
					}
					a, b := r.Out[n][4*i:4*i+4], s.Out[n][4*i:4*i+4]
					if i&5 != 0 {
						b = slices.Clone(a)
					}
					if !slices.Equal(a, b) {
						t.Fatalf("seed %d, %+v: o%d of element %d is %x alone, %x with the others\n%s", seed, o, n, i, b, a, all)
					}
				}
				if o.Stage == il.Compute {
					const shared = 16 // elements of the global buffer before those of the threads
					a, b := r.Global[16*i+4*shared:][:16], s.Global[16*i+4*shared:][:16]
					if i&5 == 0 && !slices.Equal(a, b) {
						t.Fatalf("seed %d, %+v: g[] of thread %d is %x alone, %x with the others\n%s", seed, o, i, b, a, all)
					}
				}
			}
		}
	}
}

func launchOf(t *testing.T, text string, c *Case) *Result {
	t.Helper()
	p, err := tryCompile(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := p.Run(c, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}
