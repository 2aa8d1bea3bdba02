package opt

import (
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/opt/pair"
)

// TestLevelWithoutWholes checks that a level without joint pipelines ends without a fault if every version of a kernel
// is slower on some launch.
func TestLevelWithoutWholes(t *testing.T) {
	data, err := os.ReadFile("testdata/il/pldi_final.il")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []pair.Target{"rv670", "cypress"} {
		res, err := Optimize(t.Context(), kernelInput("pldi_final.il", string(data)), Options{Pipeline: "O1", Target: target})
		if err != nil || len(res.Faults) > 0 {
			t.Errorf("%s: %v, %v", target, res.Faults, err)
		}
	}
}
