package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/tune"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/unroll"
)

// Change is a set of facts about a launch that the application can change for a faster kernel. Its text has the names
// of the facts between commas.
type Change uint8

// The facts. Result.Coarsened tells the application what it has to change.
const (
	Domain   Change = 1 << iota // the sides of the domain
	Bindings                    // the element sizes of resources, and tables of coordinates
	Outputs                     // the number of outputs, and their formats
	Memory                      // no invocation or view accesses memory that another one changes

	AnyChange = Domain | Bindings | Outputs | Memory
)

var changeNames = []string{"domain", "bindings", "outputs", "memory"}

// MarshalText implements encoding.TextMarshaler.
func (c Change) MarshalText() ([]byte, error) {
	var list []string
	for i, name := range changeNames {
		if c>>i&1 != 0 {
			list = append(list, name)
		}
	}
	return []byte(strings.Join(list, ",")), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Change) UnmarshalText(text []byte) error {
	*c = 0
	if len(text) == 0 {
		return nil
	}
	for _, name := range strings.Split(string(text), ",") {
		i := slices.Index(changeNames, strings.TrimSpace(name))
		if i < 0 {
			return fmt.Errorf("unknown fact %q of a launch (want %s)", name, strings.Join(changeNames, ", "))
		}
		*c |= 1 << i
	}
	return nil
}

// The tiles of a search. Larger ones need more registers than there are, or more outputs.
const (
	maxTile    = 32
	maxOutputs = 8
	// maxTileSize and briefTileSize limit the statements of all invocations of a tile.
	maxTileSize   = 1 << 13
	briefTileSize = 768
)

// The sides of tiles that a search tries, and that a brief one does.
var (
	tileSides  = []int{1, 2, 3, 4, 8}
	briefSides = []int{1, 4, 8}
)

// groupParts are the numbers of invocations of a work group that a search tries to make one.
var groupParts = []int{2, 4, 8, 16}

// Shapes returns the turns of a search among versions that make the application change its launch: registers for
// elements of memory, tiles of invocations, unrolled loops, packed resources. They take the order of passes in which
// each finds what the one before it made. It returns nothing without such changes. A brief search tries fewer tiles.
func (b *Bench) Shapes(may Change, brief bool) (turns []tune.Turn) {
	if may == 0 {
		return nil
	}
	add := func(stages ...string) {
		var moves []tune.Move
		for _, s := range stages {
			moves = append(moves, tune.Move{Stages: s, Shape: true})
		}
		turns = append(turns, tune.Turn{Moves: moves})
	}
	if may&Memory != 0 {
		// There is no dce here: it would make a second version of a kernel without memory, with the same tiles.
		add("accumulate", "restrict", "restrict,accumulate")
	}
	loads, memory := false, false
	b.Lifted.Walk(func(in *ir.Instr) {
		loads = loads || in.Op == ir.OpMemLoad
		memory = memory || in.Op == ir.OpMemLoad || in.Op == ir.OpMemStore
	})
	if loads {
		add("vectorize-memory,dce")
	}
	if may&Domain != 0 {
		sides, size := tileSides, maxTileSize
		if brief {
			sides, size = briefSides, briefTileSize
		}
		most := min(maxTile, size/max(statementsOf(b.Source), 1))
		if tiles := b.tiles(sides, most, may&Outputs != 0, may&Bindings != 0); len(tiles) > 0 {
			add(tiles...)
		}
		if may&Memory != 0 {
			add("restrict,dce")
		}
	}
	if b.synchronized() {
		add("forward-local,dce")
	}
	if loops, _ := loopsOf(b.Lifted); loops {
		// These moves show their value at once.
		turns = append(turns, tune.Turn{Moves: []tune.Move{{Stages: "preload,dce"}, {Stages: "preload,unswitch,dce"}}})
		if brief {
			add("unroll{factor=4},fold")
		} else {
			add("unroll{factor=2},fold", "unroll{factor=4},fold", "unroll{factor=8},fold")
		}
	}
	if may&Memory != 0 && loads && b.Lifted.Threads[0] > 1 {
		add("stage-local,gvn,dce")
	}
	const finish = "break-deps,gvn,copyprop,combine-alu,dce,%ssink,vectorize,dce"
	last := []string{fmt.Sprintf(finish, "")}
	if memory {
		last = append(last, fmt.Sprintf(finish, "vectorize-memory,gvn,copyprop,"))
	}
	if may&Bindings != 0 {
		last = append(last, fmt.Sprintf(finish, "vectorize-fetches{resource=all},gvn,copyprop,"))
	}
	add(last...)
	return turns
}

