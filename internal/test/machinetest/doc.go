// Package machinetest holds test support for the machine packages: the rules of finished programs,
// the results of operations, and kernels to run. Rules and results follow the text of the documents
// rather than the tables of the tested packages.
package machinetest
