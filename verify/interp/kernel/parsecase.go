package kernel

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// ParseCase reads the text form of a case that takes no data from files.
func ParseCase(file string, data []byte) (*Case, error) { return ParseCaseWith(file, data, nil) }

// ParseCaseWith reads the text form of a case. What it takes from files it reads through
// open, which says what the paths in it mean; without one there are no files.
func ParseCaseWith(file string, data []byte, open Opener) (*Case, error) {
	p := &caseParser{Case: &Case{Width: defaultEdge, Height: defaultEdge}, file: file, open: open}
	for line := range strings.SplitSeq(string(data), "\n") {
		p.line++
		if text, _, _ := strings.Cut(line, "#"); p.split(text) {
			p.statement()
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	if d := p.inputs(); d != nil {
		return nil, d
	}
	if d := p.check(); d != nil {
		d.Pos = asm.Pos{File: file, Line: p.line, Col: 1}
		return nil, d
	}
	return p.Case, nil
}

// defaultEdge is that of the domain of a case that does not say.
const defaultEdge = 16

// caseParser reads one line at a time. After the first error every read gives zero. Memory is bounded before
// it is allocated: total counts the words that the text asks for.
type caseParser struct {
	*Case
	file  string
	open  Opener
	line  int
	words []string
	cols  []int
	next  int
	total int     // words of data
	lines [][]int // of Inputs with data: their places, for the size is known at the end
	err   *asm.Diag
}

// split cuts a line into words; commas separate like blanks.
func (p *caseParser) split(text string) bool {
	p.words, p.cols, p.next = p.words[:0], p.cols[:0], 0
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], " \t\r,")
		if n < 0 {
			n = len(text) - i
		}
		if n > 0 {
			p.words, p.cols = append(p.words, text[i:i+n]), append(p.cols, i+1)
		}
		i += n + 1
	}
	return len(p.words) > 0
}

func (p *caseParser) fail(code asm.Code, format string, args ...any) {
	if p.err == nil {
		col := p.cols[max(0, min(p.next, len(p.cols))-1)]
		p.err = asm.Errorf(asm.Pos{File: p.file, Line: p.line, Col: col}, code, format, args...)
	}
}

func (p *caseParser) word() string {
	if p.next >= len(p.words) {
		p.fail("missing-value", "%s lacks values", p.words[0])
		return ""
	}
	p.next++
	return p.words[p.next-1]
}

func (p *caseParser) int(lo, hi int) int {
	w := p.word()
	v, err := strconv.Atoi(w)
	if p.err == nil && (err != nil || v < lo || v > hi) {
		p.fail("bad-number", "%q is not a number from %d to %d", w, lo, hi)
	}
	if p.err != nil {
		return lo
	}
	return v
}

// number reads a word of 32 bits: hexadecimal ones as they are, others as a number.
func (p *caseParser) number(integer bool) uint32 {
	w := p.word()
	if hex, ok := strings.CutPrefix(w, "0x"); ok {
		if v, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return uint32(v)
		}
	} else if integer {
		if v, err := strconv.ParseInt(w, 10, 64); err == nil && v >= math.MinInt32 && v <= math.MaxUint32 {
			return uint32(v)
		}
	} else if v, err := strconv.ParseFloat(w, 32); err == nil || isRange(err) {
		return math.Float32bits(float32(v))
	}
	p.fail("bad-number", "%q is not a number of 32 bits", w)
	return 0
}

// isRange reports an overflow, whose value is an infinity and welcome.
func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

func (p *caseParser) hex() uint32 {
	w := p.word()
	v, err := strconv.ParseUint(strings.TrimPrefix(w, "0x"), 16, 32)
	if err != nil {
		p.fail("bad-number", "%q is not a word of 32 bits in hexadecimal", w)
	}
	return uint32(v)
}

// choice is the next word's place in names.
func (p *caseParser) choice(names ...string) int {
	w := p.word()
	i := slices.Index(names, w)
	if i < 0 {
		p.fail("bad-word", "%q is none of %s", w, strings.Join(names, ", "))
		return 0
	}
	return i
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

// statement reads one line.
func (p *caseParser) statement() {
	switch key := p.word(); key {
	case "domain":
		p.Width, p.Height = p.int(1, maxDomain), p.int(1, maxDomain)
		if p.Width*p.Height > maxDomain {
			p.fail("domain-size", "a domain of %d by %d is too large", p.Width, p.Height)
		}
	case "cb", "cbi", "cbx":
		bank, at := p.int(0, Banks-1), p.int(0, maxConstant-1)
		if v := p.four(key[2:]); p.err == nil {
			set(&p.Constants[bank], at, v)
		}
	case "icb", "icbi", "icbx":
		at := p.int(0, maxConstant-1)
		if v := p.four(key[3:]); p.err == nil {
			set(&p.Immediate, at, v)
		}
	case "ci":
		at := p.int(0, maxInts-1)
		if v := p.four("i"); p.err == nil {
			set(&p.Ints, at, v)
		}
	case "v":
		p.input()
	case "in":
		p.resource()
	case "global":
		n := p.int(0, maxWords/4)
		d := p.data(4*n, false)
		if p.Global != nil {
			p.fail("duplicate", "the global buffer is given twice")
		}
		p.Global = &Buffer{n, d}
	case "uav":
		p.view()
	case "out":
		for p.next < len(p.words) && p.err == nil {
			if w := p.word(); outputOf(w) == (output{}) {
				p.fail("unknown-output", "%q is none of o0 to o7, depth, mask, g, u0 and on", w)
			} else {
				p.Out = append(p.Out, w)
			}
		}
	default:
		p.fail("unknown-key", "%q is not something a case can say", key)
	}
	if p.err == nil && p.next < len(p.words) {
		p.next++
		p.fail("extra-value", "%q is one value too many", p.words[p.next-1])
	}
}

func (p *caseParser) input() {
	in := Input{Reg: p.int(0, maxRegister)}
	if p.next < len(p.words) && p.words[p.next] == "linear" {
		p.next++
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
			p.fail("duplicate", "v%d is given twice", in.Reg)
		}
	}
	p.Inputs = append(p.Inputs, in)
	p.lines = append(p.lines, []int{p.line, p.cols[0]})
}

