package walk

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// A kernel whose invocations share local memory and meet at barriers is executed for all invocations of a group
// at once. Their number in the group is an unknown with a table of its values (words.Threads). Every address in
// local memory must be a function of that number alone. So each access of each invocation is known, and
// [Accesses.Unordered] enumerates the pairs that touch one word. Its rules are those of words.LoadLocal.
//
// The rules hold for programs without races: between two barriers, no invocation touches a word that another
// one stores to. They also admit races that hardware orders. The invocations of a wavefront execute each
// statement together. If one loads a word and another one of its wavefront stores to it later in the program,
// the load comes first. An example is a row that is divided by its first element:
//
//	if (y == p) a[y][x] = a[y][x] / a[p][p]
//
// If the store comes first, the phase is divided before the statement that loads, as by a barrier. All pairs
// across that division have to be in one wavefront.

// phase is the part of an execution between two barriers or divisions, with its accesses in program order.
type phase struct{ accesses []access }

// access is a load or store of a word of local memory.
type access struct {
	in, top *ir.Instr // the statement, and the one at the top level around it
	memory  ir.Reg
	isStore bool
	at, may []uint32 // byte address, and whether it may happen, for each invocation
}

// group is the local memory in a walk.
type group[T any] struct {
	begin   map[ir.Reg]T         // states at the beginning of the phase
	current map[ir.Reg]*ir.Value // states at the top level, if something has stored
	top     *ir.Instr            // the current statement at the top level
	fenced  map[uint64]uint32    // the barriers that left states of other memory, by ID
	late    map[uint64]T         // words loaded from memory that outlives the group since the last barrier, by ID
	phases  []phase
}

func newGroup[T any]() *group[T] {
	return &group[T]{begin: map[ir.Reg]T{}, current: map[ir.Reg]*ir.Value{}, fenced: map[uint64]uint32{},
		late: map[uint64]T{}}
}

// groupError is the reason why local memory cannot be executed for all invocations.
type groupError struct {
	pos asm.Pos
	why string
}

func (e *groupError) Error() string { return fmt.Sprintf("%d:%d: %s", e.pos.Line, e.pos.Col, e.why) }

// Groupable reports whether a kernel depends on the numbers of invocations in a way that can be executed for all
// invocations of a group: groups are rows, and no loop, discard or atomic operation exists. why names the reason
// if it depends on them but cannot.
func (p *Kernel) Groupable() (ok bool, why error) {
	shares := false // something depends on the number of the invocation
	p.Fn.Walk(func(in *ir.Instr) {
		fail := func(format string, args ...any) {
			if why == nil {
				why = &groupError{in.Pos, fmt.Sprintf(format, args...)}
			}
		}
		local := in.Op.Has(ir.Memory) && in.Op != ir.OpFence && in.Base.File == amdil.Local
		in.EachUse(func(l *ir.Lane) {
			_, _, isMember := p.Fn.Dialect.Launch().Member(l.V.Home)
			shares = shares || l.V.Kind == ir.Input && isMember
		})
		switch a := amdil.Access(in.Imm); {
		case in.Op == ir.OpLoop, in.Op == ir.OpDiscard, in.Op == ir.OpKill, in.Op == ir.OpMemAtomic:
			fail("%v cannot be executed for all invocations of a group", in.Op)
		case in.Op == ir.OpFence && !p.Waits(in):
			fail("a fence that is no barrier cannot be executed for all invocations of a group")
		case local && a != amdil.Access(il.OpLdsLoad) && a != amdil.Access(il.OpLdsStore),
			in.Op.Has(ir.Memory) && (in.Base.File == amdil.LocalPerThread || in.Base.File == amdil.Share):
			fail("only single words of local memory can be executed for all invocations of a group")
		}
	})
	for _, in := range p.Fn.Body.Code {
		for _, sub := range in.Sub {
			sub.Walk(func(in *ir.Instr) {
				if in.Op == ir.OpFence && why == nil {
					why = &groupError{in.Pos, "a barrier under a condition"}
				}
			})
		}
	}
	if t := p.Fn.Threads; t[0] == 0 || t[1] != 1 || t[2] != 1 {
		why = fmt.Errorf("groups that are not rows of a declared size")
	}
	if !shares {
		return false, nil
	}
	return why == nil, why
}

