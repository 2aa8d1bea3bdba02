package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/tile"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// A kernel whose invocations do what those of another do that are in a tile (thread coarsening:
// Magni, Dubach and O'Boyle, SC 2013) is compared with a reference: the text of the other kernel once
// for each of these invocations, as functions that are called in turn (coarse_reference.go). All rungs
// are climbed with the reference in the place of before. That the reference itself does what before
// does is shown by executing before at the positions of each tile, in the same order: every bit has
// to be the same.
//
// Invocations of before run in any order, so that after may take one of them; a reading for which
// they have to be independent, which is why the reference refuses barriers, memory that groups share,
// atomic operations and what neighbours decide.

// checkLaunched is [CheckKernel] for an after that the host launches in another way than before: that
// does the work of a tile, fetches from packed resources, or keeps memory in registers. Each of these
// has a text of before that does the same (held, reference) or one of after that undoes it (apart).
// The ladder compares these texts; then each is compared with what it was made of by execution.
// A verdict that is not OK is returned without that.
func checkLaunched(before, after *il.Kernel, o Options) Report {
	t := o.Tile
	if before == nil || after == nil {
		return Report{Why: "the sides are different kinds of kernels"}
	}
	if err := t.Check(); err != nil {
		return Report{Why: "R0: " + err.Error()}
	}
	original, vectors, loops := before, after, 0
	var err error
	if t.Held {
		if before, loops, err = held(before); err != nil {
			return Report{Why: "R0: " + err.Error()}
		}
	}
	ref, after, err := launchedAlike(before, after, t)
	if err != nil {
		return Report{Why: "R0: " + err.Error()}
	}
	if t.Texels != 0 {
		if why := misaligned(vectors, t.Texels, promise(o.Constants).kernel()); why != "" {
			return Report{Why: "R0: " + why}
		}
	}
	// From here on both sides are launched alike.
	o.Tile = tile.Tile{}
	var cases []*kernel.Case
	for _, c := range o.KernelCases {
		cases = append(cases, narrowed(numbers(c, t.Texels), t))
	}
	o.KernelCases = cases
	c := &kernelChecker{ladder: ladder{Options: o}, before: ref, after: after, copies: t.Count()}
	r := c.within(c.check)
	if !r.Verdict.OK() {
		return r
	}
	why := ""
	if loops > 0 {
		why = c.heldDiffers(original, before)
	}
	if why == "" && t.Coarse() {
		why = c.tiled(before, t)
	}
	if why == "" && t.Texels != 0 {
		why = c.vectorsDiffer(vectors, t.Texels)
	}
	if why != "" {
		return Report{Rungs: r.Rungs, Why: why}
	}
	return r
}

// launchedAlike are kernels that the host launches in the same way: one that does all of a tile
// of before, and after, both of which fetch single numbers from packed resources.
func launchedAlike(before, after *il.Kernel, t tile.Tile) (ref, same *il.Kernel, err error) {
	ref, same = before, after
	if t.Texels != 0 {
		if same, err = apart(after, t.Texels, true); err != nil {
			return nil, nil, err
		}
		if ref, err = apart(before, t.Texels, false); err != nil {
			return nil, nil, err
		}
	}
	if t.Coarse() {
		ref, err = reference(ref, t)
	}
	return ref, same, err
}

// tiledEdge is the edge of the domain on which the reference is checked. Its 64 invocations are one
// batch of the interpreter, so that stores come in the order of the tile.
const tiledEdge = 8

