package words

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// numbers is a domain that knows which floats are whole, so that conversions to integers and back are
// more than names: reals.Reals.
type numbers[T any] interface {
	Position(x T) T
	Integer(x T, unsigned bool) (rest T, n int32, ok bool)
	FromInteger(n int32, numbers []T, by []int32, unsigned bool) (sum T, ok bool)
}

// Position is x, an input, as the centre of a pixel.
func (w *Words[T]) Position(x T) T {
	if d, ok := w.Domain.(numbers[T]); ok {
		return d.Position(x)
	}
	return x
}

// toInteger converts a float with p. What is known of it besides a literal summand is converted by name,
// and remembered for the way back.
func (w *Words[T]) toInteger(p ir.Prim, x T) T {
	d, ok := w.Domain.(numbers[T])
	if !ok {
		return w.name(p, []T{x})
	}
	rest, n, ok := d.Integer(x, p == ir.PrimFToU)
	if !ok {
		return w.name(p, []T{x})
	}
	word := w.name(ir.PrimFToI, []T{rest})
	w.note(word, &Recipe[T]{Tag: symbolic.TagWhole, A: rest})
	return w.Plus(word, uint32(n))
}

// toFloat converts an integer with p: sums of what floats became integers as sums of these.
func (w *Words[T]) toFloat(p ir.Prim, x T) T {
	d, ok := w.Domain.(numbers[T])
	if !ok {
		return w.name(p, []T{x})
	}
	k, parts := w.Polynomial(x, 0)
	var floats []T
	var by []int32
	for _, s := range parts {
		f := w.made[s.ID]
		if f == nil || f.Tag != symbolic.TagWhole {
			return w.name(p, []T{x})
		}
		floats, by = append(floats, f.A), append(by, int32(s.By))
	}
	sum, ok := d.FromInteger(int32(k), floats, by, p == ir.PrimUToF)
	if !ok {
		return w.name(p, []T{x})
	}
	return sum
}
