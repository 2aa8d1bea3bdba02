// Package remat computes coordinates of fetches anew where that is cheaper than to bring
// together what has been computed before.
package remat
