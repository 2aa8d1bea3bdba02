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

// maxGrown bounds the pairs that get programs of their own. It is chosen to keep time and file size
// of malformed inputs in bounds; BasicEffect of XNA chooses by 32 indices.
const maxGrown = 1 << 10

// grow gives pairs programs of their own where these are cheaper than what results has for them,
// which e already contains. Every pair is optimized, and verified, by itself; growth only decides
// which program a pass or an index names.
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

// growPasses handles passes that name the program of a parameter:
//
//	VertexShader = (VS); // a parameter, which other passes may name too
//
// Such a pass can get its own program without any table.
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

// growArrays handles programs chosen from arrays by an index (see fx.Chosen): the better programs
// are appended to the arrays and the tables redirected for the indices that draw these pairs.
func (o job) growArrays(e *effect, results []*Result, res *Result, growth *Growth) (judged []*Judgement) {
	if len(e.groups) == 0 {
		return nil
	}
	c, ok := e.fx.Chosen()
	if !ok {
		res.remark(asm.Pos{}, "no-growth", "the effect does not say which index takes which program, or may say it in several ways")
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
	// Arrays are laid out again once all pairs are known, since one program may serve several.
	for stage, wants := range g.wants() {
		if len(g.own) > 0 {
			g.stage(stage, wants)
		}
	}
	return judged
}

// elements maps the elements of the chosen arrays to parts, by stage.
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

// alone optimizes the pair of two parts by itself. It returns nil if the result is no improvement.
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

// wanted is the program that an index is to draw with, for one stage.
type wanted struct {
	element int // that it had
	data    []byte
	own     bool // the program is for its pair alone
}

// wants returns the program that each index is to have, by stage and index. An index whose pair did
// not improve wants the present programs of its elements.
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

// stage assigns elements of the array of a stage to what the indices want, and rewrites the table.
// Elements whose program no index wants any more are reused; what is left over is appended. Indices
// that want equal programs share an element. Shared programs are placed before those of single
// pairs, so that they keep their elements and files change as little as possible.
func (g *grower) stage(stage int, wants map[int]wanted) {
	c, x := &g.chosen, g.e.fx
	elements := c.Programs(x, stage)
	data := make([][]byte, len(elements))
	for k := range data { // what no index ever had stays
		data[k] = *elements[k]
	}
	// Free what indices refer to. What is still wanted is put back below.
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
				// The element that the index had is still free.
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

// choices are how the two versions of an effect choose programs from arrays, both nil if an effect
// does not choose so.
type choices struct{ after, before *fx.Chosen }

// grownLike reports whether e differs from before only in ways that Options.Grow permits: bytecode,
// compression of the content file, the programs that passes name, and the lengths and tables of
// arrays.
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

// holds reports whether e has the same programs as other in the same places, with the same tables.
// It clears the bytecode in the lists that it compares, not in the effects.
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

// place identifies a shader across two versions of an effect: by technique and pass, or by
// parameter and element. Fields that do not apply are -1. Numbers of shaders will not do, as they
// shift when arrays grow.
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

// grownFrom lists what is to be compared of an effect and the one that it has grown from. Programs
// are paired by how they are drawn: by index, then by pass, and what is reached in neither way by
// its place. This does not rely on how grow laid out the arrays.
func (e *effect) grownFrom(previous *effect, g choices) (list []versions) {
	before, at := previous.files()
	after, atAfter := e.files()
	done := map[place]bool{}
	// pair is the comparison of two drawn pairs, of programs at these places.
	pair := func(old, now [2]place) (v versions) {
		for stage := range old {
			v.before.Files = append(v.before.Files, before[old[stage]])
			v.after.Files = append(v.after.Files, File{before[old[stage]].Name, after[now[stage]].Data})
		}
		v.before.Name = v.before.Path()
		return v
	}
	if g.before != nil {
		// A vertex program of a group may have gained parameters of any pixel program in the array.
		var pixels []Input
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
	// Passes that still share a program after growth; the others have programs of their own now.
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
	// The rest: parts that no index and no pass above has covered.
	for _, p := range previous.verificationUnits() {
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
