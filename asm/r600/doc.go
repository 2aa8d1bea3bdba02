// Package r600 holds programs of the R600, R700 and Evergreen families as the hardware
// runs them: a list of control-flow instructions, most of which start a clause. An ALU
// clause is groups of up to five operations, one for each of the slots x, y, z, w and t;
// a fetch clause is fetches. The table of operations says which slots each family has
// for them.
//
// [Print] writes a listing in the style of AMD's shader analyzer. There is no encoder:
// programs are made to be counted, timed and read, not to be run.
package r600
