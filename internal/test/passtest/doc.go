// Package passtest runs fixtures that state the effect of passes on a program: one txtar archive per
// behaviour.
//
//	x*1 is x, whatever x is.
//
//	pipeline: fold,dce
//	numerics: bits
//	-- in.psh --
//	ps_2_0
//	...
//	-- want.psh --
//	ps_2_0
//	...
//
// Above the files, lines of the form "key: value" are settings, and all other lines are prose. A key is one
// lower-case word; an unknown one is an error. A fixture holds a program or a pair (in.vsh, in.psh), or a
// kernel (in.il), and the expected result of each; without a want file it must stay unchanged. The settings are:
//
//   - "numerics": real by default;
//   - "target": the chip to price a kernel for; without it a kernel is not priced;
//   - "verdict": the expected verdict of verification, if the test checks it;
//   - "host-constants: mirrored" grants uploads;
//   - "costlier: kept" keeps results that cost more;
//   - "again: more" means that a second run of the pipeline makes more rewrites.
//
// A file named remarks lists the remarks of the passes, one "pass code" a line.
//
// [Run] lists further checks.
//
// [Compare] runs IR programs on random inputs, to compare results before and after a pass.
// [StandardLaunch] makes a launch of a kernel.
package passtest
