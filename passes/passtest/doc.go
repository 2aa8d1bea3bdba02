// Package passtest runs fixtures that say what passes do to a program: one txtar
// archive per behaviour.
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
// Above the files, lines of the form "key: value" are settings, everything else
// is prose. A fixture holds a program or a pair (in.vsh, in.psh), or a kernel (in.il), and
// for each what it becomes; without a want file it must come out as it went in. "numerics"
// are real where nothing is said; a kernel is priced only if a "target" is named;
// "verdict" names what verification says of the result where that is to be pinned down,
// "host-constants: mirrored" grants uploads, "costlier: kept" keeps results that cost more,
// and "again: more" says that the pipeline does more if it runs again. A file named remarks lists what the passes say, one "pass code" a
// line.
//
// [Run] checks more than the text: see there.
package passtest
