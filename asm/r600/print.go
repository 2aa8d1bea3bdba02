package r600

import (
	"bytes"
	"fmt"
	"strings"
)

// Where clauses start, in 64-bit words: ALU clauses after the control flow, fetch
// clauses after those, both rounded up as in the listings of AMD's compiler. Fetches
// are 128 bits and have to be aligned; the rest is what those listings show.
const (
	cfAlign    = 32
	fetchAlign = 16
)

// Print writes p as a listing in the style of AMD's shader analyzer: control flow with
// the clauses it runs, and the groups and fetches of those numbered in one count.
func Print(p *Program) []byte {
	text, _ := list(p)
	return text
}

// Entry is a group or a fetch of a listing, and its lines there, for tools that show
// more beside them.
type Entry struct {
	Clause, Number int
	Group          *Group // or
	Fetch          *Fetch
	Text           string
	Slots          [NumSlots]string // what is in those of a group
}

// Entries lists the groups and fetches of p as Print writes them.
func Entries(p *Program) []Entry {
	_, entries := list(p)
	return entries
}

// list prints p and notes the entries on the way.
func list(p *Program) ([]byte, []Entry) {
	l := &lister{p: p, addr: p.addresses()}
	for i := range p.CF {
		if p.CF[i].Op != CFEnd { // said once, below
			l.cf(i, &p.CF[i])
		}
	}
	l.b.WriteString("END_OF_PROGRAM\n")
	return l.b.Bytes(), l.entries
}

// addresses is where the clause of each instruction starts, in words, 0 where it has
// none.
func (p *Program) addresses() []int {
	addr := make([]int, len(p.CF))
	at := roundUp(len(p.CF), cfAlign)
	for i := range p.CF {
		if p.CF[i].Op.ALU() {
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

// roundUp is the least multiple of to that is not below n.
func roundUp(n, to int) int { return (n + to - 1) / to * to }

// lister is the state of one Print.
type lister struct {
	p     *Program
	b     bytes.Buffer
	addr  []int
	group int // number of the next group or fetch
	// number of the last ALU group, which PV and PS are named by
	last int
	// entries are the groups and fetches so far.
	entries []Entry
}

// entry notes what was printed from an offset on.
func (l *lister) entry(from int, e Entry) {
	e.Number, e.Text = l.group-1, string(l.b.Bytes()[from:])
	l.entries = append(l.entries, e)
}

// cf prints a control-flow instruction and its clause.
func (l *lister) cf(i int, cf *CF) {
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
	case CFBreak, CFContinue: // to the end
		fmt.Fprintf(&l.b, " ADDR(%d)", l.p.CF[cf.Target].Target)
	case CFJump, CFElse:
		l.pop(cf)
		fmt.Fprintf(&l.b, " ADDR(%d)", cf.Target)
	case CFPop:
		l.pop(cf)
	}
	switch {
	case cf.Op.ALU():
		fmt.Fprintf(&l.b, ": ADDR(%d) CNT(%d)", l.addr[i], cf.Words())
		for k, lock := range cf.Locks {
			fmt.Fprintf(&l.b, " KCACHE%d(CB%d:%d-%d)", k, lock.Bank, kcacheLine*lock.Line, kcacheLine*(lock.Line+max(lock.Lines, 1))-1)
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
		l.entry(from, Entry{Clause: i, Fetch: &cf.Fetches[k]})
	}
}

// pop prints how many levels of the mask stack an instruction drops.
func (l *lister) pop(cf *CF) {
	if cf.Pop > 0 {
		fmt.Fprintf(&l.b, " POP_CNT(%d)", cf.Pop)
	}
}

// export prints what an export writes.
func (l *lister) export(e *Export) {
	fmt.Fprintf(&l.b, ": %s%d, R%d%s", e.Kind, e.Base, e.Reg, selected(e.Sel))
	if e.Count > 1 {
		fmt.Fprintf(&l.b, "  BURSTCNT(%d)", e.Count)
	}
}

// memory prints what a write to memory writes, and where to.
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

// selected is the swizzle of a register, empty where it is taken as it stands.
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
