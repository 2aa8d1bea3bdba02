package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// execution is the outcome of rung 2. The zero value says that executions were compared and that
// none differed.
type execution struct {
	different bool
	cex       *Counterexample
	why       string // not empty if nothing could be executed, or of a difference
	unrun     bool   // nothing could be executed
	before    bool   // since before could not be
	loose     bool   // a proof by rung 3 would explain what differs
}

// modes are the numerics that trials go through in turn. Direct3D 9 leaves it to the device whether
// mad rounds once, whether 0 times anything is 0, and whether denormals are flushed; versions have
// to agree under each choice that hardware makes.
var modes = [...]interp.Numerics{
	{}, {FuseMad: true}, {MulZero: true}, {FlushDenormals: true}, {MulZero: true, FlushDenormals: true, FuseMad: true},
}

// ranges are those of registers of ps_1_x in turn: what much hardware has, the least that
// Direct3D admits (D3DCAPS9.PixelShader1xMaxValue is at least 1), and none, as in hardware of today.
var ranges = [...]float32{8, 1, 0}

// mode is the numerics of trial k. Versions of which bits alone are to be the same have those of IEEE arithmetic: x*1 is
// x, and with products that are 0 where a factor is, the sign of -0 is lost in the one and not in the other.
func (c *checker) mode(k int) interp.Numerics {
	n := modes[k%len(modes)]
	if c.Numerics == Bits && c.terms.diff != nil {
		n = interp.Numerics{}
	}
	if p := c.before.Pixel; p != nil && p.Model.Major == 1 {
		n.Range = ranges[k%len(ranges)]
	}
	return n
}

// exactly reports whether the sides have to agree bit for bit when executed: where
// less than that is accepted, or where they are proved to be the same terms.
func (c *ladder) exactly() bool {
	return c.Numerics <= Bits || c.terms.diff == nil && c.terms.why == ""
}

// execute is rung 2: the interpreter runs both sides as they are written.
func (c *checker) execute() execution {
	c.total, c.doubt, c.report.Draws = contrast{}, "", 0
	trials := c.trials()
	return c.runAll(trials, len(trials), c.mode)
}

// pursue goes on with rung 2 where neither proofs nor draws have decided. It makes more draws if
// rung 3 found a difference, then runs inputs that are directed to where the programs decide
// (see directed), and at last searches (see search). Where a proof holds this is not needed: it
// holds on both sides of every comparison.
func (c *checker) pursue() execution {
	more := c.more()
	directed, found, leaves := c.directed(append([]trial{c.base}, more...))
	run := c.runAll(append(more, directed...), len(more), func(k int) interp.Numerics {
		if k < len(more) {
			return c.mode(k)
		}
		return c.mode(0) // in which directed trials were solved for
	})
	if !run.different && len(leaves) > 0 && c.differs() {
		if found := c.search(leaves, found, more); found != nil {
			return *found
		}
	}
	return run
}

// runAll executes both sides on trials until they differ. The first usual ones are drawn at random;
// those after them are directed to edges, and so to divisions by zero, so that from there on
// executions record infinities and NaNs (see watch). A trial that cannot be executed is skipped;
// if that is so of all of them, the outcome is unrun.
func (c *checker) runAll(trials []trial, usual int, numerics func(k int) interp.Numerics) execution {
	sides, err := c.once()
	if err != nil {
		return execution{why: "R2: " + err.Error(), unrun: true}
	}
	var failed error
	for k, t := range trials {
		if err := c.runs().Err(); err != nil {
			failed = asm.Errorf(asm.Pos{}, "step-limit", "%v", err)
			break
		}
		if k == usual {
			c.watch(sides)
		}
		x, found, err := c.meet(sides, t, numerics(k), uint64(k))
		if err != nil {
			failed = err
			continue
		}
		// A batch of the vertex program of a pair shows fixed function alone and does not count as a
		// draw: it would let a version be Tested whose colours were never compared.
		if b, isBatch := t.(*batchTrial); x.points > 0 && !(isBatch && b.fixed) {
			c.report.Draws++ // of everything there is to see
			c.total.add(x)
		}
		if found != nil {
			return *found
		}
	}
	c.measure(&c.total)
	switch {
	case c.report.Draws > 0:
		return execution{}
	case failed != nil:
		return execution{why: "R2: " + failed.Error(), unrun: true}
	}
	return execution{why: "R2: the draws show nothing"}
}