// ends are launches like l that reach the ends of a domain whose sides tiles do not divide: one
// along each side.
func ends(l *kernel.Case, t tile.Tile) (list []*kernel.Case) {
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

// tiled executes the kernel that the reference was made of at the positions of tiles, and says how
// the reference differs; empty if in nothing. At least one launch has to be executed.
func (c *kernelChecker) tiled(source *il.Kernel, t tile.Tile) (why string) {
	launches := slices.Clone(c.KernelCases)
	n := uint64(2)
	if c.Effort == Full {
		n = 8
	}
	for k := range n {
		launches = append(launches, c.launch(k))
	}
	ref, err := kernel.Compile(c.before)
	if err != nil {
		return "R2: " + err.Error()
	}
	orig, err := kernel.Compile(source)
	if err != nil {
		return "R2: " + err.Error()
	}
	for i, l := range launches {
		l = numbers(promise(c.Constants).launch(l), t.Texels)
		if i == 0 {
			launches = append(launches, ends(l, t)...)
		}
		l.Width, l.Height = min(l.Width, tiledEdge), min(l.Height, tiledEdge)
		l.Inputs = nil
		launches[i] = l
	}
	why = "R2: the invocations of a tile cannot be executed"
	for _, l := range launches {
		o := kernel.Options{Steps: launchSteps, Budget: c.runs()}
		want, err := ref.Run(l, o)
		if err != nil {
			continue
		}
		differs, err := tileDiffers(orig, want, l, t, o)
		switch {
		case err != nil:
			continue
		case differs != "":
			return fmt.Sprintf("R2: %s of a tile is not what the invocations leave", differs)
		}
		why = ""
	}
	return why
}

// tileDiffers executes orig once for each invocation k of the tiles of launch l, each time over the
// domain of tiles with positions scaled and offset and on the memory that the one before left, and
// compares what all of them leave with what the reference has left.
func tileDiffers(orig *kernel.Program, want *kernel.Result, l *kernel.Case, t tile.Tile, o kernel.Options) (what string, err error) {
	l = spelt(l, t)
	outputs := 0
	var last *kernel.Result
	var colours [][]uint32
	for k := range t.Count() {
		o.Scale, o.Offset, o.Within = t.Scale(), t.Offset(k), [2]int{}
		for axis := range 2 {
			if last, would := t.Last(k, axis); would {
				o.Within[axis] = last + 1
			}
		}
		if last, err = orig.Run(l, o); err != nil {
			return "", err
		}
		l = resumed(l, last)
		for i, words := range last.Out {
			if words != nil {
				outputs = max(outputs, i+1)
			}
		}
		for i := range outputs {
			colours = append(colours, last.Out[i])
		}
	}
	for i, words := range outputsOf(colours, outputs, t) {
		if !slices.Equal(words, want.Out[i]) {
			return fmt.Sprintf("o%d", i), nil
		}
	}
	return memoryOver(want, last), nil
}

// outputsOf puts outputs, listed by invocation and number, where those of tile t are: in outputs of
// their own, or in components of one.
func outputsOf(colours [][]uint32, outputs int, t tile.Tile) (out [8][]uint32) {
	for i, words := range colours {
		at, component, all := t.Output(i/outputs, i%outputs, outputs)
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

// resumed is launch l with memory as r has left it.
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
		d.Shares = append(d.Shares, kernel.Share{ID: m.ID, Words: len(m.Words), Data: kernel.Data{Kind: kernel.Words, Words: m.Words}})
	}
	return &d
}

// spelt is launch l with tables in which tiles are spelt out: for each entry, which holds the first
// coordinate of a tile, those of all its invocations.
func spelt(l *kernel.Case, t tile.Tile) *kernel.Case {
	return tables(l, t, func(r *kernel.Resource, old []uint32) (words []uint32) {
		per := r.Format.Components()
		for at := 0; at < len(old); at += per {
			for k := range t.Count() {
				more, _ := t.Table(r.ID, k)
				for _, w := range old[at : at+per] {
					if more > 0 { // as the reference adds it
						w = plus(w, more)
					}
					words = append(words, w)
				}
			}
		}
		return words
	})
}

// narrowed is l, a launch of the kernel as it came, with the domain of tiles, and with the first
// coordinate of each tile in tables. It undoes spelt.
func narrowed(l *kernel.Case, t tile.Tile) *kernel.Case {
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

// tables is launch l with the words of each table of t replaced by edit.
func tables(l *kernel.Case, t tile.Tile, edit func(r *kernel.Resource, before []uint32) []uint32) *kernel.Case {
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
			change(&r.Data, r.Width*r.Height*r.Depth*per, l.Width, func(w uint32) uint32 { return w })
			before = r.Data.Words[:r.Width*per]
		}
		words := edit(r, before)
		r.Width, r.Height, r.Depth = len(words)/per, 1, 1
		r.Data = kernel.Data{Kind: kernel.Words, Words: words}
	}
	return &d
}

// plus is the float in w and a whole number, as a word.
func plus(w uint32, n int) uint32 {
	return math.Float32bits(math.Float32frombits(w) + float32(n))
}
