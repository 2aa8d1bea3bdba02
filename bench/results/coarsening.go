package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/shaderlift/shaderlift"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// tiles are the shapes on Volkov's slides about the correlator, with the rates printed there in
// GFLOPS, and the larger shapes of Clark and others.
var tiles = []struct {
	x, y      int
	published int
}{{1, 1, 562}, {2, 1, 852}, {2, 2, 1023}, {3, 2, 0}, {3, 3, 0}, {4, 3, 0}}

// correlator is the kernel of one entry; its lists of pairs are resources 1 and 2.
const correlator = "testdata/coarsen/correlator.il"

// coarsening is the pipeline after the pass. It does not unroll loops, like the manual version.
const coarsening = "fold,dce,gvn{mixed=true},gvn,copyprop{mixed=true},copyprop,sink,vectorize,combine-alu,gvn,copyprop,leafprop,dce,merge-registers,dce"

// pairLaunch returns a launch with the given number of entries per row for each frequency, from
// lists of as many pairs, with samples of 32 antennas.
func pairLaunch(entries int) (*interpreter.Case, error) {
	return interpreter.ParseCase("pairs", fmt.Appendf(nil, `domain %d 16
cb 0 0 32 256 0 %d
in 0 256 1024 float4 rand 1
in 1 %d 1 float1 rand 2 0 31
in 2 %d 1 float1 rand 3 0 31
`, entries, entries, entries, entries))
}

// launched is the number of tiles in a row of the timed launch.
const launched = 256

// correlated optimizes the correlator with one tile per invocation. known makes the row length a
// constant.
func correlated(x, y int, known bool) (*shaderlift.Result, error) {
	data, err := os.ReadFile(correlator)
	if err != nil {
		return nil, err
	}
	launch, err := pairLaunch(launched * x * y)
	if err != nil {
		return nil, err
	}
	tile := shaderlift.Tile{X: x, Y: y, XTable: 2, YTable: 3}
	o := shaderlift.Options{Pipeline: coarsening, Keep: true,
		Kernel: shaderlift.KernelOptions{Case: launch, Coarsen: tile}}
	if known {
		length, err := shaderlift.ParseConstant(fmt.Sprintf("cb0[0].w=%d", launched*x*y))
		if err != nil {
			return nil, err
		}
		o.Host.Constants = []shaderlift.Constant{length}
	}
	return shaderlift.Optimize(context.Background(),
		shaderlift.Input{Files: []shaderlift.File{{Name: correlator, Data: data}}}, o)
}

// byHand returns the cost of a manually written tile of the correlator.
func byHand(x, y int) (shaderlift.KernelCost, error) {
	launch, err := pairLaunch(launched)
	if err != nil {
		return shaderlift.KernelCost{}, err
	}
	in := shaderlift.Input{Files: []shaderlift.File{{Name: fmt.Sprintf("correlator_%dx%d.il", x, y),
		Data: []byte(handTiled(x, y))}}}
	res, err := shaderlift.Stats(context.Background(), in,
		shaderlift.Options{Kernel: shaderlift.KernelOptions{Case: launch}})
	if err != nil {
		return shaderlift.KernelCost{}, err
	}
	return res.Kernel.Before, nil
}

