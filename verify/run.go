package verify

import (
	"github.com/shaderlift/shaderlift/asm"
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
