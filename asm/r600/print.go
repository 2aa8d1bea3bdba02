package r600

import (
	"bytes"
	"fmt"
	"strings"
)

// The alignment of clauses, in 64-bit words. ALU clauses follow the control flow, and fetch clauses
// follow those, both rounded up as in the listings of AMD's compiler. Fetches have 128 bits and
// need alignment; the values match those listings.
const (
	cfAlign    = 32
	fetchAlign = 16
)

// Print writes p as a listing in the style of AMD's shader analyzer: the control flow with its
// clauses. Groups and fetches share one numbering.
func Print(p *Program) []byte {
	text, _ := list(p)
	return text
}

// Entry is a group or a fetch of a listing with its lines, for tools that annotate them.
type Entry struct {
	Clause, Number int
	Group          *Group // nil for a fetch
	Text           string
	Slots          [NumSlots]string // the text of each slot of a group
}

// Entries lists the groups and fetches of p as Print writes them.
func Entries(p *Program) []Entry {
	_, entries := list(p)
	return entries
}

// list prints p and collects the entries.
func list(p *Program) ([]byte, []Entry) {
	l := &lister{p: p, addr: p.addresses()}
	for i := range p.CF {
		if p.CF[i].Op != CFEnd { // printed once, below
			l.printCF(i, &p.CF[i])
		}
	}
	l.b.WriteString("END_OF_PROGRAM\n")
	return l.b.Bytes(), l.entries
}

// addresses returns the start of each instruction's clause, in words, or 0 if it has none.
func (p *Program) addresses() []int {
	addr := make([]int, len(p.CF))
	at := roundUp(len(p.CF), cfAlign)
	for i := range p.CF {
		if p.CF[i].Op.RunsALU() {
			addr[i] = at
			at += p.CF[i].Words()
		}
	}
	at = roundUp(at, fetchAlign)
	for i := range p.CF {
		if len(p.CF[i].Fetches) > 0 {
			addr[i] = at
			at += p.CF[i].Words()
		}
	}
	return addr
}

// roundUp returns the smallest multiple of to that is at least n.
func roundUp(n, to int) int { return (n + to - 1) / to * to }

// lister is the state of one Print.
type lister struct {
	p     *Program
	b     bytes.Buffer
	addr  []int
	group int // number of the next group or fetch
	// number of the last ALU group, which names PV and PS
	last int
	// entries are the groups and fetches so far.
	entries []Entry
}

// entry records the text printed from an offset on.
func (l *lister) entry(from int, e Entry) {
	e.Number, e.Text = l.group-1, string(l.b.Bytes()[from:])
	l.entries = append(l.entries, e)
}

// printCF prints a control-flow instruction and its clause.
func (l *lister) printCF(i int, cf *CF) {
	name := cf.Op.String()
	if m := cf.Memory; m != nil && m.Name != "" {
		name = strings.TrimSuffix(name, "_WRITE") + "_" + m.Name
	}
	fmt.Fprintf(&l.b, "%02d %s", i, name)
	switch cf.Op {
	case CFTex, CFVtx:
		fmt.Fprintf(&l.b, ": ADDR(%d) CNT(%d)", l.addr[i], len(cf.Fetches))
	case CFLoop: // to behind the end, and back to behind the start
		fmt.Fprintf(&l.b, " i0 FAIL_JUMP_ADDR(%d)", cf.Target+1)
	case CFEndLoop:
		fmt.Fprintf(&l.b, " i0 PASS_JUMP_ADDR(%d)", cf.Target+1)
	case CFBreak, CFContinue: // both jump to the end of the loop
		fmt.Fprintf(&l.b, " ADDR(%d)", l.p.CF[cf.Target].Target)
	case CFJump, CFElse:
		l.printPopCount(cf)
		fmt.Fprintf(&l.b, " ADDR(%d)", cf.Target)
	case CFPop:
		l.printPopCount(cf)
	}
	switch {
	case cf.Op.RunsALU():
		fmt.Fprintf(&l.b, ": ADDR(%d) CNT(%d)", l.addr[i], cf.Words())
		for k, lock := range cf.Locks {
			fmt.Fprintf(&l.b, " KCACHE%d(CB%d:%d-%d)", k, lock.Bank, kcacheLine*lock.Line,
				kcacheLine*(lock.Line+max(lock.Lines, 1))-1)
		}
	case cf.Export != nil:
		l.export(cf.Export)
	case cf.Memory != nil:
		l.memory(cf)
	}
	l.b.WriteByte('\n')
	for k := range cf.Groups {
		from := l.b.Len()
		slots := l.aluGroup(cf, &cf.Groups[k])
		l.entry(from, Entry{Clause: i, Group: &cf.Groups[k], Slots: slots})
	}
	for k := range cf.Fetches {
		from := l.b.Len()
		l.fetch(&cf.Fetches[k])
		l.entry(from, Entry{Clause: i})
	}
}

// printPopCount prints the number of mask stack levels that an instruction drops.
func (l *lister) printPopCount(cf *CF) {
	if cf.Pop > 0 {
		fmt.Fprintf(&l.b, " POP_CNT(%d)", cf.Pop)
	}
}

// export prints the operands of an export.
func (l *lister) export(e *Export) {
	fmt.Fprintf(&l.b, ": %s%d, R%d%s", e.Kind, e.Base, e.Reg, selected(e.Sel))
	if e.Count > 1 {
		fmt.Fprintf(&l.b, "  BURSTCNT(%d)", e.Count)
	}
}

// memory prints the operands and the target of a write to memory.
func (l *lister) memory(cf *CF) {
	m := cf.Memory
	where := "DWORD_PTR"
	if cf.Op == CFMemRat {
		where = fmt.Sprintf("RAT(%d)", m.Resource)
	}
	fmt.Fprintf(&l.b, ": %s[%d", where, m.Base)
	if m.IndexReg >= 0 {
		fmt.Fprintf(&l.b, "+R%d%s", m.IndexReg, strings.TrimRight(selected(m.IndexSel), "_"))
	}
	fmt.Fprintf(&l.b, "], R%d%s", m.Reg, selected(m.Sel))
}

// selected returns the swizzle of a register, or the empty string for the identity.
func selected(sel [4]Sel) string {
	if sel == [4]Sel{SelX, SelY, SelZ, SelW} {
		return ""
	}
	var b strings.Builder
	b.WriteByte('.')
	for _, s := range sel {
		b.WriteString(s.String())
	}
	return b.String()
}

// fetch prints an instruction of a fetch clause.
func (l *lister) fetch(f *Fetch) {
	fmt.Fprintf(&l.b, "%7d  %s R%d%s, R%d%s, ", l.group, f.Op, f.Dst, selected(f.DstSel), f.Src, selected(f.SrcSel))
	if f.Op.Vertex() {
		fmt.Fprintf(&l.b, "fc%d", f.Resource)
	} else {
		fmt.Fprintf(&l.b, "t%d, s%d", f.Resource, f.Sampler)
	}
	for i, o := range f.Offset {
		if o != 0 {
			fmt.Fprintf(&l.b, "  %cOFFSET(%g)", "XYZ"[i], float64(o)/2)
		}
	}
	if f.Unnormal {
		l.b.WriteString("  UNNORM(XYZW)")
	}
	l.b.WriteByte('\n')
	l.group++
}