// ExecuteGroups makes the walks of both versions execute all invocations of a group. Groups have the same size.
func ExecuteGroups(sides ...*Kernel) {
	t := words.NewThreads(int(sides[0].Fn.Threads[0]))
	waits := false
	for _, p := range sides {
		p.threads = t
		p.Fn.Walk(func(in *ir.Instr) { waits = waits || in.Op == ir.OpFence })
	}
	for _, p := range sides {
		p.waits = waits
	}
}

// threadLeaf returns an input that follows from the number of the invocation in its group and from the number of
// the group.
func (p *Kernel) threadLeaf(file il.File, comp uint8) (group il.File, ok bool) {
	switch {
	case p.threads == nil || comp != 0:
	case file == il.GroupThreadFlat, file == il.GroupThreadID:
		return il.NoFile, true
	case file == il.AbsThreadFlat:
		return il.GroupFlat, true
	case file == il.AbsThreadID:
		return il.GroupID, true
	}
	return il.NoFile, false
}

// overtakes reports whether a store of another invocation may overtake a load that in executes.
func (p *Kernel) overtakes(in *ir.Instr) bool {
	return p.waits && isShared(in.Base) && !p.readOnly[in.Base]
}

// local executes an access to local memory.
func (w *walker[T]) local(in *ir.Instr) {
	state := w.value(in.Args[0])
	home := in.Args[0].Home
	if _, ok := w.group.begin[home]; !ok {
		w.group.begin[home] = state
	}
	address, ok := w.words.Function(w.laneValue(in.Src[0][0]))
	if !ok {
		w.err = &groupError{in.Pos, "the address in local memory does not follow from the number of the invocation"}
		return
	}
	may := w.words.May(w.gate)
	size := w.prog.(*Kernel).locals[in.Base.Index]
	word := func(lane int) []uint32 {
		at := slices.Clone(address)
		for t := range at {
			at[t] += 4 * uint32(lane)
			if bad := at[t]%4 != 0 || in.Op == ir.OpMemStore && at[t] >= size; bad && may[t] != 0 && w.err == nil {
				w.err = &groupError{in.Pos, fmt.Sprintf("invocation %d accesses local memory at %d of %d bytes", t, at[t], size)}
			}
		}
		w.group.record(access{in, w.group.top, home, in.Op == ir.OpMemStore, at, may})
		return at
	}
	if in.Op == ir.OpMemLoad {
		for i, v := range in.Out {
			if v != nil && w.live.value[v.ID] {
				w.setValue(v, w.words.LoadLocal(state, word(i)))
			}
		}
		return
	}
	in.Src[1].EachLane(func(i int, l *ir.Lane) {
		at, data := word(i), w.laneValue(*l)
		state = w.words.StoreLocal(state, at, data)
	})
	w.setValue(in.Results[0], state)
}

// last returns the current phase.
func (g *group[T]) last() *phase {
	if len(g.phases) == 0 {
		g.phases = append(g.phases, phase{})
	}
	return &g.phases[len(g.phases)-1]
}

// record records an access.
func (g *group[T]) record(a access) {
	p := g.last()
	p.accesses = append(p.accesses, a)
}

// localBarrier ends a phase. Local memories get the states of the next phase. The state of other memory depends
// on the stores to it alone. It stays if no invocation has stored since the last barrier.
func (w *walker[T]) localBarrier(in *ir.Instr) {
	for k, v := range in.Args {
		if !w.live.value[in.Results[k].ID] {
			continue
		}
		if v.Home.File == amdil.Local {
			w.setValue(in.Results[k], w.nextPhase(v.Home, w.value(v)))
		} else {
			w.setValue(in.Results[k], w.fenced(in, v))
		}
	}
	clear(w.group.late)
	w.group.phases = append(w.group.phases, phase{})
}

