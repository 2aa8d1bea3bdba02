package wine

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// A loosened program computes the same within the slack, so its result shows the sensitivity of the original.
// The test program is a polynomial of every kind of operation. It is well-conditioned, and far from the
// thresholds of comparisons.
func TestLoosenKeepsTheProgram(t *testing.T) {
	vs := parse(t, "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nadd o1, v1, c0\n")
	ps := parse(t, `ps_3_0
def c1, 1.5, 0.25, 2, 0.5
dcl_texcoord v0
dcl_2d s0
texld r0, v0, s0
mad r0, r0, c1, v0
log r1.x, r0.x
exp r1.y, r1.x
rsq r1.z, r1.y
rcp r1.w, r1.z
pow r2.x, r1.w, c1.x
dp4 r2.y, r1, c1
nrm r2.zw, r1
lrp r3, c1.w, r1, r2
add oC0, r3, c1
`)
	c, err := interp.ParseCase("test", []byte("size 8 8\nattr position 0 2 -1 1 1 1 -1 -1 1 -1\n"+
		"attr texcoord 0 4 1 2 3 4 2 2 3 4 1 3 3 4 2 3 3 4\nvc 0 0.5 0.5 0.5 0.5\ntex 0 4 4 linear clamp rand 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := expect(Programs{vs, ps}, c)
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for k := range 20 {
		img, err := e.perturbed(k)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range img.Targets[0] {
			want := e.pixels[i]
			if x != want {
				moved++
			}
			if d := x - want; d > 1e-4 || d < -1e-4 {
				t.Fatalf("perturbation %d moves float %d from %v to %v", k, i, want, x)
			}
		}
	}
	if moved == 0 {
		t.Error("perturbations change nothing")
	}
}

// The interpreter accepts the loosened form of every program.
func TestLoosenCompiles(t *testing.T) {
	for _, name := range testcorpus.Glob(t, "corpus/d3d9/pairs/*/*s.*so") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d3d9.Decode(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := interp.Compile(loosen(p, rand.New(rand.NewPCG(1, 2)))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseStatus(t *testing.T) {
	tests := []struct {
		line string
		job  int
		err  string
		ok   bool
	}{
		{"ok 12\r", 12, "", true},
		{"failed 3: pixel program: 8876086c", 3, "wine: pixel program: 8876086c", true},
		{"fixme:d3d9: something", 0, "", false},
		{"ok", 0, "", false},
		{"", 0, "", false},
	}
	for _, tt := range tests {
		job, err, ok := parseStatus(tt.line)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		if job != tt.job || msg != tt.err || ok != tt.ok {
			t.Errorf("%q: %d, %v, %v", tt.line, job, err, ok)
		}
	}
}

func TestUlps(t *testing.T) {
	for _, tt := range []struct {
		a, b float32
		want int64
	}{{1, 1, 0}, {1, 1 + 0x1p-23, 1}, {1, 1 - 0x1p-23, 2}, {0x1p-149, -0x1p-149, 2}} {
		if got := ulpDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("ulps(%v, %v) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func parse(t *testing.T, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
