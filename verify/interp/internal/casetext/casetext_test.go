package casetext_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/verify/interp/internal/casetext"
)

// read reads a test language: "n 1" to "n 9", "w" with a word, "f" with any number of floats, "c a" or "c
// b".
func read(text string) string {
	var b strings.Builder
	r := casetext.New("x.case")
	d := r.Lines([]byte(text), func(key string) {
		switch key {
		case "n":
			fmt.Fprint(&b, " ", r.Int(1, 9))
		case "w":
			fmt.Fprint(&b, " ", r.Int64(math.MinInt32, math.MaxUint32))
		case "f":
			fmt.Fprint(&b, " ", r.Floats(2))
		case "c":
			fmt.Fprint(&b, " ", r.Choice("a", "b"))
		default:
			r.Fail("unknown-key", "what is %s?", key)
		}
	})
	if d != nil {
		return d.Error()
	}
	return b.String()
}

func TestLines(t *testing.T) {
	inf := math.Inf(1)
	for text, want := range map[string]string{
		"n 1\n\n  # n 0\n\tn\t2 # two\r\nc b": " 1 2 1",
		"f 1,-2.5\nf\nf 1e99":                 fmt.Sprint(" [1 -2.5] [] ", []float64{inf}),
		"n 1\n n 10":                          `x.case:2:4: "10" is not a number from 1 to 9`,
		"w 4294967295\nw -2147483648":         " 4294967295 -2147483648",
		"w 4294967296":                        `x.case:1:3: "4294967296" is not a number from -2147483648 to 4294967295`,
		"n":                                   "x.case:1:1: n lacks values",
		"n 1 2":                               `x.case:1:5: "2" is one value too many`,
		"c d":                                 `x.case:1:3: "d" is none of a, b`,
		"f 1 2 3":                             "x.case:1:1: 3 values where 2 at most can be",
		"f 1 x\nn 0":                          `x.case:1:5: "x" is not a number`,
		"g":                                   "x.case:1:1: what is g?",
	} {
		if got := read(text); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
