// Package alike rewrites kernels that the host launches differently to kernels that it launches alike.
package alike

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Thread coarsening lets an invocation do the work of a tile of invocations (Magni, Dubach and O'Boyle, SC
// 2013). The coarsened kernel is compared with a reference. The reference contains the text of the original
// once for each invocation of the tile, as functions that are called in turn (reference.go). The
// reference replaces before in all methods. To validate the reference, before is executed at the positions of
// each tile in the same order. The results must agree in every bit.
//
// Invocations of before run in any order, so after may choose one order. This reading requires independent
// invocations. The reference therefore refuses barriers, memory that groups share, atomic operations and
// results that depend on neighbours. Tiles of a work group have a reference of their own (groups.go).

// Texts are kernels that the host launches alike.
type Texts struct {
	// Before does the work of a whole tile of the original and fetches single numbers. After is the kernel to
	// compare with it.
	Before, After *il.Kernel

	tile     ir.Tile
	own      [][2]*il.Kernel // a kernel as given, and with own words of local memory in registers
	original *il.Kernel      // before, as given
	stored   *il.Kernel      // original with its outputs in memory, if the tile has them there
	held     *il.Kernel      // stored with memory in registers, if loops is not 0
	imaged   *il.Kernel      // held with fetches from images
	loops    int             // number of loops that keep memory in registers
	vectors  *il.Kernel      // after, as given
}

// Rewrite rewrites two kernels that the host launches differently. After does the work of tile t of before,
// fetches from packed resources or images, or keeps memory in registers. Rewrite changes before to an equivalent
// text or undoes the change in after. The constants in known have their values.
func Rewrite(before, after *il.Kernel, t ir.Tile, known map[ir.Reg]uint32) (*Texts, error) {
	if t == (ir.Tile{}) {
		t = ir.Tile{X: 1, Y: 1}
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	x := &Texts{tile: t}
	var err error
	if Owns(before, after) {
		for _, k := range []**il.Kernel{&before, &after} {
			given := *k
			if *k, _, err = ownLocals(given); err != nil {
				return nil, err
			}
			x.own = append(x.own, [2]*il.Kernel{given, *k})
		}
	}
	x.original, x.vectors = before, after
	if t.Stored {
		if before, err = storesOutputs(before, t.Width); err != nil {
			return nil, err
		}
	}
	x.stored, x.held = before, before
	if t.Held {
		if x.held, x.loops, err = scalarReplace(before); err != nil {
			return nil, err
		}
	}
	x.imaged = x.held
	if images := t.Images.List(); images != nil {
		if x.imaged, err = readsImages(x.held, images, known); err != nil {
			return nil, err
		}
	}
	x.Before, x.After = x.imaged, after
	if t.Texels != 0 { // both fetch single numbers
		if x.After, err = apart(after, t.Texels, true); err != nil {
			return nil, err
		}
		if x.Before, err = apart(x.imaged, t.Texels, false); err != nil {
			return nil, err
		}
	}
	if t.Coarse() {
		build := reference
		if t.Group != 0 {
			build = groupReference
		}
		if x.Before, err = build(x.Before, t); err != nil {
			return nil, err
		}
	}
	if t.Texels != 0 {
		if why := misaligned(after, t.Texels, known); why != "" {
			return nil, errors.New(why)
		}
	}
	return x, nil
}

// Owns reports whether one of two kernels accesses own words of local memory more often than the other. Kernels with
// equally many accesses are compared as they are, so that reports name their statements.
func Owns(before, after *il.Kernel) bool {
	var accesses, own [2]int
	for i, k := range [...]*il.Kernel{before, after} {
		if k == nil {
			continue
		}
		for j := range k.Insts {
			if op := k.Insts[j].Op; op == il.OpLdsLoad || op == il.OpLdsStore {
				accesses[i]++
			}
		}
		if accesses[i] > 0 {
			if _, n, err := ownLocals(k); err == nil {
				own[i] = n
			}
		}
	}
	return accesses[0] != accesses[1] && own[0] != own[1]
}

// Launch returns launch c of the original kernel as a launch of both texts.
func (x *Texts) Launch(c *kernel.Case) *kernel.Case {
	l := withImages(narrowed(numbers(c, x.tile.Texels), x.tile), x.tile)
	if x.tile.Stored {
		l.Global = &kernel.Buffer{Elements: int(amdil.Outputs(x.original)) * x.tile.Width * c.Height}
	}
	return l
}

// Runs are the executions that validate rewritten texts.
type Runs struct {
	Cases     []*kernel.Case              // given launches of both texts
	Launch    func(k uint64) *kernel.Case // returns random launch number k
	Random    uint64                      // number of random launches
	Constants draws.KnownConstants        // set in all launches
	Seed      uint64
	Steps     int // limit of each execution
	Budget    *budget.Budget
}

// launches lists the given and the random launches.
func (r *Runs) launches() []*kernel.Case {
	list := slices.Clone(r.Cases)
	for k := range r.Random {
		list = append(list, r.Launch(k))
	}
	return list
}

// options returns the options of an execution.
func (r *Runs) options() kernel.Options { return kernel.Options{Steps: r.Steps, Budget: r.Budget} }

// Differs executes each rewritten text and its original, and describes the first difference. It returns ""
// if nothing differs.
func (x *Texts) Differs(r *Runs) (why string) {
	for _, pair := range x.own {
		if why == "" && pair[0] != pair[1] {
			why = r.heldDiffers(pair[0], pair[1])
		}
	}
	if why == "" && x.tile.Stored {
		why = r.storesDiffer(x.original, x.stored, x.tile)
	}
	if why == "" && x.loops > 0 {
		why = r.heldDiffers(x.stored, x.held)
	}
	if why == "" && x.tile.Images != (ir.Images{}) {
		why = r.imagesDiffer(x.held, x.imaged, x.tile)
	}
	switch {
	case why != "":
	case x.tile.Group != 0:
		why = r.grouped(x.imaged, x.Before, x.tile)
	case x.tile.Coarse():
		why = r.tiled(x.imaged, x.Before, x.tile)
	}
	if why == "" && x.tile.Texels != 0 {
		why = r.vectorsDiffer(x.vectors, x.After, x.tile.Texels)
	}
	return why
}

// tiledEdge is the edge of the domain on which the reference is checked. Its 64 invocations are one batch of
// the interpreter, so that stores come in the order of the tile.
const tiledEdge = 8

// edgeLaunches returns launches like l that reach the edges of a domain whose sides are not multiples of the tile,
// one for each side.
func edgeLaunches(l *kernel.Case, t ir.Tile) (list []*kernel.Case) {
	for axis, side := range [2]int{t.Width, t.Height} {
		if side > 0 {
			d := *l
			d.Inputs = nil
			d.Width, d.Height = t.Domain(side, 1)
			if axis == 1 {
				d.Width, d.Height = t.Domain(1, side)
			}
			list = append(list, &d)
		}
	}
	return list
}

// tiled executes the source of a reference at the positions of tiles and describes the first difference
// from the reference. It returns "" if nothing differs and at least one launch was executed.
func (r *Runs) tiled(source, tiles *il.Kernel, t ir.Tile) (why string) {
	launches := r.launches()
	ref, err := kernel.Compile(tiles)
	if err != nil {
		return "execution: " + err.Error()
	}
	orig, err := kernel.Compile(source)
	if err != nil {
		return "execution: " + err.Error()
	}
	for i, l := range launches {
		l = numbers(r.Constants.InLaunch(l), t.Texels)
		if i == 0 {
			launches = append(launches, edgeLaunches(l, t)...)
		}
		l.Width, l.Height = min(l.Width, tiledEdge), min(l.Height, tiledEdge)
		l.Inputs = nil
		launches[i] = l
	}
	why = "execution: the invocations of a tile cannot be executed"
	for _, l := range launches {
		o := r.options()
		want, err := ref.Run(l, o)
		if err != nil {
			continue
		}
		differs, err := tileDiffers(orig, want, l, t, o)
		switch {
		case err != nil:
			continue
		case differs != "":
			return fmt.Sprintf("execution: %s of a tile differs from the output of its invocations", differs)
		}
		why = ""
	}
	return why
}

// tileDiffers executes orig once for each invocation k of the tiles of launch l. Each execution covers the
// domain of tiles, with scaled and offset positions, and continues on the memory left by the one before.
// tileDiffers compares the combined results with the result of the reference.
func tileDiffers(orig *kernel.Program, want *kernel.Result, l *kernel.Case, t ir.Tile,
	o kernel.Options) (what string, err error) {
	l = spelt(l, t)
	count := 0
	var last *kernel.Result
	var colours [][]uint32
	for k := range t.Count() {
		o.Scale, o.Offset, o.Within = t.Scale(), t.Offset(k), [2]int{}
		for axis := range 2 {
			if last, would := t.LastCoordinate(k, axis); would {
				o.Within[axis] = last + 1
			}
		}
		if last, err = orig.Run(l, o); err != nil {
			return "", err
		}
		l = resumed(l, last)
		for i, words := range last.Out {
			if words != nil {
				count = max(count, i+1)
			}
		}
		for i := range count {
			colours = append(colours, last.Out[i])
		}
	}
	for i, words := range outputsOf(colours, count, t) {
		if !slices.Equal(words, want.Out[i]) {
			return fmt.Sprintf("o%d", i), nil
		}
	}
	return trial.DifferingMemory(want, last), nil
}

// outputsOf places outputs, listed by invocation and number, where tile t puts them: in separate outputs, or
// in components of one.
func outputsOf(colours [][]uint32, count int, t ir.Tile) (out [8][]uint32) {
	for i, words := range colours {
		at, component, all := t.Output(i/count, i%count, count)
		if all || words == nil {
			out[at] = words
			continue
		}
		if out[at] == nil {
			out[at] = make([]uint32, len(words))
		}
		for e := 0; e < len(words); e += 4 {
			out[at][e+component] = words[e]
		}
	}
	return out
}

// resumed returns launch l with the final memory of r.
func resumed(l *kernel.Case, r *kernel.Result) *kernel.Case {
	d := *l
	if l.Global != nil && r.Global != nil {
		d.Global = &kernel.Buffer{Elements: l.Global.Elements, Data: kernel.Data{Kind: kernel.Words, Words: r.Global}}
	}
	d.Views = slices.Clone(l.Views)
	for i := range d.Views {
		if words := r.View(d.Views[i].ID); words != nil {
			d.Views[i].Data = kernel.Data{Kind: kernel.Words, Words: words}
		}
	}
	d.Shares = nil
	for _, m := range r.Shares {
		d.Shares = append(d.Shares, kernel.Share{ID: m.ID, Words: len(m.Words),
			Data: kernel.Data{Kind: kernel.Words, Words: m.Words}})
	}
	return &d
}

// spelt returns launch l with expanded tables. Each entry, the first coordinate of a tile, becomes the
// coordinates of all its invocations.
func spelt(l *kernel.Case, t ir.Tile) *kernel.Case {
	return tables(l, t, func(r *kernel.Resource, old []uint32) (words []uint32) {
		per := r.Format.Components()
		for at := 0; at < len(old); at += per {
			for k := range t.Count() {
				more, _ := t.Table(r.ID, k)
				for _, w := range old[at : at+per] {
					if more > 0 { // the same addition as in the reference
						w = addToFloat(w, more)
					}
					words = append(words, w)
				}
			}
		}
		return words
	})
}

// narrowed returns l, a launch of the original kernel, with the domain of tiles. Its tables hold only the
// first coordinate of each tile. It undoes spelt.
func narrowed(l *kernel.Case, t ir.Tile) *kernel.Case {
	d := tables(l, t, func(r *kernel.Resource, old []uint32) (words []uint32) {
		per := r.Format.Components()
		for at := 0; at < len(old); at += per * t.Count() {
			words = append(words, old[at:at+per]...)
		}
		return words
	})
	d.Width, d.Height = t.Domain(l.Width, l.Height)
	return d
}

// tables returns launch l with the words of each table of t replaced by edit.
func tables(l *kernel.Case, t ir.Tile, edit func(r *kernel.Resource, before []uint32) []uint32) *kernel.Case {
	d := *l
	d.Resources = slices.Clone(l.Resources)
	for i := range d.Resources {
		r := &d.Resources[i]
		if _, after := t.Table(r.ID, 0); !after || r.Format == kernel.Uint4 {
			continue
		}
		var before []uint32
		per := r.Format.Components()
		if r.Data.Kind == kernel.Zero {
			before = make([]uint32, r.Width*per)
		} else {
			trial.EditData(&r.Data, r.Width*r.Height*r.Depth*per, l.Width, func(w uint32) uint32 { return w })
			before = r.Data.Words[:r.Width*per]
		}
		words := edit(r, before)
		r.Width, r.Height, r.Depth = len(words)/per, 1, 1
		r.Data = kernel.Data{Kind: kernel.Words, Words: words}
	}
	return &d
}

// addToFloat adds n to the float in w.
func addToFloat(w uint32, n int) uint32 {
	return math.Float32bits(math.Float32frombits(w) + float32(n))
}
