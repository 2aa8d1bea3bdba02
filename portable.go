package shaderlift

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/passes"
)

// SlotTarget counts instruction slots, as the tables of the shader models do, and
// PortableTarget stands for all GPUs that draws are priced for.
const (
	SlotTarget     = "d3d9"
	PortableTarget = "portable"
)

// gpus decides what versions of Direct3D 9 programs are worth on GPUs. Times are compared per draw
// and per scene; a version is worse if on any target it takes longer in any scene or does more
// work. Work is the sum over the parts of a GPU of what each has to do, so
// that a saving counts even where a texture unit is the bottleneck.
type gpus struct {
	budget  *budget.Budget // of prices of programs
	targets []*draw.Target
	scenes  []draw.Scene
	// quick tells which targets passes ask for prices.
	quick func(*draw.Target) bool
	// pixels is how many pixels a vertex stands for.
	pixels float64
	slots  bool // slots may not rise either
	all    bool // they are all there are
	// before has, for each of lengths of the input's draw, the prices by target.
	before [][]draw.Price
	memo   draw.Memo // of the programs of all versions
}

// newGPUs prepares comparisons with the input, as it is drawn. It is nil where only slots count, and
// where the input has no price (then slots decide, and a remark says why).
func (o *Options) newGPUs(b *budget.Budget, input func() (*draw.Draw, error)) (*gpus, error) {
	list, err := o.gpus()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	g := &gpus{budget: b, targets: list, pixels: o.scene().PixelsPerVertex}
	g.quick = func(t *draw.Target) bool { return t.Quick() || len(list) == 1 }
	for _, name := range o.targets() {
		g.slots = g.slots || name == SlotTarget
		g.all = g.all || name == PortableTarget
	}
	// Scenes span what the programs do not tell: the cheapest and the dearest texture, no output
	// and the dearest one, and where they are to serve all GPUs larger triangles as well.
	times := []float64{1}
	if g.all {
		times = []float64{1, 4}
	}
	for _, texel := range []draw.Texel{draw.RGBA8, draw.RGBA32F} {
		for _, write := range []draw.Write{draw.NoWrite, draw.BlendRGBA16F} {
			for _, n := range times {
				g.scenes = append(g.scenes, draw.Scene{Texel: texel, Write: write, PixelsPerVertex: n * g.pixels})
			}
		}
	}
	d, err := input()
	if err != nil {
		return nil, nil
	}
	defer d.Close()
	d.Remember(&g.memo, d.Fingerprints())
	for _, d := range lengths(d) {
		var prices []draw.Price
		for _, t := range g.targets {
			p, err := t.Price(d)
			if err != nil {
				return nil, err
			}
			prices = append(prices, p)
		}
		g.before = append(g.before, prices)
	}
	return g, nil
}

// lengths are a draw and, where nothing tells when its loops end, also the shortest draw that it
// may be. A version has to be no worse in either: what a loop saves is no more certain than that it
// runs.
func lengths(d *draw.Draw) []*draw.Draw {
	if short, differs := d.Shortest(); differs {
		return []*draw.Draw{d, short}
	}
	return []*draw.Draw{d}
}

// tolerance is the relative difference up to which two times count as equal. Both are sums of
// floats in different orders.
const tolerance = 1e-9

// gain is what a version is worth: time and work are sums over the targets, in parts of the
// input's.
type gain struct {
	time, work float64
	worse      string // on which target it takes longer or does more, if on one
	better     bool   // it is faster in a scene, or does less
	// pixels are the parts of the input's work for a pixel that it saves, of each target, and
	// moved says that on one they are any, or that there are other operations to pack, which
	// fill more instructions or fewer in one order than in another.
	pixels []float64
	moved  bool
	prices []draw.Price // of the targets, for as many trips of loops as can be told
}

// worthwhile is the least saving of work for a pixel, as the average over the targets, of a version
// that changes it at all. It is fitted to what compilers of GPUs made of pairs of versions: below 3
// % they turned what the model calls better into something worse as often as not, since their
// result depends on the order of the program.
const worthwhile = 0.03

// slight says why a version is refused that saves less than worthwhile, "" if it is not.
func (x *gain) slight() string {
	if !x.moved {
		return ""
	}
	sum := 0.0
	for _, p := range x.pixels {
		sum += p
	}
	if mean := sum / float64(len(x.pixels)); mean < worthwhile {
		return fmt.Sprintf("a pixel is %.1f %% less work on the average, which is too little to count on", 100*mean)
	}
	return ""
}

