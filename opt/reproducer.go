package opt

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"golang.org/x/tools/txtar"
)

// settings is everything in a reproducer except programs and cases, as JSON. It embeds Options and its
// groups, whose fields become fields of one object. The fields declared below shadow those whose JSON
// form would not survive a round trip.
type settings struct {
	Version string
	Task    Task
	Error   string
	Symptom string
	Name    string // of the input
	Files   []fileSetting

	Options
	Limits
	HostOptions
	DrawOptions
	KernelOptions
	ReportOptions
	Hooks
	Effort     string
	Constants  []string
	Box        []string `json:",omitempty"`
	Passes     []string // names of the caller's passes
	Case       string   // name of the entry
	KernelCase string
	TimeLimit  string `json:",omitempty"` // reported, not applied
}

// fileSetting describes an entry of the archive.
type fileSetting struct {
	Entry string
	Form  form
	After bool `json:",omitempty"` // of the second version, for TaskVerify
}

// form is the encoding of a file's bytes in an entry.
type form string

const (
	formText      form = "text"      // unchanged
	formAssembled form = "assembled" // bytecode, as text that assembles to it
	formBase64    form = "base64"
)

const settingsEntry = "settings.json"

// Reproducer returns everything that reproduces the fault, as a txtar archive: a description, the
// options, the programs and cases. ParseReproducer reads it.
func (f *Fault) Reproducer() []byte {
	data, _ := f.format() // every option has a JSON form
	return data
}

// CacheKey returns o as a text that differs for different options. ok is false if o has functions or passes
// that a text cannot represent, or if results are not reproducible.
func (o Options) CacheKey() (key string, ok bool) {
	if o.Limits.Time > 0 || len(o.Hooks.Passes) > 0 || o.Hooks.Observe != nil || o.Hooks.AfterStage != nil {
		return "", false
	}
	data, err := (&Fault{Task: TaskOptimize, Options: o}).format()
	return string(data), err == nil
}

// format writes the archive. Entries get unique plain names, and settings map them to files.
func (f *Fault) format() ([]byte, error) {
	o := f.Options
	s := settings{Version: Version, Task: TaskOf(f), Symptom: SymptomOf(f), Name: f.Input.Name, Options: o,
		Limits: o.Limits, HostOptions: o.Host, DrawOptions: o.Draw, KernelOptions: o.Kernel, ReportOptions: o.Report,
		Hooks: o.Hooks, Effort: o.Limits.Effort.String()}
	if f.Err != nil {
		s.Error = f.Err.Error()
	}
	for _, c := range o.Host.Constants {
		s.Constants = append(s.Constants, c.String())
	}
	for _, r := range o.Report.Box {
		s.Box = append(s.Box, rounding.Box{r}.String())
	}
	for _, p := range o.Hooks.Passes {
		s.Passes = append(s.Passes, p.Name)
	}
	if o.Limits.Time > 0 {
		s.TimeLimit = o.Limits.Time.String()
	}
	var a txtar.Archive
	add := func(in Input, after bool) {
		for _, file := range in.Files {
			p, err := input.ReadProgramWith(file, in.Include)
			if in.Include != nil && err == nil && len(p.Included) > 0 {
				file.Data = d3d9.Print(p) // without includes
			}
			e, form := entry(file)
			e.Name = unique(&a, e.Name)
			a.Files = append(a.Files, e)
			s.Files = append(s.Files, fileSetting{e.Name, form, after})
		}
	}
	add(f.Input, false)
	if f.After != nil {
		add(*f.After, true)
	}
	if asm.BuiltD3D9 && o.Draw.Case != nil {
		s.Case = unique(&a, "draw.case")
		a.Files = append(a.Files, txtar.File{Name: s.Case, Data: o.Draw.Case.Format()})
	}
	if asm.BuiltKernels && o.Kernel.Case != nil {
		s.KernelCase = unique(&a, "launch.case")
		a.Files = append(a.Files, txtar.File{Name: s.KernelCase, Data: o.Kernel.Case.WithoutFiles().Format()})
	}
	if len(f.Case) > 0 && isPlain(f.Case) {
		a.Files = append(a.Files, txtar.File{Name: unique(&a, "counterexample.case"), Data: f.Case})
	}
	text, err := json.MarshalIndent(&s, "", "\t")
	if err != nil {
		text = []byte(err.Error())
	}
	a.Files = slices.Insert(a.Files, 0, txtar.File{Name: settingsEntry, Data: append(text, '\n')})
	a.Comment = f.comment(&s)
	return txtar.Format(&a), err
}

