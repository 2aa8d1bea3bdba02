// Package compile runs a compiler of HLSL, a separate program, within bounds of time and output.
package compile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Options select a shader of a source file, and the compiler. The zero value finds them.
type Options struct {
	// Profile is the target, such as ps_3_0, and Entry is the function. Empty values are guessed from the source.
	Profile, Entry string
	// Compiler is vkd3d-compiler 1.3 or later, as a path or a name in PATH. Empty is vkd3d-compiler.
	Compiler string
	// Time limits the compiler. 0 is 30 seconds.
	Time time.Duration
}

const (
	defaultCompiler = "vkd3d-compiler"
	defaultTime     = 30 * time.Second
	// maxProgram and maxMessages bound what is kept of the output. A compiler that writes a larger program is
	// ended; the rest of its messages is dropped.
	maxProgram  = 16 << 20
	maxMessages = 64 << 10
	maxMessage  = 400
	// grace is the time for processes that the compiler started and left.
	grace = time.Second
)

// Source compiles HLSL to Direct3D 9 bytecode. The name of the program is that of the source with the extension
// .vso or .pso. The warnings and errors are those of the compiler, with its files and lines.
func Source(ctx context.Context, f input.File, o Options) (program input.File, warnings asm.Diags, err error) {
	if !containers.IsHLSL(f.Data) {
		return f, nil, asm.Errorf(asm.Pos{File: f.Name, Line: 1, Col: 1}, "not-source",
			"only shaders in HLSL can be compiled (effects need fxc /T fx_2_0)")
	}
	entry, profile := containers.GuessHLSL(f.Name, f.Data, o.Entry)
	if profile = cmp.Or(o.Profile, profile); !strings.HasPrefix(profile, "vs_") && !strings.HasPrefix(profile, "ps_") {
		return f, nil, failed(f, "the profile %q is not one of Direct3D 9, such as vs_3_0 or ps_3_0", profile)
	}
	name := cmp.Or(o.Compiler, defaultCompiler)
	path, err := exec.LookPath(name)
	if err != nil {
		return f, nil, failed(f, "%s is not found; %s", name, containers.Way(f.Name, f.Data))
	}
	limit := cmp.Or(o.Time, defaultTime)
	ctx, end := context.WithTimeout(ctx, limit)
	defer end()
	run := func(in []byte, args ...string) (out, messages *bounded, err error) {
		out, messages = &bounded{most: maxProgram, strict: true}, &bounded{most: maxMessages}
		c := exec.CommandContext(ctx, path, args...)
		c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(in), out, messages, grace
		if f.Name != "-" {
			c.Dir = filepath.Dir(f.Name) // for includes
		}
		defer alone(c)()
		if err = c.Run(); errors.Is(err, exec.ErrWaitDelay) {
			err = nil // it ended well, and a process that it left does not count
		}
		return out, messages, err
	}
	// The compiler may be in a folder that is named relative to this one.
	if path, err = filepath.Abs(path); err != nil {
		return f, nil, err
	}
	out, messages, err := run(f.Data, "-x", "hlsl", "-b", "d3dbc", "-e", entry, "-p", profile, "-o", "-", "-")
	told := diagnostics(f.Name, messages.buf.String())
	switch {
	case context.Cause(ctx) != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return f, nil, failed(f, "%s did not end within %v", name, limit)
	case ctx.Err() != nil:
		return f, nil, context.Cause(ctx)
	case out.over:
		return f, nil, failed(f, "%s wrote more than %d bytes", name, maxProgram)
	case err != nil && len(told) > 0:
		return f, nil, told
	case err != nil:
		kinds, _, failure := run(nil, "-x", "hlsl", "--print-target-types")
		if failure != nil || !strings.Contains(kinds.buf.String(), "d3dbc") {
			return f, nil, failed(f, "%s cannot write Direct3D 9 bytecode (d3dbc), as version 1.3 or later can; %s", path,
				containers.Way(f.Name, f.Data))
		}
		return f, nil, failed(f, "%s: %v: %s", name, err, clean(messages.buf.String()))
	}
	data := out.buf.Bytes()
	p, err := d3d9.Read(f.Name, data)
	if !d3d9.IsBytecode(data) || err != nil || p.Model.String()[:2] != profile[:2] {
		return f, nil, failed(f, "%s wrote %d bytes, which are not a program of %s", name, len(data), profile)
	}
	program = input.File{Name: f.Name, Data: data}
	if f.Name != "-" {
		program.Name = containers.CompiledName(f.Name, profile)
	}
	return program, told, nil
}

func failed(f input.File, format string, args ...any) error {
	return asm.Errorf(asm.Pos{File: f.Name, Line: 1, Col: 1}, "compiler", format, args...)
}

// message matches a line of the compiler: the file, optionally line and column, and the text.
var message = regexp.MustCompile(`(?m)^([^\n]*?):(?:(\d+):(\d+):)? ((?:[EW]\d{4}: )?[^\n]*)$`)

// diagnostics returns the messages with a place or a number. The source, which the compiler gets without a name, is
// file.
func diagnostics(file, text string) (list asm.Diags) {
	for _, m := range message.FindAllStringSubmatch(text, -1) {
		numbered := len(m[4]) > 5 && m[4][5] == ':' && (m[4][0] == 'E' || m[4][0] == 'W')
		if m[2] == "" && !numbered {
			continue
		}
		pos := asm.Pos{File: m[1]}
		if m[1] == "<anonymous>" || m[1] == "" || m[1] == "-" {
			pos.File = file
		} else if file != "-" && !filepath.IsAbs(m[1]) {
			pos.File = filepath.Join(filepath.Dir(file), m[1])
		}
		pos.Line, _ = strconv.Atoi(m[2])
		pos.Col, _ = strconv.Atoi(m[3])
		list = append(list, asm.Errorf(pos, "compiler", "%s", clean(m[4])))
	}
	return list
}

// clean returns text of another program as one printable line.
func clean(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// errOutput ends a compiler that writes too much.
var errOutput = errors.New("too much output")

// bounded keeps the first bytes that are written to it. If it is strict, more are an error.
type bounded struct {
	buf          bytes.Buffer
	most         int
	strict, over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := max(b.most-b.buf.Len(), 0)
	b.buf.Write(p[:min(len(p), room)])
	if b.over = b.over || len(p) > room; b.over && b.strict {
		return 0, errOutput
	}
	return len(p), nil
}
