package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tile is a group of neighbouring invocations (threads) of a kernel, which one invocation of a coarsened kernel
// replaces. The zero Tile is for a kernel that is not coarsened. Tile is the contract between the pass that makes
// such kernels, the verifier that checks them and the host that launches them.
//
// The invocation at (x, y) of the coarsened kernel does the work of the original invocations at (X*x+i,
// Y*y+j), for all i below X and j below Y. They are numbered k = j*X + i. If the original has n
// outputs, its output m in invocation k is output n*k+m of the coarsened kernel.
//
// With tables, coordinates are not positions. They are elements of one-dimensional resources that the
// host fills, one element an invocation: a list of pairs, for example. The table of the coarsened
// kernel holds the first coordinate of each tile. Its invocation x does the work of the original
// invocations at X*Y*x+k, in a launch whose table holds i, or j, more.
//
// The sides of the domain are multiples of the sides of the tile, or else the coarsened kernel is for
// one domain alone. In the latter case an original invocation beyond a side repeats the last one before
// it. Its outputs beyond the domain are unused, and its stores store the same values.
//
// Outputs and resources of one number an element may be packed: adjacent numbers of a row become the
// components of one element. The host then binds the same bytes as shorter rows of wider elements.
type Tile struct {
	X, Y int
	// XTable and YTable are one more than the number of the resource with the coordinate across, or
	// down; 0 means the position.
	XTable, YTable int
	// Width and Height are the sides of the original domain, if the coarsened kernel is for that domain
	// alone; 0 means any multiples of the tile.
	Width, Height int
	// Outputs is the number of neighbours across that share one output of the coarsened kernel, one
	// component each; 0 if each has its own outputs.
	Outputs int
	// Stored means that the coarsened kernel stores to g[] in place of outputs. Output m of n outputs of the original
	// invocation at (x, y) is element n*(Width*y+x)+m. No resource is bound to the memory of g[]: other invocations may
	// fetch what they would overwrite.
	Stored bool
	// Texels are the packed resources.
	Texels Texels
	// Group, if not 0, means that the tile is part of a work group. Y is 1 then. The group has X times fewer
	// invocations, which synchronize and share local memory, and there are as many groups as before.
	Group Grouping
	// Held means that elements of memory to which loops store stay in registers until the loops end. No other
	// invocation, and no other view, may access them. They must lie within memory, because a load beyond its
	// end does not return the stored value.
	Held bool
	// Images are the raw views whose memory the kernel reads as resources.
	Images Images
	// Restrict means that no memory that the kernel writes is bound to a view that it only reads. g[] counts as a view.
	Restrict bool
}

// Grouping chooses the invocations of a work group of T that become one.
type Grouping uint8

// The choices. The invocation t of the coarsened group does the work of the original ones
const (
	Spread   Grouping = iota + 1 // t + i*T/X: if groups are rows of a matrix, elements of one column
	Adjacent                     // X*t + i: neighbours
)

// maxInvocations limits the invocations of a tile, and maxSide the sides of a domain.
const (
	maxInvocations = 64
	maxSide        = 1 << 14
)

// Coarse reports whether t has more than one invocation.
func (t Tile) Coarse() bool { return t.X*t.Y > 1 }

// Same reports whether the host launches the kernel like the original.
func (t Tile) Same() bool {
	return !t.Coarse() && t.Texels == 0 && !t.Held && !t.Restrict && t.Images == Images{}
}

// Count returns the number of original invocations in a tile.
func (t Tile) Count() int { return max(t.X*t.Y, 1) }

// Tabled reports whether a coordinate comes from a table.
func (t Tile) Tabled() bool { return t.XTable != 0 || t.YTable != 0 }

// PositionOf returns the position of invocation k in the tile.
func (t Tile) PositionOf(k int) (i, j int) { return k % t.X, k / t.X }

