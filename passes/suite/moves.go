package suite

import "github.com/shaderlift/shaderlift/passes"

// Moves are the stages that a search for a pipeline may add in one turn. The turns follow [order]: loops,
// dependences between trips, the code, fetches, registers. The moves of a turn exclude each other, except
// those for code, which has several turns.
type Moves struct {
	Stages []string
	// Shape means that their value shows only after later stages, and Time that only a simulation shows it.
	Shape, Time bool
}

var code = Moves{Stages: []string{
	"combine-alu,dce", "gvn{mixed=true},copyprop{mixed=true},dce", "gvn,copyprop,dce", "fold,dce", "leafprop,dce",
	"sink", "vectorize,dce", "pack,dce", "factor,dce", "remat,dce", "flatten,dce", "fold{lanes=true},dce",
}}

// kernelMoves are the moves for kernels. Unroll factors are powers of two, up to the largest that has paid,
// and full. Windows are the fetches of a clause, fractions of it, the fetches of a clause on later chips, and
// all.
var kernelMoves = []Moves{
	{[]string{"unroll{factor=2},dce", "unroll{factor=4},dce", "unroll{factor=8},dce", "unroll{factor=16},dce",
		"unroll{factor=full},fold,dce", "unroll{inner=false},dce"}, true, false},
	{[]string{"preload,dce", "preload,unswitch,dce", "preload,break-deps,dce", "break-deps,dce", "break-deps{sums=2},dce", "break-deps{sums=4},dce"}, true, false},
	code, code, code,
	{[]string{"group-fetches{window=4}", "group-fetches{window=8}", "group-fetches{window=12}",
		"group-fetches{window=16}", "group-fetches{window=24}", "group-fetches{window=48}", "group-fetches{window=all}"}, true, true},
	{[]string{"merge-registers,dce"}, false, true},
}

func init() {
	for _, turn := range kernelMoves {
		for _, src := range turn.Stages {
			mustParse(src)
		}
	}
}

// KernelMoves returns the moves for kernels.
func KernelMoves() []Moves { return kernelMoves }

// Without returns p without the stages that did not change a unit, judged by the statistics of a run.
func Without(p passes.Pipeline, stats []passes.Stat) (q passes.Pipeline) {
	for i, s := range stats {
		if s.Outcome == passes.Changed || s.Outcome == passes.Unchanged && s.Steps > 0 {
			q = append(q, p[i])
		}
	}
	return q
}
