package opt

import "fmt"

// Units returns the results for single programs, pairs and kernels in r: the parts of an effect, or r itself.
func (r *Result) Units() []*Result {
	if len(r.Parts) > 0 {
		return r.Parts
	}
	return []*Result{r}
}

// Cost is a cost of an input before and after optimization. The costs of an unchanged or failed input are equal.
type Cost struct {
	// Name is "pixel slots", "vertex slots", "components", "instructions", "time on " and a GPU, "cycles on " and a GPU,
	// "registers", "groups" or "bytes".
	Name          string
	Before, After float64
}

// String returns the cost in the form "pixel slots 16 -> 7".
func (c Cost) String() string { return fmt.Sprintf("%s %.6g -> %.6g", c.Name, c.Before, c.After) }

// Costs returns the costs of r, summed over its units, with those that decide first: times on the GPUs of the target
// before slots, and cycles before registers.
func (r *Result) Costs() (list []Cost) {
	at := map[string]int{}
	add := func(name string, before, after float64) {
		i, found := at[name]
		if !found {
			i, at[name] = len(list), len(list)
			list = append(list, Cost{Name: name})
		}
		list[i].Before, list[i].After = list[i].Before+before, list[i].After+after
	}
	for _, u := range r.Units() {
		for i := range u.Draws {
			d := &u.Draws[i]
			add("time on "+d.Target, d.Before.Time, d.CurrentCost().Time)
		}
	}
	var sum Totals
	sum.costs(r)
	for _, c := range []struct {
		name string
		*Change
	}{{"pixel slots", sum.PixelSlots}, {"vertex slots", sum.VertexSlots}, {"components", sum.Components},
		{"instructions", sum.Instructions}, {"bytes", r.Bytes}} {
		if c.Change != nil {
			add(c.name, float64(c.Before), float64(c.After))
		}
	}
	if k := r.Kernel; k != nil {
		a, b := &k.Before, k.CurrentCost()
		add("cycles on "+k.Target, a.Cycles, b.Cycles)
		add("registers", float64(a.GPRs), float64(b.GPRs))
		add("groups", float64(a.ALU), float64(b.ALU))
	}
	return list
}
