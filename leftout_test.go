package shaderlift_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

// long returns a program with so many operations that saving one of them is below the threshold;
// combine-alu saves one at the comparison. Removing the copy at the end still saves a slot.
func long() string {
	var b strings.Builder
	b.WriteString("ps_3_0\ndef c0, 0, 1, 0, 0\ndcl_texcoord v0\ndcl_texcoord1 v1\nmov r0, v0\n")
	b.WriteString(strings.Repeat("mad r0, r0, v1, c2\nmad r0, r0, v1, c3\n", 60))
	b.WriteString("cmp r1, -r0, c0.x, c0.y\nmul r1, r1, v1\nmad r0, r0, v0, r1\nmov r2, r0\nmov oC0, r2\n")
	return b.String()
}

// TestManySlowerStages checks that the other stages are tried without the slower ones, however many
// these are.
func TestManySlowerStages(t *testing.T) {
	for _, stages := range []int{1, 4, 12} {
		o := shaderlift.Options{Pipeline: strings.Repeat("combine-alu,", stages) + "copyprop,dce"}
		res, err := shaderlift.Optimize(t.Context(), program("long", long()), o)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, r := range res.Remarks {
			if r.Pass == "combine-alu" && r.Code == "slower" {
				left++
			}
		}
		if left < stages || res.Status != shaderlift.Improved {
			t.Errorf("%d stages: %v, %d left out", stages, res.Status, left)
		}
	}
}

// TestTermsWhereOthersAreSlower checks that rewrites that preserve terms are tried if no other rewrite
// pays: without arithmetic the same passes still remove copies.
func TestTermsWhereOthersAreSlower(t *testing.T) {
	res, err := shaderlift.Optimize(t.Context(), program("long", long()), shaderlift.Options{Pipeline: "combine-alu"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != shaderlift.Improved || res.Stages[0].CurrentCost().Slots >= res.Stages[0].Before.Slots {
		t.Errorf("%v: %+v", res.Status, res.Remarks)
	}
}
