package tune_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shaderlift/shaderlift/opt/tune"
)

// story returns all results of a search as text.
func story(found []*tune.Version[int], complete bool, p tune.Progress) string {
	var b strings.Builder
	for _, v := range found {
		fmt.Fprintln(&b, v.Pipeline, v.Cycles, v.Key)
	}
	fmt.Fprint(&b, complete, p)
	return b.String()
}

// TestSearch checks that the results depend on the budget and not on the number of workers, and
// that every pipeline makes its version.
func TestSearch(t *testing.T) {
	for _, budget := range []int64{0, 1, 10, 57, 300, 100000} {
		want := ""
		for _, jobs := range []int{1, 2, 7} {
			s := search(jobs, budget, tune.NewMemo(tune.Key{}))
			found, complete := s.Run(t.Context(), 1, made(1, ""))
			got := story(found, complete, s.Progress())
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("budget %d, %d jobs:\n%s\nwith one:\n%s", budget, jobs, got, want)
			}
			if p := s.Progress(); p.Work > max(budget, 2)+1 {
				t.Errorf("budget %d: work %d", budget, p.Work)
			}
			for _, v := range found[min(1, len(found)):] {
				if _, m, _ := (sums{}).Make(t.Context(), 1, v.Pipeline); m.Key != v.Key {
					t.Errorf("%s makes another version", v.Pipeline)
				}
			}
		}
	}
}

// TestShapes checks that the turns of Shapes apply in order to the input, that versions whose bound is too high are not
// simulated, and that the results do not depend on the number of workers.
func TestShapes(t *testing.T) {
	want := ""
	for _, jobs := range []int{1, 3} {
		s := search(jobs, 100000, tune.NewMemo(tune.Key{}))
		s.Bench = bounded{}
		s.Turns = []tune.Turn{{Moves: []tune.Move{{Stages: "+1"}}, Time: true}}
		s.Shapes = []tune.Turn{{Moves: []tune.Move{{Stages: "*10", Shape: true}, {Stages: "*11", Shape: true},
			{Stages: "*50", Shape: true}}}, {Moves: []tune.Move{{Stages: "*9", Shape: true}, {Stages: "*40", Shape: true}}}}
		found, complete := s.Run(t.Context(), 1, made(1, ""))
		if best := slices.MinFunc(found, func(v, w *tune.Version[int]) int { return int(v.Cycles - w.Cycles) }); best.Pipeline != "*11,*9,+1" ||
			best.Cycles != 0 {
			t.Errorf("the best version is %s with %v cycles", best.Pipeline, best.Cycles)
		}
		for _, v := range found {
			if v.Bound > 100 {
				t.Errorf("%s with the bound %v is simulated", v.Pipeline, v.Bound)
			}
		}
		got := story(found, complete, s.Progress())
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d jobs:\n%s\nwith one:\n%s", jobs, got, want)
		}
	}
}

// TestShapesReplace checks that a move without Shape replaces a version by a better one, and that no turn grows a
// worse one or the replaced one.
func TestShapesReplace(t *testing.T) {
	s := search(2, 1000, tune.NewMemo(tune.Key{}))
	s.Turns = nil
	s.Shapes = []tune.Turn{{Moves: []tune.Move{{Stages: "*10", Shape: true}}},
		{Moves: []tune.Move{{Stages: "+30"}, {Stages: "+40"}, {Stages: "+500"}}},
		{Moves: []tune.Move{{Stages: "+9", Shape: true}}}}
	found, _ := s.Run(t.Context(), 1, made(1, ""))
	var got []string
	for _, v := range found {
		got = append(got, v.Pipeline)
	}
	if want := []string{"", "*10,+40", "+40", "*10,+40,+9"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// bounded is sums with lower bounds.
type bounded struct{ sums }

func (bounded) Make(ctx context.Context, from int, stages string) (int, tune.Made, error) {
	n, m, err := sums{}.Make(ctx, from, stages)
	m.Bound = float64(distance(n))
	return n, m, err
}

// counting counts calls of Make, and stops the search after some of them.
type counting struct {
	sums
	made *atomic.Int64
	most int64
	stop context.CancelFunc
}

func (c counting) Make(ctx context.Context, from int, stages string) (int, tune.Made, error) {
	if c.made.Add(1) == c.most {
		c.stop()
	}
	if err := ctx.Err(); err != nil {
		return 0, tune.Made{}, err
	}
	return c.sums.Make(ctx, from, stages)
}

// TestResume checks that an interrupted and resumed search has the result of an uninterrupted one,
// and repeats only the work to materialize versions.
func TestResume(t *testing.T) {
	whole := search(1, 100000, tune.NewMemo(tune.Key{}))
	found, complete := whole.Run(t.Context(), 1, made(1, ""))
	want := story(found, complete, whole.Progress())
	for _, most := range []int64{1, 5, 40, 200} {
		ctx, stop := context.WithCancel(t.Context())
		s := search(1, 100000, tune.NewMemo(tune.Key{1}))
		var n atomic.Int64
		s.Bench = counting{made: &n, most: most, stop: stop}
		if _, complete := s.Run(ctx, 1, made(1, "")); complete {
			t.Errorf("after %d: complete", most)
		}
		state, err := json.Marshal(s.Memo)
		if err != nil {
			t.Fatal(err)
		}
		again := search(2, 100000, tune.NewMemo(tune.Key{1}))
		if err := json.Unmarshal(state, again.Memo); err != nil {
			t.Fatal(err)
		}
		found, complete := again.Run(t.Context(), 1, made(1, ""))
		if got := story(found, complete, again.Progress()); got != want {
			t.Errorf("after %d:\n%s\nwithout an interruption:\n%s", most, got, want)
		}
		stop()
	}
	state, err := json.Marshal(whole.Memo)
	if err != nil {
		t.Fatal(err)
	}
	all := search(1, 100000, tune.NewMemo(tune.Key{}))
	if err := json.Unmarshal(state, all.Memo); err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	all.Bench = counting{made: &n}
	if all.Run(t.Context(), 1, made(1, "")); n.Load() != 0 {
		t.Errorf("%d versions are made though all is known", n.Load())
	}
}

func TestMemo(t *testing.T) {
	m := tune.NewMemo(tune.Key{1})
	for text, want := range map[string]error{`{"of":"02000000000000000000000000000000","made":[],"timed":[]}`: tune.ErrOther, `{"of":"01`: nil, `{"of":"zz"}`: nil, `[]`: nil, `{"other":1}`: nil} {
		err := json.Unmarshal([]byte(text), m)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if m.Size() != 0 {
		t.Error("something is remembered of what is not understood")
	}
}

func TestFront(t *testing.T) {
	points := []tune.Point{{9, 1, 1}, {5, 5, 5}, {5, 5, 5}, {6, 4, 9}, {6, 5, 5}, {7, 4, 4}, {5, 6, 4}}
	want := []tune.Point{{5, 5, 5}, {5, 6, 4}, {6, 4, 9}, {7, 4, 4}, {9, 1, 1}}
	if got := tune.Front(points, func(p tune.Point) tune.Point { return p }); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
