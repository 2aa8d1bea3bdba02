package kernel

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// output is a named result of a launch; the zero output is invalid.
type output struct {
	kind byte // o, d, m, g or u
	num  int
}

// outputOf returns the output with a name.
func outputOf(name string) output {
	switch name {
	case "depth", "mask", "g":
		return output{kind: name[0]}
	}
	if len(name) < 2 || name[0] != 'o' && name[0] != 'u' || name[1] == '+' || name[1] == '-' {
		return output{}
	}
	n, err := strconv.Atoi(name[1:])
	if err != nil || name[0] == 'o' && n >= Outputs || n > maxRegister {
		return output{}
	}
	return output{name[0], n}
}

// Named returns the words of an output by its name in out lines, or nil if the kernel has no such output.
func (r *Result) Named(name string) []uint32 {
	switch o := outputOf(name); o.kind {
	case 'o':
		return r.Out[o.num]
	case 'd':
		return r.Depth
	case 'm':
		return r.Mask
	case 'g':
		return r.Global
	case 'u':
		return r.View(o.num)
	}
	return nil
}

// Memory returns the initial words of the global buffer or a view, by its name in out lines. It returns nil
// if the case has none.
func (c *Case) Memory(name string) []uint32 {
	switch o := outputOf(name); {
	case o.kind == 'g' && c.Global != nil:
		return c.Global.Data.words(4*c.Global.Elements, false)
	case o.kind == 'u':
		for i := range c.Views {
			if v := &c.Views[i]; v.ID == o.num {
				return v.Data.words(4*v.Width*v.Height*v.Depth, false)
			}
		}
	}
	return nil
}

// Share returns the initial words of a part of the global data share, or nil if the case has none.
func (c *Case) Share(id int) []uint32 {
	if s := c.share(id); s != nil {
		return s.Data.words(s.Words, false)
	}
	return nil
}

func (c *Case) share(id int) *Share {
	if i := slices.IndexFunc(c.Shares, func(s Share) bool { return s.ID == id }); i >= 0 {
		return &c.Shares[i]
	}
	return nil
}

// Names lists the results of the launch, in the order of the registers: the outputs, the global buffer, the
// views.
func (r *Result) Names() (names []string) {
	for i, w := range r.Out {
		if w != nil {
			names = append(names, fmt.Sprintf("o%d", i))
		}
	}
	for _, name := range [...]string{"depth", "mask", "g"} {
		if r.Named(name) != nil {
			names = append(names, name)
		}
	}
	for _, v := range r.Views {
		names = append(names, fmt.Sprintf("u%d", v.ID))
	}
	return names
}

// Bytes returns the outputs with these names as little-endian words, one output after the other. Without
// names it returns all outputs.
func (r *Result) Bytes(names []string) ([]byte, error) {
	if len(names) == 0 {
		names = r.Names()
	}
	var b []byte
	for _, name := range names {
		words := r.Named(name)
		if words == nil {
			return nil, asm.Errorf(asm.Pos{}, "no-output", "the kernel leaves no %s, but %s", name,
				strings.Join(r.Names(), ", "))
		}
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
	}
	return b, nil
}
