package ir_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

func ExampleNumerics() {
	c, err := ir.ParseNumerics("real")
	fmt.Println(c, err, ir.Terms < c)
	_, err = ir.ParseNumerics("fast")
	fmt.Println(err)
	// Output:
	// real <nil> true
	// unknown numerics "fast" (want terms, bits, real or approx)
}

func TestNumericsRoundTrip(t *testing.T) {
	if c, err := ir.ParseNumerics(""); c != ir.Real || err != nil {
		t.Errorf("the default is %s, %v", c, err)
	}
	for i, name := range []string{"terms", "bits", "real", "approx"} {
		c, err := ir.ParseNumerics(name)
		if err != nil || c != ir.Terms+ir.Numerics(i) || c.String() != name {
			t.Errorf("%s: %v, %v", name, c, err)
		}
		if text, err := c.MarshalText(); err != nil || string(text) != name {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}
