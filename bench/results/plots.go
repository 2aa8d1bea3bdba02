package main

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve is a line of a plot: one value per mark.
type curve struct {
	label  string
	values []float64
	theirs bool // published: dashed, in the colour of the previous curve
}

// colours are those of Okabe and Ito, which colour-blind people can distinguish.
var colours = []color.Color{color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 158, 115, 255},
	color.RGBA{204, 121, 167, 255}}

// plot draws curves over marks to NAME.svg, and links it.
func (d *document) plot(name, title, x, y string, marks []string, curves ...curve) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Legend.Top, p.Legend.Left = true, true
	p.NominalX(marks...)
	p.X.Tick.Label.Font.Size = vg.Points(9)
	p.Add(plotter.NewGrid())
	hue := -1
	for _, c := range curves {
		var at plotter.XYs
		for i, v := range c.values {
			at = append(at, plotter.XY{X: float64(i), Y: v})
		}
		line, points, err := plotter.NewLinePoints(at)
		if err != nil {
			return err
		}
		if !c.theirs {
			hue++
			p.Legend.Add(c.label, line, points)
		} else {
			line.Dashes, p.Title.Text = []vg.Length{vg.Points(5), vg.Points(3)}, title+" (dashed: published)"
		}
		line.Width, line.Color, points.Color, points.Shape = vg.Points(1.5), colours[hue%len(colours)], colours[hue%len(colours)], draw.CircleGlyph{}
		p.Add(line, points)
	}
	p.X.Min, p.X.Max = -0.5, float64(len(marks))-0.5     // room for the names of marks
	p.Y.Max += (p.Y.Max - p.Y.Min) * float64(hue+1) / 10 // room for the legend
	to, err := p.WriterTo(20*vg.Centimeter, 10*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := to.WriteTo(&b); err != nil {
		return err
	}
	d.text("![%s](%s/%s.svg)\n", title, filepath.Base(d.plots), name)
	if err := os.MkdirAll(d.plots, 0o777); err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	return os.WriteFile(filepath.Join(d.plots, name+".svg"), b.Bytes(), 0o666)
}
