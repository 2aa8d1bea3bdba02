// Package tile says which invocations of a kernel one invocation of a coarser kernel does the
// work of: the contract between the pass that makes such kernels, the judge that checks them
// and the host that launches them.
//
// The invocation at (x, y) of the coarser kernel does what those at (X*x+i, Y*y+j) of the
// original do, for all i below X and j below Y. They are numbered k = j*X + i, and where one
// has n outputs, output m of number k is output n*k+m of the coarser kernel.
//
// With tables coordinates are not positions but what the host has put into one-dimensional
// resources, one element an invocation: a list of pairs, say. Then the table of the coarser
// kernel holds where each tile begins, and its invocation x does what those at X*Y*x+k do in a
// launch of the original whose table holds i, or j, more than that.
//
// The sides of the domain are multiples of those of tiles, or else the coarser kernel is for one
// domain alone: then an invocation of the original that would be beyond a side is the last one
// before it once more. What that leaves beyond the domain is of no use, and it stores what is there.
//
// Outputs and resources of one number an element may be packed: what stands side by side in a
// row becomes the components of one element, so that the host binds the same bytes as rows that
// are so many times shorter, of wider elements.
package tile

import (
	"fmt"
	"strconv"
	"strings"
)

// Tile is a number of neighbouring invocations. The zero Tile is that of a kernel that is not
// coarser than its original.
type Tile struct {
	X, Y int
	// XTable and YTable are one more than the number of the resource that holds the coordinate
	// across, or down; 0 if it is the position.
	XTable, YTable int
	// Width and Height are the sides of the domain of the original, where they are no multiples of
	// those of the tile and the coarser kernel is for that domain alone; 0 are any multiples.
	Width, Height int
	// Outputs is how many neighbours across have their first components in one output of the
	// coarser kernel; 0 if each has outputs of its own.
	Outputs int
	// Texels are the resources that are packed.
	Texels Texels
	// Held says that elements of g[] which loops store to are kept in registers until they end,
	// so that no other invocation may access them, and they are not beyond its end, where a load
	// does not find what was stored.
	Held bool
}

// Max bounds how many invocations are one, and MaxSide the sides of a domain.
const (
	Max     = 64
	MaxSide = 1 << 14
)

// Coarse reports whether t is more than one invocation.
func (t Tile) Coarse() bool { return t.X*t.Y > 1 }

// Same reports whether the host does for the kernel what it did for the original.
func (t Tile) Same() bool { return !t.Coarse() && t.Texels == 0 && !t.Held }

// Count is how many invocations of the original are one.
func (t Tile) Count() int { return max(t.X*t.Y, 1) }

// Tabled reports whether a coordinate comes from a table.
func (t Tile) Tabled() bool { return t.XTable != 0 || t.YTable != 0 }

// At is where invocation k is in the tile.
func (t Tile) At(k int) (i, j int) { return k % t.X, k / t.X }

// Output is where output m of n of invocation k is among those of the coarser kernel; all says
// that it has all its components there, and not its first one in the one that is named.
func (t Tile) Output(k, m, n int) (output, component int, all bool) {
	if t.Outputs < 2 {
		return n*k + m, 0, true
	}
	return k/t.Outputs*n + m, k % t.Outputs, false
}

// Scale is how many invocations of the original there are for one, across and down the domain.
func (t Tile) Scale() [2]int {
	if t.Tabled() {
		return [2]int{t.Count(), 1}
	}
	return [2]int{t.X, t.Y}
}

// Offset is how far invocation k is from the first one in the domain of the original.
func (t Tile) Offset(k int) [2]int {
	if t.Tabled() {
		return [2]int{k, 0}
	}
	i, j := t.At(k)
	return [2]int{i, j}
}

// Last is the coordinate that invocation k does not go beyond along an axis, and whether it would.
func (t Tile) Last(k, axis int) (last int, would bool) {
	side := [2]int{t.Width, t.Height}[axis]
	return side - 1, side > 0 && t.Offset(k)[axis] > (side-1)%t.Scale()[axis]
}

// Repeats reports whether invocations are done more than once: some would be beyond the domain.
func (t Tile) Repeats() bool {
	for k := range t.Count() {
		for axis := range 2 {
			if _, would := t.Last(k, axis); would {
				return true
			}
		}
	}
	return false
}

