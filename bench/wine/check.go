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

// Subject is a draw to check: a pair, and the optimized pair if there is one.
type Subject struct {
	Name    string
	Before  Programs
	After   *Programs      // nil if the pair is not optimized
	Uploads []draws.Upload // constants that the host of After also sets
	Case    *interp.Case
	// Bounds, if not nil, bounds the difference between Before and After over [BoxOf] of the case.
	Bounds *rounding.Bounds
}

// Outcome is the result of the check of a subject.
type Outcome struct {
	// Err is the reason why nothing was compared: Wine refused a program, or the interpreter cannot draw the
	// pair.
	Err error
	// Picture describes the interpreter's picture of Before.
	Picture draws.Picture
	// Before and After compare the interpreter's pictures with Wine's. Change compares Wine's pictures of
	// Before and After. After and Change are nil if the subject has no After.
	Before        Agreement
	After, Change *Agreement
	// Margin compares the difference of Wine's two pictures with the bounds of the subject. Visible counts
	// their components that differ by more than 1/1000 of the value or of 1.
	Margin  Margin
	Visible int
}

// Wrong returns the number of components that disagree in any comparison or exceed their bound.
func (o *Outcome) Wrong() int {
	n := o.Before.Wrong + o.Margin.Beyond
	for _, a := range []*Agreement{o.After, o.Change} {
		if a != nil {
			n += a.Wrong
		}
	}
	return n
}

// Counts reports whether the outcome is evidence: the picture is meaningful, and more than half of its
// components agree closely. Otherwise the picture consists mainly of values that are sensitive to rounding.
func (o *Outcome) Counts() bool {
	return o.Err == nil && o.Picture.Meaningful() && 2*o.Before.Close > o.Before.Compared
}

// Check draws the subjects through Wine, compares them with the interpreter, and returns an outcome for each.
// An error concerns all subjects.
func (r *Runner) Check(subjects []Subject) ([]Outcome, error) { return r.CheckOn(r, subjects) }

// CheckOn is like Check, but the other runner draws the After programs. Its device may lack the models of
// Before, like an old graphics card.
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
		// Job 0 draws Before and job 1 After. Each goes to the queue of its device.
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

// drawing is the state of a subject during CheckOn. Element 0 of expected and jobs belongs to Before, 1 to
// After, if any.
type drawing struct {
	expected []*expectation
	bounds   *rounding.Bounds
	jobs     []Job
	at       [2]int // indices of jobs in the queues of their devices
}

// prepare executes the subject's pairs in the interpreter and creates their jobs.
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

// centres is the offset of the interpreter's cases for Direct3D 9, which has pixel centres at whole numbers.
// Without an offset, the interpreter has them at halves.
var centres = [2]float32{0.5, 0.5}

// compare sets the comparisons of an outcome: the interpreter with Wine for each version, and Wine with itself.
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
	// The rounding of either version may explain a difference between them.
	c, err := before.compare(results[0].Pixels, results[1].Pixels, after)
	o.After, o.Change = &a, &c
	o.Visible = before.visible(results[0].Pixels, results[1].Pixels)
	if d.bounds != nil {
		o.Margin = before.within(results[0].Pixels, results[1].Pixels, d.bounds)
	}
	return err
}
