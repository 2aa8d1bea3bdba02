package kernel

import (
	"fmt"
	"maps"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
)

// Bench prices and times the versions of a kernel.
type Bench struct {
	Settings
	// Pricing is the budget of prices.
	Pricing *budget.Budget
	Source  *il.Kernel // as read
	Lifted  *ir.Func
	Target  *chip.Target
	// Workloads are the launches on which versions are priced, the typical one first.
	Workloads []Workload
	// Before is the cost of the input on the typical launch, and Course its timeline.
	Before Cost
	Course []sim.Interval
	search *search // of Plans
	// Strict makes prices those of written versions.
	Strict bool
	// Rough makes prices of coarsened versions assume the cache hits of the input, which saves a simulation for
	// each tile.
	Rough bool

	// cost is the price of the input kernel, and load the load of its typical launch.
	cost   passes.Cost
	load   load
	pricer pricer
	// coarse has the pricers of coarsened versions, by tile. They are compared on a launch of tiles.
	coarse Pricers
	store  store
}

// Pricers are the pricers of coarsened versions. The first version of a tile makes its pricer.
type Pricers map[ir.Tile]*pricer

// NewBench compiles a kernel, lifted to f, for the target, and simulates its launches.
func NewBench(source *il.Kernel, f *ir.Func, o Settings, pricing *budget.Budget) (*Bench, error) {
	s, err := o.Compile(f)
	if err != nil {
		return nil, err
	}
	b := &Bench{Settings: o, Pricing: pricing, Source: source, Lifted: f, Target: s.Target, store: newStore()}
	if b.Workloads, err = o.WorkloadsOf(source, f, s, true); err != nil {
		return nil, err
	}
	l := b.launch(0, ir.Tile{})
	before, time := o.Cost(s, l)
	b.Workloads[0].Before = before.Cycles
	for i := range b.Workloads[1:] {
		c, _ := o.Cost(s, b.launch(1+i, ir.Tile{}))
		b.Workloads[1+i].Before = c.Cycles
	}
	o.Unported(&before, f, s.Target)
	b.Before, b.Course = before, time.Course
	b.pricer, b.load = newPricer(l, &time, s.Target), loadOf(&time)
	own := b.pricer.price(statementsOf(source), s, o.Budget)
	if budget.IsExhausted(own.Err) {
		return nil, own.Err
	}
	// If no wavefront of the input can be followed to its end, versions are not followed either.
	b.pricer.still = own.Err != nil
	b.cost = own.Cost
	return b, nil
}

// Fork returns a bench for work on another goroutine. It shares the input and has its own prices and
// budgets.
func (b *Bench) Fork(o Settings, pricing *budget.Budget) *Bench {
	c := *b
	c.Settings, c.Pricing, c.coarse, c.store = o, pricing, nil, newStore()
	return &c
}

// Pricers returns the pricers that b has made.
func (b *Bench) Pricers() Pricers { return maps.Clone(b.coarse) }

// Inherit makes b use the pricers of another bench of the kernel, so that it prices the versions of a tile alike.
func (b *Bench) Inherit(p Pricers) { b.coarse = maps.Clone(p) }

// Timed is a version of a kernel that was read back, compiled and simulated on the typical launch.
type Timed struct {
	Cost   Cost
	Tile   ir.Tile // of the version
	Course []sim.Interval
	load   load
	// cycles has the cycles of each workload, nil if only the typical one was simulated.
	cycles []float64
}

// load is the number of cycles of a launch in which units work, averaged over the units of each kind.
type load struct{ alu, fetch, memory float64 }

func loadOf(t *sim.Timing) load {
	return load{t.ALU * t.Cycles, t.Fetch * t.Cycles, t.Memory * t.Cycles}
}

// Emit writes u in place of the code of its source kernel.
func (b *Bench) Emit(u *passes.Unit) (*il.Kernel, error) { return amdil.Emit(b.Source, u.Kernel) }

// Measure prices a unit for passes.
func (b *Bench) Measure(u *passes.Unit) (passes.Cost, error) { return b.charged(u, b.Price) }

// MeasureWritten prices a unit after it is written and read back. Emission may add moves, and values in
// one IL register then also share a machine register.
func (b *Bench) MeasureWritten(u *passes.Unit) (passes.Cost, error) {
	return b.charged(u, b.PriceWritten)
}

func (b *Bench) charged(u *passes.Unit, by func(*passes.Unit) Price) (passes.Cost, error) {
	if err := b.Pricing.SpendSteps(len(b.Source.Insts)); err != nil {
		return passes.Cost{}, err
	}
	found := by(u)
	return found.Cost, found.Err
}

// Price returns the price of a unit before it is written. It does not count moves as statements: emission
// decides about them.
func (b *Bench) Price(u *passes.Unit) Price {
	if b.Strict {
		return b.PriceWritten(u)
	}
	return b.store.unit(u).lowered.get(func() Price {
		n := 0
		u.Kernel.Walk(func(in *ir.Instr) {
			if in.Op != ir.OpMov {
				n++
			}
		})
		if err := b.Pricing.SpendSteps(n); err != nil {
			return Price{Err: err}
		}
		s, err := machine.Compile(u.Kernel, b.Target, sched.Options{Budget: b.Pricing})
		if err != nil {
			return Price{Err: err}
		}
		return b.pricerOf(u.Tile, s).price(n, s, b.Pricing)
	})
}

