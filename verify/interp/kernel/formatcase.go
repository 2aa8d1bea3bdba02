package kernel

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// kindNames holds the words for the sources of data.
var kindNames = [...]string{Zero: "zero", Random: "rand", Words: "data", File: fileWord}

// Format writes the text form of a case, which ParseCase reads back. Numbers have their shortest form;
// words that are not finite floats are hexadecimal.
func (c *Case) Format() []byte {
	var b []byte
	line := func(format string, args ...any) { b = fmt.Appendf(b, format+"\n", args...) }
	line("domain %d %d", c.Width, c.Height)
	if c.Steps > 0 {
		line("steps %d", c.Steps)
	}
	for n := range c.Constants {
		for i, v := range c.Constants[n] {
			kind, text := formatConstant(v)
			line("cb%s %d %d %s", kind, n, i, text)
		}
	}
	for i, v := range c.Immediate {
		kind, text := formatConstant(v)
		line("icb%s %d %s", kind, i, text)
	}
	for i, v := range c.Ints {
		line("ci %d %d %d %d %d", i, int32(v[0]), int32(v[1]), int32(v[2]), int32(v[3]))
	}
	for i := range c.Inputs {
		in := &c.Inputs[i]
		line("v %d %s", in.Reg, in.Data.formatData(false))
	}
	for i := range c.Resources {
		r := &c.Resources[i]
		line("in %d %s %s %s", r.ID, sizeText(r.Width, r.Height, r.Depth, true), r.Format,
			r.Data.formatData(r.Format == Uint4))
	}
	if c.Global != nil {
		line("global %d %s", c.Global.Elements, c.Global.Data.formatData(false))
	}
	for i := range c.Views {
		v := &c.Views[i]
		line("uav %d %s %s", v.ID, sizeText(v.Width, v.Height, v.Depth, false), v.Data.formatData(false))
	}
	for i := range c.Shares {
		s := &c.Shares[i]
		line("gds %d %d %s", s.ID, s.Words, s.Data.formatData(false))
	}
	if len(c.Out) > 0 {
		line("out %s", strings.Join(c.Out, ","))
	}
	return b
}

// sizeText formats a size without trailing sizes of 1.
func sizeText(w, h, d int, height bool) string {
	switch {
	case d > 1:
		return fmt.Sprint(w, h, d)
	case h > 1 || height:
		return fmt.Sprint(w, h)
	}
	return fmt.Sprint(w)
}

// formatConstant formats a constant: as floats of usual magnitudes, else as small integers, else as words. All four
// components have the same form and read back as the same words.
func formatConstant(v [4]uint32) (kind, text string) {
	floats, integers := true, true
	for _, w := range v {
		x := math.Abs(float64(math.Float32frombits(w)))
		floats = floats && (w == 0 || x >= 1e-20 && x <= 1e20)
		integers = integers && int32(w) > -1<<20 && int32(w) < 1<<20
	}
	words := make([]string, len(v))
	for c, w := range v {
		switch {
		case floats:
			words[c] = wordText(w, false)
		case integers:
			words[c] = wordText(w, true)
		default:
			words[c] = fmt.Sprintf("%08x", w)
		}
	}
	switch {
	case floats:
	case integers:
		kind = "i"
	default:
		kind = "x"
	}
	return kind, strings.Join(words, " ")
}

// wordText formats a word. Words that are NaN, infinite or denormal as floats are hexadecimal.
func wordText(w uint32, integer bool) string {
	if integer {
		return strconv.Itoa(int(int32(w)))
	}
	if w&expMask == expMask || w&expMask == 0 && w != 0 {
		return fmt.Sprintf("0x%08x", w)
	}
	return floatText(math.Float32frombits(w))
}

// floatText returns the shortest number that reads back as x.
func floatText(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }

// formatData returns the text of data behind its key.
func (d *Data) formatData(integer bool) string {
	switch d.Kind {
	case Random:
		text := fmt.Sprintf("rand %d", d.Seed)
		if d.Lo != 0 || d.Hi != 0 {
			text += " " + floatText(d.Lo) + " " + floatText(d.Hi)
		}
		if d.Every > 1 {
			text += fmt.Sprintf(" every %d", d.Every)
		}
		return text
	case Words:
		words := []string{"data"}
		for _, w := range d.Words {
			words = append(words, wordText(w, integer))
		}
		return strings.Join(words, " ")
	case File:
		return "file " + d.Path
	case Linear:
		words := []string{"linear"}
		for _, v := range d.Plane {
			for _, x := range v {
				words = append(words, wordText(math.Float32bits(x), false))
			}
		}
		return strings.Join(words, " ")
	}
	return "zero"
}
