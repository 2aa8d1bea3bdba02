package explain

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// listingColumn is the column at which the numbers of a listing begin.
const listingColumn = 44

// WriteListing writes the listing of one program, with a column for each GPU of costs.
func WriteListing(b *bytes.Buffer, p *d3d9.Program, rates []Rate, costs *Costs) {
	column := func(text, numbers string, r Rate) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s // %s  %s", listingColumn-1, text, numbers, r), " ") + "\n")
	}
	heading := Rate("rate")
	if rates == nil {
		heading = ""
	}
	column(p.Model.String(), "slots   sum  live"+costs.heading(), heading)
	total := 0
	price, live := pricesOf(p), d3d9.LiveComponents(p)
	for i := range p.Insts {
		in := &p.Insts[i]
		switch in.Op.Kind() {
		case d3d9.Trivia:
			if in.IsPreshader() {
				listPreshader(b, in.Comment[1:])
			}
		case d3d9.Declaration:
			fmt.Fprintf(b, "    %s\n", d3d9.Format(p.Model, in))
		default:
			arithmetic, texture := price(in)
			total += arithmetic + texture
			var r Rate
			if rates != nil {
				r = rates[i]
			}
			column("    "+d3d9.Format(p.Model, in), fmt.Sprintf("%5d %5d %5d", arithmetic+texture, total, live[i])+
				costs.row(p.Model.Stage, in.Pos), r)
		}
	}
	c := d3d9.Measure(p)
	fmt.Fprintf(b, "\n// approximately %d instruction %s used", c.Slots, plural("slot", c.Slots))
	if c.Texture > 0 {
		fmt.Fprintf(b, " (%d texture, %d arithmetic)", c.Texture, c.Arithmetic)
	}
	b.WriteByte('\n')
}

// pricesOf returns a function that computes the slots of an instruction of p. They depend on
// declarations: texld of a cube map takes four slots from ps_2_x on.
func pricesOf(p *d3d9.Program) func(*d3d9.Inst) (arithmetic, texture int) {
	types := map[uint16]d3d9.TexType{}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Sampler {
			types[in.Dst.Index] = in.Decl.Tex
		}
	}
	return func(in *d3d9.Inst) (arithmetic, texture int) {
		cube := in.NSrc > 1 && in.Src[1].File == d3d9.Sampler && types[in.Src[1].Index] == d3d9.TexCube
		return in.Slots(p.Model, cube)
	}
}

// listPreshader shows a preshader in comments.
func listPreshader(b *bytes.Buffer, words []uint32) {
	p, err := preshader.Decode("preshader", words)
	if err != nil {
		fmt.Fprintf(b, "// %v\n", err)
		return
	}
	for line := range strings.Lines(string(preshader.Print(p))) {
		fmt.Fprintf(b, "//     %s", line)
	}
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
