package shaderlift_test

import (
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// launch returns options for a kernel on target, over a square with promised constants.
func launch(target shaderlift.Target, side int, promises ...string) (o shaderlift.Options) {
	o.Target, o.Kernel.Domain, o.Host.Constants = target, [2]int{side, side}, constants(promises...)
	return o
}

// onTiles returns options for a kernel that is coarsened.
func onTiles(tile shaderlift.Tile) (o shaderlift.Options) {
	o.Keep, o.Kernel.Coarsen, o.Kernel.Domain = true, tile, [2]int{63, 63}
	return o
}

// sameInVertex returns the upload of a pixel constant to the same register of the vertex stage.
func sameInVertex(index uint16) shaderlift.Upload {
	return shaderlift.Upload{From: shaderlift.HostRegister{Stage: d3d9.Pixel, Index: index},
		To: shaderlift.HostRegister{Index: index}}
}

// onSlots are the options of Ikeda: the application sets constants for both programs.
var onSlots = shaderlift.Options{Target: "d3d9", Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored}}

// paperSteps has every fact of the five papers.
var paperSteps = []paperStep{
	// Listings and prices.
	{ids: "J02 J03 J04 J05 J07 J08 J14 J40 D17", route: "stats", program: "fig1.il",
		shows: []string{"00 TEX", "01 ALU", "02 EXP", "MULADD", "t: SIN", `"utilization":`, `"fetch_utilization":`,
			`"intensity":`}},
	{ids: "J06", route: "stats", program: "fig2.il", shows: []string{`"ops":11`}}, // one sine for both calls
	{ids: "J17", route: "stats", program: "spill.il", o: launch("", 64),
		shows: []string{"registers beyond the 124 of a thread are spilled"}},
	{ids: "V13 P04", route: "stats", program: "fig5.il", o: launch("", 64),
		shows: []string{`"gprs":4`, `"wavefronts":48`}},
	{ids: "V14", route: "stats", program: "fig5.il", o: launch("", 64), shows: []string{`"per_element":`},
		missing: "stats counts the instructions of an invocation, not of an element or a group"},
	{ids: "V15", route: "stats", program: "banks.il", o: launch("cypress", 256), shows: []string{`"cycles":14326`}},
	{ids: "P03", route: "stats", program: "nest.il", shows: []string{"exceeds the stack of the hardware"}},
	{ids: "P15", route: "stats", program: "dbl.il", shows: []string{`"ops":13`}}, // one product for both sums
	{ids: "P35", route: "stats", program: "testdata/il/pldi_v1.il", o: launch("", 64),
		shows: []string{"CNT(8)", "CNT(4)"}},
	// Programs that are read.
	{ids: "P05", route: "level", program: "masks.il", o: launch("", 64), shows: []string{"x_z_"}},
	{ids: "P06", route: "level", program: "vpos.il", shows: []string{"the position of a pixel is vWinCoord0"}},
	{ids: "P07 P08", route: "level", program: "sum_ret.il", o: launch("", 64), shows: []string{"call 0", "v1.xy"}},
	{ids: "P09", route: "level", program: "bare.il", shows: []string{"add il_ps_2_0 or il_cs_2_0 as the first line"}},
	{ids: "P10", route: "level", program: "scatter.il", o: launch("", 64), shows: []string{"mov g[r1.x]"}},
	{ids: "I02", route: "level", program: "bare.psh", shows: []string{"add its version as the first line"}},
	{ids: "I42", route: "level", program: "arb.psh", shows: []string{"compile its Cg source for Direct3D 9"}},
	{ids: "I43 P39", route: "level", program: "two.psh",
		shows: []string{"two.psh:6:1", "put each program into a file of its own"}},
	// Kernels whose launch stays.
	{ids: "J18 J19 J33", route: "level", program: "fig5.il", o: launch("", 256), at: 1,
		shows: []string{"add r0, r0, l0", `"gprs":3`}},
	{ids: "J20 J21 V12 D08 D20", route: "level", program: "fig5.il", o: launch("cypress", 64), at: 0.95,
		shows: []string{`"fetches":10`}},
	{ids: "J29", route: "level", program: "testdata/backprojection/backprojection.il", o: launch("", 32), at: 0.99},
	{ids: "J31", route: "level", program: "licm.il", o: launch("cypress", 64), shows: []string{`"bound":{`},
		missing: "verify bounds rounding for Direct3D 9 programs only"},
	{ids: "D03", route: "level", program: "unswitch.il", o: launch("cypress", 64), at: 0.6},
	{ids: "D04", route: "level", program: "fig4.il", o: launch("cypress", 64), at: 0.5, shows: []string{"!lds_load"}},
	{ids: "D05 P38 P40", route: "level", program: "licm.il", o: launch("cypress", 64), at: 0.6},
	{ids: "D01 D02 D16", route: "split", program: "split.il", o: launch("", 64),
		shows: []string{`"file":"split.1.il"`, `"status":"improved"`}},
	{ids: "P11 P26 P33 P34", route: "level", program: "testdata/il/pldi_v1.il", o: launch("", 256), at: 0.95,
		shows: []string{"unroll{factor=2},break-deps,combine-alu,group-fetches{window=24}"}},
	{ids: "P14", route: "level", program: "testdata/il/reduce.il", o: launch("cypress", 64), at: 0.8},
	{ids: "J39", route: "level", program: "scaled.il", o: launch("", 64, "cb1[0]=1,1,0,0"), at: 0.999,
		shows: []string{"!mad"}},
	// Kernels whose launch changes.
	{ids: "J09 J10 J11 J12 J13 J35", route: "explain", program: "testdata/il/jang_naive.il", o: launch("", 64), at: 0.6,
		shows: []string{`"host":"domain,bindings,outputs"`, "outputs=4}", "unroll{factor=4}",
			"vectorize-fetches{resource=all}"}},
	{ids: "V01 V02 V16", route: "advice", program: "vadd.il", o: launch("cypress", 128), at: 0.5,
		shows: []string{`"host":"domain,memory"`, "coarsen{x=4,y=1},restrict", "vectorize-memory"}},
	{ids: "V03", route: "explain", program: "testdata/coarsen/coulomb.il", o: launch("", 64), at: 0.7,
		shows: []string{"coarsen{"}},
	{ids: "V06 V07", route: "explain", program: "testdata/coarsen/correlator.il", o: launch("", 64), at: 0.8,
		shows: []string{"x-table=1,y-table=2"}},
	{ids: "V08 V09 V10 V11 P16", route: "advice", program: "gj.il", o: launch("cypress", 128), at: 0.95,
		shows: []string{`"host":"domain"`, "coarsen{group=", "forward-local"}},
	{ids: "V17", route: "level", program: "testdata/il/jang_naive.il", o: onTiles(shaderlift.Tile{X: 2, Y: 1, Width: 63, Height: 63}),
		shows: []string{`"only_domain":[63,63]`}},
	{ids: "V18 P12 P13", route: "level", program: "testdata/il/jang_naive.il", o: onTiles(shaderlift.Tile{X: 3, Y: 3}),
		shows: []string{"but only 8 exist (stored=1 stores them to g[])"}},
	{ids: "V20", route: "tune", program: "vadd.il", o: launch("cypress", 128), at: 0.5,
		shows: []string{`"target":"rv770"`, `"domain":"32x128"`}},
	{ids: "D12 D18 D19", route: "explain", program: "testdata/gem/gem_uav.il", o: launch("cypress", 96), at: 0.5,
		shows: []string{`"host":"memory"`, "accumulate", "preload", "vectorize-memory"}},
	// Pairs of Direct3D 9.
	{ids: "I01 I09 I14 I16 I17 I35 I37", route: "level", program: "fig3.vsh,fig3.psh", o: onSlots, at: 0.44,
		shows: []string{"mov oT1.y, r0", "mov oT2.xy, r0", "dcl t2.xy", `"uploads"`}},
	{ids: "I12 I13", route: "explain", program: "fig3.vsh,fig3.psh",
		shows: []string{`"unlock":"--host-constants mirrored"`}},
	{ids: "I10 I11", route: "verify", program: "fig3.vsh,fig3.psh fig5.vsh,fig5.psh",
		o: shaderlift.Options{Host: shaderlift.HostOptions{Uploads: []shaderlift.Upload{sameInVertex(3),
			sameInVertex(4)}}}, shows: []string{`"verdict":"proved-real"`}},
	{ids: "I38", route: "level", program: "fig3.vso,fig3.pso", o: onSlots, at: 0.44},
	{ids: "I36", route: "level", program: "fig3.vsh,fig3.psh", o: shaderlift.Options{Target: "d3d9"},
		shows: []string{`"bound":{"arithmetic":"fp32"`, `"growth"`}},
	{ids: "I03 I05 I06 I07 I08", route: "explain", program: "stays.vsh,stays.psh", o: onSlots,
		shows: []string{`"fate":"moved"`, `"code":"texture-read"`, `"code":"not-affine"`, `"code":"not-interpolated"`}},
	{ids: "I04", route: "level", program: "fig3.vsh,dot2.psh", o: onSlots, at: 0.5},
	{ids: "I15", route: "level", program: "reuse.vsh,reuse.psh", o: onSlots, at: 0.7,
		shows: []string{"mad oT0.xy, r0, "}},
	{ids: "I18", route: "level", program: "pass.vsh,packed.psh", o: onSlots, at: 0.6},
	{ids: "I19 I21", route: "level", program: "full.vsh,full.psh", o: onSlots, at: 0.99},
	{ids: "I20", route: "level", program: "big.vsh,fig3.psh", o: onSlots, at: 0.99},
	{ids: "I27", route: "level", program: "testdata/ikeda/pass.vsh,testdata/ikeda/sorting.psh", o: onSlots, at: 0.7},
	{ids: "I28", route: "level", program: "testdata/ikeda/pass.vsh,testdata/ikeda/summation.psh", o: onSlots, at: 0.5},
	{ids: "I29", route: "level", program: "pass.vsh,reorder.psh", o: onSlots, at: 0.5},
	{ids: "I30", route: "level", program: "testdata/ikeda/pass.vsh,testdata/ikeda/fluid_advect.psh",
		o: onSlots, at: 0.9},
	{ids: "I31 I34", route: "level", program: "testdata/ikeda/pass.vsh,testdata/ikeda/gaussian1d.psh",
		o: onSlots, at: 0.51},
	{ids: "I31", route: "level", program: "testdata/ikeda/pass.vsh,testdata/ikeda/fluid_jacobi.psh",
		o: onSlots, at: 0.53},
	{ids: "I32", route: "level", program: "testdata/ikeda/pass.vsh,testdata/ikeda/summation.psh", at: 0.99},
	{ids: "I40", route: "level", program: "fig3.vsh,fig3.psh", at: 0.99,
		o: shaderlift.Options{Target: "r420", Host: onSlots.Host, Draw: shaderlift.DrawOptions{PixelsPerVertex: 0.1}}},
	{ids: "I41", route: "level", program: "uniform.vsh,uniform.psh", o: onSlots, at: 0.5},
	// Figures, which bench/results compares.
	{ids: "J01 J22 J23 J24 J25 J26 J27 P19 P20 P21 P27 P28 P29 P30 D06 D07 D08 D09 D10 D15 I23 I24 I25",
		route: "docs/results.md", shows: []string{"## Print and model"}},
	{ids: "J15", route: "docs/results.md", shows: []string{"GFLOPS by the number of points"}},
	{ids: "J16 P32", route: "docs/results.md",
		shows: []string{"| Jang 2009 | jang128 | 65 | 1 / 1 |", "| PLDI 2008, final | slides192 | 38 | 5 / 5 |"}},
	{ids: "J21 P18", route: "docs/results.md", shows: []string{"| unroll 16 |", "| naive | 7 / 7"}},
	{ids: "J28", route: "docs/results.md",
		shows: []string{"the position of a voxel within an element is not known; a remark reports this"}},
	{ids: "J37", route: "docs/results.md", shows: []string{"`clause-switch` = 80"}},
	{ids: "P01", route: "docs/results.md", shows: []string{"RV670 (HD 3870)"}},
	{ids: "P22 P23 P24 P25 P31", route: "docs/results.md",
		shows: []string{"| v2, unrolled four times |", "| final, fetches grouped | 137"}},
	{ids: "I22 I26", route: "docs/results.md", shows: []string{"| gaussian2d | 2 / 2 | 55 / 55 |"}},
	{ids: "V05", route: "docs/results.md", shows: []string{"| 2x2 | 33"}},
	{ids: "D11 D13", route: "docs/results.md",
		shows: []string{"Speed-ups do not multiply", "The fastest combination is SAPVU"}},
	// Steps of a person.
	{ids: "J32 J39 P37", route: "docs/kernels.md",
		shows: []string{"exchange the loops", "Fusion: join kernels", "Stream addresses"}},
}
