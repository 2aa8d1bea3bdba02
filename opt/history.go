package opt

import (
	"errors"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
)

// History is the sequence of versions of the programs, one per rewrite.
type History struct {
	// Counts names the entries of the costs of revisions.
	Counts []string `json:"counts"`
	// Lines are the statements of all revisions, each once. Start has the statements of each program
	// before the first rewrite, and Costs its costs.
	Lines []string `json:"lines"`
	Start [][]int  `json:"start"`
	Costs []int    `json:"costs"`
	// Revisions are the rewrites, in order.
	Revisions []Revision `json:"revisions"`
}

// Revision is the version of the programs after a rewrite. Each revision is complete and could have
// been the last. A version that cannot be written, for lack of registers for example, has no edits.
type Revision struct {
	// Run numbers the passes that changed something, in order from 0.
	Run    int     `json:"run"`
	Remark *Remark `json:"remark"`
	Edits  []Edit  `json:"edits,omitempty"`
	Costs  []int   `json:"costs"`
}

// Edit replaces Removed statements of a program, from At on, by others, as indices of Lines.
type Edit struct {
	Program int   `json:"program"`
	At      int   `json:"at"`
	Removed int   `json:"removed"`
	Lines   []int `json:"lines"`
}

// history replays the rewrites in made, done under class, by running the pipeline up to each of them.
// It returns nil if a replay fails.
func (z *optimizer) history(made []Remark, class passes.Class) *History {
	p, err := z.prefixes(class)
	if err != nil {
		return nil
	}
	h := historian{z: z, index: map[string]int{}}
	h.Counts = []string{"pixel slots", "vertex slots", "temporaries"}
	if z.in.Kind() == input.KindKernel {
		h.Counts = []string{"estimated cycles", "registers"}
	}
	h.follow(p.before[0])
	h.Start, h.Costs = h.programs, h.costs
	stages := map[int]bool{}
	for i := range made[:min(len(made), len(z.made), maxGains)] {
		stages[z.made[i].Stage] = true
		r := Revision{Run: len(stages) - 1, Remark: &made[i]}
		if u, err := p.behind(z.made[i], 0); err == nil {
			r.Edits = h.follow(u)
		}
		r.Costs = h.costs
		h.Revisions = append(h.Revisions, r)
	}
	return &h.History
}

// historian writes a History. It keeps the programs of the last revision, as indices of Lines.
type historian struct {
	History
	z        *optimizer
	index    map[string]int // of Lines
	programs [][]int
	costs    []int
}

// follow advances to the programs of u and returns the edits that lead there.
func (h *historian) follow(u *passes.Unit) (edits []Edit) {
	texts, costs, err := h.z.statements(u)
	if err != nil {
		return nil
	}
	before := h.programs
	h.programs, h.costs = make([][]int, len(texts)), costs
	for i, text := range texts {
		for _, line := range text {
			h.programs[i] = append(h.programs[i], h.line(line))
		}
		if before == nil {
			continue
		}
		if e, any := computeEdit(before[i], h.programs[i]); any {
			e.Program = i
			edits = append(edits, e)
		}
	}
	return edits
}

// line returns the index of a statement among Lines.
func (h *historian) line(text string) int {
	i, known := h.index[text]
	if !known {
		i = len(h.Lines)
		h.index[text], h.Lines = i, append(h.Lines, text)
	}
	return i
}

// computeEdit returns the edit from a to b: it replaces everything between their common prefix and suffix. One
// rewrite usually changes one place.
func computeEdit(a, b []int) (e Edit, any bool) {
	for e.At < min(len(a), len(b)) && a[e.At] == b[e.At] {
		e.At++
	}
	a, b = a[e.At:], b[e.At:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	e.Removed, e.Lines = len(a), slices.Clone(b)
	return e, len(a)+len(b) > 0
}

// prefixes has the units between the stages of a pipeline. To get the program after a rewrite, only one
// stage has to run: a unit does not depend on later rewrites.
type prefixes struct {
	z      *optimizer
	cfg    passes.Config
	before []*passes.Unit // by stage
	steps  []int          // made before each stage
}

func (z *optimizer) prefixes(class passes.Class) (*prefixes, error) {
	p := &prefixes{z: z, cfg: z.config(class), before: make([]*passes.Unit, len(z.pipeline)+1)}
	u := z.subject.freshUnit()
	p.before[0] = u.Clone()
	cfg := p.cfg
	cfg.Observe = func(stage int, changed bool, u *passes.Unit) {
		if changed {
			p.before[stage+1] = u.Clone()
		}
	}
	report, err := passes.Run(u, z.pipeline, cfg)
	sum := 0
	for i, s := range report.Stats {
		if p.before[i+1] == nil {
			p.before[i+1] = p.before[i]
		}
		p.steps = append(p.steps, sum)
		sum += s.Steps
	}
	return p, err
}

// behind returns the unit after rewrite s, or after the rewrite less positions before it. Rewrite
// numbers count through the pipeline, fuel counts within the stage.
func (p *prefixes) behind(s passes.Step, less int) (*passes.Unit, error) {
	u, cfg, fuel := p.before[s.Stage].Clone(), p.cfg, s.Number-p.steps[s.Stage]-less
	cfg.Cut, cfg.Fuel, cfg.First = true, &fuel, s.Stage
	_, err := passes.Run(u, p.z.pipeline[s.Stage:s.Stage+1], cfg)
	return u, err
}

// statements returns the statements of a kernel, as optimizer.statements does.
func (k *kernelSubject) statements(u *passes.Unit) (texts [][]string, costs []int, err error) {
	version, err := k.bench.Emit(u)
	if err != nil {
		return nil, nil, err
	}
	var list []string
	for i := range version.Insts {
		list = append(list, il.Format(&version.Insts[i]))
	}
	cost, err := k.bench.MeasureWritten(u)
	return [][]string{list}, cost[:2], err
}

// statements returns the written statements of the programs of u, and their costs.
func (z *optimizer) statements(u *passes.Unit) (texts [][]string, costs []int, err error) {
	switch s := z.subject.(type) {
	case *kernelSubject:
		if asm.BuiltKernels {
			return s.statements(u)
		}
	case interface {
		emit(*passes.Unit) ([]*d3d9.Program, error)
	}:
		programs, err := s.emit(u)
		if err != nil {
			return nil, nil, err
		}
		for _, q := range programs {
			var list []string
			for i := range q.Insts {
				if inst := &q.Insts[i]; inst.Op.Kind() != d3d9.Trivia {
					list = append(list, d3d9.Format(q.Model, inst))
				}
			}
			texts = append(texts, list)
		}
		cost := pair.SlotCost(programs)
		return texts, cost[:3], nil
	}
	return nil, nil, errors.New("a program of the history cannot be written")
}
