package shaderlift

import (
	"bytes"
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/xnb"
)

// Programs in arrays keep one interface for all that they are drawn with, so that a pair may
// not get as good as it could alone. Where tables say which elements an index chooses, an array
// may have more programs: pairs that are cheaper so get programs of their own.

// Growth is what an effect has more of, by Options.Grow.
type Growth struct {
	// Pairs are those that have programs of their own now.
	Pairs []GroupPair `json:"pairs"`
	// Programs are those of the effect, and Bytes the size of the file.
	Programs Change `json:"programs"`
	Bytes    Change `json:"bytes"`
}

// grower gives pairs of an effect programs of their own.
type grower struct {
	e      *effect
	chosen fx.Chosen
	parts  [2]map[int]int     // of elements, by stage
	own    map[[2]int]*Result // pairs of parts that are cheaper by themselves
}

// maxGrown bounds the pairs that get programs of their own.
const maxGrown = 1 << 10

// grow does so where that makes pairs cheaper than results are, which are written already.
func (o job) grow(e *effect, results []*Result, res *Result) {
	growth := &Growth{Bytes: Change{Before: len(e.file.Data)}, Programs: Change{Before: len(e.fx.Shaders())}}
	if o.TimeLimit > 0 {
		o.TimeLimit = max(o.TimeLimit/time.Duration(len(e.parts)+1), 1)
	}
	judged := append(o.growPasses(e, results, growth), o.growArrays(e, results, res, growth)...)
	if len(growth.Pairs) == 0 {
		return
	}
	growth.Programs.After = len(e.fx.Shaders())
	res.Growth, res.Status = growth, Improved
	res.Judgement = leastOf(append(judged, res.Judgement))
}

// growPasses gives passes that draw with the program of a parameter, which others may draw with
// too, one of their own.
func (o job) growPasses(e *effect, results []*Result, growth *Growth) (judged []*Judgement) {
	at := map[*[]byte]int{} // parts of one program
	for i := range e.parts {
		if len(e.parts[i].shaders) == 1 {
			at[e.parts[i].shaders[0].Data] = i
		}
	}
	for _, p := range e.fx.PassPairs() {
		v, some := at[p.Programs[d3d9.Vertex]]
		x, both := at[p.Programs[d3d9.Pixel]]
		if !some || !both || len(growth.Pairs) == maxGrown {
			continue
		}
		r := o.alone(e, [2]int{v, x})
		if r == nil || !lessTogether(r, results[v], results[x]) {
			continue
		}
		for stage, data := range p.Programs {
			if !bytes.Equal(*data, r.Files[stage].Data) {
				e.fx.Own(p.Technique, p.Pass, d3d9.Stage(stage), r.Files[stage].Data)
			}
		}
		growth.Pairs = append(growth.Pairs, pairOfStages(results[v].Name, results[x].Name, r))
		judged = append(judged, r.Judgement)
	}
	return judged
}

// pairOfStages is what became of a pair, under the names of its programs.
func pairOfStages(vertex, pixel string, r *Result) GroupPair {
	slots := func(s *StageCosts) Change { return Change{s.Before.Slots, s.Now().Slots} }
	return GroupPair{vertex, pixel, slots(&r.Stages[1]), slots(&r.Stages[0]), r.Verdict()}
}

// growArrays makes arrays longer.
func (o job) growArrays(e *effect, results []*Result, res *Result, growth *Growth) (judged []*Judgement) {
	if len(e.groups) == 0 {
		return nil
	}
	c, ok := e.fx.Chosen()
	if !ok {
		res.remark("", asm.Pos{}, "no-growth", "the effect does not say which index takes which program, or may say it in several ways")
		return nil
	}
	g := &grower{e: e, chosen: c, parts: e.elements(c), own: map[[2]int]*Result{}}
	for i := range e.groups {
		for k, d := range e.groups[i].draws {
			if len(growth.Pairs) == maxGrown {
				break
			}
			r := o.alone(e, d)
			if r == nil || !lessTogether(r, results[d[0]], results[d[1]]) {
				continue
			}
			g.own[d] = r
			pair := pairOfStages(results[d[0]].Name, results[d[1]].Name, r)
			growth.Pairs, res.Groups[i].Pairs[k] = append(growth.Pairs, pair), pair
			judged = append(judged, r.Judgement)
		}
	}
	for stage, wants := range g.wants() {
		if len(g.own) > 0 {
			g.stage(stage, wants)
		}
	}
	return judged
}

