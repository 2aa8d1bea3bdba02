package mir

import "slices"

// Tie makes values share a register, each in a channel of its own. The results and the coordinates
// of a fetch, the data and the indices of a write, and the components of an export require this.
// Zeros and repeated values are ignored. Ties are transitive: tying a to b and b to c ties all
// three. Tie returns false and changes nothing if the values do not fit. They do not fit if there
// are more than four, if two are bound to one channel, or if inputs of different registers meet.
// Lowering then copies values and ties the copies.
func (c *Code) Tie(vals ...Val) bool {
	var room [16]Val
	members := c.together(room[:0], vals)
	if !c.fitsRegister(members) {
		return false
	}
	c.bindTie(members)
	return true
}

// TieExport ties the components of an export and binds each to its channel.
func (c *Code) TieExport(vals [4]Val) bool {
	var before [4]int8
	for i, v := range vals {
		before[i] = c.vals[v].ch
	}
	ok := true
	for i, v := range vals {
		if v == 0 {
			continue
		}
		if ch := c.vals[v].ch; ch != AnyChan && int(ch) != i {
			ok = false
			break
		}
		c.vals[v].ch = int8(i)
	}
	if ok && c.Tie(vals[:]...) {
		return true
	}
	for i, v := range vals {
		if v != 0 {
			c.vals[v].ch = before[i]
		}
	}
	return false
}

// TiedValues returns the values that share v's register, including v, or nil if v is untied.
func (c *Code) TiedValues(v Val) []Val { return c.ties[c.vals[v].tie] }

// together appends the union of the ties of vals to all. The result may be longer than four.
func (c *Code) together(all, vals []Val) []Val {
	for _, v := range vals {
		if v == 0 || slices.Contains(all, v) {
			continue
		}
		if tied := c.TiedValues(v); tied != nil {
			all = append(all, tied...)
		} else {
			all = append(all, v)
		}
	}
	return all
}

// fitsRegister reports whether the values fit in one register.
func (c *Code) fitsRegister(members []Val) bool {
	if len(members) > 4 {
		return false
	}
	var channels [4]bool
	reg := int32(0)
	for _, m := range members {
		v := &c.vals[m]
		if v.ch != AnyChan {
			if channels[v.ch] {
				return false
			}
			channels[v.ch] = true
		}
		if v.reg != 0 {
			if reg != 0 && reg != v.reg {
				return false
			}
			reg = v.reg
		}
	}
	return true
}

// bindTie makes members one tie. It does not keep the slice.
func (c *Code) bindTie(members []Val) {
	if len(members) < 2 || len(c.ties[c.vals[members[0]].tie]) == len(members) {
		return
	}
	c.ties = append(c.ties, slices.Clone(members))
	for _, m := range members {
		c.vals[m].tie = int32(len(c.ties) - 1)
	}
}
