// Package explain lists the instructions of programs with their prices, rates, sources and fates.
//
// Its functions take programs, positions and rewrites as values, and return what reports and listings
// show.
package explain
