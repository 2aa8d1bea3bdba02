package effect

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Group is a set of programs that are chosen from arrays. A vertex program is drawn with several pixel
// programs, and these with several vertex programs. The interface between the stages must suit all of
// them.
type Group struct {
	// Draws are pairs of parts that are drawn together, the vertex program first.
	// The draws of one group form a connected bipartite graph, with Members as nodes. It has more
	// than one edge, or the programs would be a pair.
	Draws [][2]int
}

// Members returns the parts of g in order.
func (g *Group) Members() (list []int) {
	for _, d := range g.Draws {
		list = append(list, d[:]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// others returns the pixel programs that a vertex program is drawn with, without pixel.
func (g *Group) others(vertex, pixel int) (list []int) {
	for _, d := range g.Draws {
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
func (p *partners) groups() (list []Group) {
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
		var g Group
		for _, d := range p.draws {
			if in[d[0]] {
				g.Draws = append(g.Draws, d)
			}
		}
		list = append(list, g)
	}
	return list
}

// Versions are programs of an effect and their replacements in another version of it.
type Versions struct {
	Before, After input.Input
	Others        []input.Input // pixel programs whose parameters the vertex program may have gained
}

// Versions lists the programs of e and now that verification compares: parts that are in no group, and
// every drawn pair of a group. A member of a group is compared once for each of its partners, since it
// is right only with those.
func (e *Effect) Versions(now *Effect) (list []Versions) {
	add := func(before input.Input, others []input.Input, at ...int) {
		after := input.Input{Name: before.Name}
		for _, i := range at {
			after.Files = append(after.Files, now.Parts[i].In.Files...)
		}
		list = append(list, Versions{before, after, others})
	}
	grouped := map[int]bool{}
	for i := range e.Groups {
		for _, m := range e.Groups[i].Members() {
			grouped[m] = true
		}
	}
	for i := range e.Parts {
		if !grouped[i] {
			add(e.Parts[i].In, nil, i)
		}
	}
	for i := range e.Groups {
		g := &e.Groups[i]
		for _, d := range g.Draws {
			var others []input.Input
			for _, k := range g.others(d[0], d[1]) {
				others = append(others, e.Parts[k].In)
			}
			add(e.Drawn(d), others, d[:]...)
		}
	}
	return list
}

// Drawn returns the pair of two parts.
func (e *Effect) Drawn(d [2]int) input.Input {
	v, p := &e.Parts[d[0]].In, &e.Parts[d[1]].In
	return input.Input{Name: v.Name + "," + p.Name, Files: slices.Concat(v.Files, p.Files)}
}

// GroupName lists the members of a group.
func (e *Effect) GroupName(g *Group) string {
	var names []string
	for _, m := range g.Members() {
		names = append(names, e.Parts[m].In.Name)
	}
	return strings.Join(names, ",")
}
