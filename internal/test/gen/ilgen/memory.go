package ilgen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
)

// memory describes the memory of a kernel. Each thread has its own four elements of the global buffer and
// 64 bytes of the view. The own elements follow those that all may read and none writes.
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
	byThread           // R700: each thread writes its own part, all can read
	byByte             // Evergreen
)

const sharedElements = 16 // of the global buffer

func (g *generator) declareMemory() {
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
func (g *generator) element(c class) string {
	return fmt.Sprintf("x%d[%s]", c, g.index(g.memory.arrays[c], 60))
}

// access adds a statement that reads or writes memory of some kind.
func (g *generator) access() {
	m := &g.memory
	var kinds []func()
	for c := float; c <= integer; c++ {
		if m.arrays[c] > 0 {
			kinds = append(kinds, func() {
				at := g.element(c)
				mask := g.spellMask(g.pickMask(c))
				g.addLine("mov %s%s, %s", at, mask, g.pickRegister(c))
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
		// Listed twice, since it is possible in few places.
		kinds = append(kinds, g.exchange, g.exchange)
	}
	if len(kinds) == 0 {
		g.arithmetic()
		return
	}
	pickOne(g, kinds...)()
}

// pickElement picks one of a thread's four elements and the class of its contents. The class depends on the
// number, so that a load has the class of the store.
func (g *generator) pickElement() (int, class) {
	k := g.r.IntN(4)
	c := [4]class{float, float, integer, double}[k]
	if c == double && g.o.NoDouble {
		return 0, float
	}
	return k, c
}

func (g *generator) globalLoad() {
	k, c := g.pickElement()
	at := fmt.Sprintf("r%d.y+%d", threadReg, k)
	if g.chance(30) {
		c = class(g.r.IntN(int(double)))
		at = g.index(sharedElements, 50)
	}
	if c == double {
		g.addLine("mov %s, g[%s]", g.pickRegister(c), at)
		return
	}
	mask := g.pickMask(c)
	g.addLine("mov %s%s, g[%s]%s", g.pickRegister(c), g.spellMask(mask), at, pickOne(g, "", "."+g.selections(c, 4)))
}

func (g *generator) globalStore() {
	k, c := g.pickElement()
	g.addLine("mov g[r%d.y%s]%s, %s", threadReg, pickOne(g, "+", " + ")+fmt.Sprint(k), g.spellMask(g.pickMask(c)),
		g.pickRegister(c))
}

// viewAddress computes the address of a thread's element k in the view.
func (g *generator) viewAddress(k int) string {
	if k == 0 && g.chance(50) {
		return fmt.Sprintf("r%d.z", threadReg)
	}
	at := fmt.Sprintf("r%d.%c", address, lanes[g.r.IntN(4)])
	g.addLine("iadd %s, r%d.z, %s", at, threadReg, g.number(uint32(16*k)))
	return at
}

func (g *generator) viewLoad() {
	k, c := g.pickElement()
	at := g.viewAddress(k)
	g.addLine("uav_raw_load_id(%d)%s %s%s, %s", g.memory.view, pickOne(g, "", "", "_cached"), g.pickRegister(c),
		g.spellMask(g.pickMask(c)), at)
}

func (g *generator) viewStore() {
	k, c := g.pickElement()
	at := g.viewAddress(k)
	mask := pickOne(g, "", ".x", ".xy", ".xyz", ".xyzw")
	if c == double {
		mask = pickOne(g, "", ".xy")
	}
	g.addLine("uav_raw_store_id(%d) mem%s, %s, %s", g.memory.view, mask, at, g.pickRegister(c))
}

func (g *generator) atomic() string {
	return pickOne(g, "add", "sub", "rsub", "min", "max", "umin", "umax", "and", "or", "xor")
}

// viewAtomic adds an atomic on the thread's integer, with or without the old value as its result. No other
// thread accesses that word, so the order of threads has no effect.
func (g *generator) viewAtomic() {
	at := g.viewAddress(2)
	if g.chance(50) {
		g.addLine("uav_%s_id(%d) %s, %s", g.atomic(), g.memory.view, at, g.component(integer))
		return
	}
	g.addLine("uav_read_%s_id(%d) %s.x, %s, %s", pickOne(g, g.atomic(), "xchg"), g.memory.view, g.pickRegister(integer),
		at, g.component(integer))
}

// exchange stores to local memory, lets all threads of the group do so, and reads the word of another
// thread. The thread's number differs by an exclusive or, which pairs threads of a group whose size is a
// power of two. The second barrier keeps later stores from overtaking the reads.
func (g *generator) exchange() {
	other := uint32(1 + g.r.IntN(g.memory.group-1))
	c := class(g.r.IntN(int(double)))
	if g.memory.local == byThread {
		g.addLine("lds_write_vec_lOffset(%d) mem, %s", 4*int(c), g.pickRegister(c))
		g.addLine("fence_threads_lds")
		g.addLine("ixor r%d.x, vTidInGrpFlat.x, %s", address, g.number(other))
		g.addLine("mov r%d.y, %s", address, g.number(4*uint32(c)))
		g.addLine("lds_read_vec %s, r%d.xy", g.pickRegister(c), address)
		g.addLine("fence_threads_lds")
		return
	}
	word := g.number(4 * uint32(g.r.IntN(4)))
	g.addLine("iadd r%d.x, r%d.w, %s", address, threadReg, word)
	g.addLine("lds_store_id(1) r%d.x, %s", address, g.component(c))
	if c == integer && g.chance(40) {
		g.addLine("lds_%s_id(1) r%d.x, %s", g.atomic(), address, g.component(c))
	}
	g.addLine("%s", pickOne(g, "fence_threads_lds", "fence_threads_lds", "fence_threads_lds_memory"))
	g.addLine("ixor r%d.x, r%d.w, %s", address, threadReg, g.number(16*other))
	g.addLine("iadd r%d.x, r%d.x, %s", address, address, word)
	g.addLine("lds_load_id(1) %s.x, r%d.x", g.pickRegister(c), address)
	g.addLine("fence_threads_lds")
}
