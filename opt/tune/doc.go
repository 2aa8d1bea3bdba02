// Package tune searches for the pipeline with the cheapest version of a program. The gains of
// passes are not additive: a pass that costs alone may enable another one, and two passes that gain
// alone may not gain together. So the search does not decide stage by stage. It is a beam search
// over versions, in iterations with increasing beam width (Zhang, Complete Anytime Beam Search,
// AAAI 1998).
//
// An iteration starts from the input and the best versions so far. In each turn it adds at most one
// move to each version: changes of loops, of their dependences, of the code, of fetches, or of
// registers. After every turn it prunes the beam by estimates and keeps versions of every shape.
// Unroll factors and groups of fetches show their value only in later turns. It simulates the
// versions after the last turns.
//
// A version is the content of a program. Two pipelines with the same result are one version,
// attributed to the first of them. A [Memo] stores the result of a move on a version, for wider
// iterations and for a search that resumes an interrupted one. The results do not depend on the
// number of workers.
package tune
