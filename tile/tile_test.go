package tile_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/tile"
)

func Example() {
	t, err := tile.Parse("x=2,y=2")
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

func TestParse(t *testing.T) {
	for _, text := range []string{"x=1,y=1", "x=4,y=3", "x=64,y=1", "x=2,y=2,x-table=1,y-table=2", "x=4,y=1,x-table=0"} {
		got, err := tile.Parse(text)
		if err != nil || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		var again tile.Tile
		data, _ := got.MarshalText()
		if err := again.UnmarshalText(data); err != nil || again != got {
			t.Errorf("%s: %v, %v", text, again, err)
		}
	}
	if got, err := tile.Parse("y=2"); err != nil || got != (tile.Tile{X: 1, Y: 2}) {
		t.Errorf("y=2: %v, %v", got, err)
	}
	for _, text := range []string{"", "x", "x=0", "x=65", "x=9,y=9", "x=2,x=2", "z=2", "x=-1", "x=2,y=2,x-table=1", "x=2,y=2,x-table=1,y-table=1", "x=2,y=1,y-table=1"} {
		if got, err := tile.Parse(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// In a table the list of invocations is what is divided, and the rest of the domain stays.
func TestTables(t *testing.T) {
	c := tile.Tile{X: 2, Y: 3, XTable: 2, YTable: 3}
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
