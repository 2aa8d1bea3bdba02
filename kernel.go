package shaderlift

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/passes"
)

// kernel is what an optimizer knows of an AMD IL kernel.
type kernel struct {
	z      *optimizer
	kernel *il.Kernel // as read
	lifted *ir.Func   // nil if it is not understood
	target *machine.Target
	cost   passes.Cost
	pricer pricer
}

func (k *kernel) read() (err error) {
	o, res := k.z.o, k.z.res
	if _, err := o.machine(); err != nil {
		return err
	}
	if k.kernel, err = readKernel(k.z.in); err != nil {
		return err
	}
	f, err := amdil.Lift(k.kernel)
	if err != nil { // well formed, so the lack is ours
		for _, d := range diagsOf(err) {
			res.remark("", d.Pos, d.Code, "the kernel is left as it is: "+d.Msg)
		}
		return nil
	}
	s, err := o.schedule(f)
	if err != nil {
		return err
	}
	k.lifted, k.target, k.pricer = f, s.Target, newPricer(&o, k.kernel, f, s)
	if k.cost, err = k.pricer.price(k.kernel, s); err != nil {
		k.pricer.still = true
		k.cost = issue(k.kernel, s)
	}
	res.Kernel = &KernelCosts{Target: s.Target.Name, Before: o.kernelCost(k.kernel, f, s)}
	return nil
}

func (k *kernel) exceeded() asm.Diags { return nil }

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

// measure prices a unit by what the target's compiler would make of it, as it would be
// read back: emission may have to add moves.
func (k *kernel) measure(u *passes.Unit) (passes.Cost, error) {
	out, err := k.emit(u)
	if err != nil {
		return passes.Cost{}, err
	}
	f, err := amdil.Lift(out)
	if err != nil {
		return passes.Cost{}, err
	}
	s, err := schedule(f, k.target, machine.Options{})
	if err != nil {
		return passes.Cost{}, err
	}
	return k.pricer.price(out, s)
}

func (k *kernel) candidate(u *passes.Unit, class passes.Class, mixed bool) (*candidate, error) {
	cost, err := k.measure(u)
	if err != nil {
		k.z.fault(err)
		return nil, nil
	}
	if mixed && !cost.Less(k.cost) {
		return nil, nil
	}
	out, err := k.emit(u)
	if err != nil {
		return nil, k.z.fault(err)
	}
	name := k.z.in.Files[0].Name
	keepComments(listingOfKernel(k.kernel), listingOfKernel(out))
	data := il.Print(out)
	back, err := parseKernel(name, data)
	if err != nil {
		return nil, k.z.fault(fmt.Errorf("what was written cannot be read: %w", err))
	}
	c := &candidate{files: []File{{name, data}}, written: back}
	if c.worse = k.slower(back); c.worse == "" {
		c.report = judgeKernels(k.kernel, back, class, k.z.o)
	}
	return c, nil
}

// slower says that the simulation, which the report shows, disagrees with the price. The
// launch is that of the kernel as it came.
func (k *kernel) slower(back *il.Kernel) string {
	var after KernelCost
	f, err := amdil.Lift(back)
	if err != nil {
		return ""
	}
	s, err := schedule(f, k.target, machine.Options{})
	if err != nil {
		return ""
	}
	k.z.o.predict(&after, k.kernel, s)
	if before := k.z.res.Kernel.Before.Cycles; after.Cycles > before {
		return fmt.Sprintf("a launch would take %.0f cycles, not %.0f", after.Cycles, before)
	}
	return ""
}

func (k *kernel) report(c *candidate) {
	costs := k.z.res.Kernel
	switch {
	case costs == nil:
	case c == nil:
		costs.After = &costs.Before
	default:
		written := c.written.(*il.Kernel)
		f, err := amdil.Lift(written)
		if err != nil {
			panic(err) // it was lifted to be priced
		}
		s, err := schedule(f, k.target, machine.Options{})
		if err != nil {
			panic(err)
		}
		after := k.z.o.kernelCost(k.kernel, f, s)
		costs.After = &after
	}
}
