package verify

import (
	"fmt"
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

func pixel(t testing.TB, text string) Pair {
	t.Helper()
	p, err := d3d9.Parse("field.psh", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Pair{Pixel: p}
}

// TestFieldTellsConstantsApart checks that the field proof does not identify a power of two with 1, or two adjacent
// floats.
func TestFieldTellsConstantsApart(t *testing.T) {
	scaled := func(factor float32, times int) Pair {
		text := fmt.Sprintf("ps_3_0\ndef c1, %v, 0, 0, 0\ndcl_texcoord v0\nmov r0, v0\n", factor)
		for range times {
			text += "mul r0, r0, c1.x\n"
		}
		return pixel(t, text+"mov oC0, r0\n")
	}
	for _, c := range []struct {
		factor        float32
		times, others int
	}{
		{0x1p-61, 1, 2}, {0x1p61, 1, 2}, {0x1p-122, 1, 2}, {0x1p122, 0, 1}, {0x1p-30, 1, 5}, {0x1p31, 0, 4}, {0x1p-1, 1, 62},
		{-1, 1, 2}, {1.0000001, 1, 2}, {1.0000001, 0, 1},
	} {
		if r := Check(scaled(c.factor, c.times), scaled(c.factor, c.others),
			Options{Numerics: Real, Brief: !long}); r.Verdict.OK() {
			t.Errorf("a factor of %v %d or %d times: %s", c.factor, c.times, c.others, r.Verdict)
		}
		next := math.Nextafter32(c.factor, float32(math.Inf(1)))
		if r := Check(scaled(c.factor, 1), scaled(next, 1), Options{Numerics: Real, Brief: !long}); r.Verdict.OK() {
			t.Errorf("a factor of %v or %v: %s", c.factor, next, r.Verdict)
		}
	}
	// Equal values are still found equal.
	half := pixel(t, "ps_3_0\ndef c1, 2.16840434e-19, 2, 0, 0\ndcl_texcoord v0\nmul r0, v0, c1.x\nmul oC0, r0, c1.y\n")
	if r := Check(scaled(0x1p-61, 1), half, Options{Numerics: Real}); r.Verdict != ProvedReal {
		t.Errorf("2^-62 times 2: %s %s", r.Verdict, r.Why)
	}
}

// TestProofWithoutBudget checks that a difference with opaque quotients may be equality over the reals. A
// proof that the budget did not allow does not show a difference.
func TestProofWithoutBudget(t *testing.T) {
	const head = "ps_3_0\ndef c20, 0.5, 0, 0, 0\ndcl_texcoord v0\nrcp r0, v0.w\n"
	quotient := pixel(t, head+"mul r1, r0, v0\nadd oC0, r1, c20.x\n")
	regrouped := pixel(t, head+"mad r1, v0.w, c20.x, v0\nmul oC0, r0, r1\n")
	wrong := pixel(t, head+"mad r1, v0.w, c20.y, v0\nmul oC0, r0, r1\n")
	small := func() *budget.Budget { return budget.New(t.Context(), 4, budget.Unlimited) }
	for _, c := range []struct {
		after  Pair
		work   *budget.Budget
		want   proof.Outcome
		unsure bool
	}{
		{regrouped, nil, proof.Equal, false},
		{regrouped, small(), proof.Different, true},
		{wrong, nil, proof.Different, false},
	} {
		if r := fieldWithin(t, quotient, c.after, c.work); r.Outcome != c.want || (r.Unsure != "") != c.unsure {
			t.Errorf("outcome %d, %q, want %d; unsure: %t", r.Outcome, r.Unsure, c.want, c.unsure)
		}
	}
}
