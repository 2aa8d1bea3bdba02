package shaderlift

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/comments"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/tile"
	"github.com/shaderlift/shaderlift/verify"
)

// kernel is the subject for an AMD IL kernel. What a version costs is found in two ways: a price,
// estimated per wavefront (kernel_price.go), orders versions while passes run; a simulation of a
// launch (time) decides between results.
//
// A price is that of a program for the target that is made of a unit as it is; what is simulated has
// been written and read back, so that values live where emission puts them. Of 3100 versions that the
// corpus comes to 82 of 100 have the same price when they are written, 98 one within placement.
type kernel struct {
	z      *optimizer
	kernel *il.Kernel // as read
	// lifted is nil if the kernel is not understood.
	lifted *ir.Func
	target *chip.Target
	// cost is the price of the kernel as it came, and load that of its launch.
	cost   passes.Cost
	load   load
	pricer pricer
	// coarse has the pricers of versions whose invocations do the work of several, by tile: they
	// are compared on a launch of tiles.
	coarse map[tile.Tile]*pricer
	strict bool // versions are priced as they are written, see errUnchecked
	// known are the prices of units, by fingerprint: passes come to the same ones again and again.
	// A fingerprint identifies a function before emission, a meaning its text after it. Different
	// functions are often written alike, so of what is written prices are kept by both: written
	// saves the emission, prices the compilation.
	known, written map[[2]uint64]priced
	prices         map[meaning]priced
	timed          map[meaning]*timedKernel
	recent         recent // versions that were written and compiled
}

// compiled is a version of a kernel as it was read back, with the machine program made of it.
type compiled struct {
	meaning
	lifted  *ir.Func
	program *sched.Scheduled
}

// recent is a ring of the versions that were compiled last: a price is often followed by a
// simulation.
type recent struct {
	list [8]compiled
	next int
}

func (r *recent) add(c compiled) {
	r.list[r.next] = c
	r.next = (r.next + 1) % len(r.list)
}

// find is nil if the version is not there.
func (r *recent) find(m meaning) *compiled {
	for i := range r.list {
		if c := &r.list[i]; c.lifted != nil && c.meaning == m {
			return c
		}
	}
	return nil
}

// timedKernel is a version of a kernel that was read back, compiled and simulated.
type timedKernel struct {
	program *sched.Scheduled
	cost    KernelCost
	load    load
}

// load is for how many cycles of a launch units work, on the average of those that there are.
type load struct{ alu, fetch, memory float64 }

func loadOf(t *sim.Timing) load {
	return load{t.ALU * t.Cycles, t.Fetch * t.Cycles, t.Memory * t.Cycles}
}

// meaning is the hash of a kernel's statements, without comments and layout. Versions with the same
// meaning cost the same.
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

// read reads and lifts the kernel, compiles it for the target and simulates its launch. All
// versions are priced on this launch.
func (k *kernel) read() (err error) {
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
	if err != nil { // well formed, so the lack is ours
		for _, d := range diagsOf(err) {
			res.remark(d.Pos, d.Code, "the kernel is left as it is: "+d.Msg)
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
	l := o.launch(k.kernel)
	if o.Times == nil {
		o.Times = new(sim.Memo)
	}
	before, time := o.kernelCost(s, l)
	o.unported(&before, s)
	res.Kernel = &KernelCosts{Target: s.Target.Name, Before: before}
	k.lifted, k.target, k.pricer, k.load = f, s.Target, newPricer(l, &time, s.Target), loadOf(&time)
	own := k.pricer.price(statementsOf(k.kernel), s, o.spend.whole)
	if budget.Is(own.err) {
		return own.err
	}
	// Where no wavefront of the input can be followed to its end, none of a version is.
	k.pricer.still = own.err != nil
	k.cost = own.cost
	o.specialize(f, 0, res)
	f.Budget = o.spend.price
	return o.spend.whole.Err()
}

// forget begins without prices.
func (k *kernel) forget() {
	k.known, k.written, k.prices = map[[2]uint64]priced{}, map[[2]uint64]priced{}, map[meaning]priced{}
	k.timed = map[meaning]*timedKernel{}
}

// beyond reports whether err says that a kernel exceeds a limit of size. No command takes such a
// kernel, and none keeps it as it is.
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

func (k *kernel) unit() *passes.Unit {
	if k.lifted == nil {
		return nil
	}
	return &passes.Unit{Name: k.z.res.Name, Kernel: k.lifted.Clone()}
}

// emit writes u over the kernel it came from.
func (k *kernel) emit(u *passes.Unit) (*il.Kernel, error) {
	return amdil.Emit(k.kernel, u.Kernel)
}

// measure prices a unit for passes.
func (k *kernel) measure(u *passes.Unit) (passes.Cost, error) { return k.measured(u, k.priceOf) }

// measureWritten is measure of the unit as it would be written and read back: emission may have to add
// moves, and values of one register are together in the machine's, too.
func (k *kernel) measureWritten(u *passes.Unit) (passes.Cost, error) {
	return k.measured(u, k.writtenOf)
}

func (k *kernel) measured(u *passes.Unit, by func(*passes.Unit) priced) (passes.Cost, error) {
	if err := k.z.o.spend.price.Work(len(k.kernel.Insts)); err != nil {
		return passes.Cost{}, err
	}
	found := by(u)
	return found.cost, found.err
}

// priceOf is what a unit costs as it is.
func (k *kernel) priceOf(u *passes.Unit) priced {
	if k.strict {
		return k.writtenOf(u)
	}
	return remembered(k.known, u.Kernel.Fingerprint(), func() priced { return k.lowered(u) })
}

// writtenOf is what a unit costs once it is written, with the meaning of that.
func (k *kernel) writtenOf(u *passes.Unit) priced {
	return remembered(k.written, u.Kernel.Fingerprint(), func() priced { return k.emitted(u) })
}

// remembered is a price from a memo, found out by find if it is not there. Prices that a budget
// cut short are not remembered.
func remembered[K comparable](memo map[K]priced, key K, find func() priced) priced {
	p, known := memo[key]
	if !known {
		if p = find(); !budget.Is(p.err) {
			memo[key] = p
		}
	}
	return p
}

// lowered is the price of the program that a unit is lowered to. Moves are no statements yet: which
// of them there are is up to emission.
func (k *kernel) lowered(u *passes.Unit) priced {
	b, n := k.z.o.spend.price, 0
	u.Kernel.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpMov {
			n++
		}
	})
	if err := b.Work(n); err != nil {
		return priced{err: err}
	}
	s, err := machine.Compile(u.Kernel, k.target, sched.Options{Budget: b})
	if err != nil {
		return priced{err: err}
	}
	return k.pricerOf(u.Tile, s).price(n, s, b)
}

