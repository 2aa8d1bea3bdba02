package draw

import "testing"

// TestShares checks the shares of instructions: the sum and the rest give the load of the program, also in loops, and a
// product that is fused costs nothing.
func TestShares(t *testing.T) {
	const text = `ps_3_0
def c0, 0.25, 3, 7, 11
defi i0, 5, 0, 0, 0
dcl_texcoord0 v0
dcl_2d s0
texld r0, v0, s0
mul r1, r0, c1
add r1, r1, c2
rcp r2.x, r1.x
rep i0
mad r1, r1, c0.x, r2.x
endrep
dp3 r1.x, r1, c3
mov oC0, r1
`
	d, err := New(nil, nil, parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, target := range Targets() {
		price, err := target.Price(d)
		if err != nil {
			t.Fatal(err)
		}
		_, shares, err := target.Shares(d)
		if err != nil {
			t.Fatal(err)
		}
		var sum Load
		at := map[int]Load{}
		for pos, l := range shares {
			at[pos.Line] = l
			for pipe, x := range l {
				sum[pipe] += x
			}
		}
		for pipe, x := range sum {
			if rest := price.Pixel[pipe] - x; rest < -1e-9 || rest > 5 {
				t.Errorf("%s: %s is %g, and the sum over instructions %g", target.Name, Pipe(pipe), price.Pixel[pipe], x)
			}
		}
		if l := at[6]; l[Texture] != 1 && !(target.Name == "bifrost" && l == (Load{})) { // it is preloaded
			t.Errorf("%s: the fetch has %v", target.Name, l)
		}
		wide := target.scalars != nil && target.scalars.wide // products are not fused, and have four components
		if l := at[7]; l != (Load{}) != wide {
			t.Errorf("%s: the fused product costs %v", target.Name, l)
		}
		few := !target.Quick() || wide
		if a, b := at[8][Arithmetic], at[11][Arithmetic]; !few && (a < 4 || b < 20) || few && b < 4*a {
			t.Errorf("%s: a sum costs %g, and one in a loop of 5 trips %g", target.Name, a, b)
		}
		if l := at[9]; target.Quick() && l.Work() == 0 {
			t.Errorf("%s: the reciprocal costs nothing", target.Name)
		}
	}
}
