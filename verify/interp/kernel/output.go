package kernel

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// output is something a launch leaves that has a name; the zero output is none.
type output struct {
	kind byte // o, d, m, g or u
	num  int
}

// outputOf finds an output by name.
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

// Named is the words of an output by the name it has in out lines; nil if the kernel
// has none such.
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

// Memory is the words that the global buffer or a view holds before a launch, by the
// name it has in out lines; nil if the case gives none such.
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

// Share is the words that a part of the global data share holds before a launch; nil if the case
// gives none such.
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

// Names lists what the launch left, in the order of the registers: the outputs, the
// global buffer, the views.
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

// Bytes is the outputs with these names, one after the other, or all if there are no
// names: little-endian words.
func (r *Result) Bytes(names []string) ([]byte, error) {
	if len(names) == 0 {
		names = r.Names()
	}
	var b []byte
	for _, name := range names {
		words := r.Named(name)
		if words == nil {
			return nil, asm.Errorf(asm.Pos{}, "no-output", "the kernel leaves no %s, but %s", name, strings.Join(r.Names(), ", "))
		}
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
	}
	return b, nil
}
