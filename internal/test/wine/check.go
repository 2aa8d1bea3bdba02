package wine

import (
	"errors"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Programs is a pair of programs.
type Programs struct{ Vertex, Pixel *d3d9.Program }

// Subject is a draw to check: a pair, and where it was optimised the pair it became.
type Subject struct {
	Name    string
	Before  Programs
	After   *Programs      // nil: there is none
	Uploads []draws.Upload // what the host of After sets besides
	Case    *interp.Case
	// Bounds, if not nil, are those of the difference of After from Before over [BoxOf] the
	// case.
	Bounds *rounding.Bounds
}

// Outcome is what Wine has to say about a subject.
type Outcome struct {
	// Err tells why there is nothing to compare: a program was refused, or the
	// interpreter cannot draw the pair.
	Err error
	// Picture is what the interpreter shows for Before.
	Picture draws.Picture
	// Before and After compare the interpreter with Wine, Change Wine's picture of
	// After with its picture of Before. The last two are nil without After.
	Before        Agreement
	After, Change *Agreement
	// Margin is how the same two pictures keep to the bounds of the subject, and Visible
	// counts their components that are apart by more than a thousandth, of the value or of 1.
	Margin  Margin
	Visible int
}

// Wrong is the number of components that disagree in any of the comparisons, or are beyond
// their bound.
func (o *Outcome) Wrong() int {
	n := o.Before.Wrong + o.Margin.Beyond
	for _, a := range []*Agreement{o.After, o.Change} {
		if a != nil {
			n += a.Wrong
		}
	}
	return n
}

// Counts reports whether the outcome says something: the picture is meaningful, and more than half of
// it agrees closely, so that it does not consist of values that a rounding upsets.
func (o *Outcome) Counts() bool {
	return o.Err == nil && o.Picture.Meaningful() && 2*o.Before.Close > o.Before.Compared
}

// Check draws the subjects through Wine and compares with the interpreter, an
// outcome for each. The error is for what concerns all of them.
func (r *Runner) Check(subjects []Subject) ([]Outcome, error) { return r.CheckOn(r, subjects) }

// CheckOn is Check with the After programs drawn by another runner: one whose device lacks the models
// of Before, as that of an old graphics card does.
func (r *Runner) CheckOn(device *Runner, subjects []Subject) ([]Outcome, error) {
	outcomes := make([]Outcome, len(subjects))
	drawings := make([]drawing, len(subjects))
	devices := [...]*Runner{r, device}
	var jobs [len(devices)][]Job
	for i := range subjects {
		d := &drawings[i]
		if err := d.prepare(&subjects[i]); err != nil {
			outcomes[i].Err = err
			continue
		}
		// Job 0 is Before, and 1 After; each has its device's queue.
		for k, job := range d.jobs {
			d.at[k] = len(jobs[k])
			jobs[k] = append(jobs[k], job)
		}
		outcomes[i].Picture = draws.Judge(d.expected[0].image)
	}
	var results [len(devices)][]Result
	for k, list := range jobs {
		var err error
		if results[k], err = devices[k].DrawJobs(list); err != nil {
			return nil, err
		}
	}
	for i := range drawings {
		d := &drawings[i]
		var own []Result
		for k := range d.jobs {
			if outcomes[i].Err == nil {
				own = append(own, results[k][d.at[k]])
			}
		}
		if outcomes[i].Err == nil {
			outcomes[i].Err = d.compare(own, &outcomes[i])
		}
	}
	return outcomes, nil
}

// drawing is a subject on its way: element 0 of expected and jobs is the pair before, 1 that after, if any.
type drawing struct {
	expected []*expectation
	bounds   *rounding.Bounds
	jobs     []Job
	at       [2]int // indices of jobs among those of their devices
}

// prepare executes the subject's pairs in the interpreter, and makes the jobs of it.
func (d *drawing) prepare(s *Subject) error {
	d.bounds = s.Bounds
	if err := d.addPair(s.Before, s.Case); err != nil || s.After == nil {
		return err
	}
	return d.addPair(*s.After, draws.WithUploads(s.Case, s.Uploads))
}

// addPair prepares one pair.
func (d *drawing) addPair(p Programs, c *interp.Case) error {
	placed := *c
	placed.Offset = centres
	e, err := expect(p, &placed)
	if err != nil {
		return err
	}
	job := Job{Case: placed.Format(), Targets: e.targets()}
	if job.Vertex, err = d3d9.Encode(p.Vertex); err != nil {
		return err
	}
	if job.Pixel, err = d3d9.Encode(p.Pixel); err != nil {
		return err
	}
	d.expected = append(d.expected, e)
	d.jobs = append(d.jobs, job)
	return nil
}

// centres is the offset of the interpreter's cases that Direct3D 9 implies: it has pixel centres at whole
// numbers, the interpreter without offset at halves.
var centres = [2]float32{0.5, 0.5}

// compare makes the comparisons of an outcome: interpreter and Wine for each version, and Wine with itself.
func (d *drawing) compare(results []Result, o *Outcome) error {
	for i, result := range results {
		if result.Err != nil {
			return result.Err
		}
		if len(result.Pixels) != len(d.expected[i].pixels) {
			return errors.New("wine: the picture has an unexpected size")
		}
	}
	var err error
	before := d.expected[0]
	if o.Before, err = before.compare(before.pixels, results[0].Pixels); err != nil || len(results) == 1 {
		return err
	}
	after := d.expected[1]
	a, err := after.compare(after.pixels, results[1].Pixels)
	if err != nil {
		return err
	}
	// What roundings explain in either version explains a difference between them.
	c, err := before.compare(results[0].Pixels, results[1].Pixels, after)
	o.After, o.Change = &a, &c
	o.Visible = before.visible(results[0].Pixels, results[1].Pixels)
	if d.bounds != nil {
		o.Margin = before.within(results[0].Pixels, results[1].Pixels, d.bounds)
	}
	return err
}
