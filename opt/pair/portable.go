package pair

import (
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/passes"
)

// GPUs compares versions of Direct3D 9 programs on GPUs. A version is worse if a pixel takes longer than a
// limit allows, or needs more work. Work is the sum of the loads over the units of a GPU, so a saving counts
// even if a texture unit is the bottleneck.
type GPUs struct {
	budget  *budget.Budget // of prices of programs
	Targets []*draw.Target
	limits  []limit
	// quick selects the targets that price versions for passes.
	quick func(*draw.Target) bool
	// pixels is the number of pixels per vertex.
	pixels float64
	// Slots is set if the target also names slots. Then a version is worse if it takes longer in any
	// scene or more slots, and work is only the last part of a price.
	Slots bool
	All   bool // they are all GPUs of a kind of programs
	// strict selects the targets on which no time may rise: the user named them.
	strict func(*draw.Target) bool
	// Before has the prices of the input's draw: by loop length (see lengths), then by target.
	Before [][]draw.Price
	Memo   draw.Memo // of the programs of all versions
}

// counted holds the loads of the programs of all inputs. Of the versions of the pairs of the corpus, 30 % occur in
// several pairs; the passes of an effect have 40 % in common.
var counted draw.Loads

// NewGPUs prepares comparisons with the draw of the input. It returns nil if only slots count, or if
// the input has no price; then slots decide, and a remark has the reason.
func NewGPUs(o Target, pixelsPerVertex float64, b *budget.Budget, input func() (*draw.Draw, error)) (*GPUs, error) {
	list, err := o.GPUs()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	g := &GPUs{budget: b, Targets: list, pixels: Scene(pixelsPerVertex).PixelsPerVertex}
	g.quick = func(t *draw.Target) bool { return t.Quick() || len(list) == 1 }
	g.Slots, g.All = o.Has(SlotTarget), o.Has(PortableTarget) || o.Has(VulkanTarget)
	g.strict = func(t *draw.Target) bool { return o.Has(Target(t.Name)) }
	g.limits = g.limitsOfList()
	d, err := input()
	if err != nil {
		return nil, nil
	}
	defer d.Close()
	g.Memo.Loads = &counted
	d.Remember(&g.Memo, d.Fingerprints())
	for _, d := range lengths(d) {
		var prices []draw.Price
		for _, t := range g.Targets {
			p, err := t.Price(d)
			if err != nil {
				return nil, err
			}
			prices = append(prices, p)
		}
		g.Before = append(g.Before, prices)
	}
	return g, nil
}

// limit bounds the time of a pixel in a scene: it may rise by a share of the time of the input.
type limit struct {
	scene draw.Scene
	rise  float64
}

// Limits of the portable target. The scene of reports decides. In a mesh of small triangles, where a vertex has
// a sixteenth of the pixels, work that moved to the vertex program may cost more time, because few draws consist
// of such triangles.
const (
	riseInScene = 0.005
	riseInSmall = 0.20
	smaller     = 16
)

// limitsOfList returns the limits for the targets. If the user named GPUs, no scene may take longer. The scenes
// then span the properties that programs do not determine: the cheapest and the most expensive texture, no output
// and the most expensive one.
func (g *GPUs) limitsOfList() (list []limit) {
	if g.All {
		scene := draw.Scene{Texel: draw.RGBA8, Write: draw.WriteRGBA8, PixelsPerVertex: g.pixels}
		small := scene
		small.PixelsPerVertex /= smaller
		return []limit{{scene, riseInScene}, {small, riseInSmall}}
	}
	for _, texel := range []draw.Texel{draw.RGBA8, draw.RGBA32F} {
		for _, write := range []draw.Write{draw.NoWrite, draw.BlendRGBA16F} {
			list = append(list, limit{draw.Scene{Texel: texel, Write: write, PixelsPerVertex: g.pixels}, 0})
		}
	}
	return list
}

// Packs reports whether a target packs operations into instructions, so that their number also depends on the order
// of the program.
func (g *GPUs) Packs() bool {
	return slices.ContainsFunc(g.Targets, func(t *draw.Target) bool { return !t.Quick() })
}

// countsWork reports whether the work on a target counts, and not only the time. For the portable target it counts
// on GPUs whose prices were measured with a compiler: there, less work was found to be fewer instructions. On the
// others only the slowest unit of the GPU matters.
func (g *GPUs) countsWork(t *draw.Target) bool { return !g.All || t.CountsInstructions() }

// lengths returns a draw and, if its trip counts are unknown, also its shortest form. A version must
// not be worse in either: the saving in a loop is only as certain as the execution of the loop.
func lengths(d *draw.Draw) []*draw.Draw {
	if short, differs := d.Shortest(); differs {
		return []*draw.Draw{d, short}
	}
	return []*draw.Draw{d}
}

// tolerance is the relative difference up to which two times count as equal. Both are sums of floats in
// different orders.
const tolerance = 1e-9

