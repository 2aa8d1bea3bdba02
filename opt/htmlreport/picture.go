package htmlreport

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"github.com/shaderlift/shaderlift"
)

//go:embed picture.css
var pictureStyle string

// ErrNoPicture is the error for a result that [WritePicture] does not draw.
var ErrNoPicture = errors.New("a picture needs a Direct3D 9 program or pair that was improved; use opt --html for other inputs")

// WritePicture draws the result of [shaderlift.Explain] for a pair or a program as SVG. The picture
// has the instructions before and after, on both sides of the rasterizer, each with a line from its
// origin.
func WritePicture(w io.Writer, r *shaderlift.Result) error {
	s := drawn(r)
	if s == nil {
		return ErrNoPicture
	}
	var b writer
	b.picture(s)
	_, err := b.WriteTo(w)
	return err
}

// The dimensions of a picture, in pixels. charWidth is the width of a character, lineHeight the
// distance of lines, margin the space around.
const (
	charWidth  = 7.25 // of the font, at most
	lineHeight = 18
	margin     = 8
	gap        = 180 // between before and after, for lines
	indent     = 10  // of text after the bar that shows the rate
)

// scene holds the elements of a picture, in pixels from the upper left corner.
type scene struct {
	Label                string
	Width, Height, Right int
	Raster               int // position of the rasterizer between two programs
	Heads, Lines, Key    []mark
	Links                []link
}

// mark is a text with its position; an instruction also has a bar for its rate.
type mark struct {
	X, Y, Top, TextX int
	Text, Rate, Fate string
}

// link is a line from an input instruction to a result instruction.
type link struct {
	X1, Y1, C, X2, Y2 int
	Kept              bool
}

// drawn returns the picture of r, or nil if there is none.
func drawn(r *shaderlift.Result) *scene {
	if len(r.Stages) == 0 || len(r.Programs) != len(r.Stages) || len(r.Rewritten) != len(r.Stages) {
		return nil
	}
	s := &scene{Label: "instructions before and after: " + r.Name}
	left := columns(r.Programs)
	right := margin + left + gap
	s.Width = right + columns(r.Rewritten) + margin
	s.Right = s.Width - margin
	y := margin
	// Programs are below each other, each as high as the longer of its versions.
	for i, p := range r.Programs {
		if i > 0 {
			s.Raster = y + lineHeight/2
			y += lineHeight
		}
		c := &r.Stages[i]
		y += lineHeight
		s.Heads = append(s.Heads, mark{X: margin, Y: y - 4,
			Text: fmt.Sprintf("%s program, before: %d slots", c.Stage, c.Before.Slots)},
			mark{X: right, Y: y - 4, Text: fmt.Sprintf("after: %d slots", c.CurrentCost().Slots)})
		s.column(margin, y, p.Instructions)
		s.column(right, y, r.Rewritten[i].Instructions)
		y += lineHeight * max(len(p.Instructions), len(r.Rewritten[i].Instructions))
	}
	if s.linkOrigins(r); s.Links == nil {
		return nil
	}
	y += lineHeight
	for i, k := range []struct{ rate, text string }{{"draw", "changes for a draw"}, {"vertex", "for a vertex"},
		{"fragment", "for a fragment"}} {
		x := margin + []int{0, 140, 240}[i]
		s.Key = append(s.Key, mark{X: x, Y: y + 12, Top: y, TextX: x + indent, Text: k.text, Rate: k.rate})
	}
	s.Height = y + lineHeight + margin
	return s
}

// columns returns the width of the longest instruction of programs.
func columns(programs []shaderlift.Program) int {
	widest := 20 // the width of the header
	for _, p := range programs {
		for _, in := range p.Instructions {
			widest = max(widest, len(in.Text))
		}
	}
	return indent + int(float64(widest)*charWidth)
}

