package kernel

import (
	"path/filepath"

	"github.com/shaderlift/shaderlift/asm"
)

// Case is one launch of a kernel: everything but the program. See the package
// documentation for its text form. What it does not give is zero.
type Case struct {
	// Width and Height are the domain: one invocation per element, row by row.
	Width, Height int

	Constants [Banks][][4]uint32 // cb0[] and on
	Immediate [][4]uint32        // icb[]
	Ints      [][4]uint32        // i#

	Inputs    []Input
	Resources []Resource
	Global    *Buffer // g[]; nil has no elements
	Views     []View
	Shares    []Share

	// Out names what to write of the result: o0 to o7, depth, mask, g, u0 and on.
	// Empty stands for all outputs, the global buffer and the views the kernel writes.
	Out []string
}

// Banks is how many constant buffers there are.
const Banks = 16

// Input is what the register v# holds: four words for each element of the domain.
type Input struct {
	Reg  int
	Data Data
}

// Format is what a fetch from a resource delivers, which its declaration does not tell.
type Format uint8

// The formats.
const (
	Float1 Format = iota // the number in every lane
	Float2               // z is 0 and w is 1
	Float4
	Uint4
)

// formatNames spells the formats of in lines.
var formatNames = [...]string{Float1: "float1", Float2: "float2", Float4: "float4", Uint4: "uint4"}

func (f Format) String() string { return formatNames[f] }

// Components is how many words an element of a resource has.
func (f Format) Components() int { return [...]int{1, 2, 4, 4}[f] }

// Resource is what the kernel samples by the number ID: Depth slices or layers of
// Height rows of Width elements.
type Resource struct {
	ID                   int
	Width, Height, Depth int
	Format               Format
	Data                 Data
}

// Buffer is memory of elements of four words.
type Buffer struct {
	Elements int
	Data     Data
}

// View is what an unordered-access view sees: Width*Height*Depth elements of four words.
// Raw views and arenas address its bytes.
type View struct {
	ID                   int
	Width, Height, Depth int
	Data                 Data
}

// Share is a part of the global data share, of so many words.
type Share struct {
	ID, Words int
	Data      Data
}

// Limits of a case, which bound the memory of a launch.
const (
	maxEdge     = 1 << 14
	maxDomain   = 1 << 22 // invocations
	maxWords    = 1 << 26 // of all memory together
	maxConstant = 4096    // elements of a constant buffer
	maxInts     = 64
	maxRegister = 1 << 10 // number of an input, a resource or a view
)

// size is width*height*depth, and whether each and the product are in range.
func size(w, h, d int) (int, bool) {
	ok := w >= 1 && h >= 1 && d >= 1 && w <= maxWords && h <= maxEdge && d <= maxEdge
	return w * h * d, ok && w*h <= maxWords && w*h*d <= maxWords
}

// check refuses a case, however it was made, that a launch cannot bear: sizes out of range, data of
// another size than its memory, or too much memory in all. It runs before anything is allocated.
func (c *Case) check() *asm.Diag {
	fail := func(code asm.Code, format string, args ...any) *asm.Diag {
		return asm.Errorf(asm.Pos{}, code, format, args...)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxDomain || c.Height > maxDomain || c.Width*c.Height > maxDomain {
		return fail("domain-size", "a domain of %d by %d is out of range", c.Width, c.Height)
	}
	total := 0
	// take counts memory against the bound on all of it.
	take := func(what string, id, words int, ok bool, d *Data) *asm.Diag {
		total += words
		switch {
		case id < 0 || id > maxRegister:
			return fail("register-range", "there is no %s %d", what, id)
		case !ok || words > maxWords || total > maxWords:
			return fail("data-size", "%s %d is too large: all memory is %d words at most", what, id, maxWords)
		case (d.Kind == Words || d.Kind == File) && len(d.Words) != words:
			return fail("data-size", "%s %d is %d words and has data of %d", what, id, words, len(d.Words))
		}
		return nil
	}
	for i := range c.Inputs {
		in := &c.Inputs[i]
		words := 4 * c.Width * c.Height
		if in.Data.Kind == Linear {
			words = 0
		}
		if d := take("input", in.Reg, words, true, &in.Data); d != nil {
			return d
		}
	}
	for i := range c.Resources {
		r := &c.Resources[i]
		n, ok := size(r.Width, r.Height, r.Depth)
		if d := take("resource", r.ID, n*r.Format.Components(), ok, &r.Data); d != nil {
			return d
		}
	}
	if g := c.Global; g != nil {
		if d := take("global buffer", 0, 4*g.Elements, g.Elements >= 0 && g.Elements <= maxWords/4, &g.Data); d != nil {
			return d
		}
	}
	for i := range c.Views {
		v := &c.Views[i]
		n, ok := size(v.Width, v.Height, v.Depth)
		if d := take("view", v.ID, 4*n, ok, &v.Data); d != nil {
			return d
		}
	}
	for i := range c.Shares {
		s := &c.Shares[i]
		if d := take("part of the global data share", s.ID, s.Words, s.Words >= 0 && s.Words <= maxLocal/4, &s.Data); d != nil {
			return d
		}
	}
	return nil
}

// Files lists the files that c, read from a case file of that name, took data from.
func (c *Case) Files(name string) []string {
	data := []*Data{}
	for i := range c.Inputs {
		data = append(data, &c.Inputs[i].Data)
	}
	for i := range c.Resources {
		data = append(data, &c.Resources[i].Data)
	}
	if c.Global != nil {
		data = append(data, &c.Global.Data)
	}
	for i := range c.Views {
		data = append(data, &c.Views[i].Data)
	}
	for i := range c.Shares {
		data = append(data, &c.Shares[i].Data)
	}
	var paths []string
	for _, d := range data {
		if d.Kind == File {
			paths = append(paths, besides(name, d.Path))
		}
	}
	return paths
}

// besides is path as a case file of that name means it.
func besides(name, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(name), path)
}