// loaded records word x that in has loaded from memory that outlives the group.
func (w *walker[T]) loaded(in *ir.Instr, x T) {
	if w.group != nil && w.prog.(*Kernel).overtakes(in) {
		w.group.late[w.dom.ID(x)] = x
	}
}

// beforeStore returns the state before the store in, whose memory has this state. If no invocation has stored since a
// barrier, stores of others may overtake the loads since then, but not those before it. The state therefore names these
// loads, if a version has barriers:
//
//	load r1.x, [t+1]        load r1.x, [t+1]
//	fence_threads           store [t], r1.x      differs: another wavefront may have stored to t+1
//	store [t], r1.x
func (w *walker[T]) beforeStore(in *ir.Instr, state T) T {
	if w.group == nil || !isShared(in.Base) {
		return state
	}
	if _, fenced := w.group.fenced[w.dom.ID(state)]; len(w.group.late) == 0 || !fenced && !w.isUnchanged(in.Args[0]) {
		return state
	}
	args := []T{state}
	for _, id := range slices.Sorted(maps.Keys(w.group.late)) {
		args = append(args, w.group.late[id])
	}
	return w.dom.Opaque(symbolic.TagMemory, uint64(ir.OpMemLoad)|2<<48, args)
}

// nextPhase returns the state of a local memory at the beginning of the next phase.
func (w *walker[T]) nextPhase(memory ir.Reg, state T) T {
	begin, ok := w.group.begin[memory]
	if !ok {
		begin = state
	}
	stores, writer := w.group.last().stores(memory, int(w.prog.(*Kernel).locals[memory.Index]))
	x := w.words.Barrier(state, begin, stores, writer)
	w.group.begin[memory] = x
	return x
}

// enter begins a statement at the top level. It divides the phase before a statement of divisions.
func (w *walker[T]) enter(in *ir.Instr) {
	w.group.top = in
	if !w.prog.(*Kernel).divisions[in] {
		return
	}
	for _, memory := range slices.SortedFunc(maps.Keys(w.group.current), func(a, b ir.Reg) int { return int(a.Index) - int(b.Index) }) {
		v := w.group.current[memory]
		w.setValue(v, w.nextPhase(memory, w.value(v)))
	}
	w.group.phases = append(w.group.phases, phase{})
}

// leaveStatement ends a statement at the top level.
func (w *walker[T]) leaveStatement(in *ir.Instr) {
	for _, v := range in.Results {
		if v.Home.File == amdil.Local && w.live.value[v.ID] {
			w.group.current[v.Home] = v
		}
	}
}

// fenced returns the state of memory that outlives a group behind a barrier.
func (w *walker[T]) fenced(in *ir.Instr, v *ir.Value) T {
	state := w.value(v)
	id := w.dom.ID(state)
	switch imm, ok := w.group.fenced[id]; {
	case w.isUnchanged(v):
		w.spared[id] = true
		return state
	case ok && imm == in.Imm:
		return state
	}
	w.args = append(w.args[:0], state)
	x := w.dom.Opaque(symbolic.TagMemory, uint64(ir.OpFence)|uint64(in.Imm)<<8|1<<48, w.args)
	w.group.fenced[w.dom.ID(x)] = in.Imm
	return x
}

// stores lists the stores of a phase to a memory of size bytes by address, and the invocation that stores to each
// word, plus one.
func (p *phase) stores(memory ir.Reg, size int) (list []words.Stores, writer []int32) {
	writer = make([]int32, (size+3)/4)
	for _, a := range p.accesses {
		if a.memory != memory || !a.isStore {
			continue
		}
		k := slices.IndexFunc(list, func(s words.Stores) bool { return slices.Equal(s.At, a.at) })
		if k < 0 {
			k, list = len(list), append(list, words.Stores{At: a.at, May: make([]uint32, len(a.at))})
		}
		for t, may := range a.may {
			if may != 0 {
				list[k].May[t] = 1
				writer[a.at[t]/4] = int32(t + 1)
			}
		}
	}
	return list, writer
}

// Accesses are the accesses of a group to local memory, by phase.
type Accesses struct {
	phases []phase
	locals map[uint16]uint32
}

