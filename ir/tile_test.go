package ir_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

func ExampleTile() {
	t, err := ir.ParseTile("x=2,y=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, h := t.Domain(64, 32)
	fmt.Printf("%v: %d invocations are one, of %d by %d\n", t, t.Count(), w, h)
	for k := range t.Count() {
		fmt.Println(k, t.Offset(k))
	}
	// Output:
	// x=2,y=2: 4 invocations are one, of 32 by 16
	// 0 [0 0]
	// 1 [1 0]
	// 2 [0 1]
	// 3 [1 1]
}

func TestParseTile(t *testing.T) {
	for _, text := range []string{"x=1,y=1", "x=4,y=3", "x=64,y=1", "x=2,y=2,x-table=1,y-table=2", "x=4,y=1,x-table=0",
		"x=4,y=2,outputs=4", "x=1,y=1,packed=0:4,packed=7:2", "x=2,y=1,x-table=3,outputs=2,packed=31:4", "x=1,y=1,packed=0:2,held=1", "x=1,y=1,held=1,restrict=1",
		"x=2,y=1,image=0:1:4,image=3:0:1,held=1", "x=4,y=2,width=1023,height=5,outputs=4", "group=4",
		"adjacent=2,held=1", "x=4,y=4,width=64,stored=1", "x=2,y=1,x-table=3,width=64,stored=1"} {
		got, err := ir.ParseTile(text)
		if err != nil || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		var again ir.Tile
		data, _ := got.MarshalText()
		if err := again.UnmarshalText(data); err != nil || again != got {
			t.Errorf("%s: %v, %v", text, again, err)
		}
	}
	if got, err := ir.ParseTile("y=2"); err != nil || got != (ir.Tile{X: 1, Y: 2}) {
		t.Errorf("y=2: %v, %v", got, err)
	}
	for _, text := range []string{"", "x", "x=0", "x=65", "x=9,y=9", "x=2,x=2", "z=2", "x=-1", "x=2,y=2,x-table=1",
		"x=2,y=2,x-table=1,y-table=1", "x=2,y=1,y-table=1", "x=2,y=2,outputs=4", "x=6,y=1,outputs=3", "x=1,y=2,outputs=2", "packed=0", "packed=32:4", "packed=0:3", "packed=1:4,packed=1:2", "held=0", "x=2,stored=1", "x=2,width=4,stored=2", "x=2,outputs=2,width=4,stored=1", "x=2,x-table=1,width=3,stored=1", "width=4,stored=1", "restrict=2", "x=2,width=16385", "x=2,y=1,x-table=1,width=5",
		"image=0:1", "image=0:1:2", "image=0:1:4,image=0:2:4", "image=0:1:4,image=2:1:1", "image=0:256:4", "x=2,x-table=1,image=0:1:4",
		"packed=1:4,image=0:1:4", "group=2,x=2", "x=2,group=2", "group=2,adjacent=2", "group=0", "group=2,y=2", "group=2,width=4", "group=1"} {
		if got, err := ir.ParseTile(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestTables checks that, with a table, the list of invocations is divided, and the rest of the domain
// stays.
func TestTileTables(t *testing.T) {
	c := ir.Tile{X: 2, Y: 3, XTable: 2, YTable: 3}
	if w, h := c.Domain(61, 5); w != 11 || h != 5 {
		t.Errorf("the domain is %d by %d", w, h)
	}
	for k := range c.Count() {
		x, inX := c.Table(1, k)
		y, inY := c.Table(2, k)
		_, other := c.Table(0, k)
		if x != k%2 || y != k/2 || !inX || !inY || other || c.Offset(k) != [2]int{k, 0} {
			t.Errorf("%d: %d %d, %v", k, x, y, c.Offset(k))
		}
	}
}

// TestMember checks that each invocation of a group has one place in the coarsened group.
func TestMember(t *testing.T) {
	for _, c := range []ir.Tile{{X: 4, Y: 1, Group: ir.Spread}, {X: 4, Y: 1, Group: ir.Adjacent}} {
		seen := map[int]bool{}
		for thread := range 64 / c.X {
			for k := range c.Count() {
				scale, offset := c.Member(k, 64)
				seen[scale*thread+offset] = true
			}
		}
		if len(seen) != 64 || !seen[0] || !seen[63] {
			t.Errorf("%v: %d of 64 invocations", c, len(seen))
		}
	}
}

// TestLastTile checks that an invocation beyond the domain repeats the last one before it if tiles do not
// divide the side.
func TestLastTile(t *testing.T) {
	c := ir.Tile{X: 4, Y: 2, Width: 10, Height: 6}
	for k := range c.Count() {
		i, _ := c.PositionOf(k)
		if last, would := c.LastCoordinate(k, 0); would != (i > 1) || would && last != 9 {
			t.Errorf("%d across: %d, %v", k, last, would)
		}
		if _, would := c.LastCoordinate(k, 1); would {
			t.Errorf("%d down is beyond", k)
		}
	}
	if last, would := (ir.Tile{X: 4, Y: 1, Width: 1}).LastCoordinate(1, 0); !would || last != 0 {
		t.Errorf("of one: %d, %v", last, would)
	}
}

// TestTileOutputs checks that neighbours across share an output, and that rows of a tile follow each other.
func TestTileOutputs(t *testing.T) {
	c := ir.Tile{X: 4, Y: 2, Outputs: 2}
	for k := range c.Count() {
		for m := range 2 {
			output, component, all := c.Output(k, m, 2)
			if i, j := c.PositionOf(k); output != 2*(i/2+2*j)+m || component != i%2 || all {
				t.Errorf("output %d of %d is o%d, component %d", m, k, output, component)
			}
		}
	}
	c.Outputs = 0
	if output, _, all := c.Output(3, 1, 2); output != 7 || !all {
		t.Errorf("o%d, %v", output, all)
	}
}

func TestTexels(t *testing.T) {
	var p ir.Texels
	p = p.WithPacking(3, 4).WithPacking(0, 2).WithPacking(31, 4).WithPacking(0, 4)
	if p.ElementSize(0) != 4 || p.ElementSize(1) != 1 || p.ElementSize(3) != 4 || p.ElementSize(31) != 4 ||
		p.ElementSize(32) != 1 || len(p.Resources()) != 3 {
		t.Errorf("%v", p.Resources())
	}
	if (ir.Tile{}).Same() != true || (ir.Tile{X: 1, Y: 1, Texels: p}).Same() || (ir.Tile{X: 2, Y: 1}).Same() {
		t.Error("what is the same is not told")
	}
}
