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

// ParseCase parses the text form of a case that reads no files.
func ParseCase(file string, data []byte) (*Case, error) { return ParseCaseWith(file, data, nil) }

// ParseCaseWith parses the text form of a case. open resolves and opens the paths in the case; a nil open
// allows no files.
func ParseCaseWith(file string, data []byte, open Opener) (*Case, error) {
	p := &caseParser{Case: &Case{Width: defaultEdge, Height: defaultEdge}, Reader: casetext.New(file), open: open}
	if d := p.Lines(data, p.statement); d != nil {
		return nil, d
	}
	if d := p.inputs(); d != nil {
		return nil, d
	}
	if d := p.check(&described); d != nil {
		d.Pos = p.End()
		return nil, d
	}
	return p.Case, nil
}

// defaultEdge is the default width and height of the domain.
const defaultEdge = 16

// everyWord precedes the stride of random words.
const everyWord = "every"

// caseParser parses the statements of a case. It bounds memory before allocation: total counts the words
// that the text requires, since a short line can require many.
type caseParser struct {
	*Case
	*casetext.Reader
	open  Opener
	total int
	where []asm.Pos // positions of Inputs, whose sizes are checked at the end
}

// number reads a word of 32 bits: hexadecimal digits are its bits, otherwise it is a number.
func (p *caseParser) number(integer bool) uint32 {
	w := p.NextWord()
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

// parseHex reads a word in hexadecimal, with or without 0x.
func (p *caseParser) parseHex() uint32 {
	w := p.NextWord()
	v, err := strconv.ParseUint(strings.TrimPrefix(w, "0x"), 16, 32)
	if err != nil {
		p.Fail("bad-number", "%q is not a word of 32 bits in hexadecimal", w)
	}
	return uint32(v)
}

// parseComponents reads the components of a register: floats, integers or words, according to the suffix of the key.
func (p *caseParser) parseComponents(kind string) (v [4]uint32) {
	for c := range v {
		if kind == "x" {
			v[c] = p.parseHex()
		} else {
			v[c] = p.number(kind == "i")
		}
	}
	return v
}

// setElement sets an element of a register file and grows the file as needed.
func setElement(file *[][4]uint32, at int, v [4]uint32) {
	for len(*file) <= at {
		*file = append(*file, [4]uint32{})
	}
	(*file)[at] = v
}

// statement reads the line of a key. doc.go describes the language.
func (p *caseParser) statement(key string) {
	switch key {
	case "domain":
		p.Width, p.Height = p.Int(1, described.domain), p.Int(1, described.domain)
		if p.Width*p.Height > described.domain {
			p.Fail("domain-size", "a domain of %d by %d is too large", p.Width, p.Height)
		}
	case "steps":
		p.Steps = p.Int(1, maxSteps)
	case "cb", "cbi", "cbx":
		bank, at := p.Int(0, Banks-1), p.Int(0, maxConstant-1)
		if v := p.parseComponents(key[2:]); p.Err == nil {
			setElement(&p.Constants[bank], at, v)
		}
	case "icb", "icbi", "icbx":
		at := p.Int(0, maxConstant-1)
		if v := p.parseComponents(key[3:]); p.Err == nil {
			setElement(&p.Immediate, at, v)
		}
	case "ci":
		at := p.Int(0, maxInts-1)
		if v := p.parseComponents("i"); p.Err == nil {
			setElement(&p.Ints, at, v)
		}
	case "v":
		p.input()
	case "in":
		p.resource()
	case "global":
		n := p.Int(0, described.words/4)
		d := p.parseData(4*n, false)
		if p.Global != nil {
			p.Fail("duplicate", "the global buffer is given twice")
		}
		p.Global = &Buffer{n, d}
	case "uav":
		p.parseView()
	case "gds":
		p.share()
	case "out":
		for p.HasMore() {
			if w := p.NextWord(); outputOf(w) == (output{}) {
				p.Fail("unknown-output", "%q is none of o0 to o7, depth, mask, g, u0 and on", w)
			} else {
				p.Out = append(p.Out, w)
			}
		}
	default:
		p.Fail("unknown-key", "%q is not something a case can say", key)
	}
}

// input reads the contents of an input: a plane, or data for each element of the domain.
func (p *caseParser) input() {
	in := Input{Reg: p.Int(0, maxRegister)}
	if p.Peek() == "linear" {
		p.NextWord()
		in.Data.Kind = Linear
		for i := range in.Data.Plane {
			for c := range 4 {
				in.Data.Plane[i][c] = math.Float32frombits(p.number(false))
			}
		}
	} else {
		in.Data = p.parseData(-1, false)
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
			return asm.Errorf(p.where[i], "data-size", "%d values where a domain of %d by %d needs %d", len(d.Words), p.Width,
				p.Height, n)
		}
	}
	return nil
}