// GroupAccesses executes a kernel for all invocations of a group, as terms. It finds the statements before which
// phases are divided, and a race if that is not possible.
func GroupAccesses(p *Kernel) (*Accesses, error) {
	ExecuteGroups(p)
	p.divisions = map[*ir.Instr]bool{}
	defer func() { p.threads = nil }()
	dom := words.New(symbolic.Domain[symbolic.Term](symbolic.NewTerms()))
	v, err := launch(dom, Observe(Side{Kernel: p}), Options{Unroll: true}, NewBeliefs[symbolic.Term]())
	if err != nil {
		return nil, err
	}
	a := &Accesses{v.phases, p.locals}
	for _, ph := range a.phases {
		if race := ph.divide(p.divisions); race != nil {
			return nil, race
		}
	}
	return a, nil
}

// A Race is a pair of accesses to one word of local memory by different invocations between two barriers.
type Race struct {
	First, Second asm.Pos
	why           string
}

func (r *Race) Error() string {
	return fmt.Sprintf("invocations of a group race%s: the accesses at %d:%d and %d:%d", r.why, r.First.Line, r.First.Col,
		r.Second.Line, r.Second.Col)
}

// Because returns r with a condition under which invocations race.
func (r *Race) Because(why string) *Race {
	return &Race{r.First, r.Second, " " + why}
}

// place is a word of a local memory.
type place struct {
	memory ir.Reg
	word   uint32
}

// each calls f for every word that an access may touch, with the invocation.
func (a *access) each(f func(at place, t int)) {
	for t, may := range a.may {
		if may != 0 {
			f(place{a.memory, a.at[t] / 4}, t)
		}
	}
}

// divide adds the statements before which a phase has to be divided: those with an access to a word that another
// invocation has stored to since the last division.
func (p *phase) divide(divisions map[*ir.Instr]bool) (race *Race) {
	type user struct {
		t  int
		by *access
	}
	stored := map[place]user{}
	begin := 0 // the first access of the current statement at the top level
	for i := 0; i < len(p.accesses); i++ {
		x := &p.accesses[i]
		if x.top != p.accesses[begin].top {
			begin = i
		}
		conflict := false
		x.each(func(at place, t int) {
			u, ok := stored[at]
			switch {
			case ok && u.t != t:
				conflict = true
				if u.by.top == x.top {
					race = &Race{First: u.by.in.Pos, Second: x.in.Pos}
				}
			case x.isStore:
				stored[at] = user{t, x}
			}
		})
		if race != nil {
			return race
		}
		if conflict {
			divisions[x.top] = true
			clear(stored)
			i = begin - 1
		}
	}
	return nil
}

// Unordered returns two accesses to a word between two barriers, one of which stores, if wavefronts of wave
// invocations that execute statements together do not order them. The function at returns the invocation that does
// the work of invocation t, one after the other, and the place of t among them. Accesses have to keep their order.
func (a *Accesses) Unordered(wave int, at func(t int) (thread, copy int)) (race *Race) {
	type user struct{ t, access int }
	for _, p := range a.phases {
		users, stores := map[place][]user{}, map[place][]user{}
		for i := range p.accesses {
			x := &p.accesses[i]
			x.each(func(w place, t int) {
				users[w] = append(users[w], user{t, i})
				if x.isStore {
					stores[w] = append(stores[w], user{t, i})
				}
			})
		}
		for i := range p.accesses {
			x := &p.accesses[i]
			x.each(func(w place, t int) {
				if race != nil {
					return
				}
				others := stores[w]
				if x.isStore {
					others = users[w]
				}
				for _, u := range others { // in program order
					if u.access >= i {
						break
					}
					if u.t == t {
						continue
					}
					first, copy := at(u.t)
					second, later := at(t)
					if t/wave != u.t/wave || first/wave != second/wave || copy > later {
						race = &Race{First: p.accesses[u.access].in.Pos, Second: x.in.Pos}
					}
				}
			})
		}
		if race != nil {
			return race
		}
	}
	return nil
}
