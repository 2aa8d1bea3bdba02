package shaderlift

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// attempt runs the pipeline under class. It reports whether the result is better,
// and filled in; verified is false of a better one that verification cannot judge.
func (z *optimizer) attempt(class passes.Class) (better, verified bool, err error) {
	u := z.unit()
	if u == nil {
		return false, true, nil
	}
	report, err := passes.Run(u, z.pipeline, passes.Config{
		Numerics: class, HostMirrored: z.o.HostMirrored, Measure: z.measure, Unfit: z.tooLarge != nil, Fuel: z.o.Fuel, Deadline: z.deadline})
	var fault *passes.Fault
	if err != nil && !errors.As(err, &fault) {
		z.res.remark("", asm.Pos{}, "cannot-write", "the input is left as it is: "+err.Error())
		return false, true, nil
	}
	z.note(report)
	if report.Steps == 0 && z.tooLarge == nil || report.After == passes.Unfit {
		return false, true, nil
	}
	programs, err := z.emit(u)
	if err != nil {
		return false, true, z.fault(err)
	}
	if z.tooLarge == nil && !costOf(programs).Less(z.cost) { // what does not fit gains by fitting
		return false, true, nil
	}
	c, err := z.choose(class, programs, u.Uploads)
	if err != nil {
		return false, true, err
	}
	z.res.judged(c.report)
	switch {
	case c.report.Verdict == verify.Refuted:
		z.fault(fmt.Errorf("the result is refuted: %s", c.report.Why))
		return false, true, fmt.Errorf("%w: %s", ErrRefused, c.report.Why)
	case !c.report.Verdict.OK():
		return false, false, nil
	}
	z.res.Status, z.res.Files = Improved, c.files
	z.res.after(c.programs)
	z.res.uploads(u.Uploads)
	return true, true, nil
}

// culprit is the first stage of the pipeline after which the result can no longer be
// verified, -1 if there is none.
func (z *optimizer) culprit() int {
	steps := 0
	for k := range z.pipeline {
		u := z.unit()
		report, err := passes.Run(u, z.pipeline[:k+1], passes.Config{
			Numerics: z.class, HostMirrored: z.o.HostMirrored, Measure: z.measure, Unfit: z.tooLarge != nil, Fuel: z.o.Fuel, Deadline: z.deadline})
		if err != nil || report.Steps == steps || report.After == passes.Unfit {
			continue
		}
		steps = report.Steps
		programs, err := z.emit(u)
		if err != nil {
			continue
		}
		if c, err := z.candidate(z.class, programs, u.Uploads); err == nil && !c.report.Verdict.OK() {
			name := z.pipeline[k].Pass.Name
			z.res.remark(name, asm.Pos{}, "unverified", name+" is left out: "+c.report.Why)
			return k
		}
	}
	return -1
}

// candidate is a version of the programs as written, read back and verified.
type candidate struct {
	files    []File
	programs []*d3d9.Program
	report   verify.Report
}

// choose writes and verifies programs. A program of a pair that got no cheaper, or
// dearer to no one's gain, stays as it was, if the other one does with it as well.
func (z *optimizer) choose(class passes.Class, programs []*d3d9.Program, uploads []passes.Upload) (*candidate, error) {
	mixed := slices.Clone(programs)
	some := false
	for i, p := range programs {
		was := z.programs[i]
		keepComments(was, p)
		same := slices.EqualFunc(p.Insts, was.Insts, func(a, b d3d9.Inst) bool { return a.Same(&b) })
		if !same && !costOf(programs[i:i+1]).Less(costOf(z.programs[i:i+1])) {
			mixed[i], some = was, true
		}
	}
	if some && len(uploads) == 0 {
		if c, err := z.candidate(class, mixed, nil); err == nil && c.report.Verdict >= verify.ProvedReal {
			return c, nil
		}
	}
	return z.candidate(class, programs, uploads)
}

// candidate writes programs, reads back what was written and verifies that.
func (z *optimizer) candidate(class passes.Class, programs []*d3d9.Program, uploads []passes.Upload) (*candidate, error) {
	c := &candidate{}
	for i, p := range programs {
		name := z.in.Files[i].Name
		data, err := d3d9.Write(p)
		if err != nil {
			return nil, z.fault(err)
		}
		q, err := d3d9.Read(name, data)
		if err != nil {
			return nil, z.fault(fmt.Errorf("what was written cannot be read: %w", err))
		}
		if err := fits(q); err != nil {
			return nil, err
		}
		c.files, c.programs = append(c.files, File{name, data}), append(c.programs, q)
	}
	// Programs that are not understood are the same on both sides.
	var before, after []*d3d9.Program
	for i, f := range z.lifted {
		if f != nil {
			before, after = append(before, z.programs[i]), append(after, c.programs[i])
		}
	}
	o := z.o
	o.Uploads = uploads
	c.report = judge(before, after, class, o)
	return c, nil
}

// fault notes an error of this program.
func (z *optimizer) fault(err error) *Fault {
	f := &Fault{Input: z.in, Options: z.o, Err: err}
	z.res.Faults = append(z.res.Faults, f)
	return f
}

// note keeps what the pass manager said.
func (z *optimizer) note(r passes.Report) {
	for _, m := range r.Remarks {
		r := Remark{m.Pass, m.Pos.Line, m.Code, m.Msg}
		if !slices.Contains(z.res.Remarks, r) {
			z.res.Remarks = append(z.res.Remarks, r)
		}
	}
	for _, f := range r.Faults {
		z.res.Faults = append(z.res.Faults, faultOf(z.in, z.o, f))
	}
	if !z.deadline.IsZero() && time.Now().After(z.deadline) {
		z.res.remark("", asm.Pos{}, "time-limit", fmt.Sprintf("the time was up after %d rewrites; that much fuel gives the same result again", r.Steps))
	}
}

// emit writes u over the programs it came from.
func (z *optimizer) emit(u *passes.Unit) ([]*d3d9.Program, error) {
	out := slices.Clone(z.programs)
	for i, p := range z.programs {
		f := u.Pixel
		if p.Model.Stage == d3d9.Vertex {
			f = u.Vertex
		}
		if f == nil {
			continue
		}
		q, err := vsps.Emit(p, f, u.Varyings...)
		if err != nil {
			return nil, err
		}
		out[i] = q
	}
	return out, nil
}

// measure prices a unit as it would be written. What breaks the rules of its model
// has no price; limits that the input exceeds may still be exceeded on the way.
func (z *optimizer) measure(u *passes.Unit) (passes.Cost, error) {
	programs, err := z.emit(u)
	if err != nil {
		return passes.Cost{}, err
	}
	for i, p := range programs {
		wrong, large := validate(p)
		if len(wrong) > 0 {
			return passes.Cost{}, wrong
		}
		if z.tooLarge == nil && len(large) > 0 {
			return passes.Cost{}, large
		}
		was, slots := z.res.Stages[i].Before.Slots, d3d9.Measure(p).Slots
		if safe := p.Model.Limits().Slots; slots > safe && slots > was {
			return passes.Cost{}, fmt.Errorf("%d slots are more than every device of %s has (%d)", slots, p.Model, safe)
		}
	}
	return costOf(programs), nil
}