// watch makes executions note which conditions they meet and where values are infinite or NaN.
func (c *checker) watch(sides [2]*shaders) {
	for _, s := range sides {
		s.seen, s.reals = interp.NewSeen(), !c.exactly()
	}
}

// meet executes both sides on trial number k; found is nil unless they differ. A difference
// counts only if it stays when relative reads are confined (see confirmed), and when both
// programs are compiled afresh and executed again (see replay).
func (c *checker) meet(sides [2]*shaders, t trial, n interp.Numerics, k uint64) (x *contrast, found *execution, err error) {
	differ, x, err := c.try(sides, t, n, k)
	if err != nil {
		return nil, nil, err
	}
	if x.doubtful && c.confirmed(t, n, k) {
		c.doubts(x)
	}
	if differ && c.confirmed(t, n, k) {
		if cex := c.replay(t, n, x); cex != nil {
			return x, &execution{different: true, cex: cex, loose: x.loose, why: x.says(cex.Output)}, nil
		}
	}
	return x, nil, nil
}

// compile compiles both sides.
func (c *checker) compile(before, after Pair) (sides [2]*shaders, err error) {
	return c.compileBoth(before, after, false)
}

// compileBoth compiles both sides. With share a program that both sides have is compiled once:
// good enough to look for differences, and not for replaying one.
func (c *checker) compileBoth(before, after Pair, share bool) (sides [2]*shaders, err error) {
	uploads := c.Mirrored[:len(c.Mirrored):len(c.Mirrored)]
	common := &shaders{}
	if sides[0], err = compileSide(before, uploads, common); err == nil {
		if share {
			common = sides[0]
		}
		sides[1], err = compileSide(after, append(uploads, c.Uploads...), common)
	}
	for i, s := range sides {
		if s != nil {
			s.work, s.hosts = c.runs(), c.hosts[i]
		}
	}
	return sides, err
}

// once is compile for both sides as they are, done one time. It returns shallow copies, because a
// run sets fields of a side.
func (c *checker) once() (sides [2]*shaders, err error) {
	if c.compiled[1] == nil {
		if c.compiled, err = c.compileBoth(c.before, c.after, true); err != nil {
			c.compiled = [2]*shaders{}
			return c.compiled, err
		}
	}
	for i, s := range c.compiled {
		fresh := *s
		fresh.work = c.runs()
		sides[i] = &fresh
	}
	return sides, nil
}

// confirmed reports whether a difference stays when relative reads are confined to the parameter
// that the constant table says they start in: that they stay in it is a reading of the contract,
// and random indices do not keep to it.
func (c *checker) confirmed(t trial, n interp.Numerics, k uint64) bool {
	before, after := c.before, c.after
	var banks [2][]bank
	before.Vertex, banks[0] = confined(before.Vertex)
	after.Vertex, banks[1] = confined(after.Vertex)
	if len(banks[0])+len(banks[1]) == 0 {
		return true
	}
	sides, err := c.compile(before, after)
	if err != nil {
		return false
	}
	sides[0].banks, sides[1].banks = banks[0], banks[1]
	found, x, err := c.try(sides, t, n, k)
	return err == nil && (found || x.doubtful)
}

// trials makes up the inputs of the first executions: the given cases, draws from the seed, and,
// where bits are asked for, invocations whose inputs are infinities, NaNs, denormals and other
// special words.
func (c *checker) trials() (list []trial) {
	pair := c.before.Vertex != nil && c.before.Pixel != nil
	for _, d := range c.Cases {
		if pair {
			list = append(list, drawTrial{c: d, known: c.Constants})
		}
	}
	n, size := 1, 64
	if c.Effort == Full {
		n, size = 12, 1024
	}
	for k := range n {
		drawn := c.drawn(uint64(k), size)
		if k == 0 {
			c.base = drawn[0]
		}
		list = append(list, drawn...)
	}
	if c.exactly() {
		list = append(list, &batchTrial{seed: c.Seed, n: 2 * size, special: true, fixed: pair, known: c.Constants, further: c.framework.size()})
	}
	return list
}

