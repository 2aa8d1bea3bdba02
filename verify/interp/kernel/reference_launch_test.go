package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// The kernels of these tests come from this project and from the shared corpus. The expected results are
// computed in Go from the mathematics.
const (
	ownKernels    = "../../../testdata/il"
	corpusKernels = "../../../../shared/corpus/il"
)

// launch is a case under construction.
type launch struct {
	t     testing.TB
	text  strings.Builder
	files int
	dir   string
}

func newLaunch(t testing.TB, width, height int) *launch {
	l := &launch{t: t, dir: t.TempDir()}
	fmt.Fprintf(&l.text, "domain %d %d\n", width, height)
	return l
}

// file writes words to a file for the case to read.
func (l *launch) file(words []uint32) string {
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	l.files++
	name := filepath.Join(l.dir, fmt.Sprintf("%d.bin", l.files))
	if err := os.WriteFile(name, data, 0o666); err != nil {
		l.t.Fatal(err)
	}
	return name
}

// constant sets an element of a constant buffer.
func (l *launch) constant(buffer, element int, words [4]uint32) {
	fmt.Fprintf(&l.text, "cbx %d %d %08x %08x %08x %08x\n", buffer, element, words[0], words[1], words[2], words[3])
}

// constants sets elements from 0 on.
func (l *launch) constants(buffer int, words []uint32) {
	for i := 0; i < len(words); i += 4 {
		var e [4]uint32
		copy(e[:], words[i:])
		l.constant(buffer, i/4, e)
	}
}

// resource sets a resource of texels with one, two or four words.
func (l *launch) resource(n, width, height int, words []uint32) {
	per := len(words) / (width * height)
	if per*width*height != len(words) {
		l.t.Fatalf("%d words do not make %d by %d texels", len(words), width, height)
	}
	fmt.Fprintf(&l.text, "in %d %d %d float%d file %s\n", n, width, height, per, l.file(words))
}

// global sets the global buffer, four words an element.
func (l *launch) global(words []uint32) {
	fmt.Fprintf(&l.text, "global %d file %s\n", len(words)/4, l.file(words))
}

// run runs the kernel of a file.
func (l *launch) run(path string) *kernel.Result {
	l.t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) && strings.HasPrefix(path, corpusKernels) {
		testcorpus.Glob(l.t, "corpus/il/"+filepath.Base(path))
	}
	if err != nil {
		l.t.Fatal(err)
	}
	k, err := il.Parse(path, data)
	if err != nil {
		l.t.Fatal(err)
	}
	p, err := kernel.Compile(k)
	if err != nil {
		l.t.Fatal(err)
	}
	c, err := kernel.ParseCaseWith("case", []byte(l.text.String()), kernel.Beside(filepath.Join(l.dir, "case")))
	if err != nil {
		l.t.Fatal(err)
	}
	res, err := p.Run(c, kernel.Options{})
	if err != nil {
		l.t.Fatal(err)
	}
	return res
}

// everything returns all results of a launch.
func everything(res *kernel.Result) (w []uint32) {
	for _, o := range res.Out {
		w = append(w, o...)
	}
	w = append(w, res.Global...)
	for _, v := range res.Views {
		w = append(w, v.Words...)
	}
	return w
}

// matrix is a matrix of float32, row by row.
type matrix struct {
	rows, columns int
	at            []float32
}

func newMatrix(rows, columns int) matrix {
	return matrix{rows, columns, make([]float32, rows*columns)}
}

// randomMatrix returns a matrix with entries from -1 to 1.
func randomMatrix(r *rand.Rand, rows, columns int) matrix {
	m := newMatrix(rows, columns)
	for i := range m.at {
		m.at[i] = 2*r.Float32() - 1
	}
	return m
}

func (m matrix) row(i int) []float32 { return m.at[i*m.columns : (i+1)*m.columns] }

// part returns every n-th row of m, beginning with the given first one.
func (m matrix) part(first, n int) matrix {
	p := matrix{columns: m.columns}
	for i := first; i < m.rows; i += n {
		p.at = append(p.at, m.row(i)...)
		p.rows++
	}
	return p
}

// interleave merges the rows of the parts.
func interleave(parts []matrix) matrix {
	m := newMatrix(parts[0].rows*len(parts), parts[0].columns)
	for i := range m.rows {
		copy(m.row(i), parts[i%len(parts)].row(i/len(parts)))
	}
	return m
}

// quads sets a resource to a matrix, with four entries of a row per texel.
func (l *launch) quads(n int, m matrix) {
	l.resource(n, m.columns/4, m.rows, words(m.at))
}

// outputs merges outputs that are the interleaved rows of a matrix.
func outputs(res *kernel.Result, n, rows, columns int) matrix {
	var parts []matrix
	for k := range n {
		parts = append(parts, matrix{rows, columns, floats(res.Out[k])})
	}
	return interleave(parts)
}

func words(f []float32) []uint32 {
	w := make([]uint32, len(f))
	for i := range f {
		w[i] = math.Float32bits(f[i])
	}
	return w
}

func floats(w []uint32) []float32 {
	f := make([]float32, len(w))
	for i := range w {
		f[i] = math.Float32frombits(w[i])
	}
	return f
}

// doubleWords returns doubles as pairs of words, the low one first.
func doubleWords(f []float64) []uint32 {
	var w []uint32
	for _, v := range f {
		b := math.Float64bits(v)
		w = append(w, uint32(b), uint32(b>>32))
	}
	return w
}

func doubles(w []uint32) []float64 {
	f := make([]float64, len(w)/2)
	for i := range f {
		f[i] = math.Float64frombits(uint64(w[2*i]) | uint64(w[2*i+1])<<32)
	}
	return f
}

// same fails unless two slices are equal bit for bit.
func same[T float32 | float64 | uint32](t testing.TB, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	bad := 0
	for i := range got {
		if math.Float64bits(float64(got[i])) != math.Float64bits(float64(want[i])) {
			if bad++; bad <= 4 {
				t.Errorf("%s: [%d] is %v, want %v", what, i, got[i], want[i])
			}
		}
	}
	if bad > 4 {
		t.Errorf("%s: %d of %d differ", what, bad, len(got))
	}
}

// near fails unless two slices agree to an absolute tolerance.
func near[T float32 | float64](t testing.TB, what string, got []T, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	bad := 0
	for i := range got {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= tolerance) {
			if bad++; bad <= 4 {
				t.Errorf("%s: [%d] is %v, want %v", what, i, got[i], want[i])
			}
		}
	}
	if bad > 4 {
		t.Errorf("%s: %d of %d differ", what, bad, len(got))
	}
}

// mad rounds the product and the sum.
func mad(a, b, c float32) float32 { return float32(a*b) + c }