// of compares a draw with the input on the targets that pick chooses. Unless whole, it stops at the
// first target on which the draw is worse.
func (g *gpus) of(d *draw.Draw, pick func(*draw.Target) bool, whole bool) (gain, error) {
	var sum gain
	draws := lengths(d)
	for k, before := range g.before {
		d := draws[min(k, len(draws)-1)] // its loops may be unrolled
		for i, t := range g.targets {
			if !pick(t) {
				continue
			}
			p, err := t.Price(d)
			if err != nil {
				return sum, err
			}
			if g.versus(&sum, t, &before[i], &p); sum.worse != "" && !whole {
				return sum, nil
			}
			if k == 0 {
				sum.prices = append(sum.prices, p)
			}
		}
	}
	return sum, nil
}

// versus adds to sum how a price compares with that of the input on one target, scene by scene.
func (g *gpus) versus(sum *gain, t *draw.Target, before, p *draw.Price) {
	for _, s := range g.scenes {
		old, _ := before.Time(s)
		after, by := p.Time(s)
		sum.time += ratio(after, old)
		sum.see(after, old, func() string {
			return fmt.Sprintf("a pixel takes %.4g on %s, not %.4g (%v)", after, t.Name, old, by)
		})
	}
	pixel := 1 - ratio(p.Pixel.Work(), before.Pixel.Work())
	sum.pixels = append(sum.pixels, pixel)
	sum.moved = sum.moved || math.Abs(pixel) > tolerance || p.Operations != before.Operations
	old, after := before.Work(g.pixels), p.Work(g.pixels)
	sum.work += ratio(after, old)
	sum.see(after, old, func() string { return fmt.Sprintf("a pixel is %.4g of work on %s, not %.4g", after, t.Name, old) })
}

// see compares one figure with that of the input. The first that is worse is the one that is told.
func (x *gain) see(after, before float64, why func() string) {
	switch {
	case after > before*(1+tolerance) && x.worse == "":
		x.worse = why()
	case after < before*(1-tolerance):
		x.better = true
	}
}

// ratio is after in parts of before. Work that was 0 counts as 1 more than nothing, so that adding
// to it is not free.
func ratio(after, before float64) float64 {
	if before == 0 {
		return 1 + after
	}
	return after / before
}

// price is what a unit costs on the targets whose price is computed quickly, or on a single one: time
// and work, each a sum over targets and scenes in millionths of the input's. These prices guide passes,
// with slots behind them; compare, with all targets, decides. prints are the fingerprints of the unit.
func (g *gpus) price(u *passes.Unit, prints [3][2]uint64) (times [2]int, err error) {
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
	d := draw.Of(u.Vertex, u.Pixel, link)
	defer d.Close()
	d.Remember(&g.memo, drawn)
	x, err := g.of(d, g.quick, true)
	if err != nil {
		return times, err
	}
	parts := func(x float64) int { return int(math.Round(1e6 * x)) }
	return [2]int{parts(x.time), parts(x.work)}, nil
}

// changes returns a function that words how one price differs from another, in the unit that
// decides: slots, or time and work on GPUs.
func (o *Options) changes(b *budget.Budget, programs []*d3d9.Program) (func(before, after passes.Cost) string, error) {
	slots := func(before, after []int) string {
		return fmt.Sprintf("pixel slots %d -> %d, vertex slots %d -> %d", before[0], after[0], before[1], after[1])
	}
	gpus, err := o.gpus()
	if err != nil {
		return nil, err
	}
	if _, err := drawOf(b, programs); err != nil || len(gpus) == 0 {
		return func(before, after passes.Cost) string { return slots(before[:], after[:]) }, nil
	}
	return func(before, after passes.Cost) string {
		percent := func(i int) float64 { return 100 * (ratio(float64(after[i]), float64(before[i])) - 1) }
		return fmt.Sprintf("time %+.1f %%, work %+.1f %% on the average of the targets, %s", percent(0), percent(1), slots(before[2:], after[2:]))
	}, nil
}

// compare compares programs with the input on all targets, including those that take long to price.
func (g *gpus) compare(programs []*d3d9.Program, whole bool) (gain, error) {
	d, err := drawOf(g.budget, programs)
	if err != nil {
		return gain{}, err
	}
	defer d.Close()
	d.Remember(&g.memo, d.Fingerprints())
	return g.of(d, func(*draw.Target) bool { return true }, whole)
}

// interpolatesNoMore reports whether the pixel programs declare no input components beyond those
// that they declared before.
func interpolatesNoMore(before, after []*d3d9.Program) bool {
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
