package shaderlift

import (
	"bytes"
	"fmt"
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
	// Programs are the elements of the arrays, and Bytes the size of the file.
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

// grow does so where that makes pairs cheaper than results are, which are written already.
func (o job) grow(e *effect, results []*Result, res *Result) {
	c, ok := e.fx.Chosen()
	if !ok || len(e.groups) == 0 {
		if len(e.groups) > 0 {
			res.remark("", asm.Pos{}, "no-growth", "the effect does not say which pass takes which program, or may say it in several ways")
		}
		return
	}
	g := &grower{e: e, chosen: c, parts: e.elements(c), own: map[[2]int]*Result{}}
	n := 0
	for i := range e.groups {
		n += len(e.groups[i].draws)
	}
	if o.TimeLimit > 0 {
		o.TimeLimit = max(o.TimeLimit/time.Duration(n), 1)
	}
	growth := &Growth{Bytes: Change{Before: len(e.file.Data)}}
	var judged []*Judgement
	for i := range e.groups {
		for k, d := range e.groups[i].draws {
			r := o.alone(e, d)
			if r == nil || !lessTogether(r, results[d[0]], results[d[1]]) {
				continue
			}
			g.own[d] = r
			pair := res.Groups[i].Pairs[k]
			pair.VertexSlots.After, pair.PixelSlots.After = r.Stages[0].Now().Slots, r.Stages[1].Now().Slots
			pair.Verdict = r.Verdict()
			growth.Pairs = append(growth.Pairs, pair)
			res.Groups[i].Pairs[k] = pair
			judged = append(judged, r.Judgement)
		}
	}
	if len(g.own) == 0 {
		return
	}
	for stage, wants := range g.wants() {
		n := int(e.fx.Parameters[c.Arrays[stage]].Type.Elements)
		growth.Programs.Before += n
		growth.Programs.After += n + g.stage(stage, wants)
	}
	res.Growth, res.Status = growth, Improved
	res.Judgement = leastOf(append(judged, res.Judgement))
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
	for i := range g.chosen.Indices() {
		chosen, ok := g.chosen.Elements(g.e.fx, i)
		if !ok {
			continue
		}
		r := g.own[[2]int{g.parts[0][chosen[0]], g.parts[1][chosen[1]]}]
		for stage, k := range chosen {
			w := wanted{element: k, data: *g.chosen.Program(g.e.fx, stage, k)}
			if r != nil {
				w.data, w.own = r.Files[stage].Data, true
			}
			all[stage][i] = w
		}
	}
	return all
}

// stage lays out the array of a stage anew: every index has what it wants, and elements that
// none has any more make room. It returns how many there are more.
func (g *grower) stage(stage int, wants map[int]wanted) int {
	c, x := &g.chosen, g.e.fx
	n := int(x.Parameters[c.Arrays[stage]].Type.Elements)
	programs := make([][]byte, n)
	for k := range programs { // what no index ever had stays
		programs[k] = *c.Program(x, stage, k)
	}
	for _, w := range wants {
		programs[w.element] = nil
	}
	table := x.Parameters[c.Tables[stage]].Words()
	for _, own := range []bool{false, true} {
		for i := range c.Indices() {
			w, ok := wants[i]
			if !ok || w.own != own {
				continue
			}
			k := slices.IndexFunc(programs, func(data []byte) bool { return bytes.Equal(data, w.data) })
			if k < 0 && programs[w.element] == nil {
				k = w.element
			}
			if k < 0 {
				k = len(programs)
				programs = append(programs, nil)
			}
			programs[k], table[i] = w.data, uint32(k)
		}
	}
	for k, data := range programs[:n] {
		if data != nil {
			*c.Program(x, stage, k) = data
		}
	}
	c.Grow(x, stage, programs[n:], table)
	return len(programs) - n
}

// grownLike reports whether e differs from an effect in nothing but the bytecode of programs,
// how a content file around it is compressed, and which programs arrays have where.
func (e *effect) grownLike(was *effect) (is, before fx.Chosen, ok bool) {
	is, ok = e.fx.Chosen()
	before, known := was.fx.Chosen()
	if !ok || !known || is.Arrays != before.Arrays || is.Tables != before.Tables || is.Indices() != before.Indices() || !is.Same(e.fx, was.fx) || !sameIndices(e.fx, was.fx, is, before) || (e.content == nil) != (was.content == nil) {
		return is, before, false
	}
	if e.content == nil {
		return is, before, true
	}
	content := *e.content
	content.Effect = was.content.Effect
	return is, before, bytes.Equal(xnb.Encode(&content), xnb.Encode(was.content))
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

// grownFrom lists what is compared of an effect that has grown from another one: pairs by index,
// and what no index chooses.
func (e *effect) grownFrom(was *effect, now, before fx.Chosen) (list []versions) {
	type key struct{ technique, pass, parameter, element, stage int }
	keyOf := func(s *fx.Shader) key {
		if s.InPass() {
			return key{s.Technique, s.Pass, -1, -1, int(s.Stage)}
		}
		return key{-1, -1, s.Parameter, s.Element, int(s.Stage)}
	}
	files := map[key]File{} // of was
	data := map[key][]byte{}
	var pixels []Input
	for i := range was.parts {
		for k := range was.parts[i].shaders {
			s, f := &was.parts[i].shaders[k], was.parts[i].in.Files[k]
			files[keyOf(s)] = f
			if s.Parameter == before.Arrays[d3d9.Pixel] && !s.InPass() {
				pixels = append(pixels, Input{Files: []File{f}})
			}
		}
	}
	for i := range e.parts {
		for _, s := range e.parts[i].shaders {
			data[keyOf(&s)] = *s.Data
		}
	}
	element := func(c *fx.Chosen, stage, k int) key { return key{-1, -1, c.Arrays[stage], k, stage} }
	indexed := map[key]bool{}
	for i := range before.Indices() {
		old, ok := before.Elements(was.fx, i)
		is, still := now.Elements(e.fx, i)
		if !ok || !still {
			continue
		}
		c := versions{others: pixels}
		for stage := range old {
			k := element(&before, stage, old[stage])
			f := files[k]
			indexed[k] = true
			c.before.Files = append(c.before.Files, f)
			c.after.Files = append(c.after.Files, File{f.Name, *now.Program(e.fx, stage, is[stage])})
		}
		c.before.Name = fmt.Sprintf("%s[%d]", was.fx.Parameters[before.Arrays[0]].Type.Name.Text, old[0]) + "," +
			fmt.Sprintf("%s[%d]", was.fx.Parameters[before.Arrays[1]].Type.Name.Text, old[1])
		list = append(list, c)
	}
	for i := range was.parts {
		p := &was.parts[i]
		if slices.ContainsFunc(p.shaders, func(s fx.Shader) bool { return indexed[keyOf(&s)] }) {
			continue
		}
		c := versions{before: p.in}
		for k := range p.shaders {
			c.after.Files = append(c.after.Files, File{p.in.Files[k].Name, data[keyOf(&p.shaders[k])]})
		}
		list = append(list, c)
	}
	return list
}

// sameIndices reports whether each index that chooses programs in one version does so in the
// other.
func sameIndices(now, was *fx.Effect, is, before fx.Chosen) bool {
	for i := range before.Indices() {
		_, a := before.Elements(was, i)
		_, b := is.Elements(now, i)
		if a != b {
			return false
		}
	}
	return true
}
