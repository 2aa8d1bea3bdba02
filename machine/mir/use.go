package mir

// EachUse calls f for every value that an item reads directly, with repeats. Control-flow items
// read no values directly.
func EachUse(it Item, f func(Val)) {
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
			EachUse(s, f)
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

// EachDef calls f for every value that an item writes.
func EachDef(it Item, f func(Val)) {
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
