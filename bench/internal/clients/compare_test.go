package clients_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/bench/internal/clients"
)

func TestCompare(t *testing.T) {
	before := []string{"parameter a", "drawn 0/0 1 nan", "missed 0/1 why"}
	for _, c := range []struct {
		name  string
		after []string
		wrong int
	}{
		{"the same", before, 0},
		{"roundings", []string{"parameter a", "drawn 0/0 1.0005 -nan", "missed 0/1 why"}, 0},
		{"another number", []string{"parameter a", "drawn 0/0 1.01 nan", "missed 0/1 why"}, 1},
		{"a NaN", []string{"parameter a", "drawn 0/0 nan nan", "missed 0/1 why"}, 1},
		{"another draw", []string{"parameter a", "drawn 0/1 1 nan", "missed 0/1 why"}, 1},
		{"another parameter", []string{"parameter b", "drawn 0/0 1 nan", "missed 0/1 why"}, 1},
		{"no draw", []string{"parameter a", "missed 0/0 why", "missed 0/1 why"}, 1},
		{"a line less", before[:2], 1},
	} {
		if d := clients.Compare(before, c.after); len(d.Wrong) != c.wrong {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}
