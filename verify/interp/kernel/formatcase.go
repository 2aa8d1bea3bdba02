package kernel

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// kindNames spells where data comes from.
var kindNames = [...]string{Zero: "zero", Random: "rand", Words: "data", File: FileWord}

// Format writes the text form of a case, which ParseCase reads back. Numbers are as short
// as they can be; words that are no finite floats are hexadecimal.
func (c *Case) Format() []byte {
	var b []byte
	line := func(format string, args ...any) { b = fmt.Appendf(b, format+"\n", args...) }
	line("domain %d %d", c.Width, c.Height)
	for n := range c.Constants {
		for i, v := range c.Constants[n] {
			kind, text := four(v)
			line("cb%s %d %d %s", kind, n, i, text)
		}
	}
	for i, v := range c.Immediate {
		kind, text := four(v)
		line("icb%s %d %s", kind, i, text)
	}
	for i, v := range c.Ints {
		line("ci %d %d %d %d %d", i, int32(v[0]), int32(v[1]), int32(v[2]), int32(v[3]))
	}
	for i := range c.Inputs {
		in := &c.Inputs[i]
		line("v %d %s", in.Reg, in.Data.text(false))
	}
	for i := range c.Resources {
		r := &c.Resources[i]
		line("in %d %s %s %s", r.ID, sizeText(r.Width, r.Height, r.Depth, true), r.Format, r.Data.text(r.Format == Uint4))
	}
	if c.Global != nil {
		line("global %d %s", c.Global.Elements, c.Global.Data.text(false))
	}
	for i := range c.Views {
		v := &c.Views[i]
		line("uav %d %s %s", v.ID, sizeText(v.Width, v.Height, v.Depth, false), v.Data.text(false))
	}
	for i := range c.Shares {
		s := &c.Shares[i]
		line("gds %d %d %s", s.ID, s.Words, s.Data.text(false))
	}
	if len(c.Out) > 0 {
		line("out %s", strings.Join(c.Out, ","))
	}
	return b
}

// sizeText leaves out sizes of 1 at the end.
func sizeText(w, h, d int, height bool) string {
	switch {
	case d > 1:
		return fmt.Sprint(w, h, d)
	case h > 1 || height:
		return fmt.Sprint(w, h)
	}
	return fmt.Sprint(w)
}

// four picks how to write a constant: floats, if they are of a usual size, else small integers, else
// words. All four components are written alike, and read back as the same words.
func four(v [4]uint32) (kind, text string) {
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

// wordText writes a word; what is NaN, infinite or denormal as a float is hexadecimal.
func wordText(w uint32, integer bool) string {
	if integer {
		return strconv.Itoa(int(int32(w)))
	}
	if w&expMask == expMask || w&expMask == 0 && w != 0 {
		return fmt.Sprintf("0x%08x", w)
	}
	return floatText(math.Float32frombits(w))
}

// floatText writes the shortest number that reads back as x.
func floatText(x float32) string { return strconv.FormatFloat(float64(x), 'g', -1, 32) }

// text writes data behind what they are for.
func (d *Data) text(integer bool) string {
	switch d.Kind {
	case Random:
		if d.Lo == 0 && d.Hi == 0 {
			return fmt.Sprintf("rand %d", d.Seed)
		}
		return fmt.Sprintf("rand %d %s %s", d.Seed, floatText(d.Lo), floatText(d.Hi))
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
