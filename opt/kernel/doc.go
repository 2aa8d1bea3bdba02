// Package kernel prices, times and searches for versions of AMD IL kernels.
//
// A [Bench] has two costs of a version. A price, estimated per wavefront, orders versions while passes
// run. A simulation of a launch decides between results. A price belongs to the machine program compiled
// directly from a unit. A simulated version has been written and read back, so emission has assigned its
// registers. Of 3100 versions in the corpus, 82 % keep their price when they are written, and 98 % keep it
// within placement.
package kernel
