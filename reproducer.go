package shaderlift

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"golang.org/x/tools/txtar"
)

// settings are everything in a reproducer but programs and cases, as JSON. The fields of Options
// are part of it; those declared below shadow the ones of the same name whose form in JSON would
// not survive a round trip.
type settings struct {
	Version string
	Task    Task
	Error   string
	Symptom string
	Name    string // of the input
	Files   []fileSetting

	Options
	Effort     string
	Constants  []string
	Box        []string `json:",omitempty"`
	Passes     []string // of the caller: their names
	Case       string   // the entry it is in
	KernelCase string
	TimeLimit  string `json:",omitempty"` // told, and not applied
}

// fileSetting says what an entry of the archive is.
type fileSetting struct {
	Entry string
	Form  form
	After bool `json:",omitempty"` // of the second version, that of TaskVerify
}

// form is how an entry holds the bytes of a file.
type form string

const (
	formText      form = "text"      // as they are
	formAssembled form = "assembled" // bytecode, as the text that assembles to it
	formBase64    form = "base64"
)

const settingsEntry = "settings.json"

// Reproducer is all that it takes to see the fault again, as a txtar archive: what
// happened, the options, the programs and cases. ParseReproducer reads it.
func (f *Fault) Reproducer() []byte {
	data, _ := f.format() // no option has a form that could fail
	return data
}

// Key is what o says, as text that is another one for other options; ok is false where it says
// more than a text can, or results are not the same every time.
func (o Options) Key() (key string, ok bool) {
	if o.TimeLimit > 0 || len(o.Passes) > 0 || o.Observe != nil || o.AfterStage != nil {
		return "", false
	}
	data, err := (&Fault{Task: TaskOptimize, Options: o}).format()
	return string(data), err == nil
}

// format writes the archive. Entries get unique plain names, and settings say which file each is.
func (f *Fault) format() ([]byte, error) {
	o := f.Options
	s := settings{Version: Version, Task: f.task(), Symptom: f.symptom(), Name: f.Input.Name, Options: o, Effort: o.Effort.String()}
	if f.Err != nil {
		s.Error = f.Err.Error()
	}
	for _, c := range o.Constants {
		s.Constants = append(s.Constants, c.String())
	}
	for _, r := range o.Box {
		s.Box = append(s.Box, rounding.Box{r}.String())
	}
	for _, p := range o.Passes {
		s.Passes = append(s.Passes, p.Name)
	}
	if o.TimeLimit > 0 {
		s.TimeLimit = o.TimeLimit.String()
	}
	var a txtar.Archive
	add := func(in Input, after bool) {
		for _, file := range in.Files {
			if p, err := readProgramWith(file, in.Include); in.Include != nil && err == nil && len(p.Included) > 0 {
				file.Data = d3d9.Print(p) // by itself
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
	if o.Case != nil {
		s.Case = unique(&a, "draw.case")
		a.Files = append(a.Files, txtar.File{Name: s.Case, Data: o.Case.Format()})
	}
	if o.KernelCase != nil {
		s.KernelCase = unique(&a, "launch.case")
		a.Files = append(a.Files, txtar.File{Name: s.KernelCase, Data: o.KernelCase.WithoutFiles().Format()})
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

func (f *Fault) task() Task {
	if f.Task == "" {
		return TaskOptimize
	}
	return f.Task
}

// comment says for people what a reproducer is of.
func (f *Fault) comment(s *settings) []byte {
	var b bytes.Buffer
	what := "an internal fault"
	if f.Err == nil {
		what = "a verdict below what is required"
	}
	fmt.Fprintf(&b, "shaderlift %s: reproducer of %s\n", Version, what)
	fmt.Fprintf(&b, "see it again: shaderlift replay FILE; the rewrite to blame: bisect FILE; a smaller one: reduce FILE\n")
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

// pipeline is the pipeline that ran, in full.
func (f *Fault) pipeline() string {
	if p, err := f.Options.pipeline(isKernel(f.Input)); err == nil {
		return p.String()
	}
	return f.Options.Pipeline
}

// entry converts a file to an entry of an archive: as text, as the text that assembles to its
// bytecode, or in base64, the first form that gives back the same bytes. A txtar archive cannot
// hold a line that looks like the header of an entry, nor a last line without an end, hence the
// check through Format and Parse.
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

// bytes are those of the file that data stands for.
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
	return nil, fmt.Errorf("there is no form %q", f)
}

// isPlain reports whether data is text that no terminal or editor minds.
func isPlain(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f })
}

// plainName is the last part of a name, of letters, digits and the like only.
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

// unique is name, or one like it that no entry of a has.
func unique(a *txtar.Archive, name string) string {
	try := name
	for n := 2; try == settingsEntry || slices.ContainsFunc(a.Files, func(f txtar.File) bool { return f.Name == try }); n++ {
		try = fmt.Sprintf("%d-%s", n, name)
	}
	return try
}