// column adds instructions below each other.
func (s *scene) column(x, y int, list []shaderlift.Instruction) {
	for k, in := range list {
		top := y + k*lineHeight
		s.Lines = append(s.Lines, mark{X: x, Y: top + 12, Top: top, TextX: x + indent, Text: in.Text, Rate: string(in.Rate),
			Fate: string(in.Fate)})
	}
}

// origin is the position of an input instruction: a line of a text or an offset in bytecode.
type origin struct {
	file string
	at   int
}

// originOf returns the origin of in, an instruction of the program in file.
func originOf(file string, in shaderlift.Instruction) origin {
	return origin{cmp.Or(in.From, file), max(in.Line, in.Offset)}
}

// linkOrigins draws lines from the instructions of the input to those derived from them. The marks of
// instructions are in order: for each program, before and then after. So one pass collects the
// input's marks, and a second one the others.
func (s *scene) linkOrigins(r *shaderlift.Result) {
	before, also := map[origin]mark{}, map[[2]int][]origin{}
	k := 0
	for i, p := range r.Programs {
		for _, in := range p.Instructions {
			o := originOf(p.Name, in)
			before[o] = s.Lines[k]
			for _, m := range in.Merged {
				to := [2]int{m.Program, m.Index}
				also[to] = append(also[to], o)
			}
			k++
		}
		k += len(r.Rewritten[i].Instructions)
	}
	k = 0
	for i, p := range r.Programs {
		k += len(p.Instructions)
		for n, in := range r.Rewritten[i].Instructions {
			b := s.Lines[k]
			k++
			for _, o := range append(also[[2]int{i, n}], originOf(p.Name, in)) {
				if a, found := before[o]; found && o.at > 0 {
					l := link{X1: a.TextX + int(float64(len(a.Text))*charWidth) + 4, Y1: a.Y - 4, X2: b.X - 4, Y2: b.Y - 4,
						Kept: o.file == p.Name}
					l.C = (l.X1 + l.X2) / 2
					s.Links = append(s.Links, l)
				}
			}
		}
	}
}

func (w *writer) picture(s *scene) {
	w.writef(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="%s" viewBox="0 0 %d %d" width="%d" height="%d" class="moves">`+"\n<style>\n%s</style>\n",
		s.Label, s.Width, s.Height, s.Width, s.Height, markup(pictureStyle))
	if s.Raster != 0 {
		w.writef("<line x1=\"8\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/><text class=\"note\" x=\"%d\" y=\"%d\" dy=\"-4\" text-anchor=\"end\">rasterizer</text>\n", s.Raster, s.Right, s.Raster, s.Right, s.Raster)
	}
	for _, l := range s.Links {
		w.writef("<path%s d=\"M%d %dC%d %d %d %d %d %d\"/>\n", textIf(l.Kept, ` class="kept"`), l.X1, l.Y1, l.C, l.Y1, l.C,
			l.Y2, l.X2, l.Y2)
	}
	for _, m := range s.Heads {
		w.writef("<text class=\"head\" x=\"%d\" y=\"%d\">%s</text>\n", m.X, m.Y, m.Text)
	}
	for _, m := range s.Lines {
		w.writeRate(m)
		w.writef(`<text x="%d" y="%d"`, m.TextX, m.Y)
		if m.Fate != "" {
			w.writef(` class="%s"`, m.Fate)
		}
		w.writef(">%s</text>\n", m.Text)
	}
	for _, m := range s.Key {
		w.writeRate(m)
		w.writef("<text class=\"note\" x=\"%d\" y=\"%d\">%s</text>\n", m.TextX, m.Y, m.Text)
	}
	w.writef("</svg>\n")
}

// writeRate writes a bar for the rate at which an instruction's result changes, if that is known.
func (w *writer) writeRate(m mark) {
	if m.Rate != "" {
		w.writef(`<rect class="%s" x="%d" y="%d" width="4" height="14"/>`, m.Rate, m.X, m.Top)
	}
}
