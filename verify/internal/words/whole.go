package words

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// numbers is a domain that tracks floats that are integers and computed without rounding (reals.Bitwise).
// It gives conversions to integers and back a meaning beyond their names.
type numbers[T any] interface {
	Position(x T) T
	Integer(x T, unsigned bool) (rest T, n int32, ok bool)
	FromInteger(n int32, numbers []T, by []int32, unsigned bool) (sum T, ok bool)
}

// Position marks x, an input, as the centre of a pixel.
func (w *Words[T]) Position(x T) T {
	if d, ok := w.Domain.(numbers[T]); ok {
		return d.Position(x)
	}
	return x
}

// toInteger converts a float with p. It separates a literal summand if it can, converts the rest by name,
// and remembers the conversion for toFloat.
func (w *Words[T]) toInteger(p ir.Prim, x T) T {
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagPrim { // see converted
		return f.A
	}
	d, ok := w.Domain.(numbers[T])
	if !ok {
		return w.opaqueCall(p, []T{x})
	}
	rest, n, ok := d.Integer(x, p == ir.PrimFToU)
	if !ok {
		return w.opaqueCall(p, []T{x})
	}
	word := w.opaqueCall(ir.PrimFToI, []T{rest})
	w.recordRecipe(word, &Recipe[T]{Tag: symbolic.TagWhole, A: rest})
	return w.AddLiteral(word, uint32(n))
}

// toFloat converts an integer with p. A sum of converted floats becomes the sum of these floats.
func (w *Words[T]) toFloat(p ir.Prim, x T) T {
	d, ok := w.Domain.(numbers[T])
	if !ok {
		return w.converted(p, x)
	}
	k, parts := w.Polynomial(x, 0)
	var floats []T
	var by []int32
	for _, s := range parts {
		f := w.made[s.id]
		if f == nil || f.Tag != symbolic.TagWhole {
			return w.converted(p, x)
		}
		floats, by = append(floats, f.A), append(by, int32(s.By))
	}
	sum, ok := d.FromInteger(int32(k), floats, by, p == ir.PrimUToF)
	if !ok {
		return w.converted(p, x)
	}
	return sum
}

// converted converts an integer by name. It remembers integers below 2^24, which floats represent exactly.
func (w *Words[T]) converted(p ir.Prim, x T) T {
	y := w.opaqueCall(p, []T{x})
	if w.fieldOf(x).mask < 1<<24 {
		w.recordRecipe(y, &Recipe[T]{Tag: symbolic.TagPrim, A: x})
	}
	return y
}