// drawn is the k-th draw made up and, of a pair, some invocations of the vertex program for what
// feeds fixed function, which a picture does not show to the bit. There are fewer of them where they
// only confirm what is proved.
func (c *checker) drawn(k uint64, size int) []trial {
	seed := symbolic.Mix(c.Seed + k)
	if c.before.Vertex == nil || c.before.Pixel == nil {
		return []trial{&batchTrial{seed: seed, n: size, known: c.Constants, further: c.framework.size()}}
	}
	patience := draws.Much
	if (c.Brief || c.Effort == Quick) && c.accepted() {
		patience, size = draws.Little, size/4
	}
	t := drawTrial{known: c.Constants}
	sides, err := c.once()
	if err == nil {
		var d draws.Drawn
		d, err = draws.Compiled(sides[0].vertex, sides[0].pixel, c.before.Vertex, c.before.Pixel, c.host(), seed, patience, c.runs())
		t.c, t.image, t.drew = d.Case, d.Image, sides[0]
	}
	if err != nil {
		t.c = interp.DefaultCase(c.before.Vertex, c.before.Pixel)
	}
	if err == nil && sides[0].vertex == sides[1].vertex && len(c.Uploads) == 0 && c.framework == nil {
		return []trial{t} // what feeds fixed function is the same
	}
	return []trial{t, &batchTrial{seed: seed, n: size, fixed: true, known: c.Constants, further: c.framework.size()}}
}

// moreDraws is how many more draws are made where rung 3 found a difference that the first
// do not show.
const moreDraws = 8

func (c *checker) more() (list []trial) {
	if c.field.outcome != different {
		return nil
	}
	for k := range uint64(moreDraws) {
		drawn := c.drawn(1<<32+k, 256)
		list = append(list, drawn...)
		if t, ok := drawn[0].(drawTrial); ok {
			list = append(list, t.stretched())
		}
	}
	return list
}

// stretched is t with colours and texture coordinates of either sign. Random ones are from 0 on, and many at
// most 1, as in use: there a size, a clamped number and a fraction are the number itself, and interpolate as it does.
// Positions, directions and weights stay, so that what was in view mostly is.
func (t drawTrial) stretched() drawTrial {
	d := *t.c
	d.Attrs = slices.Clone(d.Attrs)
	for i := range d.Attrs {
		if a := &d.Attrs[i]; a.Usage == d3d9.UsageTexCoord || a.Usage == d3d9.UsageColor {
			a.Data = slices.Clone(a.Data)
			for k, x := range a.Data {
				a.Data[k] = 4*x - 2
			}
		}
	}
	return drawTrial{c: &d, known: t.known}
}

// try executes both sides and reports whether they differ for real. Shaken run number j of before
// has its own seed and goes through modes in turn, so that what hardware may do differently counts
// as a sensitivity of before.
func (c *checker) try(sides [2]*shaders, t trial, n interp.Numerics, k uint64) (bool, *contrast, error) {
	shakes := ordinarily
	if sides[0].seen != nil {
		shakes = atEdges
	}
	differ, x, err := c.weigh(shakes, func(side, shaken int) (*sample, error) {
		if shaken == 0 {
			return t.execute(sides[side], n, 0)
		}
		j := shaken - 1
		jitter := (c.Seed + k + uint64(j)<<32 + 1) &^ farther
		if j >= moreJitters {
			jitter |= farther
		}
		m := modes[j%len(modes)]
		m.Range = n.Range
		return t.execute(sides[side], m, jitter)
	})
	if err != nil || c.exactly() || x.shape != "" || x.exact {
		return differ, x, err
	}
	switch {
	case !differ && x.doubtful && c.field.outcome == equal && (c.positionsExplain(sides, t, n, k) || c.roundingsExplain(sides, t, n, k, true, 0)):
		x.doubtful = false
	case !differ:
	case c.roundingsExplain(sides, t, n, k, c.field.outcome == equal || x.few, 1.0/32):
		differ, x.doubtful = false, true
	case !c.overflowExplains(sides, t, n, k):
	case c.field.outcome == equal:
		differ, x.doubtful, x.overflows = false, true, true
	default:
		x.loose = true
	}
	return differ, x, nil
}

// positionsExplain reports whether a doubt about versions that are equal over the reals goes away if positions
// are shaken, too. They are left alone at first, as triangles move with them; but a pixel program may
// compute with them, and what it subtracts may cancel in a whole row of pixels.
func (c *checker) positionsExplain(sides [2]*shaders, t trial, n interp.Numerics, k uint64) bool {
	d, ok := t.(drawTrial)
	if !ok || d.moving {
		return false
	}
	d.moving = true
	differ, x, err := c.try(sides, d, n, k)
	return err == nil && !differ && !x.doubtful
}

