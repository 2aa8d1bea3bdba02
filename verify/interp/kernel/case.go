package kernel

import (
	"math"
	"path/filepath"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
)

// Case is one launch of a kernel: everything except the program. See the package documentation for its text
// form. Missing values are zero.
type Case struct {
	// Width and Height give the domain: one invocation per element, row by row.
	Width, Height int
	// Steps is the number of wavefront steps from which the time of the launch is predicted; the remaining
	// steps are extrapolated. 0 selects the default of package sim. Execution ignores it.
	Steps int

	Constants [Banks][][4]uint32 // cb0[] and on
	Immediate [][4]uint32        // icb[]
	Ints      [][4]uint32        // i#

	Inputs    []Input
	Resources []Resource
	Global    *Buffer // g[]; nil has no elements
	Views     []View
	Shares    []Share

	// Out names the outputs to write: o0 to o7, depth, mask, g, u0 and on. An empty list selects all
	// outputs, the global buffer and the views that the kernel writes.
	Out []string
}

// Banks is the number of constant buffers.
const Banks = 16

// Input holds the contents of the register v#: four words for each element of the domain.
type Input struct {
	Reg  int
	Data Data
}

// Format is the form in which a fetch returns an element of a resource, which the declaration does not
// specify.
type Format uint8

// The formats.
const (
	Float1 Format = iota // the number in every lane
	Float2               // z is 0 and w is 1
	Float4
	Uint4
)

// formatNames holds the names of formats in in lines.
var formatNames = [...]string{Float1: "float1", Float2: "float2", Float4: "float4", Uint4: "uint4"}

func (f Format) String() string { return formatNames[f] }

// Components returns the number of words in an element of a resource.
func (f Format) Components() int { return [...]int{1, 2, 4, 4}[f] }

// Resource is the resource that the kernel samples by the number ID: Depth slices or layers of Height rows
// of Width elements.
type Resource struct {
	ID                   int
	Width, Height, Depth int
	Format               Format
	Data                 Data
}

// Buffer is memory with elements of four words.
type Buffer struct {
	Elements int
	Data     Data
}

// View is the memory of an unordered-access view: Width*Height*Depth elements of four words. Raw views and
// arenas address its bytes.
type View struct {
	ID                   int
	Width, Height, Depth int
	Data                 Data
}

// WithImage returns c with the words of a view bound to a resource too, as a buffer of width numbers an element. A view
// that c does not have is no resource either.
func (c *Case) WithImage(view, resource, width int) *Case {
	d := *c
	d.Resources = slices.DeleteFunc(slices.Clone(c.Resources), func(r Resource) bool { return r.ID == resource })
	for _, v := range c.Views {
		if v.ID != view {
			continue
		}
		r := Resource{ID: resource, Width: v.Width * v.Height * v.Depth, Height: 1, Depth: 1, Format: Float4, Data: v.Data}
		if width == 1 {
			r.Width, r.Format = 4*r.Width, Float1
		}
		d.Resources = append(d.Resources, r)
	}
	return &d
}

// Share is a part of the global data share, with its size in words.
type Share struct {
	ID, Words int
	Data      Data
}

// Limits of a case.
const (
	maxEdge     = 1 << 14
	maxSteps    = 1 << 24 // for the prediction of a time
	maxEvery    = 1 << 8  // every N
	maxConstant = 4096    // elements of a constant buffer
	maxInts     = 64
	maxRegister = 1 << 10 // number of an input, a resource or a view
)

// limits holds limits on the size of a launch.
type limits struct {
	domain int // invocations
	words  int // of all memory together
}

// executed holds the limits of a launch to be executed. described holds those of a launch whose time is
// only predicted, which takes no memory.
var (
	executed  = limits{1 << 22, 1 << 26}
	described = limits{1 << 28, math.MaxInt32}
)

// maxDomain bounds the invocations of an executed launch.
const maxDomain = 1 << 22

// Executable returns an error if c is too large to execute, and only its time can be predicted.
func (c *Case) Executable() error {
	if d := c.check(&executed); d != nil {
		return d
	}
	return nil
}

// domainSize returns width*height*depth, and reports whether each factor and the product are in range.
func (m *limits) domainSize(w, h, d int) (int, bool) {
	ok := w >= 1 && h >= 1 && d >= 1 && w <= m.words && h <= maxEdge && d <= maxEdge
	return w * h * d, ok && w*h <= m.words && w*h*d <= m.words
}

// check rejects a case that exceeds limits m: sizes out of range, data of another size than its memory, or
// too much memory in total. It runs before any allocation.
func (c *Case) check(m *limits) *asm.Diag {
	fail := func(code asm.Code, format string, args ...any) *asm.Diag {
		return asm.Errorf(asm.Pos{}, code, format, args...)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > m.domain || c.Height > m.domain || c.Width*c.Height > m.domain {
		return fail("domain-size", "a domain of %d by %d is out of range: it has %d invocations at most", c.Width, c.Height,
			m.domain)
	}
	total := 0
	// take counts memory against the total limit.
	take := func(what string, id, words int, ok bool, d *Data) *asm.Diag {
		total += words
		switch {
		case id < 0 || id > maxRegister:
			return fail("register-range", "there is no %s %d", what, id)
		case !ok || words > m.words || total > m.words:
			return fail("data-size", "%s %d is too large: all memory is %d words at most", what, id, m.words)
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
		n, ok := m.domainSize(r.Width, r.Height, r.Depth)
		if d := take("resource", r.ID, n*r.Format.Components(), ok, &r.Data); d != nil {
			return d
		}
	}
	if g := c.Global; g != nil {
		if d := take("global buffer", 0, 4*g.Elements, g.Elements >= 0 && g.Elements <= m.words/4, &g.Data); d != nil {
			return d
		}
	}
	for i := range c.Views {
		v := &c.Views[i]
		n, ok := m.domainSize(v.Width, v.Height, v.Depth)
		if d := take("view", v.ID, 4*n, ok, &v.Data); d != nil {
			return d
		}
	}
	for i := range c.Shares {
		s := &c.Shares[i]
		if d := take("part of the global data share", s.ID, s.Words, s.Words >= 0 && s.Words <= maxLocal/4,
			&s.Data); d != nil {
			return d
		}
	}
	return nil
}

// Files lists the files from which c read data; name is the name of c's case file.
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

// besides resolves path relative to the case file of that name.
func besides(name, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(name), path)
}