// Table is what the table in a resource holds for invocation k more than for the first one.
func (t Tile) Table(resource, k int) (more int, ok bool) {
	i, j := t.At(k)
	switch resource + 1 {
	case t.XTable:
		return i, true
	case t.YTable:
		return j, true
	}
	return 0, false
}

// Domain is what has to be launched for w by h invocations of the original.
func (t Tile) Domain(w, h int) (int, int) {
	s := t.Scale()
	return (w + s[0] - 1) / s[0], (h + s[1] - 1) / s[1]
}

// Check says what is wrong with t.
func (t Tile) Check() error {
	switch {
	case t.X < 1 || t.Y < 1 || t.X > Max || t.Y > Max || t.Count() > Max:
		return fmt.Errorf("a tile of %d by %d is out of range: it has 1 to %d invocations", t.X, t.Y, Max)
	case t.Tabled() && t.XTable == t.YTable:
		return fmt.Errorf("one table cannot hold both coordinates")
	case t.Tabled() && (t.X > 1 && t.XTable == 0 || t.Y > 1 && t.YTable == 0):
		return fmt.Errorf("of %d by %d invocations both coordinates come from tables, or none does", t.X, t.Y)
	case t.Width < 0 || t.Height < 0 || t.Width > MaxSide || t.Height > MaxSide:
		return fmt.Errorf("a domain of %d by %d is out of range: its sides are 1 to %d", t.Width, t.Height, MaxSide)
	case t.Tabled() && (t.Width > 0 || t.Height > 0):
		return fmt.Errorf("where tables end is for the host to say, not a width or a height")
	case t.Outputs != 0 && t.Outputs != 2 && t.Outputs != 4:
		return fmt.Errorf("outputs hold 2 or 4 invocations, not %d", t.Outputs)
	case t.Outputs != 0 && t.X%t.Outputs != 0:
		return fmt.Errorf("of %d invocations across no %d share outputs evenly", t.X, t.Outputs)
	}
	return nil
}

// Shape is t without what is packed of resources and held of memory.
func (t Tile) Shape() Tile {
	t.Texels, t.Held = 0, false
	return t
}

// String writes t in the form that [Parse] reads.
func (t Tile) String() string {
	s := fmt.Sprintf("x=%d,y=%d", t.X, t.Y)
	if t.XTable != 0 {
		s += fmt.Sprintf(",x-table=%d", t.XTable-1)
	}
	if t.YTable != 0 {
		s += fmt.Sprintf(",y-table=%d", t.YTable-1)
	}
	if t.Width != 0 {
		s += fmt.Sprintf(",width=%d", t.Width)
	}
	if t.Height != 0 {
		s += fmt.Sprintf(",height=%d", t.Height)
	}
	if t.Outputs != 0 {
		s += fmt.Sprintf(",outputs=%d", t.Outputs)
	}
	for _, r := range t.Texels.Resources() {
		s += fmt.Sprintf(",packed=%d:%d", r, t.Texels.By(r))
	}
	if t.Held {
		s += ",held=1"
	}
	return s
}

// Parse reads what String writes; x and y are 1 unless they are given.
func Parse(text string) (Tile, error) {
	t := Tile{X: 1, Y: 1}
	seen := map[string]bool{}
	for _, word := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
		if name == "packed" {
			if err := t.Texels.parse(value); err != nil {
				return Tile{}, err
			}
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > MaxSide || seen[name] {
			return Tile{}, fmt.Errorf("%q is not like x=2,y=2 or x=2,y=2,x-table=1,y-table=2", text)
		}
		seen[name] = true
		switch name {
		case "x":
			t.X = n
		case "y":
			t.Y = n
		case "x-table":
			t.XTable = n + 1
		case "y-table":
			t.YTable = n + 1
		case "width":
			t.Width = n
		case "height":
			t.Height = n
		case "outputs":
			t.Outputs = n
		case "held":
			if t.Held = n == 1; !t.Held {
				return Tile{}, fmt.Errorf("memory is held, or nothing is said of it, not held=%d", n)
			}
		default:
			return Tile{}, fmt.Errorf("a tile has no %q", name)
		}
	}
	return t, t.Check()
}

// MarshalText is String, and nothing of the zero Tile.
func (t Tile) MarshalText() ([]byte, error) {
	if t == (Tile{}) {
		return nil, nil
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (t *Tile) UnmarshalText(text []byte) (err error) {
	if *t = (Tile{}); len(text) > 0 {
		*t, err = Parse(string(text))
	}
	return err
}
