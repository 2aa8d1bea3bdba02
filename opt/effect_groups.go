package opt

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/verify"
)

// Programs that are chosen from arrays are shared: a vertex program is drawn with several
// pixel programs, and these with several vertex programs. What they hand over has to suit all
// that they are ever drawn with, so that such a group has one interface.

// group is programs of an effect each of which is drawn with some other, one of them with
// several.
type group struct {
	// draws are pairs of parts that are drawn together, the vertex program first.
	// The draws of one group form a connected bipartite graph, with members as nodes. It has more
	// than one edge, or the programs would be a pair.
	draws [][2]int
}

// members are the parts of g in their order.
func (g *group) members() (list []int) {
	for _, d := range g.draws {
		list = append(list, d[:]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// others are the pixel programs that a vertex program is drawn with, but one.
func (g *group) others(vertex, pixel int) (list []int) {
	for _, d := range g.draws {
		if d[0] == vertex && d[1] != pixel {
			list = append(list, d[1])
		}
	}
	return list
}

// partners are the shaders that each shader is drawn with.
type partners struct {
	draws [][2]int // each pair once, the vertex program first
	with  [][]int
	lacks []bool // by shader: it is also drawn with no program of the other stage
}

func partnersOf(shaders int, draws []fx.Draw) *partners {
	p := &partners{with: make([][]int, shaders), lacks: make([]bool, shaders)}
	seen := map[[2]int]bool{}
	for _, d := range draws {
		v, x := d.Shaders[d3d9.Vertex], d.Shaders[d3d9.Pixel]
		switch {
		case x == fx.NoShader:
			p.lacks[v] = true
		case v == fx.NoShader:
			p.lacks[x] = true
		case !seen[d.Shaders]:
			seen[d.Shaders] = true
			p.draws = append(p.draws, d.Shaders)
			p.with[v] = append(p.with[v], x)
			p.with[x] = append(p.with[x], v)
		}
	}
	return p
}

// exclusivePartner returns the shader k that i is always drawn with, where k is also always drawn with i. Such
// shaders make a pair.
func (p *partners) exclusivePartner(i int) (k int, ok bool) {
	if len(p.with[i]) != 1 || p.lacks[i] {
		return 0, false
	}
	k = p.with[i][0]
	return k, len(p.with[k]) == 1 && !p.lacks[k]
}

// groups returns the connected components of the graph of draws that are no pairs. Components in
// which some shader is also drawn without a partner of the effect are left out: the interface
// towards an unknown program must not change.
func (p *partners) groups() (list []group) {
	seen := make([]bool, len(p.with))
	for i := range p.with {
		if _, pair := p.exclusivePartner(i); seen[i] || pair || len(p.with[i]) == 0 {
			continue
		}
		seen[i] = true
		found, whole := []int{i}, true
		in := map[int]bool{i: true}
		// Breadth first; found is both the queue and the component.
		for n := 0; n < len(found); n++ {
			whole = whole && !p.lacks[found[n]]
			for _, k := range p.with[found[n]] {
				if !in[k] {
					seen[k], in[k] = true, true
					found = append(found, k)
				}
			}
		}
		if !whole {
			continue
		}
		var g group
		for _, d := range p.draws {
			if in[d[0]] {
				g.draws = append(g.draws, d)
			}
		}
		list = append(list, g)
	}
	return list
}

// verificationUnit is what is verified as a whole: the programs of a part, or two parts of a group that are
// drawn together.
type verificationUnit struct {
	part
	at     []int   // of the parts
	others []Input // pixel programs that the vertex program is drawn with too
}

// verificationUnits lists the units that verification compares: parts that are in no group, and every drawn
// pair of those that are. A member of a group is thus compared once for each of its partners, since
// it is right only with those.
func (e *effect) verificationUnits() (list []verificationUnit) {
	grouped := map[int]bool{}
	for i := range e.groups {
		for _, m := range e.groups[i].members() {
			grouped[m] = true
		}
	}
	for i := range e.parts {
		if !grouped[i] {
			list = append(list, verificationUnit{e.parts[i], []int{i}, nil})
		}
	}
	for i := range e.groups {
		g := &e.groups[i]
		for _, d := range g.draws {
			j := verificationUnit{part{in: e.drawn(d)}, d[:], nil}
			for _, k := range g.others(d[0], d[1]) {
				j.others = append(j.others, e.parts[k].in)
			}
			list = append(list, j)
		}
	}
	return list
}

// drawn is the pair of two parts.
func (e *effect) drawn(d [2]int) Input {
	v, p := &e.parts[d[0]].in, &e.parts[d[1]].in
	return Input{Name: v.Name + "," + p.Name, Files: slices.Concat(v.Files, p.Files)}
}

// Group is programs of an effect in arrays that are drawn with each other in several ways, and
// so keep one interface.
type Group struct {
	Name  string      `json:"name"`
	Pairs []GroupPair `json:"pairs"`
}

// GroupPair is two parts of an effect that an index draws with, and their slots.
type GroupPair struct {
	Vertex      string `json:"vertex"`
	Pixel       string `json:"pixel"`
	PixelSlots  Change `json:"pixel_slots"`
	VertexSlots Change `json:"vertex_slots"`
	// Verdict is that on the pair, or the lesser of those on its programs where they are what
	// each of them gets alone.
	Verdict verify.Verdict `json:"verdict"`
}

// groupName lists the members of a group.
func (e *effect) groupName(g *group) string {
	var names []string
	for _, m := range g.members() {
		names = append(names, e.parts[m].in.Name)
	}
	return strings.Join(names, ",")
}

// report is what became of a group, with judgements on those pairs that were judged together.
func (e *effect) report(g *group, results []*Result, pairs []*Judgement) Group {
	slots := func(r *Result) (c Change) {
		for i := range r.Stages {
			c = Change{r.Stages[i].Before.Slots, r.Stages[i].CurrentCost().Slots}
		}
		return c
	}
	x := Group{Name: e.groupName(g)}
	for i, d := range g.draws {
		v, p := results[d[0]], results[d[1]]
		j := pairs[i]
		if j == nil {
			j = leastOf([]*Judgement{v.Judgement, p.Judgement})
		}
		x.Pairs = append(x.Pairs, GroupPair{v.Name, p.Name, slots(p), slots(v), j.Verdict})
	}
	return x
}
