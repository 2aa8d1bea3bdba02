package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/spf13/cobra"
)

func (a *app) run() *cobra.Command {
	var caseFile, to string
	var target int
	cmd := &cobra.Command{
		Use:   "run INPUT",
		Short: "interpret a draw of a pair",
		Long: `Run draws with a pair, by interpretation: vertex program, rasterisation, pixel
program. The case file tells the target's size, the vertices, constants and
textures; see the package documentation of verify/interp. Without one, run makes up
a draw from the programs alone, the same every time.

The picture is written as raw little-endian floats, four a pixel, top row first
(.f32), or as an image (.png).`,
		Example: `  shaderlift run water.vsh,water.psh --case water.case -o water.png`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := imageWriter(to)
			if err != nil {
				return err
			}
			c, err := readCase(caseFile)
			if err != nil {
				return err
			}
			in, err := a.single(args[0])
			if err != nil {
				return err
			}
			img, err := shaderlift.Run(in, c)
			if err != nil {
				return err
			}
			if c == nil {
				fmt.Fprintf(a.err, "%s: no --case given: a draw made up from the programs\n", in.Path())
			}
			if target < 0 || target >= len(img.Targets) || img.Targets[target] == nil {
				return usagef("%s: the pixel program writes no oC%d", in.Path(), target)
			}
			var b bytes.Buffer
			img.WriteF32(&b, target)
			sum := fnv.New64a()
			sum.Write(b.Bytes())
			fmt.Fprintf(a.out, "%d by %d pixels, %d drawn, hash %016x\n", img.W, img.H, img.Coverage(), sum.Sum64())
			if write == nil {
				return nil
			}
			b.Reset()
			if err := write(img, &b, target); err != nil {
				return err
			}
			return writeFile(to, b.Bytes())
		},
	}
	set := cmd.Flags()
	set.StringVar(&caseFile, "case", "", "interpret the draw in this `FILE`")
	set.StringVarP(&to, "output", "o", "", "write the picture to this `FILE`, named .f32 or .png")
	set.IntVar(&target, "color", 0, "write colour output `N`, 0 for oC0")
	return cmd
}

// imageWriter chooses the form of a picture by the name of its file; nil for no file.
func imageWriter(to string) (func(*interp.Image, *bytes.Buffer, int) error, error) {
	switch ext := strings.ToLower(filepath.Ext(to)); {
	case to == "":
		return nil, nil
	case ext == ".f32":
		return func(m *interp.Image, b *bytes.Buffer, target int) error { return m.WriteF32(b, target) }, nil
	case ext == ".png":
		return func(m *interp.Image, b *bytes.Buffer, target int) error { return m.WritePNG(b, target) }, nil
	}
	return nil, usagef("%s: a picture is written as .f32 or .png", to)
}
