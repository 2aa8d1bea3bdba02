package opt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/lang"
	"github.com/shaderlift/shaderlift/opt/rate"
)

// listingColumn is the column at which the numbers of a listing begin.
const listingColumn = 44

// Listing returns the programs of an input as text. Four columns follow each instruction: its slots,
// their running sum, the live components of temporaries after it, and the rate at which its result may
// change (see [rate.Rate]). Numbers are in comments, so an assembler accepts the text of a program. The
// last line has the format of fxc.
//
// The listing of an effect begins with the contents of the effect, and shows preshaders in comments.
//
// The listing of a kernel is a possible machine program for the target of o, in the style of AMD's
// shader analyzer: clauses, and the groups of operations in them.
func Listing(ctx context.Context, in Input, o Options) ([]byte, error) {
	if err := o.Check(in.Kind()); err != nil {
		return nil, err
	}
	if lang.Kernels && isKernel(in) || !lang.D3D9 {
		j := job{Options: o, ctx: ctx}
		defer j.begin()()
		text, err := kernelListing(in, j)
		return append([]byte("; "+asm.Shown(in.Path())+"\n"), text...), err
	}
	if isEffect(in) {
		return effectListing(in)
	}
	programs, err := readPrograms(in)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	rates := rate.Of(programs)
	for i, p := range programs {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "// %s\n", asm.Shown(in.Files[i].Name))
		writeListing(&b, p, rates[i])
	}
	return b.Bytes(), nil
}

// writeListing writes the listing of one program.
func writeListing(b *bytes.Buffer, p *d3d9.Program, rates []rate.Rate) {
	column := func(text, numbers string, r rate.Rate) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s // %s  %s", listingColumn-1, text, numbers, r), " ") + "\n")
	}
	heading := rate.Rate("rate")
	if rates == nil {
		heading = ""
	}
	column(p.Model.String(), "slots   sum  live", heading)
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
			var r rate.Rate
			if rates != nil {
				r = rates[i]
			}
			column("    "+d3d9.Format(p.Model, in), fmt.Sprintf("%5d %5d %5d", arithmetic+texture, total, live[i]), r)
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

// effectListing lists the contents of an effect, and its programs with the slots of every instruction.
func effectListing(in Input) ([]byte, error) {
	e, err := readEffect(in.Files[0])
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n%s", asm.Shown(in.Files[0].Name), fx.Print(e.fx))
	for i := range e.parts {
		files := e.parts[i].in.Files
		programs, rates := make([]*d3d9.Program, len(files)), make([][]rate.Rate, len(files))
		wrong := make([]error, len(files))
		for k, f := range files {
			programs[k], wrong[k] = readProgram(f)
		}
		if errors.Join(wrong...) == nil {
			rates = rate.Of(programs)
		}
		for k, f := range files {
			fmt.Fprintf(&b, "\n// %s\n", asm.Shown(f.Name))
			if wrong[k] != nil {
				fmt.Fprintf(&b, "// %v\n", wrong[k])
				continue
			}
			writeListing(&b, programs[k], rates[k])
		}
	}
	return b.Bytes(), nil
}
