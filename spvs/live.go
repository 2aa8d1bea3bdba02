package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir/flow"
)

// liveness finds the slots that nodes access.
type liveness struct {
	*places
	*flow.Liveness[statement]
}

// analyse computes the carried slots of all constructs in list.
func analyse(p *places, list []node) (*liveness, *asm.Diag) {
	l := &liveness{places: p, Liveness: &flow.Liveness[statement]{Flag: p.flag}}
	l.Visit = l.visit
	for _, id := range p.entry.Interface { // an initializer is an output without any store
		if _, in := p.x.definition(id); in != nil && in.Op == spirv.OpVariable && len(in.Args) > 1 &&
			spirv.StorageClass(in.Args[0]) == spirv.StorageClassOutput {
			p.variable(id)
		}
	}
	for _, v := range p.used {
		if v.class == spirv.StorageClassOutput {
			p.place(v)
		}
	}
	l.Collect(list)
	if p.tooMany() {
		return nil, p.x.errorAt(0, "too-large", "the program has more than %d values between blocks", maxSlots)
	}
	end := slices.Clone(p.shared)
	for _, v := range p.used {
		if v.class == spirv.StorageClassOutput {
			pl := p.place(v)
			for k := range pl.count {
				end = append(end, pl.first+k)
			}
		}
	}
	if limit := l.Analyse(list, len(p.homes), end); limit != nil {
		return nil, p.x.errorAt(limit.At.Item.first, "too-large", "%s", limit.Text)
	}
	return l, nil
}

// place returns the slots of a variable.
func (p *places) place(v *variable) place {
	if v.memory {
		return place{p.state(p.home(v)), 1}
	}
	if v.shape.lanes > maxLanes {
		return place{}
	}
	if v.first < 0 {
		v.first = int(p.lanes(v.shape))
	}
	return place{int32(v.first), int32(v.shape.lanes)}
}

func (l *liveness) read(p place) {
	for i := range p.count {
		l.Read(p.first + i)
	}
}

func (l *liveness) write(p place) {
	for i := range p.count {
		l.Write(p.first + i)
	}
}

// readID reads the slots of an id, if it has any.
func (l *liveness) readID(id spirv.ID) {
	if p, ok := l.id(id); ok {
		l.read(p)
	}
}

func (l *liveness) writeID(id spirv.ID) {
	if p, ok := l.id(id); ok {
		l.write(p)
	}
}

// visit finds the accesses of the condition of a node, or of its statements.
func (l *liveness) visit(node *node) {
	n := &node.Item
	if l.tooMany() {
		return
	}
	switch node.Kind {
	case flow.If, flow.Break:
		l.readID(n.cond.id)
	case flow.Code:
		l.statements(n)
	}
}

// statements finds the accesses of statements.
func (l *liveness) statements(n *statement) {
	x := l.x
	switch n.kind {
	case statementRun:
		for i := n.first; i < n.last && !l.Full(); i++ {
			l.instruction(n.fr, i, &x.Insts[i])
		}
	case statementPhis:
		to := &n.fr.fn.blocks[n.block]
		for i := to.first; i < to.phis; i++ {
			if id, ok := l.incoming(n, i); ok {
				l.readID(id)
			}
		}
		for i := to.first; i < to.phis; i++ {
			l.writeID(x.Insts[i].Result)
		}
	case statementBind:
		for i, id := range n.callee.fn.params {
			l.readID(spirv.ID(x.Insts[n.first].Args[1+i]))
			l.writeID(id)
		}
	case statementReturn:
		l.readID(spirv.ID(x.Insts[n.first].Args[0]))
		l.writeID(x.Insts[n.fr.fn.at].Result)
	case statementResult:
		l.readID(x.Insts[n.callee.fn.at].Result)
		l.writeID(x.Insts[n.first].Result)
	}
}

// incoming returns the operand of phi number at for the edge of n.
func (p *places) incoming(n *statement, at int) (spirv.ID, bool) {
	args := p.x.Insts[at].Args
	for k := 0; k+1 < len(args); k += 2 {
		if spirv.ID(args[k+1]) == n.fr.fn.blocks[n.from].label {
			return spirv.ID(args[k]), true
		}
	}
	return 0, false
}

// instruction finds the accesses of an instruction: what it reads, then what it writes.
func (l *liveness) instruction(fr *frame, at int, in *spirv.Inst) {
	operands(in, func(_ int, id spirv.ID) { l.readID(id) })
	switch in.Op {
	case spirv.OpVariable:
		if v := l.variable(in.Result); !v.memory || len(in.Args) > 1 {
			l.writeVariable(pointerTo(v))
		}
	case spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpDemoteToHelperInvocation:
		l.everything()
	case spirv.OpUnreachable:
		for _, v := range l.used {
			if v.class == spirv.StorageClassOutput && !v.memory {
				l.write(l.place(v))
			}
		}
	case spirv.OpLoad:
		if q := l.pointer(fr, spirv.ID(in.Args[0])); q != nil {
			l.readVariable(q)
		}
	case spirv.OpStore:
		if q := l.pointer(fr, spirv.ID(in.Args[0])); q != nil {
			l.writeVariable(q)
		}
	case spirv.OpCopyMemory:
		to, from := l.pointer(fr, spirv.ID(in.Args[0])), l.pointer(fr, spirv.ID(in.Args[1]))
		if to != nil && from != nil {
			l.readVariable(from)
			l.writeVariable(to)
		}
	default:
		l.image(fr, in)
	}
	if in.Result != 0 {
		l.writeID(in.Result)
	}
}

// readVariable reads the slots of a pointer and of its indices.
func (l *liveness) readVariable(q *pointer) {
	l.indices(q)
	if p, ok := l.accessed(q); ok {
		l.read(p)
	}
}

// writeVariable writes the slots of a pointer. A store to memory, or to one of several components, reads them too.
func (l *liveness) writeVariable(q *pointer) {
	l.indices(q)
	p, ok := l.accessed(q)
	if !ok {
		return
	}
	if q.v.memory || q.v.isBlock() || q.component != 0 {
		l.read(p)
	}
	l.write(p)
}

// indices reads the dynamic indices of a pointer.
func (l *liveness) indices(q *pointer) {
	for _, s := range q.steps {
		l.readID(s.index)
	}
	l.readID(q.component)
	l.readID(q.elementID)
	if q.texel > 0 {
		l.readID(spirv.ID(l.x.Insts[q.texel].Args[1]))
	}
}

// accessed returns the slots that a pointer names: lanes of a variable, or a state. Inputs and read-only blocks have
// none.
func (p *places) accessed(q *pointer) (place, bool) {
	v := q.v
	switch {
	case v.memory, v.isBlock() && !p.x.readOnly(v):
		return place{p.state(p.home(v)), 1}, true
	case q.texel != 0:
		return place{p.state(p.home(v)), 1}, true
	case v.isBlock(), v.class == spirv.StorageClassInput, v.class == spirv.StorageClassUniformConstant,
		q.shape.lanes > maxLanes:
		return place{}, false
	}
	whole, n := p.place(v), q.shape.lanes
	if q.component != 0 {
		n = q.vector
	}
	return place{whole.first + int32(q.lane), int32(n)}, q.lane+n <= int(whole.count)
}
