package containers

import (
	"bytes"
	"fmt"
	"slices"
	"sort"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Container is a file that contains Direct3D 9 programs and may be written with other programs in their places.
type Container struct {
	// Form is the kind of file, as part of a sentence.
	Form string
	// Binary reports whether the file is not text.
	Binary bool
	// Programs are the different programs of the file, in the order of their first places.
	Programs []*Program
	// Notes are diagnostics of parts that look like programs but are left as they are.
	Notes asm.Diags

	file   string
	data   []byte
	edits  []edit
	encode func() ([]byte, error) // replaces edits
	finish func([]byte) []byte    // completes the file after the edits
	other  asm.Diags              // notes of shaders for other APIs, which bgfx writes next to each other
	places map[string]*Program
	count  map[string]int // places by name, before names are made unique
	lines  []int          // offsets of line ends
}

// Program is a program in a container.
type Program struct {
	// Names are the names of its places, each unique in the file and valid as a file name.
	Names []string
	// Data is the program as bytecode or text. Assign other bytes to replace the program in all its places.
	Data []byte
	// Pos is its first place in the file.
	Pos asm.Pos

	original []byte
	group    string // equal for programs that a draw uses together, or empty
}

// Changed reports whether Data differs from the program in the file.
func (p *Program) Changed() bool { return !bytes.Equal(p.Data, p.original) }

// Model returns the shader model of the program, by its first token or word.
func (p *Program) Model() (d3d9.Model, bool) { return d3d9.PeekModel(p.Data) }

// edit is a range of the file that depends on a program.
type edit struct {
	from, to int
	program  *Program
	render   func(program []byte) ([]byte, error)
}

// Open reads a container. It returns nil if data has none of the known forms. The error is a diagnostic: of a damaged
// file, or of the first note if nothing in the file can be read.
func Open(file string, data []byte) (*Container, error) {
	if !isVCS(data) {
		return openOther(file, data)
	}
	c := newContainer(file, data)
	return c.opened(c.readVCS())
}

// openOther opens a container that is not compressed. Programs that only name forms omit the decompressors.
func openOther(file string, data []byte) (*Container, error) {
	c := newContainer(file, data)
	switch {
	case isBgfx(data):
		return c.opened(c.readBgfx())
	case bytes.IndexByte(data, '{') < 0, bytes.IndexByte(data, 0) >= 0:
		return nil, nil
	case unityProgram.Match(data):
		c.readUnity()
	default:
		c.readSource()
	}
	return c.opened(nil)
}

func newContainer(file string, data []byte) *Container {
	return &Container{file: file, data: data, places: map[string]*Program{}, count: map[string]int{}}
}

// opened returns the results of Open after err.
func (c *Container) opened(err error) (*Container, error) {
	if err == nil && len(c.Programs) == 0 {
		notes := append(c.Notes, c.other...)
		if len(notes) == 0 {
			return nil, nil
		}
		err = notes[0]
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// MayOpen reports whether a file that begins with head may be a container. It needs no more than 64 KiB.
func MayOpen(head []byte) bool {
	if isBgfx(head) || bytes.IndexByte(head, '{') >= 0 {
		return true
	}
	_, vcs := vcsOrder(head)
	return vcs || bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("#"))
}

// Find returns the program at the place of that name, or nil.
func (c *Container) Find(name string) *Program { return c.places[name] }

// Units returns the programs to optimize together: the vertex and the pixel program of each pair that the file shows,
// in this order, and all others alone.
func (c *Container) Units() (units [][]*Program) {
	groups := map[string][]*Program{}
	for _, p := range c.Programs {
		groups[p.group] = append(groups[p.group], p)
	}
	for _, p := range c.Programs {
		switch g := groups[p.group]; {
		case p.group == "" || len(g) != 2 || stageOf(g[0]) == stageOf(g[1]):
			units = append(units, []*Program{p})
		case p != g[0]: // its pair is in the list
		case stageOf(p) == d3d9.Pixel:
			units = append(units, []*Program{g[1], p})
		default:
			units = append(units, g)
		}
	}
	return units
}

func stageOf(p *Program) d3d9.Stage {
	m, _ := p.Model()
	return m.Stage
}

// Encode returns the file with the current programs. An unchanged file is returned byte for byte. The error is a
// diagnostic of a program that does not fit into its place.
func (c *Container) Encode() ([]byte, error) {
	if !slices.ContainsFunc(c.Programs, (*Program).Changed) {
		return bytes.Clone(c.data), nil
	}
	if c.encode != nil {
		return c.encode()
	}
	var out []byte
	at := 0
	slices.SortStableFunc(c.edits, func(a, b edit) int { return a.from - b.from })
	for _, e := range c.edits {
		if !e.program.Changed() || e.from < at { // the program is unchanged, or the array of several programs is written
			continue
		}
		text, err := e.render(e.program.Data)
		if err != nil {
			return nil, err
		}
		out = append(append(out, c.data[at:e.from]...), text...)
		at = e.to
	}
	out = append(out, c.data[at:]...)
	if c.finish != nil {
		out = c.finish(out)
	}
	return out, nil
}

// add adds a program at a place and makes its name unique.
func (c *Container) add(name string, data []byte, pos asm.Pos) *Program {
	p := &Program{Data: data, original: data, Pos: pos}
	c.Programs = append(c.Programs, p)
	c.name(p, name)
	return p
}

// name gives p a further name.
func (c *Container) name(p *Program, name string) {
	name = fileName(name)
	unique := name
	for c.places[unique] != nil {
		c.count[name]++
		unique = fmt.Sprintf("%s~%d", name, c.count[name]+1)
	}
	c.places[unique] = p
	p.Names = append(p.Names, unique)
}

// maxName bounds the length of names, which are names of files.
const maxName = 120

// fileName replaces the bytes of a name that are unusual in names of files.
func fileName(name string) string {
	name = name[:min(len(name), maxName)]
	return string(bytes.Map(func(r rune) rune {
		if r > 0x7e || r < '+' || bytes.ContainsRune([]byte(`,/:;<=>?[\]^|`), r) {
			return '_'
		}
		return r
	}, []byte(name)))
}

// note records a part of the file that is left as it is.
func (c *Container) note(pos asm.Pos, code asm.Code, format string, args ...any) {
	c.Notes = append(c.Notes, asm.Errorf(pos, code, format, args...))
}

// offset returns the position of a byte of a binary file.
func (c *Container) offset(at int) asm.Pos { return asm.Pos{File: c.file, Offset: at} }

// position returns the position of a byte of a text.
func (c *Container) position(at int) asm.Pos {
	if c.lines == nil {
		c.lines = []int{-1}
		for i, b := range c.data {
			if b == '\n' {
				c.lines = append(c.lines, i)
			}
		}
	}
	line := sort.SearchInts(c.lines, at)
	return asm.Pos{File: c.file, Line: line, Col: at - c.lines[line-1]}
}
