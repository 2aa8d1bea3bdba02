// Command soak optimizes random programs by random pipelines and checks the guarantees on the
// results. No result may be refuted or cost more, no run may crash or report a fault, and memory
// use must stay constant.
//
//	go run -C bench ./soak -n 1000000 -state soak.json -out faults
//
// Ten inputs are two pairs, one effect, three kernels and four single programs. Pipelines are
// levels, or passes in any order with any options. Direct3D 9 inputs also get random profiles,
// promises, partners, ranges and lists of targets. A failure to fit a profile is allowed. The
// command verifies results of effects, for profiles and under promises a second time, and one in 64
// of the others. Task j of a seed is the same on every machine; with -state a run resumes an
// earlier one, even if that was interrupted. Failures are reduced and written as reproducers for
// shaderlift replay, bisect and reduce.
package main
