package replay

import (
	"fmt"
	"strings"
	"testing"
)

func Example_reduceList() {
	fmt.Println(reduceList([]int{1, 2, 3, 4, 5, 6, 7}, func(list []int) bool {
		sum := 0
		for _, n := range list {
			sum += n
		}
		return sum >= 12
	}))
	// Output: [4 5 6]
}

// TestText checks that reduceText leaves only the statements that the symptom needs, simplified and without surrounding blocks.
func TestText(t *testing.T) {
	const text = "ps_3_0\ndcl_texcoord v0\nmov r1, v0\nif_gt c0.x, c1.x\n  mul_sat r0, r1, c4.y // the one\nelse\n  mov r0, c2\nendif\nmov oC0, r0\n"
	for want, c := range map[string]string{
		"mul_sat": "mul_sat r0, c4, c4\n",
		"c4":      "mov r0, c4\n",
		"if_gt":   "if_gt c0, c0\nendif\n",
	} {
		got := reduceText(text, func(text string) bool {
			return strings.Contains(text, want) && strings.Count(text, "if_") == strings.Count(text, "endif")
		})
		if got != c || countStatements(got) != strings.Count(c, "\n") {
			t.Errorf("%s: left is\n%s", want, got)
		}
	}
}