// resource reads the number, the size, the format and the data of a resource.
func (p *caseParser) resource() {
	r := Resource{ID: p.Int(0, maxRegister)}
	r.Width, r.Height, r.Depth = p.sizes()
	r.Format = Format(p.Choice(formatNames[:]...))
	r.Data = p.parseData(r.Width*r.Height*r.Depth*r.Format.Components(), r.Format == Uint4)
	for i := range p.Resources {
		if p.Resources[i].ID == r.ID {
			p.Fail("duplicate", "resource %d is given twice", r.ID)
		}
	}
	p.Resources = append(p.Resources, r)
}

// parseView reads the number, the size and the data of a view.
func (p *caseParser) parseView() {
	v := View{ID: p.Int(0, maxRegister)}
	v.Width, v.Height, v.Depth = p.sizes()
	v.Data = p.parseData(4*v.Width*v.Height*v.Depth, false)
	for i := range p.Views {
		if p.Views[i].ID == v.ID {
			p.Fail("duplicate", "view %d is given twice", v.ID)
		}
	}
	p.Views = append(p.Views, v)
}

func (p *caseParser) share() {
	s := Share{ID: p.Int(0, maxRegister), Words: p.Int(0, maxLocal/4)}
	s.Data = p.parseData(s.Words, false)
	if p.Case.share(s.ID) != nil {
		p.Fail("duplicate", "part %d of the global data share is given twice", s.ID)
	}
	p.Shares = append(p.Shares, s)
}

// sizes reads a width and, while numbers follow, a height and a depth.
func (p *caseParser) sizes() (w, h, d int) {
	w, h, d = p.Int(1, described.words), 1, 1
	for _, n := range []*int{&h, &d} {
		if w := p.Peek(); w != "" && w[0] >= '0' && w[0] <= '9' {
			*n = p.Int(1, maxEdge)
		}
	}
	if _, ok := described.domainSize(w, h, d); !ok && p.Err == nil {
		p.Fail("data-size", "%d by %d by %d elements are too many", w, h, d)
	}
	if p.Err != nil {
		return 1, 1, 1
	}
	return w, h, d
}

// parseData reads the contents of n words of memory; n is -1 if not known yet.
func (p *caseParser) parseData(n int, integer bool) (d Data) {
	// This precedes any allocation: a short text may require much memory.
	if p.total += max(n, 0); p.total > described.words {
		p.Fail("data-size", "the memory of a case is %d words at most", described.words)
	}
	switch p.Choice(kindNames[:]...) {
	case int(Random):
		d.Kind, d.Seed = Random, uint32(p.Int64(math.MinInt32, math.MaxUint32))
		if p.HasMore() && p.Peek() != everyWord {
			d.Lo, d.Hi = math.Float32frombits(p.number(false)), math.Float32frombits(p.number(false))
			if p.Err == nil && !(d.Lo < d.Hi) {
				p.Fail("bad-range", "%v is not below %v", d.Lo, d.Hi)
			}
		}
		if p.Peek() == everyWord {
			p.NextWord()
			d.Every = p.Int(1, maxEvery)
		}
	case int(Words):
		d.Kind = Words
		for p.HasMore() {
			d.Words = append(d.Words, p.number(integer))
		}
		if n >= 0 && len(d.Words) != n {
			p.Fail("data-size", "%d values where %d are needed", len(d.Words), n)
		}
	case int(File):
		d.Kind, d.Path = File, p.NextWord()
		d.Words = p.readFile(d.Path, n)
	}
	return d
}

// readFile reads n words from a file, or all of its words for n = -1. It accepts only regular files of the
// right size.
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
	// The size must be that of the required words; devices and pipes have none.
	case !info.Mode().IsRegular() || info.Size() > 4*int64(executed.words) || n >= 0 && info.Size() != 4*int64(n):
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
