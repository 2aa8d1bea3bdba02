package rules

import (
	"go/constant"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// known is a host that knows that x is 1, and nothing about y.
type known struct{ Host }

func (known) Known(name string, l ir.Lane) constant.Value {
	if name == "is" && l.V.Bits == 1 {
		return constant.MakeInt64(1)
	}
	return constant.MakeUnknown()
}

// An operand that decides || or && alone does so whatever follows; all other operators need both sides.
func TestDecided(t *testing.T) {
	m := &Matcher{Host: known{}, rule: &Compiled{slots: map[string]int{"x": 0, "y": 1}}}
	m.bound[0][0].V, m.bound[1][0].V = &ir.Value{Bits: 1}, &ir.Value{Bits: 2}
	for where, want := range map[string]string{
		"is(x) == 1 || is(y) == 1":                  "true",
		"is(x) == 2 || is(y) == 1":                  "unknown",
		"is(x) == 2 && is(y) == 1":                  "false",
		"is(x) == 1 && is(y) == 1":                  "unknown",
		"is(y) == 1 || is(x) == 1":                  "unknown",
		"is(x) == 2 && is(y) == 1 || is(x) + 1 > 1": "true",
	} {
		if got := m.eval(parse(where, nil), 0).String(); got != want {
			t.Errorf("%s is %s, not %s", where, got, want)
		}
	}
}
