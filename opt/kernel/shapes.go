package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/tune"
)

// Change is a set of facts about a launch that the application can change for a faster kernel. Its text has the names
// of the facts between commas.
type Change uint8

// The facts. Result.Coarsened tells the application what it has to change.
const (
	Domain   Change = 1 << iota // the sides of the domain
	Bindings                    // the element sizes of resources
	Outputs                     // the number of outputs, and their formats
	Memory                      // no invocation or view accesses memory that another one changes
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
)

// tileSides are the sides of tiles that a search tries.
var tileSides = []int{1, 2, 3, 4, 8}

// Shapes returns the turns of a search among versions that make the application change its launch: registers for
// elements of memory, tiles of invocations, unrolled loops, packed resources. They take the order of passes in which
// each finds what the one before it made. It returns nothing without such changes.
func (b *Bench) Shapes(may Change) (turns []tune.Turn) {
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
		add("accumulate,dce", "restrict,dce", "restrict,accumulate,dce")
	}
	if may&Domain != 0 {
		if tiles := b.tiles(may&Outputs != 0); len(tiles) > 0 {
			add(tiles...)
		}
	}
	if loops, _ := loopsOf(b.Lifted); loops {
		add("preload,dce")
		add("unroll{factor=2},fold", "unroll{factor=4},fold", "unroll{factor=8},fold")
	}
	const finish = "break-deps,gvn,copyprop,dce,%ssink,vectorize,dce"
	last := []string{fmt.Sprintf(finish, "")}
	if may&Bindings != 0 {
		last = append(last, fmt.Sprintf(finish, "vectorize-fetches{resource=all},gvn,copyprop,"))
	}
	add(last...)
	return turns
}

// tiles returns the stages for the tiles that divide the typical launch. more permits further outputs.
func (b *Bench) tiles(more bool) (list []string) {
	n, launch := b.Outputs(), b.Workloads[0].Case
	packs := []int{0}
	if n > 0 && more && b.scalarOutputs() {
		packs = []int{0, 2, 4}
	}
	for _, pack := range packs {
		for _, y := range tileSides {
			for _, x := range tileSides {
				t := ir.Tile{X: x, Y: y, Outputs: pack}
				if !t.Coarse() || t.Check() != nil || t.Count() > maxTile || launch.Width%x != 0 || launch.Height%y != 0 ||
					n > 0 && (!more || n*t.Count()/max(pack, 1) > maxOutputs) {
					continue
				}
				list = append(list, fmt.Sprintf("fold{lanes=true},dce,coarsen{%v},fold,dce,gvn,copyprop,dce", t))
			}
		}
	}
	return list
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