// elements are the parts that the elements of arrays are, by stage.
func (e *effect) elements(c fx.Chosen) (parts [2]map[int]int) {
	for stage := range parts {
		parts[stage] = map[int]int{}
		for i := range e.parts {
			for _, s := range e.parts[i].shaders {
				if !s.InPass() && s.Parameter == c.Arrays[stage] {
					parts[stage][s.Element] = i
				}
			}
		}
	}
	return parts
}

// alone is a pair of parts optimized by itself, nil if that does not help.
func (o job) alone(e *effect, d [2]int) *Result {
	work := job.optimizePart
	if e.numbered {
		work = job.optimize
	}
	r, err := work(o, e.drawn(d))
	if err != nil || r.Status != Improved || len(r.Files) != 2 {
		return nil
	}
	return r
}

// lessTogether reports whether a pair costs less than its programs one by one.
func lessTogether(pair, vertex, pixel *Result) bool {
	return cheaper(pair, &Result{Stages: slices.Concat(vertex.Stages, pixel.Stages)})
}

// wanted is what an index has of a stage.
type wanted struct {
	element int // that it had
	data    []byte
	own     bool // the program is for its pair alone
}

// wants tells that by stage and index.
func (g *grower) wants() (all [2]map[int]wanted) {
	all = [2]map[int]wanted{{}, {}}
	programs := [2][]*[]byte{g.chosen.Programs(g.e.fx, 0), g.chosen.Programs(g.e.fx, 1)}
	for i := range g.chosen.Indices() {
		chosen, ok := g.chosen.Elements(g.e.fx, i)
		if !ok {
			continue
		}
		r := g.own[[2]int{g.parts[0][chosen[0]], g.parts[1][chosen[1]]}]
		for stage, k := range chosen {
			w := wanted{element: k, data: *programs[stage][k]}
			if r != nil {
				w.data, w.own = r.Files[stage].Data, true
			}
			all[stage][i] = w
		}
	}
	return all
}

// stage lays out the array of a stage anew: every index has what it wants, and elements that
// none has any more make room.
func (g *grower) stage(stage int, wants map[int]wanted) {
	c, x := &g.chosen, g.e.fx
	elements := c.Programs(x, stage)
	data := make([][]byte, len(elements))
	for k := range data { // what no index ever had stays
		data[k] = *elements[k]
	}
	for _, w := range wants {
		data[w.element] = nil
	}
	at := map[string]int{}
	for k, d := range data {
		if d != nil {
			at[string(d)] = k
		}
	}
	table := x.Parameters[c.Tables[stage]].Words()
	for _, own := range []bool{false, true} {
		for i := range c.Indices() {
			w, ok := wants[i]
			if !ok || w.own != own {
				continue
			}
			k, some := at[string(w.data)]
			switch {
			case some:
			case data[w.element] == nil:
				k = w.element
			default:
				k = len(data)
				data = append(data, nil)
			}
			data[k], at[string(w.data)], table[i] = w.data, k, uint32(k)
		}
	}
	for k, e := range elements {
		if data[k] != nil {
			*e = data[k]
		}
	}
	c.Grow(x, stage, data[len(elements):], table)
}

// choices are how an effect chooses programs from arrays in two versions, nil if it does not.
type choices struct{ after, before *fx.Chosen }

// grownLike reports whether e differs from an effect in nothing but the bytecode of programs,
// how a content file around it is compressed, and which programs passes and indices have.
func (e *effect) grownLike(before *effect) (g choices, ok bool) {
	after, some := e.fx.Chosen()
	old, known := before.fx.Chosen()
	if some && known && after.Arrays == old.Arrays && after.Tables == old.Tables && after.Indices() == old.Indices() && sameIndices(e.fx, before.fx, after, old) {
		g = choices{&after, &old}
	}
	if !fx.Same(e.fx, before.fx, g.after) || (e.content == nil) != (before.content == nil) {
		return g, false
	}
	if e.content == nil {
		return g, true
	}
	content := *e.content
	content.Effect = before.content.Effect
	return g, bytes.Equal(xnb.Encode(&content), xnb.Encode(before.content))
}

