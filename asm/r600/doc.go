// Package r600 holds programs of the R600, R700 and Evergreen families as the hardware runs them. A
// program is a list of control-flow instructions, most of which start a clause. An ALU clause is
// groups of up to five operations, one for each of the slots x, y, z, w and t; a fetch clause is
// fetches. The table of operations has the slots of each operation in each family.
//
// [Print] writes a listing in the style of AMD's shader analyzer. The package has no encoder: it
// creates programs to count, time and read them, not to run them.
//
//	00 ALU: ADDR(32) CNT(3) KCACHE0(CB0:0-15)
//	      0  x: ADD         R0.x,  R0.x,  KC0[0].x
//	         y: MUL         R0.y,  R0.y,  R0.x
//	         t: RECIP_IEEE  R0.z,  R0.w
//	01 EXP_DONE: PIX0, R0
//	END_OF_PROGRAM
//
// The slots of a group run at once: all of them read before one writes, so y above multiplies by
// the old R0.x. The sources are AMD's "R600-Family Instruction Set Architecture", "R700-Family
// Instruction Set Architecture" and "Evergreen Family Instruction Set Architecture", cited as the
// ISA documents, and Mesa's r600 driver. The package does not check limits of groups and clauses;
// code that generates programs has to keep them.
package r600