// PriceWritten returns the price of a unit after it is written, with the content of the written version.
func (b *Bench) PriceWritten(u *passes.Unit) Price {
	return b.store.unit(u).written.get(func() Price {
		out, err := b.Emit(u)
		if err != nil {
			return Price{Err: err}
		}
		content := ContentOf(out)
		return b.store.text(content).written.get(func() Price {
			p := b.priceText(out, content, u.Tile)
			p.Content = content
			return p
		})
	})
}

// priceText compiles and prices a written version.
func (b *Bench) priceText(out *il.Kernel, content Content, t ir.Tile) Price {
	if err := b.Pricing.SpendSteps(len(out.Insts)); err != nil {
		return Price{Err: err}
	}
	n := statementsOf(out)
	s, err := b.compile(out, content, b.Pricing)
	if err != nil {
		return Price{Err: err}
	}
	return b.pricerOf(t, s).price(n, s, b.Pricing)
}

// compile reads a version back and compiles it, charged to budget by.
func (b *Bench) compile(version *il.Kernel, content Content, by *budget.Budget) (*sched.Scheduled, error) {
	f, err := amdil.Lift(version)
	if err != nil {
		return nil, err
	}
	f.Budget = by
	s, err := machine.Compile(f, b.Target, sched.Options{Budget: by})
	if err != nil {
		return nil, err
	}
	b.store.recent.add(compiled{content, s})
	return s, nil
}

// programOf returns the program of a version, compiled again unless it was compiled recently.
func (b *Bench) programOf(version *il.Kernel, content Content) (*sched.Scheduled, error) {
	if s := b.store.recent.find(content); s != nil {
		return s, nil
	}
	return b.compile(version, content, b.Budget)
}

// Time compiles a version of tile t and simulates it on the typical launch.
func (b *Bench) Time(version *il.Kernel, t ir.Tile) (*Timed, error) {
	content := ContentOf(version)
	r := b.store.text(content)
	if r.timed != nil {
		return r.timed, nil
	}
	s, err := b.programOf(version, content)
	if err != nil {
		return nil, err
	}
	cost, timing := b.Cost(s, b.pricerOf(t, s).launch)
	if err := b.Budget.Err(); err != nil {
		return nil, err
	}
	r.timed = &Timed{Cost: cost, Tile: t, Course: timing.Course, load: loadOf(&timing)}
	return r.timed, nil
}

// TimeAll simulates version, of tile t, on all workloads. v is its result on the typical one.
func (b *Bench) TimeAll(v *Timed, version *il.Kernel, t ir.Tile) error {
	if v.cycles != nil {
		return nil
	}
	s, err := b.programOf(version, ContentOf(version))
	if err != nil {
		return err
	}
	v.cycles = append(v.cycles, v.Cost.Cycles)
	for i := range b.Workloads[1:] {
		c, _ := b.Cost(s, b.launch(1+i, t))
		v.cycles = append(v.cycles, c.Cycles)
	}
	return nil
}

// TimeUnit compiles and simulates the written form of a unit.
func (b *Bench) TimeUnit(u *passes.Unit) (*Timed, error) {
	out, err := b.Emit(u)
	if err != nil {
		return nil, err
	}
	return b.Time(out, u.Tile)
}

// launch returns workload i for versions of tile t, in the form of package sim.
func (b *Bench) launch(i int, t ir.Tile) *sim.Launch {
	return SimLaunch(b.Source, Tiled(b.Workloads[i].Case, t, b.Outputs()))
}

// Outputs returns the number of outputs of the input kernel.
func (b *Bench) Outputs() int { return int(amdil.Outputs(b.Source)) }

// CostOn returns the cost on the typical launch of a version of tile t, compiled to s for any target.
func (b *Bench) CostOn(s *sched.Scheduled, t ir.Tile) Cost {
	c, _ := b.Cost(s, b.launch(0, t))
	return c
}

// Slower names the first workload on which version v takes more than Threshold longer than the input, and the
// difference. It returns an empty string if there is no such workload. TimeAll comes first.
func (b *Bench) Slower(v *Timed) string {
	for i, l := range b.Workloads {
		after := v.cycles[i]
		if after > l.Before*(1+Threshold) {
			return fmt.Sprintf("on launch %q, a version that is faster on launch %q takes %.1f %% more cycles than the input: %.0f, not %.0f",
				l.Name, b.Workloads[0].Name, 100*(after/max(l.Before, 1)-1), after, l.Before)
		}
	}
	return ""
}

// Launches returns the workloads in their report form, with the times of version v, of tile t, or of the
// input if v is nil.
func (b *Bench) Launches(v *Timed, t ir.Tile) (list []Launch) {
	for i := range b.Workloads {
		l := &b.Workloads[i]
		if v == nil {
			list = append(list, l.Record(ir.Tile{}, 0, l.Before))
		} else {
			list = append(list, l.Record(t, b.Outputs(), v.cycles[i]))
		}
	}
	return list
}

// pricerOf returns the pricer for versions of tile t. The first version of a tile creates its pricer,
// whose simulation supplies the cache hits for the later versions.
func (b *Bench) pricerOf(t ir.Tile, s *sched.Scheduled) *pricer {
	if t.Same() {
		return &b.pricer
	}
	p := b.coarse[t]
	if p == nil {
		l := b.launch(0, t)
		made := pricer{launch: l, known: b.pricer.known.Elsewhere()}
		if !b.Rough {
			_, time := b.Cost(s, l)
			made = newPricer(l, &time, b.Target)
		}
		made.tile = t
		if p = &made; b.coarse == nil {
			b.coarse = Pricers{}
		}
		b.coarse[t] = p
	}
	return p
}