// emitted is the price of a unit, by the text that is written of it.
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
	if err := b.Work(len(out.Insts)); err != nil {
		return priced{err: err}
	}
	c, err := k.compile(out, m, b)
	if err != nil {
		return priced{err: err}
	}
	return k.pricerOf(t, c.program).price(statementsOf(out), c.program, b)
}

// compile reads a version back, and makes a program of it at the expense of b.
func (k *kernel) compile(version *il.Kernel, m meaning, b *budget.Budget) (*compiled, error) {
	f, err := amdil.Lift(version)
	if err != nil {
		return nil, err
	}
	f.Budget = b
	s, err := machine.Compile(f, k.target, sched.Options{Budget: b})
	if err != nil {
		return nil, err
	}
	c := compiled{m, f, s}
	k.recent.add(c)
	return &c, nil
}

// candidate writes a version, reads it back, simulates it if it is to be written, and verifies it.
// A version that is no better than the input is dropped with a remark, unless Options.Keep asks for
// it.
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
		return nil, k.z.fault(fmt.Errorf("what was written cannot be read: %w", err))
	}
	c := &candidate{files: []File{{k.z.in.Files[0].Name, data}}, tile: u.Tile}
	if k.z.o.emittedKernel != nil {
		c.kernel = emittedFrom(u.Kernel, out)
	}
	if to == toWrite {
		timing, err := k.time(back, u.Tile)
		if budget.Is(err) {
			return nil, nil
		}
		if err != nil {
			return nil, k.z.fault(err)
		}
		c.timed = timing
		before := &k.z.res.Kernel.Before
		if c.dearer = !timing.cost.better(before); c.dearer && !k.z.o.Keep {
			k.z.res.remark(asm.Pos{}, codeNoGain, timing.cost.reason(before))
			return nil, nil
		}
	}
	// Where nothing but a proof will do, a rewrite is to blame for what is not proved.
	by := wholly
	switch proofs := to != toWrite && k.z.least > verify.Tested && class < passes.Approx; {
	case proofs && k.z.unproved():
		by = byProofs
	case proofs:
		by = cheaply
	}
	c.report = k.z.judged(c.files, class, nil, by, func() verify.Report { return judgeKernels(k.kernel, back, u.Tile, class, k.z.o, by) })
	return c, nil
}

// codeNoGain is the code of remarks on what is no better than the input.
const codeNoGain asm.Code = "no-gain"

// time compiles and simulates a version. Results are remembered by meaning.
func (k *kernel) time(version *il.Kernel, t tile.Tile) (*timedKernel, error) {
	m := meaningOf(version)
	if timed, known := k.timed[m]; known {
		return timed, nil
	}
	c := k.recent.find(m)
	if c == nil {
		var err error
		if c, err = k.compile(version, m, k.z.o.spend.whole); err != nil {
			return nil, err
		}
	}
	return k.simulate(c, t)
}

// timeOf is time for a unit.
func (k *kernel) timeOf(u *passes.Unit) (*timedKernel, error) {
	out, err := k.emit(u)
	if err != nil {
		return nil, err
	}
	return k.time(out, u.Tile)
}

// simulate runs a launch of the compiled version c, with the tile that its invocations do.
func (k *kernel) simulate(c *compiled, t tile.Tile) (*timedKernel, error) {
	c.lifted.Budget = k.z.o.spend.whole
	p := k.pricerOf(t, c.program)
	cost, timing := k.z.o.kernelCost(c.program, p.launch)
	timed := &timedKernel{c.program, cost, loadOf(&timing)}
	if err := k.z.o.spend.whole.Err(); err != nil {
		return nil, err
	}
	k.timed[c.meaning] = timed
	return timed, nil
}

// report notes the costs of a candidate, or those of the input if c is nil.
func (k *kernel) report(c *candidate) {
	switch costs := k.z.res.Kernel; {
	case costs == nil:
	case c == nil:
		costs.After = &costs.Before
	default:
		k.z.o.unported(&c.timed.cost, c.timed.program)
		costs.After = &c.timed.cost
	}
	if c != nil {
		k.z.res.Coarsened = coarsened(c.tile, int(amdil.Outputs(k.kernel)))
		k.uneven(c.tile)
		if k.z.o.emittedKernel != nil {
			*k.z.o.emittedKernel, *k.z.o.rewrites = *c.kernel, k.z.made
		}
	}
}
