package tune

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Bench creates versions; V is a materialized version. Its methods run concurrently, and their
// arguments determine their results. An error means that the context has ended.
type Bench[V any] interface {
	// Make applies stages of a pipeline to a version, which it leaves unchanged.
	Make(ctx context.Context, from V, stages string) (V, Made, error)
	// Time simulates a version.
	Time(ctx context.Context, v V) (Timed, error)
}

// Move is a possible extension of a pipeline.
type Move struct {
	Stages string
	// Shape marks a move whose value shows only in later turns: it creates versions of another
	// shape.
	Shape bool
}

// Turn is a set of moves of which at most one is added.
type Turn struct {
	Moves []Move
	// Time requests simulation of the results, because estimates ignore the cache behaviour of
	// fetches.
	Time bool
}

// Search is a search. Turns, Seeds, Budget and the results of Bench determine its results.
type Search[V any] struct {
	Bench Bench[V]
	Turns []Turn   // of an iteration
	Seeds []string // initial pipelines
	// Shapes are turns that grow versions of the input whose value shows only at the end, such as
	// tiles of invocations. They come before the iterations. In a turn of moves without Shape, the best
	// result of a version replaces it if it is better.
	Shapes []Turn
	Jobs   int // number of workers
	// Budget bounds the work of Made and Timed, including results from the memo. Seeds are always
	// made and simulated.
	Budget int64
	Memo   *Memo
	// Observe, if set, is called with the progress of the search at intervals.
	Observe func(Progress)

	// root is the input.
	root V
	// versions are the versions found, by content.
	versions map[Key]*Version[V]
	// found has the same versions, in the order of discovery.
	found []*Version[V]
	// tried are the moves tried so far.
	tried map[edge]bool
	// used is the work so far, of Budget.
	used int64
	// lap is the number of the iteration, from 1.
	lap int
	// timed is the number of simulated versions.
	timed int
	best  *Version[V] // the fastest simulated version
	begun bool        // the seeds are made and simulated, so the budget applies
	ended bool        // by the budget or the context
}

// Progress is the progress of a search.
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
	Pipeline string  // pipeline that makes it from the input
	Cycles   float64 // simulated; 0 if not simulated or unknown

	// shape holds the moves with Shape that led to it: the beam keeps some versions of each.
	shape string
	// from is the version from which a move made it first, nil for the input.
	from *Version[V]
	// unit is the materialized version, or nil if it has to be made again from its pipeline.
	unit *V
	// timed reports that it was simulated.
	timed bool
	// number is its index in found.
	number int
}

// Point returns the criteria of v.
func (v *Version[V]) Point() Point { return Point{v.Cycles, v.GPRs, v.Words} }

// The beam width in the first iteration, and the maximum.
const (
	firstWidth = 8
	lastWidth  = 256
)

// patience is the number of consecutive iterations without improvement after which a search ends.
const patience = 2

// Run searches from root. It returns the simulated versions, root first; complete reports that
// neither the budget nor the context ended it.
func (s *Search[V]) Run(ctx context.Context, root V, made Made) (versions []*Version[V], complete bool) {
	s.root, s.versions, s.tried = root, map[Key]*Version[V]{}, map[edge]bool{}
	// The input and the seeds are made and simulated regardless of the budget.
	first := s.version(made, "", "", nil)
	first.unit = &root
	start := []*Version[V]{first}
	for _, seed := range s.Seeds {
		for _, v := range s.growBeam(ctx, start[:1], []Move{{Stages: seed, Shape: true}}) {
			if v != first {
				start = append(start, v)
			}
		}
	}
	s.simulateAll(ctx, start)
	s.begun, s.ended = true, s.ended || s.used >= s.Budget
	s.growShapes(ctx, first)
	idle := 0
	// Each iteration starts again from the best versions so far, with a beam twice as wide. The
	// search ends with the budget, after iterations without improvement, or after one without new
	// moves.
	for width := firstWidth; !s.ended && idle < patience && width <= lastWidth; width *= 2 {
		best, edges := s.best, len(s.tried)
		s.lap++
		beam := s.fastest(start, width)
		for _, turn := range s.Turns {
			if beam = s.prune(ctx, s.growBeam(ctx, beam, turn.Moves), turn, width); s.ended {
				break
			}
		}
		if idle++; s.best != best {
			idle = 0
		}
		if len(s.tried) == edges {
			break // all moves have been tried
		}
	}
	for _, v := range s.found {
		if v.timed {
			versions = append(versions, v)
		}
	}
	return versions, !s.ended
}

