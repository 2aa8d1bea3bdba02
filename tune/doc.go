// Package tune searches for the pipeline that makes a version of a program cost least. What
// passes gain does not add up: one that costs by itself may let another one pay, and two that
// pay may not pay together. So nothing is decided stage by stage. The search is a beam search
// over versions, in laps, each with a wider beam than the one before (Zhang, Complete Anytime
// Beam Search, AAAI 1998).
//
// A lap starts from the input and the best versions so far, and adds to each of them one
// move of each turn, or none: what to do to loops, to their dependences, to the code, to
// fetches, to registers. After every turn the beam is cut by estimates, in a way that leaves
// something of every shape in it: what loops were unrolled by and how fetches were grouped
// shows in what comes after. What is there behind the last turns is simulated.
//
// A version is the content of a program. Two pipelines that come to the same one are one
// version, made by the first of them. What a move makes of a version is remembered ([Memo]):
// wider laps take what narrower ones have made, and so does a search that goes on where
// another one was interrupted. Nothing that is found depends on the number of workers.
package tune
