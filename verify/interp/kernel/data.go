package kernel

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// DataKind is the source of the contents of memory.
type DataKind uint8

// The sources.
const (
	Zero   DataKind = iota
	Random          // the generator of case files, from Seed
	Words           // given
	File            // given, read from the file Path
	Linear          // of inputs: a plane over the domain
)

// Data holds the contents of an input, a resource or memory.
type Data struct {
	Kind DataKind
	Seed uint32
	// Lo and Hi bound random numbers: Lo <= x < Hi. If both are 0, floats lie from 0 to 1 and integers have
	// 32 random bits.
	Lo, Hi float32
	// Every selects the first of each Every random words, as packed resources and tables of coarser kernels
	// need. 0 selects each word.
	Every int
	Words []uint32
	Path  string
	// Plane holds the value at (0,0) and its increments per element across and down. The value of an
	// element is taken at its centre.
	Plane [3][4]float32
}

// fresh returns n words that the caller may change.
func (d *Data) fresh(n int) []uint32 {
	w := d.words(n, false)
	if d.Kind == Words || d.Kind == File {
		w = slices.Clone(w)
	}
	return w
}

// Spelled returns the n words of d, which the caller may change. Linear data yields the elements of a
// domain of the given width.
func (d *Data) Spelled(n, width int) []uint32 {
	w := d.fresh(n)
	if d.Kind == Linear {
		for i := range w {
			w[i] = d.valueAt(i/4%width, i/4/width, i%4)
		}
	}
	return w
}

// valueAt returns component c of linear data at the centre of an element, computed in float64 and rounded once.
func (d *Data) valueAt(x, y, c int) uint32 {
	cx, cy := float64(x)+0.5, float64(y)+0.5
	return math.Float32bits(float32(float64(d.Plane[0][c]) + cx*float64(d.Plane[1][c]) + cy*float64(d.Plane[2][c])))
}

// words returns n words. Random words depend on the seed alone, on every machine. Given words are not
// copied. Linear data, which invocations compute, yields zeros here.
func (d *Data) words(n int, integer bool) []uint32 {
	if d.Kind == Words || d.Kind == File {
		return d.Words
	}
	w := make([]uint32, n)
	if d.Kind != Random {
		return w
	}
	// The generator in doc.go, one number per word. Integers scale in float64, so bounds are exact.
	r := interp.NewRandom(int(d.Seed))
	for i := range w {
		bits := r.Next()
		for range d.Every - 1 {
			r.Next()
		}
		unit := interp.Unit(bits)
		switch {
		case integer && d.Lo == 0 && d.Hi == 0:
			w[i] = bits
		case integer:
			w[i] = uint32(int64(math.Floor(float64(d.Lo) + float64(unit)*(float64(d.Hi)-float64(d.Lo)))))
		case d.Lo == 0 && d.Hi == 0:
			w[i] = math.Float32bits(unit)
		default:
			w[i] = math.Float32bits(d.Lo + float32((d.Hi-d.Lo)*unit))
		}
	}
	return w
}
