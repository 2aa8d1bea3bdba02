package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/spf13/cobra"
)

func (a *app) run() *cobra.Command {
	var r runner
	var f flags
	cmd := &cobra.Command{
		Use:   "run INPUT",
		Short: "interpret a draw of a pair, or a launch of a kernel",
		Long: `Run draws with a pair, by interpretation: vertex program, rasterisation, pixel
program. The case file tells the target's size, the vertices, constants and
textures; see the package documentation of verify/interp. Without one, run makes up
a draw from the programs alone, the same every time.

The picture is written as raw little-endian floats, four a pixel, top row first
(.f32), or as an image (.png).

A lone program runs over the attributes of a case, which are its inputs by what they
mean, one invocation an element; what verify --counterexample writes is such a case. Its
outputs are printed, and written as words, by output and invocation (.f32).

A kernel is launched over the domain that its case gives, with constants, resources
and memory; see the package documentation of verify/interp/kernel. What it leaves is
written as raw little-endian words, in the order of the out line of the case (.f32);
one of the outputs o0 to o7 can be written as an image, too.`,
		Example: `  shaderlift run water.vsh,water.psh --case water.case -o water.png
  shaderlift run matmul.il --case 64.case -o product.f32`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := imageWriter(r.to); err != nil { // before anything is read
				return err
			}
			in, err := a.single(args[0])
			if err != nil {
				return err
			}
			given, err := a.readCase(r.caseFile)
			if err != nil {
				return err
			}
			if r.to != "" {
				if err := a.paths.writes(r.to, "what is left"); err != nil {
					return err
				}
			}
			o := shaderlift.Options{Seed: f.seed}
			if err := given.parse(isKernel(in), &o); err != nil {
				return err
			}
			if shaderlift.Recognize(in.Files[0].Data) == shaderlift.IL {
				return a.launch(in, o, &r)
			}
			if len(in.Files) == 1 && o.Case != nil {
				return a.invoke(in, o, &r)
			}
			return a.picture(in, o, &r)
		},
	}
	set := cmd.Flags()
	set.StringVar(&r.caseFile, "case", "", "interpret the draw or launch in this `FILE`")
	set.StringVarP(&r.to, "output", "o", "", "write the picture, or what a kernel leaves, to this `FILE`, named .f32 or .png, or as .f32 to standard output (-)")
	f.addSeed(set)
	set.IntVar(&r.target, "color", 0, "write colour output `N`, 0 for oC0 or o0; of a kernel, to a picture")
	return cmd
}

// runner is the options of run.
type runner struct {
	caseFile, to string
	target       int
}

// picture draws with a pair, and writes the picture.
func (a *app) picture(in shaderlift.Input, o shaderlift.Options, r *runner) error {
	img, _, err := shaderlift.Run(a.ctx, in, o)
	if err != nil {
		return err
	}
	if o.Case == nil {
		fmt.Fprintf(a.err, "%s: no --case given: a draw made up from the programs\n", in.Path())
	}
	if r.target < 0 || r.target >= len(img.Targets) || img.Targets[r.target] == nil {
		return usagef("%s: the pixel program writes no oC%d", in.Path(), r.target)
	}
	var b bytes.Buffer
	img.WriteF32(&b, r.target)
	fmt.Fprintf(a.summary(r.to), "%d by %d pixels, %d drawn, hash %016x\n", img.W, img.H, img.Coverage(), hash(b.Bytes()))
	if o.Case != nil && img.Coverage() == 0 {
		fmt.Fprintf(a.err, "%s: the case draws nothing: what the vertex program makes of its attributes is not on the screen (a case of a lone program runs with that program alone)\n", in.Path())
	}
	write, err := imageWriter(r.to)
	if write == nil {
		return err
	}
	b.Reset()
	if err := write(img, &b, r.target); err != nil {
		return err
	}
	return a.write(r.to, b.Bytes())
}

// summary is where to say what was run: not among what is written.
func (a *app) summary(to string) io.Writer {
	if to == stdinName {
		return a.err
	}
	return a.out
}

func hash(data []byte) uint64 {
	sum := fnv.New64a()
	sum.Write(data)
	return sum.Sum64()
}

// imageWriter chooses the form of a picture by the name of its file; nil for no file.
func imageWriter(to string) (func(*interp.Image, *bytes.Buffer, int) error, error) {
	switch ext := strings.ToLower(filepath.Ext(to)); {
	case to == "":
		return nil, nil
	case ext == ".f32", to == stdinName:
		return func(m *interp.Image, b *bytes.Buffer, target int) error { return m.WriteF32(b, target) }, nil
	case ext == ".png":
		return func(m *interp.Image, b *bytes.Buffer, target int) error { return m.WritePNG(b, target) }, nil
	}
	return nil, usagef("%s: a picture is written as .f32 or .png, or to standard output (-)", to)
}
