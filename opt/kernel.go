package opt

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/comments"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/ir/tile"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// kernel is the subject for an AMD IL kernel. Versions have two costs. A price, estimated per wavefront
// (kernel_price.go), orders versions while passes run. A simulation of a launch (time) decides between
// results.
//
// A price belongs to the machine program compiled directly from a unit. A simulated version has been
// written and read back, so emission has assigned its registers. Of 3100 versions in the corpus, 82 %
// keep their price when they are written, and 98 % keep it within placement.
type kernel struct {
	z      *optimizer
	kernel *il.Kernel // as read
	// lifted is nil if the kernel cannot be lifted.
	lifted *ir.Func
	target *chip.Target
	// launches are the launches on which versions are priced, the typical one first.
	launches []launch
	// cost is the price of the input kernel, and load the load of its typical launch.
	cost   passes.Cost
	load   load
	pricer pricer
	// coarse has the pricers of coarsened versions, by tile. They are compared on a launch of tiles.
	coarse map[tile.Tile]*pricer
	strict bool // versions are priced after they are written, see errUnchecked
	// known has the prices of units, by fingerprint: passes produce the same units repeatedly. A
	// fingerprint identifies a function before emission, a meaning its text after emission. Different
	// functions often have the same text, so prices of written versions are cached by both keys:
	// written saves the emission, prices the compilation.
	known, written map[[2]uint64]priced
	prices         map[meaning]priced
	timed          map[meaning]*timedKernel
	recent         recent // versions that were written and compiled recently
}

// compiled is a version of a kernel that was read back and compiled.
type compiled struct {
	meaning
	program *sched.Scheduled
}

// recent holds the most recently compiled versions, the last one first: a simulation often follows a price.
type recent []compiled

// At most recentVersions versions are kept, and besides the last one only as many as have together no more than
// recentOps operations. An operation takes about 80 bytes.
const (
	recentVersions = 8
	recentOps      = 1 << 18
)

func (r *recent) add(c compiled) {
	list := slices.Insert(*r, 0, c)
	n, ops := 1, c.program.Stats.Ops
	for n < min(len(list), recentVersions) && ops+list[n].program.Stats.Ops <= recentOps {
		ops += list[n].program.Stats.Ops
		n++
	}
	clear(list[n:])
	*r = list[:n]
}

// find returns nil if the version is absent.
func (r recent) find(m meaning) *sched.Scheduled {
	for i := range r {
		if r[i].meaning == m {
			return r[i].program
		}
	}
	return nil
}

// timedKernel is a version of a kernel that was read back, compiled and simulated on the typical
// launch.
type timedKernel struct {
	cost KernelCost
	load load
	// launches has the cycles on each launch, nil if only the typical one was simulated.
	launches []float64
}

// load is the number of cycles of a launch in which units work, averaged over the units of each kind.
type load struct{ alu, fetch, memory float64 }

func loadOf(t *sim.Timing) load {
	return load{t.ALU * t.Cycles, t.Fetch * t.Cycles, t.Memory * t.Cycles}
}

// meaning is the hash of a kernel's statements, without comments and layout. Versions with the same
// meaning have the same cost.
type meaning [sha256.Size]byte

func meaningOf(version *il.Kernel) (m meaning) {
	h := sha256.New()
	var line []byte
	for i := range version.Insts {
		line = append(il.Append(line[:0], &version.Insts[i]), '\n')
		h.Write(line)
	}
	h.Sum(m[:0])
	return m
}

// readInput reads and lifts the kernel, compiles it for the target and simulates its launches. All versions
// are priced on the first launch.
func (k *kernel) readInput() (err error) {
	o, res := &k.z.o, k.z.res
	if _, err := o.machine(); err != nil {
		return err
	}
	if k.kernel, err = readKernel(k.z.in); err != nil {
		return err
	}
	if err := o.promise(res); err != nil {
		return err
	}
	f, err := amdil.Lift(k.kernel)
	if beyond(err) {
		return err
	}
	if err != nil { // well formed, but not supported
		for _, d := range diagsOf(err) {
			res.remark(d.Pos, d.Code, "the kernel stays unchanged: "+d.Msg)
		}
		return nil
	}
	f.Budget = o.spend.whole
	s, err := o.schedule(f)
	if err != nil {
		return err
	}
	k.forget()
	k.overruled()
	if o.Times == nil {
		o.Times = new(sim.Memo)
	}
	if k.launches, err = o.launches(k.kernel, f, s, true); err != nil {
		return err
	}
	l := k.launch(0, tile.Tile{})
	before, time := o.kernelCost(s, l)
	k.launches[0].before = before.Cycles
	for i := range k.launches[1:] {
		c, _ := o.kernelCost(s, k.launch(1+i, tile.Tile{}))
		k.launches[1+i].before = c.Cycles
	}
	o.unported(&before, f, s.Target)
	res.Kernel = &KernelCosts{Target: s.Target.Name, Before: before}
	k.lifted, k.target, k.pricer, k.load = f, s.Target, newPricer(l, &time, s.Target), loadOf(&time)
	own := k.pricer.price(statementsOf(k.kernel), s, o.spend.whole)
	if budget.IsExhausted(own.err) {
		return own.err
	}
	// If no wavefront of the input can be followed to its end, versions are not followed either.
	k.pricer.still = own.err != nil
	k.cost = own.cost
	o.specialize(f, 0, res)
	f.Budget = o.spend.price
	return o.spend.whole.Err()
}

