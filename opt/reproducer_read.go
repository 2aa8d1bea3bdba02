package opt

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"golang.org/x/tools/txtar"
)

// IsReproducer reports whether data looks like the output of Fault.Reproducer.
func IsReproducer(data []byte) bool {
	return bytes.HasPrefix(data, []byte("shaderlift ")) && bytes.Contains(data, []byte("\n-- "+settingsEntry+" --\n"))
}

// ParseReproducer reads the output of Fault.Reproducer: the fault with its input and every option
// except the time limit and the caller's own passes. The error is a diagnostic in file. It opens no
// other files, whatever the data contains.
func ParseReproducer(file string, data []byte) (*Fault, error) {
	r := &reproducer{file: file, entries: map[string][]byte{}}
	for _, f := range txtar.Parse(data).Files {
		if _, twice := r.entries[f.Name]; twice {
			return nil, r.errorf("the entry %q occurs twice", f.Name)
		}
		r.entries[f.Name] = f.Data
	}
	f, err := r.fault()
	if err != nil {
		return nil, err
	}
	return f, nil
}

// reproducer is an archive that is being read. It is untrusted: names in it are never opened as files.
type reproducer struct {
	file    string
	entries map[string][]byte
	s       settings
}

func (r *reproducer) errorf(format string, args ...any) error {
	return asm.Errorf(asm.Pos{File: r.file, Line: 1, Col: 1}, "bad-reproducer", format, args...)
}

// fault builds the fault from settings and entries.
func (r *reproducer) fault() (*Fault, error) {
	text, ok := r.entries[settingsEntry]
	if !ok {
		return nil, r.errorf("the file is not a reproducer: it has no entry %s", settingsEntry)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r.s); err != nil {
		return nil, r.errorf("%s: %v", settingsEntry, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, r.errorf("%s: more than one value", settingsEntry)
	}
	f := &Fault{Task: r.s.Task, Input: Input{Name: r.s.Name}, Options: r.s.Options}
	o := &f.Options
	o.Limits, o.Host, o.Draw = r.s.Limits, r.s.HostOptions, r.s.DrawOptions
	o.Kernel, o.Report, o.Hooks = r.s.KernelOptions, r.s.ReportOptions, r.s.Hooks
	if r.s.Symptom != "" {
		f.Err = &recorded{r.s.Error, r.s.Symptom}
	}
	if err := r.programs(f); err != nil {
		return nil, err
	}
	if err := r.options(o); err != nil {
		return nil, err
	}
	return f, nil
}

// programs reads the files of both inputs.
func (r *reproducer) programs(f *Fault) error {
	for _, s := range r.s.Files {
		data, ok := r.entries[s.Entry]
		if !ok {
			return r.errorf("no entry %q", s.Entry)
		}
		data, err := s.Form.bytes(data)
		if err != nil {
			return r.errorf("%s: %v", s.Entry, err)
		}
		in := &f.Input
		if s.After {
			if f.After == nil {
				f.After = &Input{}
			}
			in = f.After
		}
		in.Files = append(in.Files, File{Name: plainName(s.Entry), Data: data})
	}
	wants := 1
	switch f.Task {
	case TaskOptimize, TaskStats, TaskRun:
	case TaskVerify:
		wants = 2
	default:
		return r.errorf("unknown task %q", f.Task)
	}
	// A fault of verify has two versions, other faults one.
	if has := 1 + len(f.files(true)); has > 1 != (wants == 2) || len(f.Input.Files) == 0 {
		return r.errorf("wrong number of files for %s: %d and %d", f.Task, len(f.Input.Files), len(f.files(true)))
	}
	return nil
}

// files returns the files of the input, or of the second version.
func (f *Fault) files(after bool) []File {
	switch {
	case !after:
		return f.Input.Files
	case f.After != nil:
		return f.After.Files
	}
	return nil
}

// options reads the options that settings represents differently.
func (r *reproducer) options(o *Options) (err error) {
	if o.Limits.Effort, err = verify.ParseEffort(r.s.Effort); err != nil {
		return r.errorf("%v", err)
	}
	for _, text := range r.s.Constants {
		c, err := input.ParseConstant(text)
		if err != nil {
			return err
		}
		o.Host.Constants = append(o.Host.Constants, c)
	}
	for _, text := range r.s.Box {
		b, err := rounding.ParseRange(text)
		if err != nil {
			return err
		}
		o.Report.Box = append(o.Report.Box, b)
	}
	if name := r.s.Case; name != "" {
		if o.Draw.Case, err = interp.ParseCase(r.file+": "+name, r.entries[name]); err != nil {
			return err
		}
	}
	if name := r.s.KernelCase; name != "" {
		if o.Kernel.Case, err = interpreter.ParseCase(r.file+": "+name, r.entries[name]); err != nil {
			return err
		}
	}
	return nil
}
