package kernel

import (
	"crypto/sha256"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/passes"
)

// Content is the hash of a kernel's statements, without comments and layout. Versions with the same
// content have the same cost.
type Content [sha256.Size]byte

// ContentOf returns the content of a version.
func ContentOf(version *il.Kernel) (c Content) {
	h := sha256.New()
	var line []byte
	for i := range version.Insts {
		line = append(il.Append(line[:0], &version.Insts[i]), '\n')
		h.Write(line)
	}
	h.Sum(c[:0])
	return c
}

// store has what is known of versions, because passes produce the same units repeatedly. A fingerprint
// identifies a function before emission, a content its text after emission. Different functions often
// have the same text, so a price of a written version is in both records: the first saves the emission,
// the second the compilation.
type store struct {
	units  map[[2]uint64]*record
	texts  map[Content]*record
	recent recent
}

// record is what is known of a version.
type record struct {
	lowered, written cell
	timed            *Timed
}

// cell holds a price once it is known.
type cell struct {
	price Price
	known bool
}

// get returns the price, or computes it with find. It does not keep prices that a budget cut short.
func (c *cell) get(find func() Price) Price {
	if c.known {
		return c.price
	}
	p := find()
	if !budget.IsExhausted(p.Err) {
		c.price, c.known = p, true
	}
	return p
}

func newStore() store {
	return store{units: map[[2]uint64]*record{}, texts: map[Content]*record{}}
}

// unit returns the record of a unit.
func (s *store) unit(u *passes.Unit) *record { return recordOf(s.units, u.Kernel.Fingerprint()) }

// text returns the record of a written version.
func (s *store) text(c Content) *record { return recordOf(s.texts, c) }

func recordOf[K comparable](records map[K]*record, key K) *record {
	r := records[key]
	if r == nil {
		r = &record{}
		records[key] = r
	}
	return r
}

// Learn notes the price of a unit, known from another bench.
func (b *Bench) Learn(u *passes.Unit, p Price) {
	known := cell{p, true}
	b.store.unit(u).written, b.store.text(p.Content).written = known, known
}

// Known returns the price of a written version, if it is known.
func (b *Bench) Known(version *il.Kernel) (Price, bool) {
	c := b.store.text(ContentOf(version)).written
	return c.price, c.known
}

// EachTimed calls visit for the simulated versions, in any order.
func (b *Bench) EachTimed(visit func(Content, *Timed)) {
	for c, r := range b.store.texts {
		if r.timed != nil {
			visit(c, r.timed)
		}
	}
}

// compiled is a version of a kernel that was read back and compiled.
type compiled struct {
	Content
	program *sched.Scheduled
}

// recent holds the most recently compiled versions, the last one first: a simulation often follows a price.
type recent []compiled

// At most recentVersions versions are kept, and besides the last one only as many as have together no more than
// recentOps operations. An operation takes about 80 bytes.
const (
	recentVersions = 8
	recentOps      = 1 << 17
)

func (r *recent) add(c compiled) {
	list := slices.Insert(*r, 0, c)
	n, ops := 1, c.program.Stats.Ops
	for n < min(len(list), recentVersions) && ops+list[n].program.Stats.Ops <= recentOps {
		ops += list[n].program.Stats.Ops
		n++
	}
	clear(list[n:])
	*r = list[:n]
}

// find returns nil if the version is absent.
func (r recent) find(c Content) *sched.Scheduled {
	for i := range r {
		if r[i].Content == c {
			return r[i].program
		}
	}
	return nil
}
