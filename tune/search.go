package tune

import (
	"context"
	"slices"
	"strings"
)

// Bench is where versions are made, of which V is one at hand. Its methods are called from
// several goroutines at a time, and what they return follows from what they are given. An
// error says that the context has ended.
type Bench[V any] interface {
	// Make goes on from a version with stages of a pipeline, and leaves that one as it is.
	Make(ctx context.Context, from V, stages string) (V, Made, error)
	// Time simulates a version.
	Time(ctx context.Context, v V) (Timed, error)
}

// Move is what may be added to a pipeline.
type Move struct {
	Stages string
	// Shape tells that what it is worth shows in what comes after: it makes versions of
	// another shape.
	Shape bool
}

// Turn is what may be added one of, or nothing.
type Turn struct {
	Moves []Move
	// Time tells that what comes of it is simulated: estimates do not know how fetches meet in
	// caches.
	Time bool
}

// Search is a search. Its results follow from Turns, Seeds, Budget and what Bench makes.
type Search[V any] struct {
	Bench Bench[V]
	Turns []Turn   // of a lap
	Seeds []string // pipelines to begin with
	Jobs  int      // versions made at a time
	// Budget is the work that Made and Timed may come to, what is remembered included. Seeds are
	// made and simulated in any case.
	Budget int64
	Memo   *Memo
	// Observe, if set, is told now and then how far the search has come.
	Observe func(Progress)

	// root is the input.
	root V
	// versions are those found, by content.
	versions map[Key]*Version[V]
	// found are the same, in the order in which they were found.
	found []*Version[V]
	// tried are the moves tried so far.
	tried map[edge]bool
	// used is the work so far, of Budget.
	used int64
	// lap is the number of the lap, from 1.
	lap int
	// timed is how many versions were simulated.
	timed int
	best  *Version[V] // the fastest that was simulated
	begun bool        // the seeds were made and simulated, which no budget cuts off
	ended bool        // by the budget or the context
}

// Progress is how far a search has come.
type Progress struct {
	Lap      int     `json:"lap"`
	Versions int     `json:"versions"`
	Timed    int     `json:"simulated"`
	Work     int64   `json:"work"`
	Budget   int64   `json:"budget"`
	Best     float64 `json:"-"` // cycles
}

// Version is one of the programs that were found.
type Version[V any] struct {
	Made
	Pipeline string  // that makes it of the input
	Cycles   float64 // simulated; 0 if it was not, or cannot be

	// shape is what moves with Shape have done to it: the beam keeps some of each.
	shape string
	// unit is the version itself, nil where it has to be made again from its pipeline.
	unit *V
	// timed tells that it was simulated.
	timed bool
	// number is its place in found.
	number int
}

// Point is what v is judged by.
func (v *Version[V]) Point() Point { return Point{v.Cycles, v.GPRs, v.Words} }

// The width of the beam: of the first lap, and the widest.
const (
	firstWidth = 8
	lastWidth  = 256
)

// patience is how many laps in a row may find nothing better before a search is over.
const patience = 2

// Run searches from root on. It returns the versions that were simulated, root first, and
// complete tells that it came to an end by itself.
func (s *Search[V]) Run(ctx context.Context, root V, made Made) (versions []*Version[V], complete bool) {
	s.root, s.versions, s.tried = root, map[Key]*Version[V]{}, map[edge]bool{}
	// The input and the seeds are made and simulated whatever the budget says.
	first := s.version(made, "", "")
	first.unit = &root
	start := []*Version[V]{first}
	for _, seed := range s.Seeds {
		for _, v := range s.grow(ctx, start[:1], []Move{{Stages: seed, Shape: true}}) {
			if v != first {
				start = append(start, v)
			}
		}
	}
	s.time(ctx, start)
	s.begun, s.ended = true, s.ended || s.used >= s.Budget
	idle := 0
	// Each lap starts again from the best so far, with a beam twice as wide. It ends when the
	// budget does, when laps find nothing better, or when one has tried nothing new.
	for width := firstWidth; !s.ended && idle < patience && width <= lastWidth; width *= 2 {
		best, edges := s.best, len(s.tried)
		s.lap++
		beam := s.fastest(start, width)
		for _, turn := range s.Turns {
			if beam = s.prune(ctx, s.grow(ctx, beam, turn.Moves), turn, width); s.ended {
				break
			}
		}
		if idle++; s.best != best {
			idle = 0
		}
		if len(s.tried) == edges {
			break // nothing is left that would be tried
		}
	}
	for _, v := range s.found {
		if v.timed {
			versions = append(versions, v)
		}
	}
	return versions, !s.ended
}