// Output returns the location of output m of invocation k in the coarsened kernel; n is the number of
// original outputs. all reports that the location has all components, not only the first one in the
// named component.
func (t Tile) Output(k, m, n int) (output, component int, all bool) {
	if t.Outputs < 2 {
		return n*k + m, 0, true
	}
	return k/t.Outputs*n + m, k % t.Outputs, false
}

// Scale returns the number of original invocations per coarsened one, across and down the domain.
func (t Tile) Scale() [2]int {
	if t.Tabled() {
		return [2]int{t.Count(), 1}
	}
	return [2]int{t.X, t.Y}
}

// Offset returns the distance of invocation k from the first one in the original domain.
func (t Tile) Offset(k int) [2]int {
	if t.Tabled() {
		return [2]int{k, 0}
	}
	i, j := t.PositionOf(k)
	return [2]int{i, j}
}

// LastCoordinate returns the last coordinate of the domain along an axis. would reports whether invocation k may
// lie beyond it.
func (t Tile) LastCoordinate(k, axis int) (last int, would bool) {
	side := [2]int{t.Width, t.Height}[axis]
	return side - 1, side > 0 && t.Offset(k)[axis] > (side-1)%t.Scale()[axis]
}

// Member returns the number in its group of T that invocation k has, as a multiple of the number of the
// coarsened invocation and an offset.
func (t Tile) Member(k, size int) (scale, offset int) {
	if t.Group == Adjacent {
		return t.X, k
	}
	return 1, k * (size / t.X)
}

// Repeats reports whether some invocations are repeated because others would be beyond the domain.
func (t Tile) Repeats() bool {
	for k := range t.Count() {
		for axis := range 2 {
			if _, would := t.LastCoordinate(k, axis); would {
				return true
			}
		}
	}
	return false
}

// Table returns the difference between the table entries of invocation k and of the first one, for the
// table in a resource.
func (t Tile) Table(resource, k int) (more int, ok bool) {
	i, j := t.PositionOf(k)
	switch resource + 1 {
	case t.XTable:
		return i, true
	case t.YTable:
		return j, true
	}
	return 0, false
}

// Domain returns the domain to launch for w by h original invocations.
func (t Tile) Domain(w, h int) (int, int) {
	s := t.Scale()
	return (w + s[0] - 1) / s[0], (h + s[1] - 1) / s[1]
}

// Check returns an error if t is invalid.
func (t Tile) Check() error {
	switch {
	case t.X < 1 || t.Y < 1 || t.X > maxInvocations || t.Y > maxInvocations || t.Count() > maxInvocations:
		return fmt.Errorf("a tile of %d by %d is out of range (want 1 to %d invocations)", t.X, t.Y, maxInvocations)
	case t.Tabled() && t.XTable == t.YTable:
		return fmt.Errorf("one table cannot hold both coordinates")
	case t.Tabled() && (t.X > 1 && t.XTable == 0 || t.Y > 1 && t.YTable == 0):
		return fmt.Errorf("a tile of %d by %d needs tables for both coordinates, or for none", t.X, t.Y)
	case t.Width < 0 || t.Height < 0 || t.Width > maxSide || t.Height > maxSide:
		return fmt.Errorf("a domain of %d by %d is out of range (want sides from 1 to %d)", t.Width, t.Height, maxSide)
	case t.Tabled() && (t.Width > 0 && !t.Stored || t.Height > 0):
		return fmt.Errorf("a tile with tables has no width or height, because the host ends the tables")
	case t.Group != 0 && (t.X < 2 || t.Y > 1 || t.Tabled() || t.Width > 0 || t.Height > 0 || t.Outputs != 0 || t.Stored):
		return fmt.Errorf("a part of a group has 2 to %d invocations and no other settings", maxInvocations)
	case t.Outputs != 0 && t.Outputs != 2 && t.Outputs != 4:
		return fmt.Errorf("an output can hold 2 or 4 invocations, not %d", t.Outputs)
	case t.Stored && t.Outputs != 0:
		return fmt.Errorf("outputs are packed or stored, not both")
	case t.Stored && !t.Coarse():
		return fmt.Errorf("only a tile of several invocations stores its outputs")
	case t.Stored && t.Width == 0:
		return fmt.Errorf("stored outputs need the width of the domain (give width=W)")
	case t.Stored && t.Tabled() && t.Width%t.Count() != 0:
		return fmt.Errorf("a domain of %d across has no whole number of tiles of %d", t.Width, t.Count())
	case slices.ContainsFunc(t.Images.List(), func(i Image) bool {
		_, table := t.Table(int(i.Resource), 0)
		return table || t.Texels.ElementSize(int(i.Resource)) > 1
	}):
		return fmt.Errorf("the resource of an image is not packed and holds no coordinates")
	case t.Outputs != 0 && t.X%t.Outputs != 0:
		return fmt.Errorf("%d invocations across cannot share outputs by %d", t.X, t.Outputs)
	}
	return nil
}

