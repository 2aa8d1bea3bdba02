package property

import (
	"errors"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify"
)

// TestBroken checks that the property can fail: giving two temporaries the same number is refuted.
func TestBroken(t *testing.T) {
	text := "ps_2_0\ndcl t0\nadd r0, t0, t0\nmul r1, t0, t0\nadd r0, r0, r1\nmov oC0, r0\n"
	input := func(text string) shaderlift.Input {
		return shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh", Data: []byte(text)}}}
	}
	res, err := shaderlift.Verify(t.Context(), input(text), input(strings.ReplaceAll(text, "r1", "r0")),
		shaderlift.Options{Require: verify.Proved})
	if !errors.Is(err, shaderlift.ErrRefused) || res.Verdict() != verify.Refuted {
		t.Errorf("the mistake is %s: %v", res.Verdict(), err)
	}
}