// forget clears the cached prices.
func (k *kernel) forget() {
	k.known, k.written, k.prices = map[[2]uint64]priced{}, map[[2]uint64]priced{}, map[meaning]priced{}
	k.timed = map[meaning]*timedKernel{}
}

// beyond reports whether err says that a kernel exceeds a size limit. Every command rejects such a
// kernel.
func beyond(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "too-large"
}

func (k *kernel) exceeded() asm.Diags { return nil }
func (k *kernel) restated() bool      { return false }

func (k *kernel) static() bool { return false }

func (k *kernel) dearer(*passes.Unit, passes.Cost) bool { return false }

func (k *kernel) times(*passes.Unit) []targetCost { return nil }

func (k *kernel) close() {}

func (k *kernel) freshUnit() *passes.Unit {
	if k.lifted == nil {
		return nil
	}
	return &passes.Unit{Name: k.z.res.Name, Kernel: k.lifted.Clone()}
}

// emit writes u in place of the code of its source kernel.
func (k *kernel) emit(u *passes.Unit) (*il.Kernel, error) {
	return amdil.Emit(k.kernel, u.Kernel)
}

// measure prices a unit for passes.
func (k *kernel) measure(u *passes.Unit) (passes.Cost, error) { return k.measured(u, k.priceOf) }

// measureWritten prices a unit after it is written and read back. Emission may add moves, and values in
// one IL register then also share a machine register.
func (k *kernel) measureWritten(u *passes.Unit) (passes.Cost, error) {
	return k.measured(u, k.writtenOf)
}

func (k *kernel) measured(u *passes.Unit, by func(*passes.Unit) priced) (passes.Cost, error) {
	if err := k.z.o.spend.price.SpendSteps(len(k.kernel.Insts)); err != nil {
		return passes.Cost{}, err
	}
	found := by(u)
	return found.cost, found.err
}

// priceOf returns the price of a unit before it is written.
func (k *kernel) priceOf(u *passes.Unit) priced {
	if k.strict {
		return k.writtenOf(u)
	}
	return remembered(k.known, u.Kernel.Fingerprint(), func() priced { return k.lowered(u) })
}

// writtenOf returns the price of a unit after it is written, with the meaning of the written version.
func (k *kernel) writtenOf(u *passes.Unit) priced {
	return remembered(k.written, u.Kernel.Fingerprint(), func() priced { return k.emitted(u) })
}

// remembered returns a price from a cache, or computes it with find. It does not cache prices that a
// budget cut short.
func remembered[K comparable](memo map[K]priced, key K, find func() priced) priced {
	p, known := memo[key]
	if !known {
		if p = find(); !budget.IsExhausted(p.err) {
			memo[key] = p
		}
	}
	return p
}

// lowered returns the price of the machine program of a unit. It does not count moves as statements:
// emission decides about them.
func (k *kernel) lowered(u *passes.Unit) priced {
	b, n := k.z.o.spend.price, 0
	u.Kernel.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpMov {
			n++
		}
	})
	if err := b.SpendSteps(n); err != nil {
		return priced{err: err}
	}
	s, err := machine.Compile(u.Kernel, k.target, sched.Options{Budget: b})
	if err != nil {
		return priced{err: err}
	}
	return k.pricerOf(u.Tile, s).price(n, s, b)
}

// emitted returns the price of a unit according to its written text.
func (k *kernel) emitted(u *passes.Unit) priced {
	out, err := k.emit(u)
	if err != nil {
		return priced{err: err}
	}
	m := meaningOf(out)
	return remembered(k.prices, m, func() priced {
		p := k.price(out, m, u.Tile, k.z.o.spend.price)
		p.meaning = m
		return p
	})
}

// price compiles and prices a version that has not been priced before.
func (k *kernel) price(out *il.Kernel, m meaning, t tile.Tile, b *budget.Budget) priced {
	if err := b.SpendSteps(len(out.Insts)); err != nil {
		return priced{err: err}
	}
	n := statementsOf(out)
	s, err := k.compile(out, m, b)
	if err != nil {
		return priced{err: err}
	}
	return k.pricerOf(t, s).price(n, s, b)
}

// compile reads a version back and compiles it, charged to b.
func (k *kernel) compile(version *il.Kernel, m meaning, b *budget.Budget) (*sched.Scheduled, error) {
	f, err := amdil.Lift(version)
	if err != nil {
		return nil, err
	}
	f.Budget = b
	s, err := machine.Compile(f, k.target, sched.Options{Budget: b})
	if err != nil {
		return nil, err
	}
	k.recent.add(compiled{m, s})
	return s, nil
}

