package sim

import "github.com/shaderlift/shaderlift/asm/r600"

// numbering is a local value numbering of a clause: equal numbers are equal values. Numbers below
// opaque are constants of the tracer.
type numbering struct {
	tr   *Tracer
	next int32
	// The values by bank and cell. A constant is its own number.
	wave     []valued
	scratch  [scratchCells]valued
	standIns []valued
	holder   map[int32]ref // by opaque number: a cell that had the value
	made     map[computed]valued
	out      []fact
	final    bool
}

// valued is a value number with its origin.
type valued struct {
	number int32
	origin origin
}

const opaque int32 = 1 << 24

// computed is the key of a value: its operation and operand numbers.
type computed struct {
	op   r600.Op
	from [3]int32
}

// begin starts a clause with the facts at its entry. Until the facts are final, only constants are
// tracked.
func (n *numbering) begin(tr *Tracer, in []fact, final bool) {
	n.tr, n.next, n.final = tr, opaque, final
	if n.wave == nil {
		n.wave, n.out = make([]valued, tr.cells), make([]fact, tr.cells)
		n.standIns = make([]valued, len(tr.allTainted))
		n.holder, n.made = map[int32]ref{}, map[computed]valued{}
	}
	clear(n.holder)
	clear(n.made)
	for c := range in {
		if n.wave[c] = (valued{in[c].value, in[c].origin}); in[c].value == varies {
			n.wave[c].number = n.fresh()
		}
	}
	for c := range n.scratch {
		n.scratch[c] = valued{n.fresh(), unsettled}
	}
	for c := range n.standIns {
		n.standIns[c] = valued{n.fresh(), mayDepend}
	}
}

// fresh returns a number for an unknown value.
func (n *numbering) fresh() int32 {
	n.next++
	return n.next
}

// facts returns the facts at the end of the clause.
func (n *numbering) facts() []fact {
	for c, v := range n.wave {
		if n.out[c] = (fact{v.number, v.origin}); v.number >= opaque {
			n.out[c].value = varies
		}
	}
	return n.out
}

// at returns the value in a cell.
func (n *numbering) at(r ref) valued {
	switch r.bank {
	case inWave:
		return n.wave[r.cell]
	case inScratch:
		return n.scratch[r.cell]
	case inStandIns:
		return n.standIns[r.cell]
	}
	return valued{r.cell, mayNotDepend}
}

func (n *numbering) set(r ref, v valued) {
	switch r.bank {
	case inWave:
		n.wave[r.cell] = v
	case inScratch:
		n.scratch[r.cell] = v
	}
}

// canonical returns a constant or the earliest cell with the same value.
func (n *numbering) canonical(r ref) ref {
	v := n.at(r)
	if v.number < opaque {
		return ref{inConsts, v.number}
	}
	if first, ok := n.holder[v.number]; ok && n.at(first) == v {
		return first
	}
	n.holder[v.number] = r
	return r
}

// follow numbers the result of an operation, and redirects its operands to the earliest cells with
// their values. It reports whether the operation is needed.
func (n *numbering) follow(op *opTrace) bool {
	switch op.kind {
	case opCompute:
		return n.compute(op)
	case opRelative:
		n.set(op.to, valued{n.fresh(), n.at(op.from[0]).origin})
	case opModify:
		n.set(op.to, valued{n.fresh(), n.at(op.to).origin})
	case opDecide, opBanks:
		if n.final {
			op.from = three(n.canonical(op.from[0]))
		}
	}
	return true
}

func (n *numbering) compute(op *opTrace) bool {
	key, origin, constant := computed{op: op.op}, mayNotDepend, true
	for k, from := range op.from {
		v := n.at(from)
		key.from[k] = v.number
		origin = origin.combine(v.origin)
		constant = constant && v.number < opaque
	}
	var v valued
	switch {
	case op.op == r600.OpMov:
		v = n.at(op.from[0])
	case constant:
		v = valued{n.fold(op, key.from), origin}
	case n.made[key] != valued{}:
		v = n.made[key]
	default:
		v = valued{n.fresh(), origin}
	}
	if n.final {
		if n.at(op.to) == v {
			return false
		}
		n.rewrite(op, key, v)
	}
	n.set(op.to, v)
	return true
}

// rewrite turns an operation with an available result into a copy. Otherwise it redirects the
// operands to the earliest cells with their values.
func (n *numbering) rewrite(op *opTrace, key computed, v valued) {
	from, ok := n.holderOf(v)
	if op.op == r600.OpMov {
		from, ok = n.canonical(op.from[0]), true
	}
	if ok {
		op.op, op.eval, op.from = r600.OpMov, waveEvals()[r600.OpMov], three(from)
		return
	}
	for k, from := range op.from {
		op.from[k] = n.canonical(from)
	}
	n.made[key], n.holder[v.number] = v, op.to
}

// holderOf returns a constant or a cell that holds a value.
func (n *numbering) holderOf(v valued) (ref, bool) {
	if v.number < opaque {
		return ref{inConsts, v.number}, true
	}
	first, ok := n.holder[v.number]
	return first, ok && n.at(first) == v
}

// fold computes an operation on constants.
func (n *numbering) fold(op *opTrace, from [3]int32) int32 {
	tr := n.tr
	to := &tr.texels[0]
	op.eval(to, &tr.consts[from[0]], &tr.consts[from[1]], &tr.consts[from[2]])
	return tr.constant(to[0])
}
