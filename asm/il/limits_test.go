package il

import (
	"fmt"
	"strings"
	"testing"
)

// nested returns a kernel of n nested blocks.
func nested(open, end string, n int) string {
	return "il_cs_2_0\n" + strings.Repeat(open+"\n", n) + strings.Repeat(end+"\n", n) + "end\n"
}

// callChain returns a kernel whose functions each call the next one the given number of times.
func callChain(functions, times int) string {
	var b strings.Builder
	b.WriteString("il_cs_2_0\ncall 0\nendmain\n")
	for f := range functions {
		fmt.Fprintf(&b, "func %d\n", f)
		if f+1 < functions {
			b.WriteString(strings.Repeat(fmt.Sprintf("call %d\n", f+1), times))
		}
		b.WriteString("ret\nendfunc\n")
	}
	b.WriteString("end\n")
	return b.String()
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		src, code string
	}{
		"ifs within":       {nested("if_logicalnz r0.x", "endif", MaxNesting), ""},
		"ifs beyond":       {nested("if_logicalnz r0.x", "endif", MaxNesting+1), "nesting-too-deep"},
		"loops beyond":     {nested("whileloop", "endloop", MaxNesting+1), "nesting-too-deep"},
		"switches beyond":  {nested("switch r0.x\ndefault", "endswitch", MaxNesting+1), "nesting-too-deep"},
		"far beyond":       {nested("if_logicalnz r0.x", "endif", 100_000), "too-large"},
		"else is no block": {"il_cs_2_0\n" + strings.Repeat("if_logicalnz r0.x\nelse\nendif\n", 100) + "end\n", ""},
		"calls within":     {callChain(MaxNesting, 1), ""},
		"calls beyond":     {callChain(MaxNesting+1, 1), "nesting-too-deep"},
		"calls in calls":   {callChain(20, 2), "too-large"},
		"statements":       {"il_cs_2_0\n" + strings.Repeat("mov r0, r1\n", MaxStatements-1) + "end\n", ""},
		"too many":         {"il_cs_2_0\n" + strings.Repeat("mov r0, r1\n", MaxStatements) + "end\n", "too-large"},
		"a million":        {"il_cs_2_0\n" + strings.Repeat("mov r0, r1\n", 1_000_000) + "end\n", "too-large"},
	} {
		k, err := Parse("", []byte(c.src))
		if err == nil {
			err = Check(k).Err()
		}
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.code != "" && (err == nil || !strings.Contains(err.Error(), "["+c.code+"]")):
			t.Errorf("%s: %v, not %s", name, err, c.code)
		}
	}
}
