package spirv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The binary modules of testdata are the assembled texts.
func TestTestdata(t *testing.T) {
	as, err := exec.LookPath("spirv-as")
	if err != nil {
		t.Skip("spirv-as is not installed")
	}
	texts, _ := filepath.Glob("testdata/*.spvasm")
	if len(texts) == 0 {
		t.Fatal("no texts")
	}
	for _, path := range texts {
		got, err := exec.Command(as, "--target-env", "spv1.0", path, "-o", "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(path, ".spvasm") + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 20 && !bytes.Equal(got[20:], want[20:]) { // the header names the assembler
			t.Errorf("%s: the binary module is another one", path)
		}
	}
}

// Lanes diverge in loops, a switch with fall-through, early returns and a discard.
func TestFlow(t *testing.T) {
	p := load(t, "flow-frag", nil)
	b := batch(p, Lanes, func(c Component, lane int) uint32 {
		if c.Location == 0 {
			return uint32(lane % 9)
		}
		return uint32(lane / 6)
	})
	r := runs(t, p, &Env{Fill: 1}, b)
	for lane := range Lanes {
		n, k := uint32(lane%9), uint32(lane/6)
		x, y, sum := uint32(1), uint32(2), uint32(0)
		for i := uint32(0); i < n && i != 7; i++ {
			if i != 2 {
				sum += i * (i + 1) / 2
				x, y = y, x+y
			}
		}
		cases := map[uint32]uint32{0: 11, 1: 10, 5: 107, 6: 7}
		s, ok := cases[k]
		if !ok {
			s = 1000
		}
		f := n + 100
		if n > 5 {
			f = 2 * n
		}
		killed := k == 9 && n > 3
		if got := r.Killed>>lane&1 != 0; got != killed {
			t.Errorf("lane %d: killed %v", lane, got)
		}
		for i, want := range []uint32{sum, x*1000 + y, s, f} {
			if got := r.Out[i][lane]; got != want && !killed {
				t.Errorf("lane %d: o[%d] is %d, not %d", lane, i, got, want)
			}
		}
	}
}

// Arrays, structs, pointers to parts of them as parameters, buffers in several layouts, stores and atomics.
func TestMemory(t *testing.T) {
	p := load(t, "memory-frag", nil)
	v := [4]float32{0.5, 3, -2, 7}
	b := batch(p, 4, func(c Component, lane int) uint32 {
		if c.Location == 0 {
			return uint32(lane)
		}
		return word(v[c.Component])
	})
	env := &Env{Word: func(r Resource, offset uint32) uint32 {
		switch {
		case r.Push:
			return word(1000 + float32(offset))
		case r.Binding == 3 && offset == 0:
			return 40
		case r.Set == 1 && r.Binding == 2:
			return word(float32(offset) * 0.25)
		}
		return 0
	}}
	r := runs(t, p, env, b)
	for k := range 4 {
		array := [4]float32{1, 2, 4, 8}
		array[k] *= 16
		array[(k+1)&3] += v[k]
		// The rows of m start at 16, 32 and 48, the columns of c at 64 and 80, list at 96.
		m := func(column, row int) float32 { return float32(16+16*row+4*column) * 0.25 }
		want := [4]float32{array[0] + array[1]*100 + array[2]*10000, array[3] + 3,
			m(1, 2) + m(k, 0) + 20 + float32(96+16*(k%3))*0.25, 3 + 5 + 1008 + float32(4*(k&1)) + 4}
		if k&1 != 0 {
			want[3]++ // b[0] is 6
		}
		for i, w := range want {
			if got := float(r.Out[i][k]); got != w {
				t.Errorf("k = %d: o[%d] is %v, not %v", k, i, got, w)
			}
		}
		for i, w := range []uint32{40, 40 + uint32(k), BufferSize/8 - 1, word(6)} {
			if got := r.Out[4+i][k]; got != w {
				t.Errorf("k = %d: p[%d] is %d, not %d", k, i, got, w)
			}
		}
	}
	want := []Store{}
	for k := range 4 {
		s := Store{Lane: k, To: Resource{Binding: 3}}
		for _, at := range [][2]uint32{{0, 40 + uint32(k)}, {8 + 8*uint32(k), word(1)}, {12 + 8*uint32(k), word(6)}} {
			s.Address, s.Word = at[0], at[1]
			want = append(want, s)
		}
	}
	if len(r.Stores) != len(want) {
		t.Fatalf("stores %v", r.Stores)
	}
	for i, s := range r.Stores {
		if s != want[i] {
			t.Errorf("store %+v, not %+v", s, want[i])
		}
	}
}