// tiles returns the stages for the tiles of at most most invocations, with the given sides, that divide the typical
// launch. more permits further outputs, and tables permits tiles of coordinates from tables, which the host then fills.
func (b *Bench) tiles(sides []int, most int, more, tables bool) (list []string) {
	const made = "fold{lanes=true},dce,coarsen{%v},fold,dce,gvn,copyprop,dce"
	n, launch := b.Outputs(), b.Workloads[0].Case
	if b.synchronized() {
		for _, n := range groupParts {
			list = append(list, fmt.Sprintf(made, fmt.Sprintf("group=%d", n)))
		}
		return list
	}
	packs := []int{0}
	if n > 0 && more && b.scalarOutputs() {
		packs = []int{0, 2, 4}
	}
	kinds := []ir.Tile{{}}
	if units := b.tables(); tables && len(units) == 2 {
		kinds = append(kinds, ir.Tile{XTable: units[0] + 1, YTable: units[1] + 1})
	}
	for _, t := range kinds {
		for _, t.Outputs = range packs {
			for _, t.Y = range sides {
				for _, t.X = range sides {
					// More outputs than there are go to memory.
					t := t
					if n*t.Count()/max(t.Outputs, 1) > maxOutputs {
						t.Stored, t.Width = true, launch.Width
					}
					scale := t.Scale()
					if t.Coarse() && t.Check() == nil && t.Count() <= most && launch.Width%scale[0] == 0 &&
						launch.Height%scale[1] == 0 && (n == 0 || more) {
						list = append(list, fmt.Sprintf(made, t))
					}
				}
			}
		}
	}
	return list
}

// synchronized reports whether invocations of a group share local memory: then their tiles are parts of groups.
func (b *Bench) synchronized() (found bool) {
	b.Lifted.Walk(func(in *ir.Instr) { found = found || in.Op == ir.OpFence })
	return found
}

// tables returns the one-dimensional resources that are fetched once, in order: they may hold coordinates.
func (b *Bench) tables() (units []int) {
	for _, in := range b.Lifted.Body.Code {
		if in.Op == ir.OpFetch && in.Res.Dim.Coords() == 1 {
			units = append(units, int(in.Res.Unit))
		}
	}
	slices.Sort(units)
	return slices.Compact(units)
}

// Needs returns the facts about a launch that the application must change for the version that a pipeline of
// [Bench.Shapes] makes.
func (b *Bench) Needs(p passes.Pipeline) (c Change) {
	for _, s := range p {
		switch s.Pass {
		case coarsen.Pass:
			if c |= Domain; b.Outputs() > 0 {
				c |= Outputs
			}
			if slices.ContainsFunc(s.Settings, func(s passes.Setting) bool { return s.Name == "x-table" }) {
				c |= Bindings
			}
		case fetches.Images:
			c |= Bindings | Memory
		case fetches.Vectorize:
			c |= Bindings
		case unroll.Accumulate, unroll.Restrict, unroll.Stage:
			c |= Memory
		}
	}
	return c
}

// scalarOutputs reports whether the components of each output hold one number, so that outputs of neighbours can share
// a register.
func (b *Bench) scalarOutputs() bool {
	first := map[uint16]*ir.Value{}
	for _, o := range b.Lifted.Outs {
		if b.Lifted.Dialect.Launch().Exports(o.Reg.File) < 2 {
			continue
		}
		v := o.V
		for l, ok := v.CopyOf(0); ok && l.Mod == 0; l, ok = v.CopyOf(0) {
			v = l.V
		}
		if old, known := first[o.Reg.Index]; known && v != old {
			return false
		}
		first[o.Reg.Index] = v
	}
	return true
}
