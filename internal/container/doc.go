// Package container has containers for analyses and simulations that visit every element repeatedly. The standard
// library and x/tools are slower there.
//
// [Bits] is a dense set of small numbers; a sparse set (a list of blocks) takes 50 % more time. [Heap] is a
// priority queue of numbered elements; container/heap makes simulations a third slower. [Slab] allocates memory
// piece by piece and reuses it, for data that is built repeatedly and freed as a whole.
package container
