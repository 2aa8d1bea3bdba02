package passes

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/naming"
)

// Setting is one option of a stage and its value.
type Setting struct{ Name, Value string }

// Stage is one step of a pipeline: a pass with its non-default options. A pass may occur in several stages.
type Stage struct {
	Pass     *Pass
	Settings []Setting
}

// Pipeline is a list of passes to run, in order.
type Pipeline []Stage

// String writes p in the form that [Parse] reads.
func (p Pipeline) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// String writes s as part of a pipeline: unroll{factor=4}.
func (s Stage) String() string {
	if len(s.Settings) == 0 {
		return s.Pass.Name
	}
	words := make([]string, len(s.Settings))
	for i, o := range s.Settings {
		words[i] = o.Name + "=" + o.Value
	}
	return s.Pass.Name + "{" + strings.Join(words, ",") + "}"
}

func (s Stage) options() map[string]string {
	m := make(map[string]string, len(s.Settings))
	for _, o := range s.Settings {
		m[o.Name] = o.Value
	}
	return m
}

// Parse reads a pipeline over the passes of table:
//
//	pipeline = [ stage { "," stage } ] .
//	stage    = name [ "{" [ setting { "," setting } ] "}" ] .
//	setting  = name "=" value .
//
// Names and values are sequences of letters, digits, "-", "." and "_"; blanks between them do not matter.
// Errors are *asm.Diag whose position is in src.
func Parse(src string, table []*Pass) (Pipeline, error) {
	p := &parser{src: src}
	var out Pipeline
	if p.peek() == 0 {
		return nil, nil
	}
	for {
		s, err := p.stage(table)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		if !p.accept(',') {
			break
		}
	}
	if c := p.peek(); c != 0 {
		return nil, p.errorf(p.at, "pipeline-syntax", "unexpected %q (want a comma between passes)", c)
	}
	return out, nil
}

// parser reads the grammar of [Parse] by recursive descent; at is the next byte.
type parser struct {
	src string
	at  int
}

func (p *parser) errorf(at int, code asm.Code, format string, args ...any) error {
	line := 1 + strings.Count(p.src[:at], "\n")
	col := at - strings.LastIndexByte(p.src[:at], '\n')
	return asm.Errorf(asm.Pos{File: "<pipeline>", Line: line, Col: col, Offset: at}, code, format, args...)
}

// peek skips blanks and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.src) {
		return 0
	}
	return p.src[p.at]
}

func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) readWord(what string) (word string, at int, err error) {
	p.peek()
	at = p.at
	for p.at < len(p.src) && isWord(p.src[p.at]) {
		p.at++
	}
	if at == p.at {
		return "", at, p.errorf(at, "pipeline-syntax", "expected %s", what)
	}
	return p.src[at:p.at], at, nil
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_'
}

func (p *parser) stage(table []*Pass) (s Stage, err error) {
	name, at, err := p.readWord("the name of a pass")
	if err != nil {
		return s, err
	}
	if i := slices.IndexFunc(table, func(pass *Pass) bool { return pass.Name == name }); i >= 0 {
		s.Pass = table[i]
	} else {
		var names []string
		for _, pass := range table {
			names = append(names, pass.Name)
		}
		return s, p.errorf(at, "unknown-pass", "unknown pass %q%s", name, naming.Suggest(name, names))
	}
	if !p.accept('{') || p.accept('}') {
		return s, nil
	}
	for {
		if err := p.setting(&s); err != nil {
			return s, err
		}
		if p.accept('}') {
			return s, nil
		}
		if !p.accept(',') {
			return s, p.errorf(p.at, "pipeline-syntax", "the settings of %s want , or }", name)
		}
	}
}

func (p *parser) setting(s *Stage) error {
	name, at, err := p.readWord("an option of " + s.Pass.Name)
	if err != nil {
		return err
	}
	option := s.Pass.option(name)
	if option == nil {
		var names []string
		for _, o := range s.Pass.Options {
			names = append(names, o.Name)
		}
		return p.errorf(at, "unknown-option", "%s has no option %q%s", s.Pass.Name, name, naming.Suggest(name, names))
	}
	for _, o := range s.Settings {
		if o.Name == name {
			return p.errorf(at, "repeated-option", "%s is set twice", name)
		}
	}
	if !p.accept('=') {
		return p.errorf(p.at, "pipeline-syntax", "%s wants =", name)
	}
	value, at, err := p.readWord("the value of " + name)
	if err != nil {
		return err
	}
	if err := option.Check(value); err != nil {
		return p.errorf(at, "bad-option", "%s: %v", s.Pass.Name, err)
	}
	s.Settings = append(s.Settings, Setting{name, value})
	return nil
}
