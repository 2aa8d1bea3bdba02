package ilgen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// memory is what there is besides registers. A thread has four elements of the global buffer and 64
// bytes of the view to itself, the global ones behind those that all may read and none writes.
type memory struct {
	global bool
	view   int             // its number, or -1
	local  localForm       // of a compute kernel
	group  int             // threads in a work group
	arrays [numClasses]int // sizes of x0, x1: one of floats, one of integers
}

type localForm uint8

const (
	noLocal  localForm = iota
	byThread           // R700: each thread writes its own, all can read
	byByte             // Evergreen
)

const sharedElements = 16 // of the global buffer

func (g *gen) declareMemory() {
	m := &g.memory
	for c := float; c <= integer; c++ {
		if g.chance(40) {
			m.arrays[c] = reach + g.r.IntN(4)
			g.declare("dcl_indexed_temp_array x%d[%d]", c, m.arrays[c])
		}
	}
	m.view = -1
	if g.o.NoMemory {
		return
	}
	m.global = g.chance(50)
	if g.chance(40) {
		m.view = g.r.IntN(12)
		g.declare("dcl_raw_uav_id(%d)", m.view)
	}
	if g.o.Stage != il.Compute {
		return
	}
	switch m.local = localForm(g.r.IntN(3)); m.local {
	case byThread:
		g.declare("dcl_lds_size_per_thread 8")
		g.declare("dcl_lds_sharing_mode _wavefrontRel")
	case byByte:
		g.declare("dcl_lds_id(1) %d", 16*m.group)
	}
}

// element names an element of an array of registers.
func (g *gen) element(c class) string {
	return fmt.Sprintf("x%d[%s]", c, g.index(g.memory.arrays[c], 60))
}

// access adds a statement that reads or writes memory of some kind.
func (g *gen) access() {
	m := &g.memory
	var kinds []func()
	for c := float; c <= integer; c++ {
		if m.arrays[c] > 0 {
			kinds = append(kinds, func() {
				at := g.element(c)
				mask := g.spellMask(g.mask(c))
				g.line("mov %s%s, %s", at, mask, g.reg(c))
			})
		}
	}
	if m.global {
		kinds = append(kinds, g.globalLoad, g.globalStore)
	}
	if m.view >= 0 {
		kinds = append(kinds, g.viewLoad, g.viewStore, g.viewAtomic)
	}
	if m.local != noLocal && !g.now.parted {
		// Twice, since it is possible in few places.
		kinds = append(kinds, g.exchange, g.exchange)
	}
	if len(kinds) == 0 {
		g.arithmetic()
		return
	}
	pick(g, kinds...)()
}

// slot picks one of a thread's four elements, and the class of what is kept there: fixed by its number, so
// that what is loaded is of the class it was stored as.
func (g *gen) slot() (int, class) {
	k := g.r.IntN(4)
	c := [4]class{float, float, integer, double}[k]
	if c == double && g.o.NoDouble {
		return 0, float
	}
	return k, c
}

func (g *gen) globalLoad() {
	k, c := g.slot()
	at := fmt.Sprintf("r%d.y+%d", threadReg, k)
	if g.chance(30) {
		c = class(g.r.IntN(int(double)))
		at = g.index(sharedElements, 50)
	}
	if c == double {
		g.line("mov %s, g[%s]", g.reg(c), at)
		return
	}
	mask := g.mask(c)
	g.line("mov %s%s, g[%s]%s", g.reg(c), g.spellMask(mask), at, pick(g, "", "."+g.selections(c, 4)))
}

func (g *gen) globalStore() {
	k, c := g.slot()
	g.line("mov g[r%d.y%s]%s, %s", threadReg, pick(g, "+", " + ")+fmt.Sprint(k), g.spellMask(g.mask(c)), g.reg(c))
}

// viewAddress computes where a thread's element k is in the view.
func (g *gen) viewAddress(k int) string {
	if k == 0 && g.chance(50) {
		return fmt.Sprintf("r%d.z", threadReg)
	}
	at := fmt.Sprintf("r%d.%c", address, lanes[g.r.IntN(4)])
	g.line("iadd %s, r%d.z, %s", at, threadReg, g.number(uint32(16*k)))
	return at
}

func (g *gen) viewLoad() {
	k, c := g.slot()
	at := g.viewAddress(k)
	g.line("uav_raw_load_id(%d)%s %s%s, %s", g.memory.view, pick(g, "", "", "_cached"), g.reg(c), g.spellMask(g.mask(c)), at)
}

func (g *gen) viewStore() {
	k, c := g.slot()
	at := g.viewAddress(k)
	mask := pick(g, "", ".x", ".xy", ".xyz", ".xyzw")
	if c == double {
		mask = pick(g, "", ".xy")
	}
	g.line("uav_raw_store_id(%d) mem%s, %s, %s", g.memory.view, mask, at, g.reg(c))
}

func (g *gen) atomic() string {
	return pick(g, "add", "sub", "rsub", "min", "max", "umin", "umax", "and", "or", "xor")
}

// viewAtomic adds an atomic on the thread's integer, with or without the old value as its result. No other
// thread works on that word, so that the order of threads does not show.
func (g *gen) viewAtomic() {
	at := g.viewAddress(2)
	if g.chance(50) {
		g.line("uav_%s_id(%d) %s, %s", g.atomic(), g.memory.view, at, g.component(integer))
		return
	}
	g.line("uav_read_%s_id(%d) %s.x, %s, %s", pick(g, g.atomic(), "xchg"), g.memory.view, g.reg(integer), at, g.component(integer))
}

// exchange stores to local memory, lets all threads of the group do so, and reads what another one
// stored: the thread whose number differs by an exclusive or, which pairs threads of a group whose size
// is a power of two. The second barrier keeps later stores from overtaking the reads.
func (g *gen) exchange() {
	other := uint32(1 + g.r.IntN(g.memory.group-1))
	c := class(g.r.IntN(int(double)))
	if g.memory.local == byThread {
		g.line("lds_write_vec_lOffset(%d) mem, %s", 4*int(c), g.reg(c))
		g.line("fence_threads_lds")
		g.line("ixor r%d.x, vTidInGrpFlat.x, %s", address, g.number(other))
		g.line("mov r%d.y, %s", address, g.number(4*uint32(c)))
		g.line("lds_read_vec %s, r%d.xy", g.reg(c), address)
		g.line("fence_threads_lds")
		return
	}
	word := g.number(4 * uint32(g.r.IntN(4)))
	g.line("iadd r%d.x, r%d.w, %s", address, threadReg, word)
	g.line("lds_store_id(1) r%d.x, %s", address, g.component(c))
	if c == integer && g.chance(40) {
		g.line("lds_%s_id(1) r%d.x, %s", g.atomic(), address, g.component(c))
	}
	g.line("%s", pick(g, "fence_threads_lds", "fence_threads_lds", "fence_threads_lds_memory"))
	g.line("ixor r%d.x, r%d.w, %s", address, threadReg, g.number(16*other))
	g.line("iadd r%d.x, r%d.x, %s", address, address, word)
	g.line("lds_load_id(1) %s.x, r%d.x", g.reg(c), address)
	g.line("fence_threads_lds")
}
