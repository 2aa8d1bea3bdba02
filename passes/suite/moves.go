package suite

import "github.com/shaderlift/shaderlift/passes"

// Moves are what a search for a pipeline adds to one, turn by turn, in the order of [order]:
// loops, what their trips wait for, the code, fetches, registers. Those of a turn exclude each
// other but for the code, which has several turns.
type Moves struct {
	Stages []string
	// Shape tells that what they are worth shows in what comes after, and Time that only a
	// simulation tells it.
	Shape, Time bool
}

var code = Moves{Stages: []string{
	"combine-alu,dce", "gvn{mixed=true},copyprop{mixed=true},dce", "gvn,copyprop,dce", "fold,dce", "leafprop,dce",
	"sink", "vectorize,dce", "pack,dce", "factor,dce", "remat,dce", "flatten,dce", "fold{lanes=true},dce",
}}

// kernelMoves are those for kernels. Trips at a time are powers of two, as far as they have
// been seen to pay, and all; windows are the fetches of a clause and parts of it, as many as a
// clause of the later chips has, and all.
var kernelMoves = []Moves{
	{[]string{"unroll{factor=2},dce", "unroll{factor=4},dce", "unroll{factor=8},dce", "unroll{factor=16},dce", "unroll{factor=full},fold,dce", "unroll{inner=false},dce"}, true, false},
	{[]string{"break-deps,dce", "break-deps{sums=2},dce", "break-deps{sums=4},dce"}, true, false},
	code, code, code,
	{[]string{"group-fetches{window=4}", "group-fetches{window=8}", "group-fetches{window=12}", "group-fetches{window=16}", "group-fetches{window=24}", "group-fetches{window=48}", "group-fetches{window=all}"}, true, true},
	{[]string{"merge-registers,dce"}, false, true},
}

func init() {
	for _, turn := range kernelMoves {
		for _, src := range turn.Stages {
			mustParse(src)
		}
	}
}

// KernelMoves are those for kernels.
func KernelMoves() []Moves { return kernelMoves }

// Without leaves the stages of a pipeline out that left a unit as it was, as the report of its run says.
func Without(p passes.Pipeline, stats []passes.Stat) (q passes.Pipeline) {
	for i, s := range stats {
		if s.Outcome == passes.Changed || s.Outcome == passes.Unchanged && s.Steps > 0 {
			q = append(q, p[i])
		}
	}
	return q
}
