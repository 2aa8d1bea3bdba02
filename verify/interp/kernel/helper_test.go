package kernel

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// compile parses and compiles a kernel without a header. It adds the header of a compute kernel if the
// kernel declares or uses threads, else that of a pixel kernel.
func compile(t testing.TB, src string) *Program {
	t.Helper()
	p, err := tryCompile(src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return p
}

func tryCompile(src string) (*Program, error) {
	if !strings.HasPrefix(src, "il_") && !strings.HasPrefix(src, "dx") {
		src = "il_ps_2_0\n" + src + "\nend\n"
	}
	k, err := il.Parse("k", []byte(src))
	if err != nil {
		return nil, err
	}
	return Compile(k)
}

// launched compiles and runs a kernel over a case in text form.
func launched(t testing.TB, src, text string) *Result {
	t.Helper()
	r, err := compile(t, src).Run(parsed(t, text), Options{Steps: 1 << 26})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, src, text)
	}
	return r
}

func parsed(t testing.TB, text string) *Case {
	t.Helper()
	c, err := ParseCase("case", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

// fails checks the code and the position of a diagnostic.
func fails(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasSuffix(err.Error(), "["+strings.Fields(want)[1]+"]") ||
		!strings.Contains(err.Error(), ":"+strings.Fields(want)[0]+":") {
		t.Errorf("%s gives %v, want %s", what, err, want)
	}
}

// header declares inputs 0 to 3 as rows of four words, and reads them into r0 to r3.
const header = `dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_resource_id(0)_type(1d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_resource_id(1)_type(1d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_resource_id(2)_type(1d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_resource_id(3)_type(1d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
sample_resource(0)_sampler(0) r0, vWinCoord0.x
sample_resource(1)_sampler(0) r1, vWinCoord0.x
sample_resource(2)_sampler(0) r2, vWinCoord0.x
sample_resource(3)_sampler(0) r3, vWinCoord0.x
`

type vec4 [4]uint32

// evaluate runs statements for each row of sources, which are in r0 to r3, and returns o0.
func evaluate(t testing.TB, src string, rows [][4]vec4) []vec4 {
	t.Helper()
	c := &Case{Width: len(rows), Height: 1}
	for i := range 4 {
		var words []uint32
		for _, row := range rows {
			words = append(words, row[i][:]...)
		}
		c.Resources = append(c.Resources, Resource{i, len(rows), 1, 1, Float4, Data{Kind: Words, Words: words}})
	}
	r, err := compile(t, header+src).Run(c, Options{Steps: 1 << 26})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	out := make([]vec4, len(rows))
	for i := range out {
		copy(out[i][:], r.Out[0][4*i:])
	}
	return out
}

// floats returns the words of numbers.
func floats(xs ...float32) (v vec4) {
	for i, x := range xs {
		v[i] = math.Float32bits(x)
	}
	return v
}

// show formats a word as hexadecimal, float and integer.
func show(w uint32) string {
	return fmt.Sprintf("%#08x (%v, %d)", w, math.Float32frombits(w), int32(w))
}

// corpus lists kernels next to the repository.
func corpus(t testing.TB, patterns ...string) (paths []string) {
	t.Helper()
	for _, pattern := range patterns {
		paths = append(paths, testcorpus.Glob(t, pattern)...)
	}
	return paths
}

func readKernel(t testing.TB, path string) (*il.Kernel, error) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return il.Parse(filepath.Base(path), data)
}