// overflowExplains reports whether both sides agree wherever they compute with ordinary numbers
// alone (see [interp.Seen]): x*3e38/y may overflow where x/y*3e38 does not. That is not promised over
// the reals, so that of versions that are equal there it is no difference; nor is it what before draws.
func (c *checker) overflowExplains(sides [2]*shaders, t trial, n interp.Numerics, k uint64) bool {
	if sides[0].seen != nil {
		return false // such points did not count
	}
	watched := [2]*shaders{}
	for i, s := range sides {
		fresh := *s
		watched[i] = &fresh
	}
	c.watch(watched)
	differ, _, err := c.try(watched, t, n, k)
	return err == nil && !differ
}

// scatters is how often before is executed with random roundings. A rounding that falls the other
// way one time in three is then missed with probability (2/3)^24, about 2^-14.
const scatters = 24

// roundingsExplain reports whether after computes what before does when the roundings within
// before fall otherwise, but for some share of the points. Perturbed inputs do not show those: x-x+tiny is 0 or tiny as x is
// rounded, whatever x is. What differs by this alone is no fault of after, though it is not what
// before draws either. Whether the versions are equal over the reals is not asked here: rung 3 has
// its say afterwards. With numbers, an infinity or NaN of before explains any value of after, as
// where rung 3 compares numbers alone.
func (c *checker) roundingsExplain(sides [2]*shaders, t trial, n interp.Numerics, k uint64, numbers bool, share float64) bool {
	var runs []*sample
	for i := range 2 + scatters {
		side := 0
		switch i {
		case 0:
			n.Scatter = 0
		case 1:
			side = 1
		default:
			n.Scatter = symbolic.Mix(c.Seed+k+uint64(i)<<32) | 1
		}
		s, err := t.execute(sides[side], n, 0)
		if err != nil {
			return false
		}
		runs = append(runs, s)
	}
	left, _ := unexplained(runs[0], runs[1], runs[2:], numbers)
	return float64(left) <= share*float64(runs[0].n)
}

// weigh executes both sides by run, which takes the side and the number of the perturbation, 0 for
// none, and reports whether they differ for real.
//
// Where bits must agree, any difference is real. Otherwise a point counts if the sensitivity of
// before does not explain it (see unexplained): if no perturbation of before comes near the
// value of after. The versions differ if there are more than four times as many such points as
// before shows against itself, which calibrates the test to badly conditioned programs. If they
// are no more than one in 32 of all, before is perturbed more often; what is left then is a doubt
// and no verdict, and so is what a proof accepts and is only badly conditioned. Words that are
// hardly floats are not excused by any of that, unless rung 3 found nothing wrong.
func (c *ladder) weigh(shakes []int, run func(side, shaken int) (*sample, error)) (bool, *contrast, error) {
	before, err := run(0, 0)
	if err != nil {
		return false, nil, err
	}
	after, err := run(1, 0)
	if err != nil {
		return false, nil, err
	}
	if c.exactly() {
		x := compare(before, after, sameBits)
		return x.differing > 0 || x.shape != "", x, nil
	}
	x := compare(before, after, closeEnough)
	switch {
	case x.shape != "", x.exact:
		return true, x, nil
	case x.typeless && c.field.outcome != equal && c.field.outcome != sampledEqual:
		x.loose = true
		return true, x, nil
	case x.differing == 0:
		return false, x, nil
	}
	var shaken []*sample
	left, scope := 0, min(x.points, before.n)
	// More perturbations are made only while some point is unexplained by fewer.
	for _, most := range shakes {
		for len(shaken) < most {
			s, err := run(0, len(shaken)+1)
			if err != nil {
				return false, nil, err
			}
			shaken = append(shaken, s)
		}
		n, first := unexplained(before, after, shaken, c.field.outcome == equal)
		if left = n; n == 0 || n <= 4*against(before, shaken) {
			return false, x, nil
		}
		x.first = first
		if most >= moreJitters && left*32 <= scope {
			break
		}
	}
	if x.loose = fine(before, after) || !finite(symbolic.Double(x.first.before)); left*32 > scope && !(x.loose && c.field.outcome == equal) {
		return true, x, nil
	}
	// A kernel that writes few words shows itself in these.
	if n := before.writes(x.first.output); n > 0 && left*32 > n && finite(symbolic.Double(x.first.before)) && c.field.outcome != equal && c.field.outcome != sampledEqual {
		x.loose = true // rung 3 is to be heard
		return true, x, nil
	}
	// What overflows on the way is not promised.
	x.doubtful = finite(symbolic.Double(x.first.before)) && finite(symbolic.Double(x.first.after))
	if !x.doubtful || c.field.outcome != different {
		return false, x, nil
	}
	// A difference that rung 3 has found needs few points, if before never gets there.
	for len(shaken) < edgeJitters {
		s, err := run(0, len(shaken)+1)
		if err != nil {
			return false, nil, err
		}
		shaken = append(shaken, s)
	}
	n, first := unexplained(before, after, shaken, false)
	if n == 0 || n <= 4*against(before, shaken) {
		return false, x, nil
	}
	x.first, x.few, x.loose = first, true, true
	return true, x, nil
}

