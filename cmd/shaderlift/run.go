package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/spf13/cobra"
)

func (a *app) run() *cobra.Command {
	var r runner
	var f flags
	cmd := &cobra.Command{
		Use:   "run INPUT",
		Short: "interpret a draw of a pair or an effect, or a launch of a kernel",
		Long: `Run interprets a draw with a pair: vertex program, rasterisation and pixel program.
The case file has the size of the target, the vertices, constants and textures; see the
package documentation of verify/interp. Without a case, run generates a draw from the
programs, always the same one. It writes the picture as raw little-endian floats, four for
each pixel, top row first (.f32), or as an image (.png).

A single program runs over the attributes of a case, one invocation for each element. The
attributes are its inputs, by semantic. Verify --counterexample writes such cases. Run prints
the outputs and writes them as words, by output and invocation (.f32).

Of a compiled effect, run draws with the programs of the pass that --pass selects. An effect
with one pass needs no flag.

A kernel is launched over the domain of its case, with constants, resources and memory;
see the package documentation of verify/interp/kernel. Run writes the outputs as raw
little-endian words, in the order of the out line of the case (.f32). It can also write
one of the outputs o0 to o7 as an image.

A vertex and a fragment module of SPIR-V are drawn with generated vertices, buffers and
textures; see the package documentation of verify/interp/spirv. A single module runs over four
generated invocations. Both depend on --seed only.`,
		Example: `  shaderlift run water.vsh,water.psh --case water.case -o water.png
  shaderlift run water.fxb --pass Main/P0 -o water.png
  shaderlift run water.vert.spv,water.frag.spv -o water.png
  shaderlift run matmul.il --case 64.case -o product.f32`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := imageWriter(r.to); err != nil { // before any file is read
				return err
			}
			in, err := a.single(args[0])
			if err == nil && in.Kind() == shaderlift.KindEffect {
				in, err = opt.EffectDraw(in.Files[0], f.pass)
			} else if err == nil && f.pass != "" {
				err = usagef("%s: only a compiled effect has passes; leave --pass out", asm.Shown(args[0]))
			}
			if err != nil {
				return err
			}
			given, err := a.readCase(r.caseFile)
			if err != nil {
				return err
			}
			if r.to != "" {
				if err := a.paths.writes(r.to, "the output"); err != nil {
					return err
				}
			}
			if r.caseFile != "" && f.seed != 0 {
				a.unused.say("--seed %d has no effect with --case", f.seed)
			}
			o := shaderlift.Options{Seed: f.seed}
			if err := given.parse(in.Kind(), &o); err != nil {
				return err
			}
			if shaderlift.Recognize(in.Files[0].Data) == input.IL {
				return a.launch(in, o, &r)
			}
			if len(in.Files) == 1 && (o.Draw.Case != nil || in.Kind() == shaderlift.KindModule) {
				return a.invoke(in, o, &r)
			}
			return a.picture(in, o, &r)
		},
	}
	set := cmd.Flags()
	a.addInclude(set)
	addPass(set, &f.pass)
	a.addCompile(set)
	set.StringVar(&r.caseFile, "case", "", "interpret the draw or launch in this `FILE`")
	set.StringVarP(&r.to, "output", "o", "",
		"write the picture, or the outputs of a kernel, to this `FILE`, named .f32 or .png (- for standard output, as .f32)")
	f.addSeed(set)
	set.IntVar(&r.target, "color", 0, "write colour output oC`N`, or output oN of a kernel as a picture")
	return cmd
}

// runner holds the options of run.
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
	if o.Draw.Case == nil {
		fmt.Fprintf(a.err, "%s: no --case given; using a generated draw\n", in.Path())
	}
	if r.target < 0 || r.target >= len(img.Targets) || img.Targets[r.target] == nil {
		return usagef("%s: the pixel program writes no oC%d", in.Path(), r.target)
	}
	var b bytes.Buffer
	img.WriteF32(&b, r.target)
	fmt.Fprintf(a.summary(r.to), "%d by %d pixels, %d drawn, hash %016x\n", img.W, img.H, img.Coverage(), hash(b.Bytes()))
	if o.Draw.Case != nil && img.Coverage() == 0 {
		fmt.Fprintf(a.err, "%s: the case draws nothing: all triangles are outside the screen (the case of a single program needs that program alone)\n", in.Path())
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

// summary returns the stream for the summary of a run, which must differ from the output.
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

// imageWriter returns the writer for a picture's file format, by extension, or nil if to is empty.
func imageWriter(to string) (func(*interp.Image, *bytes.Buffer, int) error, error) {
	switch ext := strings.ToLower(filepath.Ext(to)); {
	case to == "":
		return nil, nil
	case ext == ".f32", to == stdinName:
		return func(m *interp.Image, b *bytes.Buffer, target int) error { return m.WriteF32(b, target) }, nil
	case ext == ".png":
		return func(m *interp.Image, b *bytes.Buffer, target int) error { return m.WritePNG(b, target) }, nil
	}
	return nil, usagef("%s: want a name that ends in .f32 or .png, or - for standard output", to)
}
