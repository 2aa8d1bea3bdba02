package tune_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/opt/tune"
)

// sums is a bench whose programs are numbers: a pipeline of "+1", "*2" and similar stages computes
// one from 1.
type sums struct{}

func (sums) Make(_ context.Context, from int, stages string) (int, tune.Made, error) {
	for stage := range strings.SplitSeq(stages, ",") {
		var n int
		fmt.Sscanf(stage[1:], "%d", &n)
		if stage[0] == '*' {
			from *= n
		} else {
			from += n
		}
	}
	return from, made(from, stages), nil
}

func made(n int, stages string) tune.Made {
	h := sha256.Sum256([]byte{byte(n), byte(n >> 8)})
	return tune.Made{Key: tune.Key(h[:16]), Stages: stages, Cost: [4]int{distance(n)}, Work: 1}
}

func (sums) Time(_ context.Context, n int) (tune.Timed, error) {
	return tune.Timed{Cycles: float64(distance(n)), Work: 1}, nil
}

// distance returns the distance from 100.
func distance(n int) int { return max(n-100, 100-n) }

func search(jobs int, budget int64, memo *tune.Memo) *tune.Search[int] {
	return &tune.Search[int]{Bench: sums{}, Jobs: jobs, Budget: budget, Memo: memo, Turns: []tune.Turn{
		{Moves: []tune.Move{{Stages: "*3", Shape: true}, {Stages: "*7", Shape: true}}},
		{Moves: []tune.Move{{Stages: "+1"}, {Stages: "+4"}}, Time: true},
	}}
}

func Example() {
	s := search(2, 1000, tune.NewMemo(tune.Key{}))
	found, complete := s.Run(context.Background(), 1, made(1, ""))
	best := tune.Front(found, func(v *tune.Version[int]) tune.Point { return v.Point() })[0]
	fmt.Println(best.Pipeline, best.Cycles, complete)
	// Output: *3,+1,*7,+4,*3,+4 0 true
}
