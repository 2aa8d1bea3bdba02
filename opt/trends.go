package opt

import "github.com/shaderlift/shaderlift/internal/stat"

// Trend summarizes one cost over the inputs that have it, all with equal weight. The figures are ratios
// after/before.
type Trend struct {
	Cost          string  `json:"cost"`
	Inputs        int     `json:"inputs"`
	Median        float64 `json:"median"`
	GeometricMean float64 `json:"geometric_mean"`
	Best          Extreme `json:"best"`
	Worst         Extreme `json:"worst"`
}

// Extreme is the input with the largest change of a cost; the first if there are several.
type Extreme struct {
	Name  string  `json:"name"`
	Ratio float64 `json:"ratio"`
}

// trendsOf are the costs with a trend, as one input adds them to the totals.
var trendsOf = []struct {
	cost string
	of   func(*Totals) *Change
}{
	{"pixel slots", func(t *Totals) *Change { return t.PixelSlots }},
	{"vertex slots", func(t *Totals) *Change { return t.VertexSlots }},
	{"cycles", func(t *Totals) *Change { return t.Cycles }},
}

// follow records the ratios of costs of one result; for an effect, of the sums over its parts.
func (t *Totals) follow(r *Result) {
	if r.Status == Failed {
		return
	}
	var one Totals
	one.costs(r)
	for i, row := range trendsOf {
		c := row.of(&one)
		if c == nil || c.Before <= 0 || c.After <= 0 {
			continue
		}
		e := Extreme{r.Name, float64(c.After) / float64(c.Before)}
		s := &t.series[i]
		if len(s.ratios) == 0 || e.Ratio < s.best.Ratio {
			s.best = e
		}
		if len(s.ratios) == 0 || e.Ratio > s.worst.Ratio {
			s.worst = e
		}
		s.ratios = append(s.ratios, e.Ratio)
	}
}

// series are the ratios of one cost so far.
type series struct {
	ratios      []float64
	best, worst Extreme
}

// Settle updates Trends from the added results. A cost needs at least two inputs to have a trend.
func (t *Totals) Settle() {
	t.Trends = nil
	for i, s := range t.series {
		if len(s.ratios) < 2 {
			continue
		}
		t.Trends = append(t.Trends, Trend{trendsOf[i].cost, len(s.ratios), stat.Median(s.ratios),
			stat.GeometricMean(s.ratios), s.best, s.worst})
	}
}