// Shape returns t without packed resources, images and conditions on memory.
func (t Tile) Shape() Tile {
	t.Texels, t.Held, t.Restrict, t.Images = 0, false, false, Images{}
	return t
}

// String returns t in the syntax of [ParseTile].
func (t Tile) String() string {
	s := fmt.Sprintf("x=%d,y=%d", t.X, t.Y)
	switch t.Group {
	case Spread:
		s = fmt.Sprintf("group=%d", t.X)
	case Adjacent:
		s = fmt.Sprintf("adjacent=%d", t.X)
	}
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
	if t.Stored {
		s += ",stored=1"
	}
	for _, r := range t.Texels.Resources() {
		s += fmt.Sprintf(",packed=%d:%d", r, t.Texels.ElementSize(r))
	}
	for _, i := range t.Images.List() {
		s += fmt.Sprintf(",image=%d:%d:%d", i.View, i.Resource, i.Width)
	}
	if t.Held {
		s += ",held=1"
	}
	if t.Restrict {
		s += ",restrict=1"
	}
	return s
}

// ParseTile reads the output of String; x and y default to 1.
func ParseTile(text string) (Tile, error) {
	t := Tile{X: 1, Y: 1}
	seen := map[string]bool{}
	for _, word := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
		if add := map[string]func(string) error{"packed": t.Texels.parse, "image": t.Images.parse}[name]; add != nil {
			if err := add(value); err != nil {
				return Tile{}, err
			}
			continue
		}
		if seen[name] {
			return Tile{}, fmt.Errorf("%q gives %s twice, or two of x, group and adjacent", text, name)
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > maxSide {
			return Tile{}, fmt.Errorf("%q must have a form such as x=2,y=2 or x=2,y=2,x-table=1,y-table=2", text)
		}
		seen[name] = true
		switch name {
		case "x":
			t.X, seen["group"], seen["adjacent"] = n, true, true
		case "y":
			t.Y = n
		case "group":
			t.X, t.Group, seen["x"], seen["adjacent"] = n, Spread, true, true
		case "adjacent":
			t.X, t.Group, seen["x"], seen["group"] = n, Adjacent, true, true
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
		case "stored":
			if t.Stored = n == 1; !t.Stored {
				return Tile{}, fmt.Errorf("unknown value stored=%d (leave it out or give stored=1)", n)
			}
		case "held", "restrict":
			if n != 1 {
				return Tile{}, fmt.Errorf("unknown value %s=%d (leave it out or give %[1]s=1)", name, n)
			}
			t.Held, t.Restrict = t.Held || name == "held", t.Restrict || name == "restrict"
		default:
			return Tile{}, fmt.Errorf("unknown setting %q of a tile", name)
		}
	}
	return t, t.Check()
}

// MarshalText writes the text of String, and nothing for the zero Tile.
func (t Tile) MarshalText() ([]byte, error) {
	if t == (Tile{}) {
		return nil, nil
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads the output of MarshalText.
func (t *Tile) UnmarshalText(text []byte) (err error) {
	if *t = (Tile{}); len(text) > 0 {
		*t, err = ParseTile(string(text))
	}
	return err
}
