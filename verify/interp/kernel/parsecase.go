package kernel

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/interp/internal/casetext"
)

// ParseCase reads the text form of a case that takes no data from files.
func ParseCase(file string, data []byte) (*Case, error) { return ParseCaseWith(file, data, nil) }

// ParseCaseWith reads the text form of a case. What it takes from files it reads through
// open, which says what the paths in it mean; without one there are no files.
func ParseCaseWith(file string, data []byte, open Opener) (*Case, error) {
	p := &caseParser{Case: &Case{Width: defaultEdge, Height: defaultEdge}, Reader: casetext.New(file), open: open}
	if d := p.Lines(data, p.statement); d != nil {
		return nil, d
	}
	if d := p.inputs(); d != nil {
		return nil, d
	}
	if d := p.check(); d != nil {
		d.Pos = p.End()
		return nil, d
	}
	return p.Case, nil
}

// defaultEdge is that of the domain of a case that does not say.
const defaultEdge = 16

// caseParser reads the statements of a case. Memory is bounded before it is allocated: total counts
// the words that the text asks for, since a short line can ask for much.
type caseParser struct {
	*Case
	*casetext.Reader
	open  Opener
	total int
	where []asm.Pos // of Inputs: the size of their data is known at the end
}

// number reads a word of 32 bits: hexadecimal ones as they are, others as a number.
func (p *caseParser) number(integer bool) uint32 {
	w := p.Word()
	if hex, ok := strings.CutPrefix(w, "0x"); ok {
		if v, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return uint32(v)
		}
	} else if integer {
		if v, err := strconv.ParseInt(w, 10, 64); err == nil && v >= math.MinInt32 && v <= math.MaxUint32 {
			return uint32(v)
		}
	} else if v, ok := casetext.ParseFloat(w); ok {
		return math.Float32bits(v)
	}
	p.Fail("bad-number", "%q is not a number of 32 bits", w)
	return 0
}

// hex reads a word in hexadecimal, with or without 0x.
func (p *caseParser) hex() uint32 {
	w := p.Word()
	v, err := strconv.ParseUint(strings.TrimPrefix(w, "0x"), 16, 32)
	if err != nil {
		p.Fail("bad-number", "%q is not a word of 32 bits in hexadecimal", w)
	}
	return uint32(v)
}

// four reads the components of a register: floats, integers or words, as the end of
// the key says.
func (p *caseParser) four(kind string) (v [4]uint32) {
	for c := range v {
		if kind == "x" {
			v[c] = p.hex()
		} else {
			v[c] = p.number(kind == "i")
		}
	}
	return v
}

// set sets an element of a register file, growing it.
func set(file *[][4]uint32, at int, v [4]uint32) {
	for len(*file) <= at {
		*file = append(*file, [4]uint32{})
	}
	(*file)[at] = v
}

// statement reads the line of a key. doc.go describes the language.
func (p *caseParser) statement(key string) {
	switch key {
	case "domain":
		p.Width, p.Height = p.Int(1, maxDomain), p.Int(1, maxDomain)
		if p.Width*p.Height > maxDomain {
			p.Fail("domain-size", "a domain of %d by %d is too large", p.Width, p.Height)
		}
	case "cb", "cbi", "cbx":
		bank, at := p.Int(0, Banks-1), p.Int(0, maxConstant-1)
		if v := p.four(key[2:]); p.Err == nil {
			set(&p.Constants[bank], at, v)
		}
	case "icb", "icbi", "icbx":
		at := p.Int(0, maxConstant-1)
		if v := p.four(key[3:]); p.Err == nil {
			set(&p.Immediate, at, v)
		}
	case "ci":
		at := p.Int(0, maxInts-1)
		if v := p.four("i"); p.Err == nil {
			set(&p.Ints, at, v)
		}
	case "v":
		p.input()
	case "in":
		p.resource()
	case "global":
		n := p.Int(0, maxWords/4)
		d := p.data(4*n, false)
		if p.Global != nil {
			p.Fail("duplicate", "the global buffer is given twice")
		}
		p.Global = &Buffer{n, d}
	case "uav":
		p.view()
	case "gds":
		p.share()
	case "out":
		for p.More() {
			if w := p.Word(); outputOf(w) == (output{}) {
				p.Fail("unknown-output", "%q is none of o0 to o7, depth, mask, g, u0 and on", w)
			} else {
				p.Out = append(p.Out, w)
			}
		}
	default:
		p.Fail("unknown-key", "%q is not something a case can say", key)
	}
}

// input reads what an input holds: a plane, or data for each element of the domain.
func (p *caseParser) input() {
	in := Input{Reg: p.Int(0, maxRegister)}
	if p.Peek() == "linear" {
		p.Word()
		in.Data.Kind = Linear
		for i := range in.Data.Plane {
			for c := range 4 {
				in.Data.Plane[i][c] = math.Float32frombits(p.number(false))
			}
		}
	} else {
		in.Data = p.data(-1, false)
	}
	for i := range p.Inputs {
		if p.Inputs[i].Reg == in.Reg {
			p.Fail("duplicate", "v%d is given twice", in.Reg)
		}
	}
	p.Inputs = append(p.Inputs, in)
	p.where = append(p.where, p.Statement())
}