// programOf returns the program of a version with meaning m, compiled again unless it was compiled recently.
func (k *kernel) programOf(version *il.Kernel, m meaning) (*sched.Scheduled, error) {
	if s := k.recent.find(m); s != nil {
		return s, nil
	}
	return k.compile(version, m, k.z.o.spend.whole)
}

// candidate writes a version, reads it back, simulates it if it is for output, and verifies it. It
// drops a version that is no better than the input, with a remark, unless Options.Keep is set.
func (k *kernel) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	out, err := k.emit(u)
	if err != nil {
		if !k.strict {
			k.strict = true
			return nil, errUnchecked
		}
		k.z.fault(err)
		return nil, nil
	}
	comments.KeepKernel(k.kernel, out)
	data := il.Print(out)
	back, err := parseKernel(k.z.in.Files[0].Name, data)
	if err != nil {
		return nil, k.z.fault(fmt.Errorf("the result cannot be read again: %w", err))
	}
	c := &candidate{files: []File{{k.z.in.Files[0].Name, data}}, tile: u.Tile}
	if k.z.o.emittedKernel != nil {
		c.kernel = emittedFrom(u.Kernel, out)
	}
	if to == toWrite {
		before := &k.z.res.Kernel.Before
		timing, err := k.timeVersion(back, u.Tile)
		if err == nil && (timing.cost.improves(before) || k.z.o.Keep) {
			err = k.timeLaunches(timing, back, u.Tile)
		}
		if budget.IsExhausted(err) {
			return nil, nil
		}
		if err != nil {
			return nil, k.z.fault(err)
		}
		c.timed = timing
		why, code := "", codeNoGain
		if k.z.outpaced = ""; !timing.cost.improves(before) {
			why = timing.cost.reason(before)
		} else if why = k.slower(timing); why != "" {
			k.z.outpaced, code = why, codeSlowerLaunch
		}
		if c.dearer = why != ""; c.dearer && !k.z.o.Keep {
			// Plans come in order of speed, so the first one with this remark is the fastest.
			if code != codeSlowerLaunch || !slices.ContainsFunc(k.z.res.Remarks, func(r Remark) bool { return r.Code == code }) {
				k.z.res.remark(asm.Pos{}, code, why)
			}
			return nil, nil
		}
	}
	by := k.z.effortFor(class, to)
	if by == wholly && to != toWrite && k.z.needsProof(class) {
		by = cheaply
	}
	c.report = k.z.judged(c.files, class, nil, by,
		func() verify.Report { return judgeKernels(k.kernel, back, u.Tile, class, k.z.o, by) })
	if line := c.report.UnstableAt.Line; line > 0 && len(back.Insts) == len(out.Insts) {
		if i := slices.IndexFunc(back.Insts, func(in il.Inst) bool { return in.Pos.Line == line }); i >= 0 {
			c.suspect = out.Insts[i].Pos
		}
	}
	return c, nil
}

// The codes of remarks on versions that are no better than the input, and on versions that are slower
// on a launch.
const (
	codeNoGain       asm.Code = "no-gain"
	codeSlowerLaunch asm.Code = "slower-launch"
)

// timeVersion compiles and simulates a version. Results are cached by meaning.
func (k *kernel) timeVersion(version *il.Kernel, t tile.Tile) (*timedKernel, error) {
	m := meaningOf(version)
	if timed, known := k.timed[m]; known {
		return timed, nil
	}
	s, err := k.programOf(version, m)
	if err != nil {
		return nil, err
	}
	cost, timing := k.z.o.kernelCost(s, k.pricerOf(t, s).launch)
	if err := k.z.o.spend.whole.Err(); err != nil {
		return nil, err
	}
	timed := &timedKernel{cost: cost, load: loadOf(&timing)}
	k.timed[m] = timed
	return timed, nil
}

// timeOf compiles and simulates the written form of a unit.
func (k *kernel) timeOf(u *passes.Unit) (*timedKernel, error) {
	out, err := k.emit(u)
	if err != nil {
		return nil, err
	}
	return k.timeVersion(out, u.Tile)
}

// unported reads a candidate back and completes its costs.
func (k *kernel) unported(c *candidate) {
	version, err := parseKernel(c.files[0].Name, c.files[0].Data)
	if err != nil {
		return
	}
	if f, err := amdil.Lift(version); err == nil {
		k.z.o.unported(&c.timed.cost, f, k.target)
	}
}

// report records the costs of a candidate, or of the input if c is nil.
func (k *kernel) report(c *candidate) {
	k.z.res.Launches = k.recorded(c)
	switch costs := k.z.res.Kernel; {
	case costs == nil:
	case c == nil:
		costs.After = &costs.Before
	default:
		costs.After = &c.timed.cost
		k.unported(c)
	}
	if c != nil {
		k.z.res.Coarsened = coarsened(c.tile, int(amdil.Outputs(k.kernel)))
		k.uneven(c.tile)
		if k.z.o.emittedKernel != nil {
			*k.z.o.emittedKernel, *k.z.o.rewrites = *c.kernel, k.z.made
		}
	}
}