// holds reports whether e has the programs of another effect, and chooses them alike.
func (e *effect) holds(other *effect) bool {
	a, b := e.fx.Shaders(), other.fx.Shaders()
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(*a[i].Data, *b[i].Data) {
			return false
		}
		a[i].Data, b[i].Data = nil, nil
	}
	for i := range e.fx.Parameters {
		if !slices.Equal(e.fx.Parameters[i].Data, other.fx.Parameters[i].Data) {
			return false
		}
	}
	return slices.Equal(a, b)
}

// place is whose program a shader is.
type place struct {
	technique, pass, parameter, element int
	stage                               d3d9.Stage
}

func shaderPlace(s *fx.Shader) place {
	if s.InPass() {
		return place{s.Technique, s.Pass, -1, -1, s.Stage}
	}
	return place{-1, -1, s.Parameter, s.Element, s.Stage}
}

// files are the programs of an effect by place, and their places.
func (e *effect) files() (files map[place]File, at map[*[]byte]place) {
	files, at = map[place]File{}, map[*[]byte]place{}
	for i := range e.parts {
		for k := range e.parts[i].shaders {
			s := &e.parts[i].shaders[k]
			files[shaderPlace(s)], at[s.Data] = e.parts[i].in.Files[k], shaderPlace(s)
		}
	}
	return files, at
}

// grownFrom lists what is compared of an effect that has grown from another one: pairs by index
// and by pass, and what neither has.
func (e *effect) grownFrom(previous *effect, g choices) (list []versions) {
	before, at := previous.files()
	after, atAfter := e.files()
	done := map[place]bool{}
	pair := func(old, now [2]place) (v versions) {
		for stage := range old {
			v.before.Files = append(v.before.Files, before[old[stage]])
			v.after.Files = append(v.after.Files, File{before[old[stage]].Name, after[now[stage]].Data})
		}
		v.before.Name = v.before.Path()
		return v
	}
	if g.before != nil {
		var pixels []Input // what the vertex programs of a group may have gained is of any of these
		array := g.before.Arrays[d3d9.Pixel]
		for k := range previous.fx.Parameters[array].Type.Elements {
			pixels = append(pixels, Input{Files: []File{before[place{-1, -1, array, int(k), d3d9.Pixel}]}})
		}
		for i := range g.before.Indices() {
			old, ok := g.before.Elements(previous.fx, i)
			now, _ := g.after.Elements(e.fx, i)
			if !ok {
				continue
			}
			var a, b [2]place
			for stage := range old {
				a[stage] = place{-1, -1, g.before.Arrays[stage], old[stage], d3d9.Stage(stage)}
				b[stage] = place{-1, -1, g.after.Arrays[stage], now[stage], d3d9.Stage(stage)}
				done[a[stage]] = true
			}
			v := pair(a, b)
			v.others = pixels
			list = append(list, v)
		}
	}
	still := map[[2]int]fx.PassPair{}
	for _, p := range e.fx.PassPairs() {
		still[[2]int{p.Technique, p.Pass}] = p
	}
	for _, old := range previous.fx.PassPairs() {
		var a, b [2]place
		now, shares := still[[2]int{old.Technique, old.Pass}]
		for stage := range a {
			a[stage] = at[old.Programs[stage]]
			if b[stage] = (place{old.Technique, old.Pass, -1, -1, d3d9.Stage(stage)}); shares {
				b[stage] = atAfter[now.Programs[stage]]
			}
			done[a[stage]] = done[a[stage]] || !old.Shared[stage]
		}
		list = append(list, pair(a, b))
	}
	for _, p := range previous.judged() {
		v := versions{before: p.in, others: p.others}
		known := true
		for _, at := range p.at {
			for k := range previous.parts[at].shaders {
				place := shaderPlace(&previous.parts[at].shaders[k])
				known = known && done[place]
				v.after.Files = append(v.after.Files, File{previous.parts[at].in.Files[k].Name, after[place].Data})
			}
		}
		if !known {
			list = append(list, v)
		}
	}
	return list
}

// sameIndices reports whether each index that chooses programs in one version does so in the
// other.
func sameIndices(now, old *fx.Effect, after, before fx.Chosen) bool {
	for i := range before.Indices() {
		_, a := before.Elements(old, i)
		_, b := after.Elements(now, i)
		if a != b {
			return false
		}
	}
	return true
}