// Progress is how far the search has come.
func (s *Search[V]) Progress() Progress {
	p := Progress{Lap: s.lap, Versions: len(s.found), Timed: s.timed, Work: s.used, Budget: s.Budget}
	if s.best != nil {
		p.Best = s.best.Cycles
	}
	return p
}

// version enters what was made, unless it is there already.
func (s *Search[V]) version(made Made, pipeline, shape string) *Version[V] {
	v := s.versions[made.Key]
	if v == nil {
		v = &Version[V]{Made: made, Pipeline: pipeline, shape: shape, number: len(s.found)}
		s.versions[made.Key] = v
		s.found = append(s.found, v)
	}
	return v
}

// fastest is where a lap starts: from the input, the seeds and the best versions so far.
func (s *Search[V]) fastest(start []*Version[V], width int) []*Version[V] {
	beam, in := start[:len(start):len(start)], map[*Version[V]]bool{}
	for _, v := range start {
		in[v] = true
	}
	var others []*Version[V]
	for _, v := range s.found {
		if v.timed && !in[v] {
			others = append(others, v)
		}
	}
	order(others)
	return append(beam, others[:min(len(others), width)]...)
}

// grow is a beam with all that comes of it by one move.
func (s *Search[V]) grow(ctx context.Context, beam []*Version[V], moves []Move) []*Version[V] {
	type step struct {
		edge
		of   *Version[V]
		move Move
		made Made
		unit *V
		done bool
	}
	var steps []step
	for _, v := range beam {
		for _, m := range moves {
			steps = append(steps, step{edge: edge{v.Key, m.Stages}, of: v, move: m})
		}
	}
	s.make(ctx, beam, moves)
	next, in := beam[:len(beam):len(beam)], map[*Version[V]]bool{}
	for _, v := range beam {
		in[v] = true
	}
	s.inOrder(ctx, len(steps), func(ctx context.Context, i int) error {
		t := &steps[i]
		if t.made, t.done = recall(s.Memo, s.Memo.made, t.edge); t.done {
			return nil
		}
		from, err := s.unit(ctx, t.of)
		if err != nil {
			return err
		}
		unit, made, err := s.Bench.Make(ctx, *from, t.move.Stages)
		if err != nil {
			return err
		}
		t.made, t.unit = made, &unit
		note(s.Memo, s.Memo.made, t.edge, made)
		return nil
	}, func(i int) {
		t := &steps[i]
		if !s.tried[t.edge] {
			s.tried[t.edge] = true
			s.used += t.made.Work
		}
		if t.made.Key == (Key{}) {
			return
		}
		shape := t.of.shape
		if t.move.Shape {
			shape = join(shape, t.made.Stages)
		}
		v := s.version(t.made, join(t.of.Pipeline, t.made.Stages), shape)
		if !in[v] {
			in[v] = true
			next = append(next, v)
			if v.unit == nil && t.unit != nil && v.Pipeline == join(t.of.Pipeline, t.made.Stages) {
				v.unit = t.unit
			}
		}
	})
	return next
}

// make makes those of a beam again that are not at hand, where there is something new to make
// of them.
func (s *Search[V]) make(ctx context.Context, beam []*Version[V], moves []Move) {
	var todo []*Version[V]
	for _, v := range beam {
		if v.unit == nil && slices.ContainsFunc(moves, func(m Move) bool {
			_, known := recall(s.Memo, s.Memo.made, edge{v.Key, m.Stages})
			return !known
		}) {
			todo = append(todo, v)
		}
	}
	s.inOrder(ctx, len(todo), func(ctx context.Context, i int) (err error) {
		todo[i].unit, err = s.unit(ctx, todo[i])
		return err
	}, func(int) {})
}

// unit is a version at hand, made again if it is not.
func (s *Search[V]) unit(ctx context.Context, v *Version[V]) (*V, error) {
	if v.unit != nil {
		return v.unit, nil
	}
	u, _, err := s.Bench.Make(ctx, s.root, v.Pipeline)
	return &u, err
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.Join([]string{a, b}, ",")
}
