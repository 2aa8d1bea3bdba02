package shaderlift

import "github.com/shaderlift/shaderlift/internal/stat"

// Trend is what became of one cost over the inputs that have it, each counted alike, whatever it
// costs. The figures are of after/before.
type Trend struct {
	Cost          string  `json:"cost"`
	Inputs        int     `json:"inputs"`
	Median        float64 `json:"median"`
	GeometricMean float64 `json:"geometric_mean"`
	Best          Extreme `json:"best"`
	Worst         Extreme `json:"worst"`
}

// Extreme is an input of which a cost changed most, the first of several.
type Extreme struct {
	Name  string  `json:"name"`
	Ratio float64 `json:"ratio"`
}

// trendsOf are the costs that have a trend, of what one input adds to the totals.
var trendsOf = []struct {
	cost string
	of   func(*Totals) *Change
}{
	{"pixel slots", func(t *Totals) *Change { return t.PixelSlots }},
	{"vertex slots", func(t *Totals) *Change { return t.VertexSlots }},
	{"cycles", func(t *Totals) *Change { return t.Cycles }},
}

// follow notes the ratio of costs of one result, of an effect that of the sums over its parts.
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

// Settle brings Trends up to date with what was added. Costs of fewer than two inputs have none.
func (t *Totals) Settle() {
	t.Trends = nil
	for i, s := range t.series {
		if len(s.ratios) < 2 {
			continue
		}
		t.Trends = append(t.Trends, Trend{trendsOf[i].cost, len(s.ratios), stat.Median(s.ratios), stat.GeometricMean(s.ratios), s.best, s.worst})
	}
}