// shapeWidth is the number of versions that a turn of Shapes keeps, and shapesTimed the number of those
// at the end that are simulated.
const (
	shapeWidth  = 48
	shapesTimed = 24
)

// growShapes makes versions of the input by the turns of Shapes, for at most half of the budget that is left. It
// simulates those with the best estimates, unless their lower bound is no better than the best version so far.
func (s *Search[V]) growShapes(ctx context.Context, input *Version[V]) {
	beam, whole := []*Version[V]{input}, s.Budget
	s.Budget -= (whole - s.used) / 2
	for _, turn := range s.Shapes {
		first := len(beam)
		grown := s.growBeam(ctx, beam, turn.Moves)
		if beam = grown; !turn.Moves[0].Shape {
			beam = replaced(grown, first)
		}
		order(beam)
		beam = beam[:min(len(beam), shapeWidth)]
		s.release(grown, beam)
	}
	s.Budget = whole
	s.ended = s.used >= whole || ctx.Err() != nil
	timed := 0
	for _, v := range beam {
		if s.ended || timed == shapesTimed {
			break
		}
		if s.best.Cycles == 0 || v.Bound < s.best.Cycles {
			s.simulateAll(ctx, []*Version[V]{v})
			timed++
		}
	}
}

// replaced returns the first versions of a beam, each replaced by the best of the others that a move made from it, if
// that is better.
func replaced[V any](beam []*Version[V], first int) (list []*Version[V]) {
	best := map[*Version[V]]*Version[V]{}
	for _, v := range beam[first:] {
		if v.compare(cmp.Or(best[v.from], v.from, v)) < 0 {
			best[v.from] = v
		}
	}
	for _, v := range beam[:first] {
		list = append(list, cmp.Or(best[v], v))
	}
	return list
}

// Progress returns the progress of the search.
func (s *Search[V]) Progress() Progress {
	p := Progress{Lap: s.lap, Versions: len(s.found), Timed: s.timed, Work: s.used, Budget: s.Budget}
	if s.best != nil {
		p.Best = s.best.Cycles
	}
	return p
}

// version returns the version with made's content, and records it if it is new.
func (s *Search[V]) version(made Made, pipeline, shape string, from *Version[V]) *Version[V] {
	v := s.versions[made.Key]
	if v == nil {
		v = &Version[V]{Made: made, Pipeline: pipeline, shape: shape, from: from, number: len(s.found)}
		s.versions[made.Key] = v
		s.found = append(s.found, v)
	}
	return v
}

// fastest returns the start of an iteration: the input, the seeds and the best versions so far.
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

// growBeam returns a beam with all results of one move on its versions.
func (s *Search[V]) growBeam(ctx context.Context, beam []*Version[V], moves []Move) []*Version[V] {
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
	s.materializeBeam(ctx, beam, moves)
	next, in := beam[:len(beam):len(beam)], map[*Version[V]]bool{}
	for _, v := range beam {
		in[v] = true
	}
	s.inOrder(ctx, len(steps), func(ctx context.Context, i int) error {
		t := &steps[i]
		if t.made, t.done = recall(s.Memo, s.Memo.made, t.edge); t.done {
			return nil
		}
		from, err := s.versionUnit(ctx, t.of)
		if err != nil {
			return err
		}
		unit, made, err := s.Bench.Make(ctx, *from, t.move.Stages)
		if err != nil {
			return err
		}
		t.made, t.unit = made, &unit
		storeFact(s.Memo, s.Memo.made, t.edge, made)
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
			shape = joinStages(shape, t.made.Stages)
		}
		v := s.version(t.made, joinStages(t.of.Pipeline, t.made.Stages), shape, t.of)
		if !in[v] {
			in[v] = true
			next = append(next, v)
			if v.unit == nil && t.unit != nil && v.Pipeline == joinStages(t.of.Pipeline, t.made.Stages) {
				v.unit = t.unit
			}
		}
	})
	return next
}

// materializeBeam materializes versions of a beam again if they have new moves.
func (s *Search[V]) materializeBeam(ctx context.Context, beam []*Version[V], moves []Move) {
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
		todo[i].unit, err = s.versionUnit(ctx, todo[i])
		return err
	}, func(int) {})
}

// versionUnit returns the materialized version, and makes it again if necessary.
func (s *Search[V]) versionUnit(ctx context.Context, v *Version[V]) (*V, error) {
	if v.unit != nil {
		return v.unit, nil
	}
	u, _, err := s.Bench.Make(ctx, s.root, v.Pipeline)
	return &u, err
}

func joinStages(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.Join([]string{a, b}, ",")
}