// Comparison is the comparison of a version with the input. time and work are sums over the targets, relative
// to the input.
type Comparison struct {
	time, work float64
	Worse      string // the target on which it takes longer or does more, if any
	Better     bool   // it is faster in a scene, or does less
	// pixels has the saved share of the input's work for a pixel, by target. moved is set if a share
	// changes on some target, or if the operations to pack differ. Their number of instructions depends
	// on their order.
	pixels []float64
	moved  bool
	// fewer is the reason to reject a version that saves less than leastFewer of the operations on some target.
	fewer  string
	Prices []draw.Price // of the targets, for known trip counts
}

// worthwhile is the least saving of work per pixel, averaged over the targets whose work counts, for a version
// that changes this work at all. Compilers depend on the order of a program, so a smaller saving may become a loss.
// It was chosen among 1, 2 and 3 % on the training set of the corpus: with 1 %, 2.6 % of the effect pairs need more
// instructions on RV515, with 2 % 0.8 %; 3 % saves less everywhere.
const worthwhile = 0.02

// leastFewer is the least share of operations, if there are fewer, that must go without a change in the number of
// groups. With less, the order of the program decides whether a compiler needs more groups or fewer. It was chosen among
// none, 3, 5 and 8 % on the training set: 3.2, 2.7, 1.4 and 1.1 % of the pairs need more groups on Cypress, mirrored,
// and 121, 121, 115 and 112 of 365 need fewer operations on GCN.
const leastFewer = 0.05

// Slight returns the reason to reject a version whose gain the order of a compiler may undo, or "": it saves less than
// worthwhile, or on some target less than leastFewer without a change in the number of groups.
func (x *Comparison) Slight() string {
	if !x.moved {
		return ""
	}
	if x.fewer != "" {
		return x.fewer
	}
	sum := 0.0
	for _, p := range x.pixels {
		sum += p
	}
	if mean := sum / float64(len(x.pixels)); mean < worthwhile {
		return fmt.Sprintf("a pixel needs %.1f %% less work on average, which is too small a gain", 100*mean)
	}
	return ""
}

// compareDraw compares a draw with the input on the targets that pick chooses. Unless whole is set, it stops at
// the first target on which the draw is worse.
func (g *GPUs) compareDraw(d *draw.Draw, pick func(*draw.Target) bool, whole bool) (Comparison, error) {
	var sum Comparison
	draws := lengths(d)
	for k, before := range g.Before {
		d := draws[min(k, len(draws)-1)] // its loops may be unrolled
		for i, t := range g.Targets {
			if !pick(t) {
				continue
			}
			p, err := t.Price(d)
			if err != nil {
				return sum, err
			}
			if g.versus(&sum, t, &before[i], &p); sum.Worse != "" && !whole {
				return sum, nil
			}
			if k == 0 {
				sum.Prices = append(sum.Prices, p)
			}
		}
	}
	return sum, nil
}

// versus adds to sum the comparison of a price with the price of the input on one target, scene by
// scene.
func (g *GPUs) versus(sum *Comparison, t *draw.Target, before, p *draw.Price) {
	for i, l := range g.limits {
		if g.strict(t) {
			l.rise = 0
		}
		old, _ := before.Time(l.scene)
		after, by := p.Time(l.scene)
		if g.All {
			sum.time += max(1, ratio(after, old)/(1+l.rise)) // within the limit, times are free
			if i > 0 {
				after = max(after, old) // a gain with small triangles alone is none
			}
		} else {
			sum.time += ratio(after, old)
		}
		sum.compareFigure(after, old, l.rise, func() string {
			return fmt.Sprintf("a pixel takes %.4g on %s, not %.4g (bound by %v)", after, t.Name, old, by)
		})
	}
	if !g.countsWork(t) {
		return
	}
	pixel := 1 - ratio(p.Pixel.Work(), before.Pixel.Work())
	sum.pixels = append(sum.pixels, pixel)
	sum.moved = sum.moved || math.Abs(pixel) > tolerance || p.Operations != before.Operations
	if fewer := 1 - ratio(float64(p.Operations), float64(before.Operations)); t.FillsGroups() && math.Abs(pixel) <= tolerance &&
		fewer > 0 && fewer < leastFewer {
		sum.fewer = fmt.Sprintf("on %s the number of groups stays, and %.1f %% fewer operations are too small a gain", t.Name, 100*fewer)
	}
	old, after := before.Work(g.pixels), p.Work(g.pixels)
	if sum.work += ratio(after, old); g.Slots || t.MayWorkMore() {
		return
	}
	if g.All {
		old, after = before.Pixel.Work(), p.Pixel.Work()
	}
	sum.compareFigure(after, old, 0, func() string {
		return fmt.Sprintf("a pixel needs %.4g of work on %s, not %.4g", after,
			t.Name, old)
	})
}

// compareFigure compares one figure with the figure of the input, which it may exceed by a share. It records the
// first reason for being worse.
func (x *Comparison) compareFigure(after, before, rise float64, why func() string) {
	switch {
	case after > before*(1+rise)*(1+tolerance) && x.Worse == "":
		x.Worse = why()
	case after < before*(1-tolerance):
		x.Better = true
	}
}