// handTiled returns the correlator for a tile of x rows and y columns, as on the slides. It fetches
// samples of each row and column once, keeps two sums per entry, and stores entries at consecutive
// addresses.
func handTiled(x, y int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__")
	line("dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)")
	for _, list := range []int{1, 2} {
		line("dcl_resource_id(%d)_type(1d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)", list)
	}
	line("dcl_literal l0, 0.0, 1.0, %d.0, 0.5\ndcl_cb cb0[1]", 2*x*y)
	sum := func(entry, part int) int { return 100 + 2*entry + part }
	const rows, columns, sampleOfRow, sampleOfColumn = 10, 20, 30, 40
	// Two sums per entry, of real and of imaginary parts.
	for entry := range x * y {
		line("mov r%d, l0.x\nmov r%d, l0.x", sum(entry, 0), sum(entry, 1))
	}
	line("sub r2.xy, vWinCoord0.xy, l0.w")
	coordinates := func(list, first, n int) {
		line("sample_resource(%d)_sampler(0) r3.x, vWinCoord0.x\nmad r%d.y, r2.y, cb0[0].x, r3.x", list, first)
		for i := 1; i < n; i++ {
			line("add r%d.y, r%d.y, l0.y", first+i, first+i-1)
		}
		// The list holds the first coordinate; the others of a tile follow it.
	}
	coordinates(1, rows, x)
	coordinates(2, columns, y)
	line("mov r6.x, l0.x\nwhileloop\nge r6.y, r6.x, cb0[0].y\nbreak_logicalnz r6.y")
	fetch := func(first, to, n int) {
		for i := range n {
			line("mov r%d.x, r6.x\nsample_resource(0)_sampler(0) r%d, r%d.xy", first+i, to+i, first+i)
		}
	}
	fetch(rows, sampleOfRow, x)
	fetch(columns, sampleOfColumn, y)
	for entry := range x * y {
		i, j, re, im := sampleOfRow+entry%x, sampleOfColumn+entry/x, sum(entry, 0), sum(entry, 1)
		line("mad r%d, r%d.xxzz, r%d.xzxz, r%d\nmad r%d, r%d.yyww, r%d.ywyw, r%d", re, i, j, re, re, i, j, re)
		line("mad r%d, r%d.yyww, r%d.xzxz, r%d\nmul r50, r%d.xxzz, r%d.ywyw\nsub r%d, r%d, r50", im, i, j, im, i, j, im, im)
	}
	line("add r6.x, r6.x, l0.y\nendloop\nmad r51.x, cb0[0].w, r2.y, r2.x\nmul r51.x, r51.x, l0.z\nftoi r51.x, r51.x")
	for entry := range x * y {
		line("mov g[r51.x + %d], r%d\nmov g[r51.x + %d], r%d", 2*entry, sum(entry, 0), 2*entry+1, sum(entry, 1))
	}
	line("end")
	return b.String()
}

// volkov compares coarsening with manually written tiles.
func volkov(d *document) error {
	d.text("## Volkov 2011: thread coarsening\n")
	var rows [][]string
	var first float64
	for _, t := range tiles {
		res, err := correlated(t.x, t.y, true)
		if err != nil {
			return err
		}
		unknown, err := correlated(t.x, t.y, false)
		if err != nil {
			return err
		}
		hand, err := byHand(t.x, t.y)
		if err != nil {
			return err
		}
		now, n := res.Kernel.CurrentCost(), t.x*t.y
		if first == 0 {
			first = now.GFLOPS
		}
		published := "-"
		if t.published > 0 {
			published = fmt.Sprintf("%.2f", float64(t.published)/float64(tiles[0].published))
		}
		each := func(groups int) string { return fmt.Sprintf("%d (%.2f)", groups, float64(groups)/float64(n)) }
		rows = append(rows, []string{fmt.Sprintf("%dx%d", t.x, t.y), each(now.ALU), each(unknown.Kernel.CurrentCost().ALU),
			each(hand.ALU), number(now.Fetches), number(hand.Fetches),
			number(now.GPRs), number(hand.GPRs), fmt.Sprintf("%.1f", now.GFLOPS), fmt.Sprintf("%.1f", hand.GFLOPS),
			fmt.Sprintf("%.2f", now.GFLOPS/first), published, res.Verdict().String()})
	}
	d.text(`The kernel is a correlator from radio astronomy. Each invocation computes one entry of a matrix. This command makes it compute
a tile of entries:

    shaderlift opt --coarsen x=X,y=Y,x-table=1,y-table=2 --constant cb0[0].w=N -p %s %s

The table compares the result with manually written tiles. Each launch has %d tiles and 16 frequencies, for any size of the tile,
and reads samples of 32 antennas. Bundles are counted per invocation, and in brackets per entry. N is the number of entries in a row.
`, coarsening, correlator, launched)
	d.table("entries | bundles | bundles, length unknown | bundles, by hand | fetches | fetches, by hand | registers | registers, by hand | GFLOPS | GFLOPS, by hand | speed-up over one entry | published, GTX 480 | verdict", rows)
	d.text(`The published rates are from another machine. The gain has the same cause on both: four entries need only two rows and two
columns. Manual tiles store their entries at consecutive addresses. Passes compute each address as that of the first entry plus a
number, if the value that is converted to an integer is known to be whole. The length of a row is a factor of this value. If the
length is not known, each address is converted separately, in the only one of five slots that can convert. The column "length
unknown" shows the additional bundles. coarsen copies the sums of two entries at a time. With 4,
6, 8 and all twelve, 4x3 entries take 82, 81, 81 and 87 bundles.
`)
	return nil
}
