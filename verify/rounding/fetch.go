package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// texels holds the assumptions about textures. Each has size texels along every axis, with values in lo..hi
// and linear interpolation. A fetch that is displaced by d texels along an axis has an error of at most
// d*(hi-lo), plus one step of the rounded weights. The level of detail is assumed to be equal.
type texels struct {
	size   float64
	lo, hi float64
}

// coordinates returns the coordinates of a fetch, divided by the last one if the fetch projects.
func (w *walker) coordinates(in *ir.Instr) []ref {
	n := in.Res.Dim.Coords()
	list := make([]ref, n)
	for i := range list {
		list[i] = w.src[0][i]
		if in.Op == ir.OpFetchProj {
			list[i] = w.Mul(list[i], w.Call(ir.PrimRcp, []ref{w.src[0][3]}))
		}
	}
	w.run.fetched(w.graph, in, list)
	return list
}

// displacement returns the largest distance in texels between computed and exact coordinates, summed over
// the axes. Linear interpolation between texels of 0..1 changes by at most 1 a texel on each axis.
func (g *graph) displacement(dim ir.Dim, coords []ref) float64 {
	d, size := 0.0, g.texels.size
	if dim != ir.DimCube {
		for _, c := range coords {
			d += product(g.valueOf(c).err, size)
		}
		return d
	}
	// A face is 2 wide at distance 1 along the largest component. If that component is m, the error of
	// (x+e)/(m+f) is at most (e+f)/m.
	largest, worst := 0.0, 0.0
	for _, c := range coords {
		largest, worst = max(largest, g.valueOf(c).exactMin(), g.valueOf(c).computedMin()), max(worst, g.valueOf(c).err)
	}
	if worst == 0 || math.IsInf(worst, 1) {
		return product(worst, size)
	}
	return product(2*worst/largest, size)
}

// sample returns one lane of a texture fetch.
func (w *walker) sample(in *ir.Instr, lane int, coords []ref) ref {
	// aux is lane, sampler, dimension, op, stage and level, in this order from the lowest byte.
	k := key{kind: kindFetch, aux: uint64(lane) | uint64(in.Res.Unit)<<8 | uint64(in.Res.Dim)<<16 | uint64(in.Op)<<24 | w.prog.space()<<32 |
		uint64(w.level(in))<<33}
	copy(k.a[:], coords)
	return w.internTerm(k)
}

// fetch returns the value of a texture fetch: the range of texels, with an error proportional to the error
// of its coordinates. At a point of the box the texel comes from a smooth image.
func (g *graph) fetch(k *key) value {
	t, dim := &g.texels, dimension(k)
	coords := k.a[:dim.Coords()]
	v := exactly(t.lo, t.hi)
	if g.point != 0 {
		x := t.lo + (t.hi-t.lo)*g.texture(k.aux&0xffff, coords)
		v = exactly(x, x)
		v.clo, v.chi = t.lo, t.hi
	}
	d := g.displacement(dim, coords)
	if d > 0 && g.point == 0 { // steps are no errors in first order
		d += leastTexels * float64(dim.Coords())
	}
	if v.err = product(d, t.hi-t.lo); d > 0 { // filtering rounds in both versions
		v.err += 2 * fp32.unit * max(math.Abs(t.lo), math.Abs(t.hi))
	}
	v.err = min(v.err, max(v.chi-v.lo, v.hi-v.clo))
	for _, c := range coords {
		if x := g.valueOf(c); x.cause != 0 {
			v.cause = x.cause
		}
	}
	v.clo, v.chi = max(v.clo, v.lo-v.err), min(v.chi, v.hi+v.err)
	return v
}

// level returns the further dependency of a fetch. An explicit level of detail is one; a level that follows
// from neighbours depends on the path to the fetch (see derivative).
func (w *walker) level(in *ir.Instr) ref {
	switch in.Op {
	case ir.OpFetchLod:
		return w.src[0][3]
	case ir.OpFetchBias:
		return w.tuple(append(w.path[:len(w.path):len(w.path)], w.src[0][3]))
	case ir.OpFetchGrad:
		n := in.Res.Dim.Coords()
		return w.tuple(append(w.src[1][:n:n], w.src[2][:n]...))
	}
	if in.Op.Has(ir.Convergent) {
		return w.tuple(w.path)
	}
	return 0
}

// dimension returns the dimension of the texture that the fetch k reads.
func dimension(k *key) ir.Dim { return ir.Dim(k.aux >> 16) }

// texture evaluates a smooth image, for analyses at a point. Versions of a program whose coordinates differ
// by roundings then read almost the same texel.
func (g *graph) texture(number uint64, coords []ref) float64 {
	phase := float64(scramble(number)%1024) / 128
	for i, c := range coords {
		if x := g.valueOf(c).lo; !math.IsInf(x, 0) && math.Abs(x) < 1e6 {
			phase += x * float64(3+i)
		}
	}
	return 0.5 + 0.5*math.Sin(phase)
}
