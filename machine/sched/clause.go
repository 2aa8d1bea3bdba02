package sched

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// part is an item of a scheduled program. In execution order these are *aluClause, *fetchClause,
// *write, *output, *branch, *repeat and *leave. CF, if present, is the index of the part's
// control-flow instruction after that is written. first and at are ticks (see segment).
type part interface{ isPart() }

// aluClause is a clause of instruction groups.
type aluClause struct {
	Groups []*bundle
	Words  int      // with literals
	Cond   *mir.ALU // the predicate at its end, if it is for a branch or leave
	Locks  []r600.Lock
	CF     int // its instruction in the program
	first  int32
}

// fetchClause is a clause of fetches: texture fetches or vertex fetches, not both.
type fetchClause struct {
	Fetches []*mir.Fetch
	Vertex  bool
	CF      int
	first   int32
}

// write is a write to memory.
type write struct {
	Item *mir.Memory
	CF   int
	at   int32
}

// output is an export.
type output struct {
	Item *mir.Export
	CF   int // the first of its bursts
	at   int32
}

// branch runs one of two sequences. The clause before it ends with its predicate.
type branch struct {
	Item       *mir.If
	Then, Else []part
	CF         int
}

// repeat is a loop.
type repeat struct {
	Item *mir.Loop
	Body []part
	CF   int
}

// leave is a Break or a Continue. If it has a condition, the clause before it ends with the
// predicate and leaves the loop.
type leave struct {
	Item     mir.Item
	Continue bool
	Cond     *mir.ALU
	CF       int
}

func (*aluClause) isPart()   {}
func (*fetchClause) isPart() {}
func (*write) isPart()       {}
func (*output) isPart()      {}
func (*branch) isPart()      {}
func (*repeat) isPart()      {}
func (*leave) isPart()       {}

// clauseState is the state that the groups of the open ALU clause share: its length in words, the
// locked constant-cache windows, and the address register. All three end with the clause.
type clauseState struct {
	open    *aluClause
	first   int // index of its first group
	words   int
	locks   locks
	address mir.Val // value in the address register
	work    bool    // it does more than load the address register
}

// groupWords is the maximum size of a group in words: five operations and four literals.
const groupWords = r600.NumSlots + (maxLiterals+1)/2

// begin opens an ALU clause. Results are not forwarded across clauses, so serial skips a number.
// The address register and the constant cache start empty.
func (p *packer) begin() {
	p.serial++
	p.clause = clauseState{open: &aluClause{}, first: len(p.groups)}
	p.g = group{}
}

// close ends the open clause, if there is one, and returns it.
func (p *packer) close() *aluClause {
	c := p.clause.open
	if c != nil {
		c.Groups = p.groups[p.clause.first:len(p.groups):len(p.groups)]
		c.Words = p.clause.words
		c.Locks = p.clause.locks.windows()
		p.clause.open = nil
		p.serial++
	}
	return c
}

// hasRoom reports whether the open clause has words left for any group.
func (p *packer) hasRoom() bool {
	return p.clause.words+groupWords <= p.t.ALUClause
}

// line is the part of a constant buffer that fits one constant-cache window (KCACHE_LINE).
type line struct {
	bank int16
	line int32
}

// maxLines bounds the lines of a clause: four locks of two.
const maxLines = 8

// locks holds the lines of constants that a clause reads, sorted by buffer and line.
type locks struct {
	n     int
	lines [maxLines]line
}

// lockLine makes the line of constant a readable, unless that takes more locks than the clause has. A
// lock covers one line or two neighbouring ones (KCACHE_LOCK_1, KCACHE_LOCK_2), so the number of
// locks depends on all lines.
func (l *locks) lockLine(t *chip.Target, a *mir.Arg) bool {
	want := line{a.Bank, a.Index / int32(t.KCacheLine)}
	at := 0
	for at < l.n && (l.lines[at].bank < want.bank || l.lines[at].bank == want.bank && l.lines[at].line < want.line) {
		at++
	}
	if at < l.n && l.lines[at] == want {
		return true
	}
	if l.n == maxLines {
		return false
	}
	with := *l
	copy(with.lines[at+1:], l.lines[at:l.n])
	with.lines[at] = want
	with.n++
	if with.count() > t.KCacheLocks {
		return false
	}
	*l = with
	return true
}

// count returns the number of locks that cover the lines.
func (l *locks) count() int {
	n := 0
	for i := 0; i < l.n; i++ {
		n++
		if i+1 < l.n && l.lines[i+1] == (line{l.lines[i].bank, l.lines[i].line + 1}) {
			i++
		}
	}
	return n
}

// windows covers the lines with as few locks as possible: greedily from the lowest line, which is
// optimal for intervals of fixed length.
func (l *locks) windows() []r600.Lock {
	var w []r600.Lock
	for _, at := range l.lines[:l.n] {
		if n := len(w); n > 0 && w[n-1].Lines == 1 && w[n-1].Bank == int(at.bank) && w[n-1].Line == int(at.line)-1 {
			w[n-1].Lines = 2
			continue
		}
		w = append(w, r600.Lock{Bank: int(at.bank), Line: int(at.line), Lines: 1})
	}
	return w
}