// inputs checks the sizes of inputs, which depend on the domain.
func (p *caseParser) inputs() *asm.Diag {
	for i := range p.Inputs {
		d := &p.Inputs[i].Data
		if n := 4 * p.Width * p.Height; (d.Kind == Words || d.Kind == File) && len(d.Words) != n {
			return asm.Errorf(p.where[i], "data-size", "%d values where a domain of %d by %d needs %d", len(d.Words), p.Width, p.Height, n)
		}
	}
	return nil
}

// resource reads the number, the size, the format and the data of a resource.
func (p *caseParser) resource() {
	r := Resource{ID: p.Int(0, maxRegister)}
	r.Width, r.Height, r.Depth = p.sizes()
	r.Format = Format(p.Choice(formatNames[:]...))
	r.Data = p.data(r.Width*r.Height*r.Depth*r.Format.Components(), r.Format == Uint4)
	for i := range p.Resources {
		if p.Resources[i].ID == r.ID {
			p.Fail("duplicate", "resource %d is given twice", r.ID)
		}
	}
	p.Resources = append(p.Resources, r)
}

// view reads the number, the size and the data of a view.
func (p *caseParser) view() {
	v := View{ID: p.Int(0, maxRegister)}
	v.Width, v.Height, v.Depth = p.sizes()
	v.Data = p.data(4*v.Width*v.Height*v.Depth, false)
	for i := range p.Views {
		if p.Views[i].ID == v.ID {
			p.Fail("duplicate", "view %d is given twice", v.ID)
		}
	}
	p.Views = append(p.Views, v)
}

func (p *caseParser) share() {
	s := Share{ID: p.Int(0, maxRegister), Words: p.Int(0, maxLocal/4)}
	s.Data = p.data(s.Words, false)
	if p.Case.share(s.ID) != nil {
		p.Fail("duplicate", "part %d of the global data share is given twice", s.ID)
	}
	p.Shares = append(p.Shares, s)
}

// sizes reads a width and, as far as numbers follow, a height and a depth.
func (p *caseParser) sizes() (w, h, d int) {
	w, h, d = p.Int(1, maxWords), 1, 1
	for _, n := range []*int{&h, &d} {
		if w := p.Peek(); w != "" && w[0] >= '0' && w[0] <= '9' {
			*n = p.Int(1, maxEdge)
		}
	}
	if _, ok := size(w, h, d); !ok && p.Err == nil {
		p.Fail("data-size", "%d by %d by %d elements are too many", w, h, d)
	}
	if p.Err != nil {
		return 1, 1, 1
	}
	return w, h, d
}

// data reads what memory of n words holds; n is -1 if it is not known yet.
func (p *caseParser) data(n int, integer bool) (d Data) {
	// Before anything is allocated: a short text may ask for much.
	if p.total += max(n, 0); p.total > maxWords {
		p.Fail("data-size", "the memory of a case is %d words at most", maxWords)
	}
	switch p.Choice(kindNames[:]...) {
	case int(Random):
		d.Kind, d.Seed = Random, uint32(p.Int64(math.MinInt32, math.MaxUint32))
		if p.More() {
			d.Lo, d.Hi = math.Float32frombits(p.number(false)), math.Float32frombits(p.number(false))
			if p.Err == nil && !(d.Lo < d.Hi) {
				p.Fail("bad-range", "%v is not below %v", d.Lo, d.Hi)
			}
		}
	case int(Words):
		d.Kind = Words
		for p.More() {
			d.Words = append(d.Words, p.number(integer))
		}
		if n >= 0 && len(d.Words) != n {
			p.Fail("data-size", "%d values where %d are needed", len(d.Words), n)
		}
	case int(File):
		d.Kind, d.Path = File, p.Word()
		d.Words = p.readFile(d.Path, n)
	}
	return d
}

// readFile reads n words from a file, or as many as it has for -1. Only regular files of the right
// size are read.
func (p *caseParser) readFile(path string, n int) []uint32 {
	if p.Err != nil {
		return nil
	}
	if p.open == nil {
		p.Fail("file", "%q is not read: this case takes no data from files", path)
		return nil
	}
	f, err := p.open(path)
	if err != nil {
		p.Fail("file", "%q cannot be read", path)
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		p.Fail("file", "%q cannot be read", path)
		return nil
	// The size is that of the words that are needed; devices and pipes have none.
	case !info.Mode().IsRegular() || info.Size() > 4*maxWords || n >= 0 && info.Size() != 4*int64(n):
		p.Fail("data-size", "%q is not a file of %d words", path, max(n, 0))
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, info.Size()))
	if err != nil {
		p.Fail("file", "%q cannot be read", path)
		return nil
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}
