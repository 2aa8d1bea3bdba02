package machine

// A flow is a region cut into straight-line runs.
type flow []*stretch

// stretch is a run and the control-flow item that ends it, if one does.
type stretch struct {
	run  *run
	ends Item // *If, *Loop, *Break, *Continue or nil
	then flow // of an If
	body flow // of a Loop, or the Else of an If
}

// run is straight-line code. If cond is set it computes the predicate of the item after.
type run struct {
	items []Item
	cond  *ALU

	exposed []int32 // values read before they are written, by shared number
	defined []int32 // values written, by shared number
	in, out bitset  // shared values live at the ends
}

// units calls f for every item of r, the condition last.
func (r *run) units(f func(Item)) {
	for _, it := range r.items {
		f(it)
	}
	if r.cond != nil {
		f(r.cond)
	}
}

// cut makes the flow of a region.
func cut(region Region) flow {
	var f flow
	r := &run{}
	end := func(it Item, cond *ALU) *stretch {
		r.cond = cond
		s := &stretch{run: r, ends: it}
		f = append(f, s)
		r = &run{}
		return s
	}
	for _, it := range region {
		switch it := it.(type) {
		case *If:
			s := end(it, it.Cond)
			s.then, s.body = cut(it.Then), cut(it.Else)
		case *Loop:
			end(it, nil).body = cut(it.Body)
		case *Break:
			end(it, it.Cond)
		case *Continue:
			end(it, it.Cond)
		default:
			r.items = append(r.items, it)
		}
	}
	if len(r.items) > 0 || len(f) == 0 {
		end(nil, nil)
	}
	return f
}

// runs calls f for every run of a flow in program order.
func (f flow) runs(do func(*run)) {
	for _, s := range f {
		do(s.run)
		s.then.runs(do)
		s.body.runs(do)
	}
}

// eachUse calls f for every value it reads, with repeats.
func eachUse(it Item, f func(Val)) {
	use := func(v Val) {
		if v != 0 {
			f(v)
		}
	}
	switch it := it.(type) {
	case *ALU:
		for i := range it.Slots {
			s := &it.Slots[i]
			for j := range s.Op.Sources() {
				if a := &s.Args[j]; a.Kind == ValArg {
					use(a.Val)
				} else {
					use(a.Rel)
				}
			}
		}
	case *Fetch:
		for _, s := range it.Setup {
			eachUse(s, f)
		}
		for _, c := range it.Coords {
			use(c.Val)
		}
	case *Memory:
		for i := range it.Index {
			use(it.Index[i])
		}
		for i := range it.Data {
			use(it.Data[i])
		}
	case *Export:
		for i := range it.Regs {
			for _, v := range it.Regs[i] {
				use(v)
			}
		}
	}
}

// eachDef calls f for every value it writes.
func eachDef(it Item, f func(Val)) {
	switch it := it.(type) {
	case *ALU:
		for i := range it.Slots {
			if v := it.Slots[i].Dst; v != 0 {
				f(v)
			}
		}
	case *Fetch:
		for _, v := range it.Dst {
			if v != 0 {
				f(v)
			}
		}
	}
}