// An index out of range is undefined: the result depends on the filling, and the store is lost.
func TestOutOfRange(t *testing.T) {
	p := load(t, "memory-frag", nil)
	b := batch(p, 4, func(c Component, lane int) uint32 { return uint32(4) })
	one, two := runs(t, p, &Env{Fill: 1}, b), runs(t, p, &Env{Fill: 2}, b)
	if x, y := output(t, p, one, "location0.z"), output(t, p, two, "location0.z"); x[0] == y[0] {
		t.Error("an index out of range has the same result under two fillings")
	}
	if x, y := output(t, p, one, "location1.z"), output(t, p, two, "location1.z"); x[0] != y[0] {
		t.Error("a defined result differs between fillings")
	}
}

// Specialization constants have defaults or given values, which decide the size of an array.
func TestSpecialization(t *testing.T) {
	for _, spec := range []map[uint32]uint32{nil, {3: 4, 4: 1, 7: word(-2)}} {
		p := load(t, "spec-vert", spec)
		n, f, reversed := 2, float32(1.5), spec == nil
		if spec != nil {
			n, f = 4, -2
		}
		b := batch(p, 3, func(c Component, lane int) uint32 {
			if c.IsBuiltIn {
				return uint32(lane)
			}
			return word(float32(c.Location*10 + c.Component + uint32(lane)))
		})
		r := runs(t, p, &Env{}, b)
		for lane := range 3 {
			x := float32(lane)
			v := [4]float32{x, x + 1, x + 2, x + 3}
			a, c := [2]float32{20 + x, 21 + x}, [2]float32{30 + x, 31 + x}
			det := a[0]*c[1] - c[0]*a[1]
			want := map[string]float32{
				"Position[1]": v[1] * float32(3*n) * f, "location4.x": v[0], "location5.x": a[0]*v[0] + c[0]*v[1],
				"location5.y": a[1]*v[0] + c[1]*v[1], "location5.z": v[0]*a[0] + v[1]*a[1], "location5.w": v[0]*c[0] + v[1]*c[1],
				"location6.y": a[0]*c[0] + c[0]*c[1] + c[1]/det + float32(3*n+1),
				"location6.z": a[1]*c[0] + c[1]*c[1] - a[1]/det + x,
			}
			if reversed {
				want["location4.x"] = v[3]
			}
			for name, w := range want {
				if got := float(output(t, p, r, name)[lane]); got != w {
					t.Errorf("N = %d, lane %d: %s is %v, not %v", n, lane, name, got, w)
				}
			}
		}
	}
}

// Derivatives and implicit levels are differences in quads. They are undefined where a quad diverges.
func TestQuads(t *testing.T) {
	p := load(t, "quads-frag", nil)
	env := func(fill uint64) *Env {
		e := testEnv()
		e.Fill = fill
		return e
	}
	b := batch(p, 8, func(c Component, lane int) uint32 {
		x, y := float32(lane&1), float32(lane>>1&1)
		switch {
		case c.Location == 1 && lane < 4:
			return 1 // a whole quad
		case c.Location == 1:
			return uint32(lane & 1)
		case c.Component == 0:
			return word(x/4 + y/2)
		}
		return word(x/8 - y)
	})
	r, other := runs(t, p, env(1), b), runs(t, p, env(2), b)
	for i, want := range []float32{0.25, 0.5, 1.125} {
		if got := float(r.Out[i][5]); got != want {
			t.Errorf("derivative %d is %v, not %v", i, got, want)
		}
	}
	for lane := range 8 {
		defined := lane < 4 || lane&1 == 0
		if same := r.Out[3][lane] == other.Out[3][lane]; same != defined {
			t.Errorf("lane %d: the implicit level is defined: %v, not %v", lane, same, defined)
		}
	}
	texel := testEnv().Image(Resource{}).Texel
	if got, want := r.Out[4][0], texel(1, 1, 0, 0, 0)[1]; got != want {
		t.Errorf("texelFetch gives %#x, not %#x", got, want)
	}
	// The coordinates (0, 0) lie between four texels; w of a gather is the upper left one.
	if got, want := r.Out[7][0], texel(3, 3, 0, 0, 0)[2]; got != want {
		t.Errorf("textureGather gives %#x, not %#x", got, want)
	}
	if len(r.Stores) != 8*4 || r.Stores[0].Texel != [4]int32{1, 2} ||
		r.Stores[0].Word != word(float(texel(1, 1, 0, 0, 0)[0])+0.25) {
		t.Errorf("stores %+v", r.Stores)
	}
}