// TaskOf returns the task of f.
func TaskOf(f *Fault) Task {
	if f.Task == "" {
		return TaskOptimize
	}
	return f.Task
}

// comment describes a reproducer for human readers.
func (f *Fault) comment(s *settings) []byte {
	var b bytes.Buffer
	what := "an internal fault"
	if f.Err == nil {
		what = "a verdict below what is required"
	}
	fmt.Fprintf(&b, "shaderlift %s: reproducer of %s\n", Version, what)
	fmt.Fprintf(&b, "run it again: shaderlift replay FILE; find the rewrite that causes it: bisect FILE; make it smaller: reduce FILE\n")
	if s.Error != "" {
		fmt.Fprintf(&b, "error: %s\n", oneLine(s.Error))
	}
	if f.Step != nil {
		fmt.Fprintf(&b, "rewrite: %s\n", oneLine(f.Step.String()))
	}
	if f.Task == TaskOptimize || f.Task == "" {
		fmt.Fprintf(&b, "pipeline: %s\n", oneLine(f.pipeline()))
	}
	if s.TimeLimit != "" {
		b.WriteString("There was a time limit, which is not applied again: what it cut off depends on the machine.\n")
	}
	if len(s.Passes) > 0 {
		b.WriteString("The caller had passes of its own, which are not part of this.\n")
	}
	for line := range strings.Lines(string(f.Stack)) {
		fmt.Fprintf(&b, "  %s", line)
	}
	return b.Bytes()
}

// pipeline returns the explicit pipeline that ran.
func (f *Fault) pipeline() string {
	if p, err := f.Options.pipeline(f.Input.Kind()); err == nil {
		return p.String()
	}
	return f.Options.Pipeline
}

// entry converts a file to an entry of an archive. It uses the first form that restores the same bytes:
// text, text that assembles to its bytecode, or base64. A txtar archive cannot contain a line like the
// header of an entry, or a last line without a newline. The round trip through Format and Parse checks
// this.
func entry(f File) (txtar.File, form) {
	e := txtar.File{Name: plainName(f.Name)}
	for _, form := range []form{formText, formAssembled} {
		e.Data = f.Data
		if form == formAssembled {
			p, err := d3d9.Decode("", f.Data)
			if err != nil || len(p.Rest) > 0 {
				continue
			}
			e.Data = d3d9.Print(p)
		}
		back := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{e}}))
		if len(back.Files) != 1 || !isPlain(e.Data) {
			continue
		}
		if data, err := form.bytes(back.Files[0].Data); err == nil && bytes.Equal(data, f.Data) {
			return e, form
		}
	}
	e.Data = []byte(base64.StdEncoding.EncodeToString(f.Data) + "\n")
	return e, formBase64
}

// bytes decodes data into the bytes of the file.
func (f form) bytes(data []byte) ([]byte, error) {
	switch f {
	case formText:
		return data, nil
	case formAssembled:
		p, err := d3d9.Read("", data)
		if err != nil {
			return nil, err
		}
		p.Binary = true
		return d3d9.Encode(p)
	case formBase64:
		return base64.StdEncoding.DecodeString(strings.TrimSpace(string(data)))
	}
	return nil, fmt.Errorf("unknown form %q", f)
}

// isPlain reports whether data is text without control characters.
func isPlain(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f })
}

// plainName returns the last part of a name, with only letters, digits and the like.
func plainName(name string) string {
	base := strings.Map(func(r rune) rune {
		if r < 0x80 && (isWordByte(byte(r)) || r == '.' || r == '-') {
			return r
		}
		return '_'
	}, filepath.Base(name))
	if strings.Trim(base, "._-") == "" {
		return "program"
	}
	return base
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// unique returns name, or a similar name that no entry of a has.
func unique(a *txtar.Archive, name string) string {
	try := name
	for n := 2; try == settingsEntry || slices.ContainsFunc(a.Files,
		func(f txtar.File) bool { return f.Name == try }); n++ {
		try = fmt.Sprintf("%d-%s", n, name)
	}
	return try
}
