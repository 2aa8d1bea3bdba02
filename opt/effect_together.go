package opt

import (
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// together optimizes a group as a whole. It moves an instruction out of a pixel program into every vertex
// program that the pixel program is drawn with. It removes an output of a vertex program that none of its pixel
// programs reads. It starts from the programs optimized alone, and replaces them if some drawn pair costs less
// and none costs more.
//
// The search is a sequence of attempts, each of which runs the pipeline over all members. If a pair costs more
// or cannot be verified, the responsible member may no longer change, and the next attempt starts from the
// beginning.
type together struct {
	o        job
	class    passes.Class
	numbered bool // constants are set by number, so no names identify them
	members  []*member
	draws    []*drawnPair
}

// member is a program of a group.
type member struct {
	part int // its number among the parts of the effect
	in   Input
	z    *optimizer
	// pair emits and prices this program alone.
	pair  *pairSubject
	table *d3d9.ConstantTable
	draws []*drawnPair
	// alone is the result of optimizing the program by itself. The program keeps it unless the program is
	// changed together with its partners.
	alone encoded
	// reads is alone, lifted, for a pixel program, and nil for a vertex program. Partners find there which
	// inputs are read.
	reads *ir.Func

	// ready is the unit before any motion, and unit is its version in the current attempt.
	ready, unit *passes.Unit
	// before is the number of rewrites that led to ready. Later ones belong to the attempt.
	before int
	// changedTogether means that the program was changed together with its partners, and must not be used
	// without them.
	changedTogether bool
	now             encoded
	// gains maps parameters of pixel programs to the registers of this vertex program that will hold them.
	gains map[parameter]uint16
	names []string // of the parameters that the constant table gains
}

// encoded is a program in its output form.
type encoded struct {
	program *d3d9.Program
	data    []byte
}

// drawnPair is two members that are drawn together.
type drawnPair struct {
	vertex, pixel *member
	alone         passes.Cost // cost of both programs optimized alone
	judged        *Result     // verification of the current programs, nil if there is none
}

// pairCost returns the current cost of the pair.
func (d *drawnPair) pairCost() passes.Cost {
	return pair.SlotCost([]*d3d9.Program{d.vertex.now.program, d.pixel.now.program})
}

// maxAttempts bounds the attempts for a group. Each costs a run of the pipeline for every member. In the first
// half of the attempts, usually one responsible member is excluded at a time, in the second half all known
// ones.
const maxAttempts = 16

// optimizeGroup optimizes a group whose parts were optimized alone, and replaces their results if the drawn
// pairs together are better. It returns the judgements on the drawn pairs, nil for pairs whose programs are
// judged one by one. It compares only slots: a time on a GPU is that of one draw, and it is not known how often
// each pair is drawn.
func (o job) optimizeGroup(e *effect.Effect, g *effect.Group, results []*Result) (pairs []*Judgement, err error) {
	pairs = make([]*Judgement, len(g.Draws))
	if gpus, err := o.Target.GPUs(); err != nil || len(gpus) > 0 || o.Fit != "" || o.Limits.Fuel != nil || o.Keep {
		return pairs, nil // slots of pairs do not decide
	}
	defer budget.Catch(&err)
	o.Host.PixelConstants = input.Separate
	t := &together{o: o, numbered: e.Numbered}
	defer t.o.begin()()
	defer t.close(results)
	if ok, err := t.prepare(e, g, results); !ok || err != nil {
		return pairs, err
	}
	// may has the members that may change: pixel programs that may move work, and vertex programs that may lose
	// outputs.
	may := map[*member]bool{}
	for _, m := range t.members {
		may[m] = true
	}
	for n := 0; n < maxAttempts && len(may) > 0 && !t.o.spend.isExhausted(); n++ {
		drop, err := t.attempt(may, n >= maxAttempts/2)
		if err != nil || drop == nil {
			return pairs, err
		}
		if len(drop) == 0 {
			// attempt has three outcomes: an error or nil means that nothing better exists, an empty list means
			// success, and other members are excluded before the next attempt.
			t.report(results)
			for i, d := range t.draws {
				if d.judged != nil {
					pairs[i] = d.judged.Judgement
				}
			}
			return pairs, nil
		}
		for _, m := range drop {
			delete(may, m)
		}
	}
	return pairs, nil
}

// prepare reads and lifts the members, and runs the stages before the first shared one, once for all attempts.
// ok is false if a member failed, exceeds its model or cannot be lifted, because the interface is then unknown.
func (t *together) prepare(e *effect.Effect, g *effect.Group, results []*Result) (ok bool, err error) {
	t.class = t.o.Numerics
	at := map[int]*member{}
	for _, i := range g.Members() {
		r := results[i]
		if r.Status == Failed || len(r.Files) != 1 {
			return false, nil
		}
		m := &member{part: i, in: e.Parts[i].In}
		m.z = &optimizer{in: m.in, o: t.o, mode: mode{compact: true}, res: newResult(m.in), kept: t.o.spelled()}
		if err := m.z.prepare(); err != nil {
			return false, err
		}
		m.pair = m.z.subject.(*pairSubject)
		// Prices validate from the start, because an errUnchecked causes no second run here.
		if m.pair.strict = true; m.pair.lifted[0] == nil || m.pair.exceeded() != nil {
			return false, nil
		}
		program, err := input.ReadProgram(r.Files[0])
		if err != nil {
			return false, err
		}
		m.alone = encoded{program, r.Files[0].Data}
		if program.Model.Stage == d3d9.Pixel {
			if m.reads, err = vsps.Lift(program); err != nil {
				return false, err
			}
		}
		if !t.numbered {
			m.table, _ = effect.TableOf(m.pair.input[0])
		}
		m.ready = m.pair.freshUnit()
		if err := t.stages(m, m.ready, 0, t.first()); err != nil {
			return false, err
		}
		m.before = len(m.z.made)
		at[i] = m
		t.members = append(t.members, m)
	}
	for _, d := range g.Draws {
		p := &drawnPair{vertex: at[d[0]], pixel: at[d[1]]}
		p.alone = pair.SlotCost([]*d3d9.Program{p.vertex.alone.program, p.pixel.alone.program})
		t.draws = append(t.draws, p)
		p.vertex.draws, p.pixel.draws = append(p.vertex.draws, p), append(p.pixel.draws, p)
	}
	return true, nil
}

// close closes the members' emitters and adds the recorded faults to the results.
func (t *together) close(results []*Result) {
	for _, m := range t.members {
		m.pair.close()
		results[m.part].Faults = append(results[m.part].Faults, m.z.res.Faults...)
	}
}

// attempt makes versions of all members, of which only those in may change. It returns the members that prevent
// the use of the versions: an empty list if there are none, or nil if the versions are no better. With haste it
// returns all of them, otherwise the first.
func (t *together) attempt(may map[*member]bool, haste bool) (drop []*member, err error) {
	if err := t.runMembers(may); err != nil {
		return nil, err
	}
	for _, m := range t.members {
		if err := t.write(m); err != nil {
			return t.blamed(m), nil
		}
	}
	// No drawn pair may cost more than before, and one must cost less.
	better := false
	for _, d := range t.draws {
		now := d.pairCost()
		if d.alone.Less(now) {
			if drop = append(drop, t.least(d)...); !haste {
				break
			}
		}
		better = better || now.Less(d.alone)
	}
	if drop != nil || !better {
		return drop, nil
	}
	// Verify every pair with a changed program.
	for _, d := range t.draws {
		if d.judged = nil; !d.vertex.changedTogether && !d.pixel.changedTogether {
			continue
		}
		if !t.verified(d) {
			if d.pixel.changedTogether {
				return []*member{d.pixel}, nil
			}
			return t.blamed(d.vertex), nil
		}
	}
	return []*member{}, nil
}

// blamed returns the members whose motions may have broken m. For a pixel program this is m, otherwise the
// pixel programs that moved work into m.
func (t *together) blamed(m *member) (list []*member) {
	if m.reads != nil {
		return []*member{m}
	}
	for _, d := range m.draws {
		if d.pixel.changedTogether {
			list = append(list, d.pixel)
		}
	}
	if list == nil {
		list = append(list, m)
	}
	return list
}

// least returns the member to exclude when a pair costs more: its pixel program if that did not gain, otherwise
// the pixel program with the smallest gain in pixel slots over its draws, among those that moved work into the
// vertex program.
func (t *together) least(worse *drawnPair) []*member {
	if worse.pixel.changedTogether && worse.alone[0] <= worse.pairCost()[0] {
		return []*member{worse.pixel}
	}
	gain := func(m *member) (slots int) {
		for _, d := range m.draws {
			slots += d.alone[0] - d.pairCost()[0]
		}
		return slots
	}
	return []*member{slices.MinFunc(t.blamed(worse.vertex), func(a, b *member) int { return gain(a) - gain(b) })}
}

// verified verifies a pair, with the uploads that the constant table of its vertex program implies, and reports
// whether the pair may be used. A refutation is an internal fault, which is reported with its inputs.
func (t *together) verified(d *drawnPair) bool {
	o := t.o
	if o.Limits.Time > 0 {
		o.Limits.Time = max(o.Limits.Time/time.Duration(len(t.draws)), 1)
	}
	before := Input{Name: d.vertex.in.Name + "," + d.pixel.in.Name,
		Files: slices.Concat(d.vertex.in.Files, d.pixel.in.Files)}
	after := before
	after.Files = []File{{Name: before.Files[0].Name, Data: d.vertex.now.data},
		{Name: before.Files[1].Name, Data: d.pixel.now.data}}
	var err error
	if t.numbered {
		d.judged, err = o.verify(before, after, framework{}, fullEffort)
	} else {
		var others []Input
		for _, other := range d.vertex.draws {
			others = append(others, other.pixel.in)
		}
		d.judged, err = o.verifyPart(before, after, fullEffort, others...)
	}
	if err != nil && d.judged.Verdict() == verify.Refuted {
		d.pixel.z.recordFault(&Fault{Task: TaskVerify, Input: before, After: &after, Options: o.Options, Err: err})
	}
	return err == nil
}

// report writes the group's versions into the results of its parts. The verdict of a member is the weakest of
// its draws.
func (t *together) report(results []*Result) {
	for _, m := range t.members {
		if !m.changedTogether {
			continue
		}
		r := results[m.part]
		r.Files = []File{{Name: m.in.Files[0].Name, Data: m.now.data}}
		r.Stages, r.Remarks = slices.Clone(r.Stages), slices.Clone(r.Remarks) // equal programs share them
		r.Remarks = slices.DeleteFunc(r.Remarks, func(m Remark) bool { return m.Kind == Passed })
		r.Remarks = append(r.Remarks, m.z.passed()...)
		r.after([]*d3d9.Program{m.now.program})
		r.Status = Changed
		if pair.SlotCost([]*d3d9.Program{m.now.program}).Less(m.pair.cost) {
			r.Status = Improved
		}
		var all []*Judgement
		for _, d := range m.draws {
			all = append(all, d.judged.Judgement)
		}
		r.Judgement = leastOf(all)
		if len(m.names) > 0 {
			r.remark(asm.Pos{}, "constants-by-name", gains(m.names))
		}
	}
}
