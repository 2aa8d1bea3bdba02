package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
)

// TestAlterations lists the mutants of statements that executions must kill, given another version.
func TestAlterations(t *testing.T) {
	const bound = "dcl_literal l7, 100, 0x40800000, 0, 0;"
	for _, c := range []struct{ name, statement, other, want string }{
		{"a branch", "if_logicalz r1.y; endif", "", "if_logicalz r1.0; if_logicalz r1.1"},
		{"an exit", "whileloop; break_logicalnz r1.y; endloop", "", "break_logicalnz r1.1; break_logicalnz r1.0"},
		{"a comparing exit", "whileloop; breakc_relop(lt) r1.y, r2.x; endloop", "",
			"breakc_relop(eq) r1.0, r2.0; breakc_relop(ne) r1.0, r2.0; breakc_relop(le) r1.y, r2.x"},
		{"a discard", "discard_logicalnz r1.y", "", "discard_logicalnz r1.1; discard_logicalnz r1.0"},
		{"a select", "cmov_logical r0, r1, r2, r3", "", "cmov_logical r0, r1.1, r2, r3; cmov_logical r0, r1.0, r2, r3"},
		{"a comparison", "lt r0.x___, r1.x, r2.x", "", "ge r0.x___, r2.x, r1.x"},
		{"a comparison of both", "lt r0.x___, r1.x, r2.x", "lt r5.x___, r1.y, r4.x", ""},
		{"another comparison in the other", "lt r0.x___, r1.x, r2.x", "ilt r5.x___, r1.y, r4.x", "ge r0.x___, r2.x, r1.x"},
		{"with an integer", "ilt r0.x___, r1.x, l7.x", "",
			"ige r0.x___, l7.x, r1.x; ilt r0.x___, r1.x, l8.x [0x65]; ilt r0.x___, r1.x, l8.x [0x63]"},
		{"with a float", "ge r0.x___, r1.x, l7.y", "",
			"lt r0.x___, l7.y, r1.x; ge r0.x___, r1.x, l8.y [0x40a00000]; ge r0.x___, r1.x, l8.y [0x40400000]"},
		{"with the literal of both", "ilt r0.x___, r1.x, l7.x", "ilt r0.x___, r2.x, l7.x", ""},
		{"with another literal", "ilt r0.x___, r1.x, l7.x", "ilt r0.x___, r2.x, l7.z",
			"ige r0.x___, l7.x, r1.x; ilt r0.x___, r1.x, l8.x [0x65]; ilt r0.x___, r1.x, l8.x [0x63]"},
		{"a division", "rcp_zeroop(infinity) r0.x___, r1.x", "", "rcp_zeroop(zero) r0.x___, r1.x"},
		{"a division of both", "rcp_zeroop(infinity) r0.x___, r1.x", "rcp_zeroop(infinity) r0.x___, r2.x", ""},
		{"no decision", "whileloop; break; endloop", "", ""},
		{"no comparison", "max r0.x___, r1.x, l7.y", "", ""},
	} {
		k, other := parseKernel(t, psKernel(bound+c.statement)), parseKernel(t, psKernel(bound+c.other))
		var got []string
		for _, m := range trial.Mutants(k, other) {
			a := m.Apply(k)
			in := a.Insts[m.Index+len(a.Insts)-len(k.Insts)]
			in.Text, in.Lead = "", ""
			text := string(il.Print(&il.Kernel{Insts: []il.Inst{in}}))
			_, text, _ = strings.Cut(text, "\n") // skips the header
			text = strings.TrimSpace(text)
			for i, s := range in.Sources() {
				if s.File == il.Literal && s.Num == 8 {
					text += fmt.Sprintf(" [%#x]", trial.LiteralWords(a, s.Reg)[in.Reads(i)[0]])
				}
			}
			got = append(got, text)
		}
		if list := strings.Join(got, "; "); list != c.want {
			t.Errorf("%s: %s, not %s", c.name, list, c.want)
		}
	}
}
