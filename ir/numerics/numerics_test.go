package numerics_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/ir/numerics"
)

func Example() {
	c, err := numerics.Parse("real")
	fmt.Println(c, err, numerics.Terms < c)
	_, err = numerics.Parse("fast")
	fmt.Println(err)
	// Output:
	// real <nil> true
	// unknown numerics "fast" (want terms, bits, real or approx)
}

func TestRoundTrip(t *testing.T) {
	for i, name := range []string{"terms", "bits", "real", "approx"} {
		c, err := numerics.Parse(name)
		if err != nil || c != numerics.Class(i) || c.String() != name {
			t.Errorf("%s: %v, %v", name, c, err)
		}
		if text, err := c.MarshalText(); err != nil || string(text) != name {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}