// fine reports whether differences are small in absolute terms, beside the numbers of size 1 that
// programs mostly compute with. A proof over the reals may accept a version that is worse
// conditioned than before, and then differs so.
func fine(before, after *sample) bool {
	x := compare(before, after, func(c *channel, b, a uint32) bool {
		return closeBy(c, b, a) || math.Abs(symbolic.Double(b)-symbolic.Double(a)) <= tolerance
	})
	return x.differing*32 <= x.points
}

// against is the largest number of points at which one perturbed run of before differs from before
// by more than the other perturbed runs explain: the rate of false alarms of unexplained on this
// program.
func against(before *sample, shaken []*sample) (most int) {
	for j, s := range shaken[:jitters] {
		n, _ := unexplained(before, s, slices.Delete(slices.Clone(shaken), j, j+1), false)
		most = max(most, n)
	}
	return most
}

// replay executes the sides again, compiled afresh and sharing nothing, and returns the
// counterexample if the same words are there again, nil if not.
func (c *checker) replay(t trial, n interp.Numerics, x *contrast) *Counterexample {
	sides, err := c.compile(c.before, c.after)
	if err != nil {
		return nil
	}
	var s [2]*sample
	for i := range s {
		if s[i], err = t.execute(sides[i], n, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex != nil {
		where, text := t.describe(sides[0], x.first.index)
		if cex.Input = text; x.shape == "" {
			cex.Where = where
		}
		if f := t.caseFile(&sides, x.first.index); f != nil {
			cex.Case = caseText(cex, n, f.Format())
		}
		if x.shape == "" {
			cex.diverges(t, &sides, n, x.first.index, c.exactly())
		}
	}
	return cex
}

// again is what x found, if samples taken anew show the same.
func (c *ladder) again(x *contrast, s [2]*sample) *Counterexample {
	y := compare(s[0], s[1], sameBits)
	switch p := &x.first; {
	case y.shape != x.shape:
		return nil
	case x.shape != "":
		return &Counterexample{Where: "every point", Whole: x.shape}
	case !s[0].has(p.output, p.index, p.before) || !s[1].has(p.output, p.index, p.after):
		return nil
	default:
		return &Counterexample{Output: p.output, Before: math.Float32frombits(p.before), After: math.Float32frombits(p.after), Bits: [2]uint32{p.before, p.after}}
	}
}

// has reports whether an output is bits at point i.
func (s *sample) has(output string, i int, bits uint32) bool {
	if output == coverage && i < s.n {
		return math.Float32bits(truth(s.shows(i))) == bits
	}
	for k := range s.chans {
		if ch := &s.chans[k]; ch.name == output && i < s.n {
			return ch.at(i) == bits
		}
	}
	return slices.ContainsFunc(s.parts, func(part *sample) bool { return part.has(output, i, bits) })
}

// measure reports how far apart the values were. Quantiles are upper ends of the histogram's
// buckets, which are powers of two.
func (c *ladder) measure(x *contrast) {
	c.report.Points, c.report.Outliers, c.report.MaxULP = x.points, x.differing, x.maxULP
	all := 0
	for _, n := range x.ulps {
		all += n
	}
	quantile := func(share float64) uint32 {
		sum := 0
		for i, n := range x.ulps {
			if sum += n; float64(sum) >= share*float64(all) {
				return min(x.maxULP, uint32(1<<i-1))
			}
		}
		return x.maxULP
	}
	if all > 0 {
		c.report.ULP50, c.report.ULP99 = quantile(0.5), quantile(0.99)
	}
}

// add takes in what x found elsewhere.
func (c *contrast) add(x *contrast) {
	if c.differing == 0 {
		c.first = x.first
	}
	if c.shape == "" {
		c.shape = x.shape
	}
	c.exact = c.exact || x.exact
	c.typeless = c.typeless || x.typeless
	c.points += x.points
	c.differing += x.differing
	c.maxULP = max(c.maxULP, x.maxULP)
	for i, n := range x.ulps {
		c.ulps[i] += n
	}
}
