package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// launch runs a kernel and prints its results.
func (a *app) launch(in shaderlift.Input, o shaderlift.Options, r *runner) error {
	res, c, err := shaderlift.RunKernel(a.ctx, in, o)
	if err != nil {
		return err
	}
	if o.Kernel.Case == nil {
		fmt.Fprintf(a.err, "%s: no --case given; using this generated launch:\n", in.Path())
		for line := range strings.Lines(string(c.Format())) {
			fmt.Fprintf(a.err, "    %s", line)
		}
	}
	data, err := res.Bytes(c.Out)
	if err != nil {
		return err
	}
	discarded := 0
	for _, d := range res.Discarded {
		if d {
			discarded++
		}
	}
	out := a.summary(r.to)
	fmt.Fprintf(out, "%d by %d elements, %d discarded, %d steps, hash %016x\n", res.Width, res.Height, discarded,
		res.Steps, hash(data))
	names := c.Out
	if len(names) == 0 {
		names = res.Names()
	}
	for _, name := range names {
		fmt.Fprintf(out, "%-5s %s\n", name, summarize(res.Named(name)))
	}
	switch {
	case r.to == "":
		return nil
	case strings.EqualFold(filepath.Ext(r.to), ".f32"), r.to == stdinName:
		return a.write(r.to, data)
	}
	if r.target < 0 || r.target >= len(res.Out) || res.Out[r.target] == nil {
		return usagef("%s: the kernel writes no o%d", in.Path(), r.target)
	}
	img := interp.Image{W: res.Width, H: res.Height}
	for _, w := range res.Out[r.target] {
		img.Targets[0] = append(img.Targets[0], math.Float32frombits(w))
	}
	var b bytes.Buffer
	if err := img.WritePNG(&b, 0); err != nil {
		return err
	}
	return a.write(r.to, b.Bytes())
}

// summarize describes the words that a kernel wrote: their number, their range as floats, and the
// first four, so that runs can be compared at a glance.
func summarize(words []uint32) string {
	low, high, odd := math.Inf(1), math.Inf(-1), 0
	for _, w := range words {
		x := float64(math.Float32frombits(w))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			odd++
			continue
		}
		low, high = min(low, x), max(high, x)
	}
	text := fmt.Sprintf("%d words", len(words))
	if low <= high {
		text += fmt.Sprintf(", as floats %.6g to %.6g", low, high)
	}
	if odd > 0 {
		text += fmt.Sprintf(", %d infinite or NaN", odd)
	}
	for i, w := range words[:min(4, len(words))] {
		text += [2]string{"; ", " "}[min(i, 1)] + fmt.Sprintf("%08x", w)
	}
	return text
}