// inputs checks the sizes of inputs, which depend on the domain.
func (p *caseParser) inputs() *asm.Diag {
	for i := range p.Inputs {
		d := &p.Inputs[i].Data
		if n := 4 * p.Width * p.Height; (d.Kind == Words || d.Kind == File) && len(d.Words) != n {
			pos := asm.Pos{File: p.file, Line: p.lines[i][0], Col: p.lines[i][1]}
			return asm.Errorf(pos, "data-size", "%d values where a domain of %d by %d needs %d", len(d.Words), p.Width, p.Height, n)
		}
	}
	return nil
}

func (p *caseParser) resource() {
	r := Resource{ID: p.int(0, maxRegister)}
	r.Width, r.Height, r.Depth = p.sizes()
	r.Format = Format(p.choice(formatNames[:]...))
	r.Data = p.data(r.Width*r.Height*r.Depth*r.Format.Components(), r.Format == Uint4)
	for i := range p.Resources {
		if p.Resources[i].ID == r.ID {
			p.fail("duplicate", "resource %d is given twice", r.ID)
		}
	}
	p.Resources = append(p.Resources, r)
}

func (p *caseParser) view() {
	v := View{ID: p.int(0, maxRegister)}
	v.Width, v.Height, v.Depth = p.sizes()
	v.Data = p.data(4*v.Width*v.Height*v.Depth, false)
	for i := range p.Views {
		if p.Views[i].ID == v.ID {
			p.fail("duplicate", "view %d is given twice", v.ID)
		}
	}
	p.Views = append(p.Views, v)
}

// sizes reads a width and, as far as numbers follow, a height and a depth.
func (p *caseParser) sizes() (w, h, d int) {
	w, h, d = p.int(1, maxWords), 1, 1
	for _, n := range []*int{&h, &d} {
		if p.next < len(p.words) && p.words[p.next][0] >= '0' && p.words[p.next][0] <= '9' {
			*n = p.int(1, maxEdge)
		}
	}
	if _, ok := size(w, h, d); !ok && p.err == nil {
		p.fail("data-size", "%d by %d by %d elements are too many", w, h, d)
	}
	if p.err != nil {
		return 1, 1, 1
	}
	return w, h, d
}

// data reads what memory of n words holds; n is -1 if it is not known yet.
func (p *caseParser) data(n int, integer bool) (d Data) {
	if p.total += max(n, 0); p.total > maxWords {
		p.fail("data-size", "the memory of a case is %d words at most", maxWords)
	}
	switch p.choice(kindNames[:]...) {
	case int(Random):
		d.Kind, d.Seed = Random, uint32(p.int(math.MinInt32, math.MaxUint32))
		if p.next < len(p.words) {
			d.Lo, d.Hi = math.Float32frombits(p.number(false)), math.Float32frombits(p.number(false))
			if p.err == nil && !(d.Lo < d.Hi) {
				p.fail("bad-range", "%v is not below %v", d.Lo, d.Hi)
			}
		}
	case int(Words):
		d.Kind = Words
		for p.next < len(p.words) && p.err == nil {
			d.Words = append(d.Words, p.number(integer))
		}
		if n >= 0 && len(d.Words) != n {
			p.fail("data-size", "%d values where %d are needed", len(d.Words), n)
		}
	case int(File):
		d.Kind, d.Path = File, p.word()
		d.Words = p.readFile(d.Path, n)
	}
	return d
}

// readFile reads n words, or as many as there are.
func (p *caseParser) readFile(path string, n int) []uint32 {
	if p.err != nil {
		return nil
	}
	if p.open == nil {
		p.fail("file", "%q is not read: this case takes no data from files", path)
		return nil
	}
	f, err := p.open(path)
	if err != nil {
		p.fail("file", "%q cannot be read", path)
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		p.fail("file", "%q cannot be read", path)
		return nil
	case !info.Mode().IsRegular() || info.Size() > 4*maxWords || n >= 0 && info.Size() != 4*int64(n):
		p.fail("data-size", "%q is not a file of %d words", path, max(n, 0))
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, info.Size()))
	if err != nil {
		p.fail("file", "%q cannot be read", path)
		return nil
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}
