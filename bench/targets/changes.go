package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/bench/internal/rank"
	"github.com/shaderlift/shaderlift/machine/draw"
)

// judge is a compiler for a GPU, and the target that prices its programs. Some judges only count
// the part for the first colour of a pixel program that writes several.
type judge struct {
	name, counts, target string
	first                bool
}

var judges = []judge{
	{"R420", "instructions", "r420", true},
	{"RV515", "instructions", "rv515", true},
	{"RV670", "groups", "rv670", true},
	{"RV770", "groups", "rv770", true},
	{"CYPRESS", "groups", "cypress", true},
	{"polaris10", "VALU", "gcn", false},
	{"navi21", "VALU", "rdna", false},
	{"navi31", "VALU", "rdna3", false},
}

// key is a judge and the stage that it counted.
type key struct{ judge, stage string }

// change is the change of a count, by a compiler and by the model.
type change struct{ judgedWas, judgedIs, priceWas, priceIs float64 }

func (c change) judged() float64    { return c.judgedIs/c.judgedWas - 1 }
func (c change) predicted() float64 { return c.priceIs/c.priceWas - 1 }

// figure returns the price of a target for a stage of the pair in a folder, with one execution of
// each loop.
type figure func(folder, target, stage string) (float64, error)

// read reads counts and prices the corresponding pairs. It omits pairs without a count or a price.
func read(r io.Reader, price figure) (map[key][]change, error) {
	target := map[string]string{}
	for _, j := range judges {
		target[j.name] = j.target
	}
	in := csv.NewReader(r)
	in.Comma, in.FieldsPerRecord = '\t', 6
	out := map[key][]change{}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		k := key{row[2], row[3]}
		if target[k.judge] == "" {
			return nil, fmt.Errorf("no target prices what %q compiles", k.judge)
		}
		var c change
		if c.judgedWas, err = strconv.ParseFloat(row[4], 64); err != nil {
			return nil, err
		}
		if c.judgedIs, err = strconv.ParseFloat(row[5], 64); err != nil {
			return nil, err
		}
		if c.priceWas, err = price(row[0], target[k.judge], k.stage); err != nil {
			return nil, err
		}
		if c.priceIs, err = price(row[1], target[k.judge], k.stage); err != nil {
			return nil, err
		}
		if c.judgedWas > 0 && c.priceWas > 0 {
			out[k] = append(out[k], c)
		}
	}
}

// summary returns the rest of a row of the document.
func summary(list []change) string {
	var predicted, judged, most, mostJudged, prices, counts []float64
	fine, worse := 0, 0
	for _, c := range list {
		p, j := c.predicted(), c.judged()
		predicted, judged = append(predicted, p), append(judged, j)
		prices, counts = append(prices, c.priceWas), append(counts, c.judgedWas)
		if math.Max(math.Abs(p), math.Abs(j)) >= 0.01 {
			most, mostJudged = append(most, p), append(mostJudged, j)
		}
		if p <= 1e-9 {
			fine++
			if j > 1e-9 {
				worse++
			}
		}
	}
	return fmt.Sprintf("%d | %.2f | %.2f | %d | %.2f | %d | %d", len(list), rank.Correlation(predicted, judged),
		rank.Correlation(most, mostJudged), len(most), rank.Correlation(prices, counts), fine, worse)
}

// pricer prices pairs in folders.
type pricer struct {
	known   map[[2]string]draw.Price // by folder and target
	draws   map[string]*draw.Draw
	several map[string]bool // folders whose pixel programs write several colours
}

func newPricer() *pricer {
	return &pricer{known: map[[2]string]draw.Price{}, draws: map[string]*draw.Draw{}, several: map[string]bool{}}
}

// price returns the price of a stage, or 0 if the judge of the target does not count the whole
// program.
func (x *pricer) price(folder, target, stage string) (float64, error) {
	at := [2]string{folder, target}
	p, known := x.known[at]
	if !known {
		t, err := draw.ByName(target)
		if err != nil {
			return 0, err
		}
		d, err := x.draw(folder)
		if err != nil {
			return 0, err
		}
		if p, err = t.Price(d); err != nil {
			return 0, err
		}
		x.known[at] = p
	}
	if stage == "pixel" && x.several[folder] &&
		slices.ContainsFunc(judges, func(j judge) bool { return j.first && j.target == target }) {
		return 0, nil
	}
	l := p.Pixel
	if stage == "vertex" {
		l = p.Vertex
	}
	return l[draw.Arithmetic] + l[draw.Vertex], nil
}

// draw returns the draw of the programs in a folder.
func (x *pricer) draw(folder string) (*draw.Draw, error) {
	if d := x.draws[folder]; d != nil {
		return d, nil
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var vs, ps *d3d9.Program
	for _, f := range files {
		name := filepath.Join(folder, f.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := d3d9.Read(name, data)
		if err != nil {
			return nil, err
		}
		if p.Model.Stage == d3d9.Vertex {
			vs = p
		} else {
			ps = p
			x.several[folder] = writesSeveral(p)
		}
	}
	d, err := draw.New(nil, vs, ps)
	if err != nil {
		return nil, err
	}
	x.draws[folder] = d.WithSingleTrips() // compilers count instructions, not executions
	return x.draws[folder], nil
}

// writesSeveral reports whether a pixel program writes more than one colour.
func writesSeveral(p *d3d9.Program) bool {
	return slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
		return in.HasDst && in.Dst.File == d3d9.ColorOut && in.Dst.Index > 0
	})
}
