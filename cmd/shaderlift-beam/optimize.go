package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/shaderlift/shaderlift"
)

// namespace is that of the counters.
const namespace = "shaderlift"

// Settings are the options of a run, and where programs go.
type Settings struct {
	Pipeline, Numerics, Target, HostConstants string
	Output                                    string
}

func (s *Settings) options() (o shaderlift.Options, err error) {
	o = shaderlift.Options{Pipeline: s.Pipeline, Numerics: s.Numerics, Target: s.Target}
	if s.HostConstants != "" {
		err = o.HostConstants.UnmarshalText([]byte(s.HostConstants))
	}
	if err == nil {
		err = o.Check()
	}
	return o, err
}

// optimizer optimizes shaders of one content once, and has a line of the report for each.
type optimizer struct {
	Settings
	Shards int
}

func init() {
	register.DoFn4x1[context.Context, string, func(*Shader) bool, func(int, string), error](&optimizer{})
	register.Iter1[Shader]()
	register.Emitter2[int, string]()
}

// ProcessElement writes what opt would, and hands over the lines by shards.
func (z *optimizer) ProcessElement(ctx context.Context, key string, shaders func(*Shader) bool, emit func(int, string)) error {
	o, err := z.options()
	if err != nil {
		return err
	}
	beam.NewCounter(namespace, "contents").Inc(ctx, 1)
	var first *shaderlift.Result
	var s Shader
	for shaders(&s) {
		res := first
		if first == nil || first.Status == shaderlift.Failed { // diagnostics have names
			if res, err = z.optimize(ctx, &s, o); err != nil {
				return err
			}
			first = res
		}
		for i := range res.Files {
			if err := z.write(ctx, s.Files[i].To, res.Files[i].Data); err != nil {
				return err
			}
		}
		line, err := json.Marshal(named(res, s.input()))
		if err != nil {
			return err
		}
		beam.NewCounter(namespace, res.Status.String()).Inc(ctx, 1)
		emit(int(crc32.ChecksumIEEE([]byte(s.Files[0].Name))%uint32(z.Shards)), string(line))
		s = Shader{}
	}
	return nil
}

// input is s as the library takes it.
func (s *Shader) input() shaderlift.Input {
	in := shaderlift.Input{Name: s.Name}
	for _, f := range s.Files {
		in.Files = append(in.Files, shaderlift.File{Name: f.Name, Data: f.Data})
	}
	return in
}

// optimize is what becomes of s. The error is that of a run that was ended.
func (z *optimizer) optimize(ctx context.Context, s *Shader, o shaderlift.Options) (*shaderlift.Result, error) {
	if s.Error != "" {
		return shaderlift.Failure(s.input(), errors.New(s.Error)), nil
	}
	res, _ := shaderlift.Optimize(ctx, s.input(), o) // the result has the error
	for _, f := range res.Faults {
		data := f.Reproducer()
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(`/\:,`, r) {
				return '_'
			}
			return r
		}, res.Name)
		if err := z.write(ctx, fmt.Sprintf("shaderlift-fault-%s-%08x.txtar", name, crc32.ChecksumIEEE(data)), data); err != nil {
			return nil, err
		}
	}
	return res, ctx.Err()
}

var errOther = errors.New("optimized under another name")

// named is a result under the names of another input of the same content.
func named(r *shaderlift.Result, in shaderlift.Input) *shaderlift.Result {
	to, other := *r, shaderlift.Failure(in, errOther)
	to.Input, to.Name = other.Input, other.Name
	return &to
}

// write writes a program below the output, if there is one.
func (z *optimizer) write(ctx context.Context, name string, data []byte) error {
	if z.Output == "" {
		return nil
	}
	return writeFile(ctx, strings.TrimSuffix(z.Output, "/")+"/"+name, data)
}
