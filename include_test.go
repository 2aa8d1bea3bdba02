package shaderlift_test

import (
	"errors"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt"
)

// TestInclude checks that users of the library supply the files that a text includes, and that nothing
// else is opened.
func TestInclude(t *testing.T) {
	include := func(from, name string) (string, []byte, error) {
		if from != "main.psh" || name != "scale.h" {
			return "", nil, errors.New("not here")
		}
		return name, []byte("#define SCALE(d, s) mul d, s, c[FIRST + 1]\n#define FIRST 2\n"), nil
	}
	in := shaderlift.Input{Include: include, Files: []shaderlift.File{{Name: "main.psh",
		Data: []byte("#include \"scale.h\"\nps_2_0\ndcl t0\nSCALE(r0, t0) SCALE(r1, r0) // twice\nmov r2, r1\nmov oC0, r2\n")}}}
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		t.Fatal(err)
	}
	const want = "ps_2_0\ndcl t0\nmul r0, t0, c3 mul r0, r0, c3 // twice\nmov oC0, r0\n"
	if got := string(res.Files[0].Data); res.Status != shaderlift.Improved || got != want {
		t.Errorf("%s:\n%q\nwant\n%q", res.Status, got, want)
	}
	v, err := shaderlift.Verify(t.Context(), in, shaderlift.Input{Files: res.Files}, shaderlift.Options{})
	if err != nil {
		t.Errorf("%v, %v", v.Verdict(), err)
	}

	// A reproducer does not need the files.
	f := shaderlift.Fault{Input: in, Err: errors.New("it broke")}
	back, err := opt.ParseReproducer("fault.txtar", f.Reproducer())
	if err != nil {
		t.Fatal(err)
	}
	if p, err := d3d9.Parse("", back.Input.Files[0].Data); err != nil || len(p.Insts) != 5 {
		t.Errorf("the reproducer has %s (%v)", back.Input.Files[0].Data, err)
	}

	in.Include = nil
	if _, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{}); err == nil {
		t.Error("there is nothing to include files from")
	}
}
