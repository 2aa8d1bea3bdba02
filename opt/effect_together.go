package opt

import (
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/hostconst"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// together optimizes a group as a whole. An instruction that moves out of a pixel program moves
// into every vertex program that it is drawn with, and an output of a vertex program that none of
// its pixel programs reads is removed. The starting point is what each program gets alone; versions
// replace those if some drawn pair costs less and none costs more.
//
// The search is a sequence of attempts. Each runs the pipeline over all members; where a pair gets
// dearer or cannot be verified, the member to blame is taken out of the set that may move, and the
// next attempt starts from the beginning.
type together struct {
	o        job
	class    passes.Class
	numbered bool // constants are set by number, and no names tell what they are
	members  []*member
	draws    []*drawnPair
}

// member is a program of a group. The pair in it has this one program only: it emits and prices it.
type member struct {
	part int // of the effect
	in   Input
	z    *optimizer
	// pair emits and prices this program alone.
	pair  *pair
	table *d3d9.ConstantTable
	draws []*drawnPair
	// alone is the result of optimizing the program by itself, which it keeps unless it is changed
	// together with its partners.
	alone encoded
	// reads is alone, lifted, if this is a pixel program; nil for a vertex program. It tells
	// partners which inputs are read.
	reads *ir.Func

	// ready is what it is before something moves, and the rest what an attempt makes of that.
	ready, unit *passes.Unit
	// before counts the rewrites that made ready; those behind belong to the attempt.
	before int
	// changedTogether says that the program has been changed together with its partners, so that it must not
	// be used without them.
	changedTogether bool
	now             encoded
	// gains maps parameters of pixel programs to the registers of this vertex program that are to
	// hold them.
	gains map[parameter]uint16
	names []string // of parameters that its table gains
}

// encoded is a program as it is written.
type encoded struct {
	program *d3d9.Program
	data    []byte
}

// drawnPair is members that are drawn together.
type drawnPair struct {
	vertex, pixel *member
	alone         passes.Cost // with both optimized alone
	judged        *Result     // of what they are now, if that has been verified
}

// pairCost is what a pair costs now.
func (d *drawnPair) pairCost() passes.Cost {
	return costOf([]*d3d9.Program{d.vertex.now.program, d.pixel.now.program})
}

// maxAttempts bounds the versions that are made of a group. Each attempt costs a run of the
// pipeline for every member. In the first half mostly one culprit is taken out at a time, in the
// second half all that are known.
const maxAttempts = 16

// optimizeGroup optimizes a group whose parts have been optimized alone, and replaces their results
// where all drawn pairs together are better. It returns the judgements on the drawn pairs; nil
// stands for those whose programs are judged one by one. Only slots are compared: a time on a GPU
// is that of one draw, and nothing tells how often each pair is drawn.
func (o job) optimizeGroup(e *effect, g *group, results []*Result) (pairs []*Judgement, err error) {
	pairs = make([]*Judgement, len(g.draws))
	if gpus, err := o.drawTargets(); err != nil || len(gpus) > 0 || o.Fit != "" || o.Fuel != nil || o.Keep {
		return pairs, nil // what decides is not the slots of pairs
	}
	defer budget.Catch(&err)
	o.HostConstants = Separate
	t := &together{o: o, numbered: e.numbered}
	defer t.o.begin()()
	defer t.close(results)
	if ok, err := t.prepare(e, g, results); !ok || err != nil {
		return pairs, err
	}
	// may are the members that may change: pixel programs that may move work, vertex programs that
	// may lose outputs.
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
			// drop has three outcomes: an error or nil, nothing better exists; empty, done;
			// otherwise take these members out and try again.
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

// prepare reads and lifts the members and runs the stages in front of the first one that concerns
// both programs, once for all attempts. It is not ok if some member failed, exceeds its model or
// cannot be lifted: then nothing is known of the interface.
func (t *together) prepare(e *effect, g *group, results []*Result) (ok bool, err error) {
	if t.class, err = t.o.class(); err != nil {
		return false, err
	}
	at := map[int]*member{}
	for _, i := range g.members() {
		r := results[i]
		if r.Status == Failed || len(r.Files) != 1 {
			return false, nil
		}
		m := &member{part: i, in: e.parts[i].in}
		m.z = &optimizer{in: m.in, o: t.o, res: newResult(m.in), kept: t.o.spelled()}
		if err := m.z.prepare(); err != nil {
			return false, err
		}
		m.pair = m.z.subject.(*pair)
		// Prices validate from the start: nothing here answers errUnchecked with a second run.
		if m.pair.strict = true; m.pair.lifted[0] == nil || m.pair.exceeded() != nil {
			return false, nil
		}
		program, err := readProgram(r.Files[0])
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
			m.table, _ = hostconst.TableOf(m.pair.input[0])
		}
		m.ready = m.pair.freshUnit()
		if err := t.stages(m, m.ready, 0, t.first()); err != nil {
			return false, err
		}
		m.before = len(m.z.made)
		at[i] = m
		t.members = append(t.members, m)
	}
	for _, d := range g.draws {
		p := &drawnPair{vertex: at[d[0]], pixel: at[d[1]]}
		p.alone = costOf([]*d3d9.Program{p.vertex.alone.program, p.pixel.alone.program})
		t.draws = append(t.draws, p)
		p.vertex.draws, p.pixel.draws = append(p.vertex.draws, p), append(p.pixel.draws, p)
	}
	return true, nil
}

// close ends the writing of versions, and reports the faults that were met.
func (t *together) close(results []*Result) {
	for _, m := range t.members {
		m.pair.close()
		results[m.part].Faults = append(results[m.part].Faults, m.z.res.Faults...)
	}
}

// attempt makes versions of all members, with only those in may changing. It returns the members
// that keep the versions from being used: empty if nothing does, nil if the versions are no better.
// In haste all culprits are returned, otherwise the first.
func (t *together) attempt(may map[*member]bool, haste bool) (drop []*member, err error) {
	if err := t.runMembers(may); err != nil {
		return nil, err
	}
	for _, m := range t.members {
		if err := t.write(m); err != nil {
			return t.blamed(m), nil
		}
	}
	// No drawn pair may cost more than before, and one has to cost less.
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
	// Every pair with a changed program is verified.
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

// blamed returns the members whose motions may have broken m: m itself if it is a pixel program,
// else the pixel programs that moved work into it.
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

// least returns the member to take out when a pair costs more. If its pixel program did not gain,
// that one; otherwise the pixel program, among all that moved work into the vertex program, whose
// draws gain fewest pixel slots.
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

// verified verifies a pair, with the uploads that the tables of its vertex program stand for, and
// reports whether it may be used. A refutation is an internal fault, reported with its inputs.
func (t *together) verified(d *drawnPair) bool {
	o := t.o
	if o.TimeLimit > 0 {
		o.TimeLimit = max(o.TimeLimit/time.Duration(len(t.draws)), 1)
	}
	before := Input{Name: d.vertex.in.Name + "," + d.pixel.in.Name,
		Files: slices.Concat(d.vertex.in.Files, d.pixel.in.Files)}
	after := before
	after.Files = []File{{before.Files[0].Name, d.vertex.now.data}, {before.Files[1].Name, d.pixel.now.data}}
	var err error
	if t.numbered {
		d.judged, err = o.verify(before, after)
	} else {
		var others []Input
		for _, other := range d.vertex.draws {
			others = append(others, other.pixel.in)
		}
		d.judged, err = o.verifyPart(before, after, others...)
	}
	if err != nil && d.judged.Verdict() == verify.Refuted {
		d.pixel.z.recordFault(&Fault{Task: TaskVerify, Input: before, After: &after, Options: o.Options, Err: err})
	}
	return err == nil
}

// report writes the group's versions into the results of its parts. The verdict of a member is the
// least over all its draws.
func (t *together) report(results []*Result) {
	for _, m := range t.members {
		if !m.changedTogether {
			continue
		}
		r := results[m.part]
		r.Files = []File{{m.in.Files[0].Name, m.now.data}}
		r.Stages, r.Remarks = slices.Clone(r.Stages), slices.Clone(r.Remarks) // equal programs share them
		r.Remarks = slices.DeleteFunc(r.Remarks, func(m Remark) bool { return m.Kind == Passed })
		r.Remarks = append(r.Remarks, m.z.passed()...)
		r.after([]*d3d9.Program{m.now.program})
		r.Status = Changed
		if costOf([]*d3d9.Program{m.now.program}).Less(m.pair.cost) {
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
