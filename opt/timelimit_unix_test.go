//go:build unix

package opt

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift/opt/pair"
)

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestTimeLimit checks that programs near the size limits end near the time limit, with the best result
// so far: no step runs for long between two checks of the clock. On a busy machine, the processor time
// counts.
func TestTimeLimit(t *testing.T) {
	type asked struct {
		Input
		target pair.Target
	}
	inputs := map[string]asked{}
	sizes := map[string]int{"cases": 1000, "branches": 5000, "loops in a row": 3000, "jumps": 10_000, "wide": 10_000,
		"a chain": 30_000,
		"fetches": 15_000, "stores": 15_000, "carried registers": 10_000}
	for _, shape := range shapes {
		if n, ok := sizes[shape.name]; ok {
			inputs["kernel: "+shape.name] = asked{Input{Files: []File{{Name: "test", Data: shaped(shape.body(n))}}}, ""}
			delete(sizes, shape.name)
		}
	}
	if len(sizes) > 0 {
		t.Errorf("no shapes: %v", sizes)
	}
	for _, shape := range pairShapes {
		for _, target := range []pair.Target{DefaultTarget, pair.PortableTarget} {
			inputs["pair: "+shape.name+" for "+string(target)] = asked{shapedPair(shape.body(16_000)), target}
		}
	}
	for name, in := range inputs {
		const attempts = 12 // other processes make single attempts slower
		var took time.Duration
		for n := range attempts {
			limit := time.Second / time.Duration(7+n%4) // it may expire in any step
			start, spent := time.Now(), processorTime()
			res, err := Optimize(context.Background(), in.Input,
				Options{Target: in.target, Limits: Limits{Time: limit}})
			if took = time.Since(start); err != nil || len(res.Faults) > 0 || len(res.Files) != len(in.Files) {
				t.Fatalf("%s: %v, %d faults, %d files after %v", name, err, len(res.Faults), len(res.Files), took)
			}
			if min(took, processorTime()-spent) <= limit*13/10+100*time.Millisecond {
				break
			}
			if n == attempts-1 {
				t.Errorf("%s: took %v, where %v were given", name, took, limit)
			}
		}
	}
}
