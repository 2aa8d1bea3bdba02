package kernel

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// DataKind is where the contents of memory come from.
type DataKind uint8

// Where contents may come from.
const (
	Zero   DataKind = iota
	Random          // the generator of case files, from Seed
	Words           // given
	File            // given, read from the file Path
	Linear          // of inputs: a plane over the domain
)

// Data is the contents of an input, a resource or memory.
type Data struct {
	Kind DataKind
	Seed uint32
	// Lo and Hi bound random numbers: Lo <= x < Hi. Both 0 stand for floats from 0 to
	// 1 and, where words are integers, all 32 bits.
	Lo, Hi float32
	Words  []uint32
	Path   string
	// Plane are the value at the place (0,0) and what it grows by per element across
	// and down; the value of an element is that at its centre.
	Plane [3][4]float32
}

// fresh makes n words that may be changed.
func (d *Data) fresh(n int) []uint32 {
	w := d.words(n, false)
	if d.Kind == Words || d.Kind == File {
		w = slices.Clone(w)
	}
	return w
}

// Spelled makes the n words that d stands for, of linear data those of the elements of a domain
// of some width. They may be changed.
func (d *Data) Spelled(n, width int) []uint32 {
	w := d.fresh(n)
	if d.Kind == Linear {
		for i := range w {
			w[i] = d.at(i/4%width, i/4/width, i%4)
		}
	}
	return w
}

// at is component c of linear data at the centre of an element: computed in float64, and rounded
// once.
func (d *Data) at(x, y, c int) uint32 {
	cx, cy := float64(x)+0.5, float64(y)+0.5
	return math.Float32bits(float32(float64(d.Plane[0][c]) + cx*float64(d.Plane[1][c]) + cy*float64(d.Plane[2][c])))
}

// words makes n words, of random ones the same for the same seed on every machine. Given ones are not
// copied. Linear data, which invocations compute, is zero here.
func (d *Data) words(n int, integer bool) []uint32 {
	if d.Kind == Words || d.Kind == File {
		return d.Words
	}
	w := make([]uint32, n)
	if d.Kind != Random {
		return w
	}
	// The generator of the documentation in doc.go, one number per word; scaling is in float64 for
	// integers, so that bounds are exact.
	r := interp.NewRandom(int(d.Seed))
	for i := range w {
		bits := r.Next()
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