// ratio returns after relative to before. Work that was 0 counts as 1 more, so that adding to it is not
// free.
func ratio(after, before float64) float64 {
	if before == 0 {
		return 1 + after
	}
	return after / before
}

// Price returns the price of a unit on the quick targets, or on a single target: time and work. Each is
// a sum over targets and scenes in millionths of the input's. These prices guide passes, followed by
// slots; compare, with all targets, decides. prints are the fingerprints of the unit. For the portable target, the
// time is the part beyond the limits.
func (g *GPUs) Price(u *passes.Unit, prints [3][2]uint64) (times [2]int, err error) {
	var link *ir.Linkage
	if u.Vertex != nil && u.Pixel != nil {
		if link, err = u.Stages.Link(u.Varyings...); err != nil {
			return times, err
		}
	}
	drawn := [2][2]uint64{prints[0], prints[1]}
	if u.Vertex == nil {
		drawn = [2][2]uint64{1: prints[0]}
	}
	d := draw.FromFuncs(u.Vertex, u.Pixel, link)
	defer d.Close()
	d.Remember(&g.Memo, drawn)
	x, err := g.compareDraw(d, g.quick, true)
	if err != nil {
		return times, err
	}
	parts := func(x float64) int { return int(math.Round(1e6 * x)) }
	if g.All {
		x.work += componentWork * float64(d.Components())
	}
	return [2]int{parts(x.time), parts(x.work)}, nil
}

// SlotWork returns the share of slots in the work of the portable target, in the unit of [GPUs.Price]. Slots stand
// for the four families of GPUs with vector and VLIW instructions, whose prices take too long for every version.
func (g *GPUs) SlotWork(slots, before int) int {
	const families = 4
	if !g.All || g.Slots {
		return 0
	}
	return int(math.Round(families * 1e6 * ratio(float64(slots), float64(before))))
}

// componentWork is what a component sent to the pixel program adds to the work of the portable target, relative to
// the work of the input on one GPU. Passes then interpolate no component without a gain on a GPU. It was chosen among
// 0, 0.01, 0.02, 0.04 and 0.1 on the training set: all give the same savings within 1 % of the pairs, but without it
// the search for such components takes a sixth more time.
const componentWork = 0.02

// Changes returns a function that describes the difference of two prices in the deciding unit: slots,
// or time and work on GPUs.
func Changes(o Target, b *budget.Budget, programs []*d3d9.Program) (func(before, after passes.Cost) string, error) {
	slots := func(before, after []int) string {
		return fmt.Sprintf("pixel slots %d -> %d, vertex slots %d -> %d", before[0], after[0], before[1], after[1])
	}
	gpus, err := o.GPUs()
	if err != nil {
		return nil, err
	}
	if _, err := DrawOf(b, programs); err != nil || len(gpus) == 0 {
		return func(before, after passes.Cost) string { return slots(before[:], after[:]) }, nil
	}
	work, from, names := 1, 2, [2]string{"time", "work"} // see the price of pairs
	if o.Has(PortableTarget) {
		names = [2]string{"time beyond the limits", "work and slots"}
	}
	if o.Has(SlotTarget) {
		work, from, names[1] = 3, 1, "work"
	}
	return func(before, after passes.Cost) string {
		percent := func(i int) float64 { return 100 * (ratio(float64(after[i]), float64(before[i])) - 1) }
		return fmt.Sprintf("%s %+.1f %%, %s %+.1f %% on average over the targets, %s", names[0], percent(0), names[1], percent(work),
			slots(before[from:], after[from:]))
	}, nil
}

// Compare compares programs with the input on all targets, including slow ones.
func (g *GPUs) Compare(programs []*d3d9.Program, whole bool) (Comparison, error) {
	d, err := DrawOf(g.budget, programs)
	if err != nil {
		return Comparison{}, err
	}
	return g.CompareDraw(d, whole)
}

// CompareDraw compares a draw with the input on all targets, and closes it.
func (g *GPUs) CompareDraw(d *draw.Draw, whole bool) (Comparison, error) {
	defer d.Close()
	d.Remember(&g.Memo, d.Fingerprints())
	return g.compareDraw(d, func(*draw.Target) bool { return true }, whole)
}

// InterpolatesNoMore reports whether the pixel programs declare no input components beyond the previous
// ones.
func InterpolatesNoMore(before, after []*d3d9.Program) bool {
	declared := func(programs []*d3d9.Program, each func(r d3d9.Reg, mask d3d9.Mask)) {
		for _, p := range programs {
			if p.Model.Stage != d3d9.Pixel {
				continue
			}
			for i := range p.Insts {
				if in := &p.Insts[i]; in.Op == d3d9.OpDcl && in.Dst.File != d3d9.Sampler {
					each(in.Dst.Reg, in.Dst.Mask)
				}
			}
		}
	}
	old, more := map[d3d9.Reg]d3d9.Mask{}, false
	declared(before, func(r d3d9.Reg, mask d3d9.Mask) { old[r] |= mask })
	declared(after, func(r d3d9.Reg, mask d3d9.Mask) { more = more || mask&^old[r] != 0 })
	return !more
}
