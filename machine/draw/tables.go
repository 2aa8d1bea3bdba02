package draw

// targets lists the machines.
var targets = []Target{
	{Name: "gcn", Doc: "AMD, GCN 1 to 5",
		prices: measured, exports: derived, rates: documents, linking: linked,
		scalars: &scalars{choose: 1, compare: 1, frc: 1, deriv: 2, special: 4, log: 2, interp: 2, flat: 1, uniforms: 1,
			zeros: 1,
			cube:  7, projected: 3, grads: 4, gather: 1, masks: true}, export: 4,
		fetch: [numTexels]float64{16, 32, 64}, write: [numWrites]float64{0, 64, 256}}, // 64 lanes and 4 texels a clock, 64 lanes an output
	{Name: "rdna", Doc: "AMD, RDNA 1, 2 and 4",
		prices: measured, exports: derived, rates: documents, linking: linked,
		scalars: &scalars{choose: 1, compare: 1, frc: 1, deriv: 2, special: 1, beside: 4, log: 2, interp: 2, flat: 1,
			zeros: 1,
			cube:  7, projected: 3, masks: true}, export: 4,
		fetch: [numTexels]float64{16, 32, 64}, write: [numWrites]float64{0, 40, 160}},
	{Name: "rdna3", Doc: "AMD, RDNA 3 and 3.5",
		prices: measured, exports: derived, rates: documents, linking: linked,
		scalars: &scalars{choose: 1, compare: 2, frc: 2, deriv: 4, special: 1, beside: 8, log: 2, interp: 4, flat: 2,
			zeros: 1,
			cube:  7, projected: 3, masks: true}, export: 8,
		fetch: [numTexels]float64{32, 64, 128}, write: [numWrites]float64{0, 64, 256}},
	{Name: "nvidia", Doc: "NVIDIA, Hopper and similar",
		prices: timed, exports: timed, rates: timed,
		scalars: &scalars{choose: 1, compare: 1, frc: 2, deriv: 2, special: 1, beside: 8, interp: 3, interpBeside: 8, flat: 1,
			cube: 7, projected: 3, grads: 4},
		// Measured on programs without other work, with a mesh of 1280 x 1280 squares on 4096 x
		// 4096 pixels. If squares cover whole pixels, as 1024 x 1024 do, times follow no such
		// table.
		primitives: []float64{2390, 4080, 4340, 3980, 4660, 4680, 5060, 4400, 5570, 5660, 6720, 6240, 7400, 7610, 8210,
			8270, 9040, 9500, 10750, 10290, 11520, 11730, 12320, 12360, 13140},
		attribute: 680,
		fetch:     [numTexels]float64{32, 48, 64}, write: [numWrites]float64{0, 72, 288}},
	{Name: "intel", Doc: "Intel, Gen9 to Xe",
		prices: documents, exports: derived, rates: documents,
		scalars: &scalars{choose: 1, compare: 1, frc: 1, deriv: 2, special: 1, beside: 4, interp: 2, flat: 0,
			cube: 7, projected: 3, grads: 4}, export: 4,
		fetch: [numTexels]float64{16, 32, 64}, write: [numWrites]float64{0, 24, 96}},
	{Name: "rv670", Doc: "AMD, R600 family",
		prices: measured, rates: documents, groups: &groups{queue: 7}, linking: translated,
		fetch: [numTexels]float64{4, 8, 16}, write: [numWrites]float64{0, 4, 16}}, // 64 groups, 16 texels and 16 pixels a clock
	{Name: "rv770", Doc: "AMD, R700",
		prices: measured, rates: documents, groups: &groups{queue: 7}, linking: translated,
		fetch: [numTexels]float64{4, 4, 8}, write: [numWrites]float64{0, 10, 20}},
	{Name: "cypress", Doc: "AMD, Evergreen",
		prices: measured, rates: documents, groups: &groups{queue: 15, shortDots: true,
			interpolates: true}, linking: translated,
		fetch: [numTexels]float64{4, 4, 8}, write: [numWrites]float64{0, 10, 20}},
	{Name: "r420", Doc: "ATI, R300 to R420",
		prices: measured, rates: documents, vectors: &vectors{trig: 2, gradient: 1, kill: 5}, linking: vectorial,
		fetch: [numTexels]float64{1, 2, 4}, write: [numWrites]float64{0, 1, 4}}, // a pipe has a texture and an output unit
	{Name: "rv515", Doc: "ATI, R520 family",
		prices: measured, rates: documents, vectors: &vectors{trig: 1, gradient: 3, kill: 5,
			complements: true}, linking: vectorial,
		fetch: [numTexels]float64{1, 2, 4}, write: [numWrites]float64{0, 1, 4}},
	// Mali. A unit is 1/64 of a cycle of a core on Valhall, and 1/24 on Bifrost. Writes go to memory on the chip and
	// are not modelled.
	{Name: "valhall", Doc: "Arm, Mali-G57 and similar", Phone: true,
		prices: measured, exports: derived, rates: derived, linking: linked,
		scalars: &scalars{choose: 0.5, compare: 0.5, frc: 2, deriv: 2, beside: 4, log: 2, apart: 8},
		export:  8, fetch: [numTexels]float64{16, 32, 64}},
	{Name: "bifrost", Doc: "Arm, Mali-G52 and similar", Phone: true, slowest: true,
		prices: measured, exports: derived, rates: derived, linking: linked,
		scalars: &scalars{choose: 1, compare: 1, frc: 1, deriv: 2, special: 1.5, log: 2, apart: 2.5, cube: 7},
		export:  8, fetch: [numTexels]float64{12, 24, 48}},
}
