package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/shaderlift/shaderlift"
)

// namespace is the namespace of the counters.
const namespace = "shaderlift"

// Settings are the options of a run, and the output folder.
type Settings struct {
	Pipeline, Numerics, Target, HostConstants string
	Output                                    string
}

func (s *Settings) options() (o shaderlift.Options, err error) {
	o = shaderlift.Options{Pipeline: s.Pipeline, Target: shaderlift.Target(s.Target)}
	if o.Numerics, err = shaderlift.ParseNumerics(s.Numerics); err != nil {
		return o, err
	}
	if s.HostConstants != "" {
		err = o.Host.PixelConstants.UnmarshalText([]byte(s.HostConstants))
	}
	if err == nil {
		err = o.Check()
	}
	return o, err
}

// optimizer optimizes each content once, and writes a report line for each of its shaders.
type optimizer struct {
	Settings
	Report string
	Shards int

	open archives
}

// StartBundle resets the set of open archives.
func (z *optimizer) StartBundle(context.Context, func(int, string)) { z.open = archives{} }

// FinishBundle closes the open archives.
func (z *optimizer) FinishBundle(context.Context, func(int, string)) { z.open.close() }

func init() {
	register.DoFn4x1[context.Context, int, func(*string) bool, func(int, string), error](&optimizer{})
	register.Iter1[string]()
}

// ProcessElement writes the programs that opt would write for the shaders of a bucket, which are
// listed in files. It emits files with report lines, keyed by their shard.
func (z *optimizer) ProcessElement(ctx context.Context, bucket int, found func(*string) bool,
	emit func(int, string)) error {
	o, err := z.options()
	if err != nil {
		return err
	}
	lines := spool{folder: z.Report + lineFolder + "/line", name: strconv.Itoa(bucket), emit: emit, limit: spoolLimit}
	var key string
	var first *shaderlift.Result
	err = merge(ctx, all(found), func(line string) error {
		var s noted
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			return err
		}
		if s.Key != key {
			key, first = s.Key, nil
			beam.NewCounter(namespace, "contents").Inc(ctx, 1)
		}
		if first == nil || first.Status == shaderlift.Failed { // diagnostics contain names
			if first, err = z.optimize(ctx, &s.Shader, key, o); err != nil {
				return err
			}
		}
		for i := range first.Files {
			if err := z.write(ctx, s.Files[i].To, first.Files[i].Data); err != nil {
				return err
			}
		}
		res := named(first, s.input(nil))
		text, err := json.Marshal(res)
		if err != nil {
			return err
		}
		beam.NewCounter(namespace, res.Status.String()).Inc(ctx, 1)
		return lines.add(ctx, int(crc32.ChecksumIEEE([]byte(s.Files[0].Name))%uint32(z.Shards)), string(text))
	})
	if err != nil {
		return err
	}
	return lines.flush(ctx)
}

// all returns the values that a runner has grouped.
func all(values func(*string) bool) (list []string) {
	for s := ""; values(&s); {
		list = append(list, s)
	}
	return list
}

// input converts s to an input of the library, with the given contents.
func (s *Shader) input(contents [][]byte) shaderlift.Input {
	in := shaderlift.Input{Name: s.Name}
	for i, f := range s.Files {
		in.Files = append(in.Files, shaderlift.File{Name: f.Name})
		if contents != nil {
			in.Files[i].Data = contents[i]
		}
	}
	return in
}

// optimize returns the result for s. The error is that of an interrupted run.
func (z *optimizer) optimize(ctx context.Context, s *Shader, key string, o shaderlift.Options) (*shaderlift.Result,
	error) {
	if s.Error != "" {
		return shaderlift.Failure(s.input(nil), errors.New(s.Error)), nil
	}
	contents, err := z.open.read(s, key)
	if err != nil {
		return shaderlift.Failure(s.input(nil), err), nil
	}
	res, _ := shaderlift.Optimize(ctx, s.input(contents), o) // the result contains the error
	for _, f := range res.Faults {
		data := f.Reproducer()
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(`/\:,`, r) {
				return '_'
			}
			return r
		}, res.Name)
		if err := z.write(ctx, fmt.Sprintf("shaderlift-fault-%s-%08x.txtar", name, crc32.ChecksumIEEE(data)),
			data); err != nil {
			return nil, err
		}
	}
	return res, ctx.Err()
}

var errOther = errors.New("optimized under another name")

// named returns a result with the names of another input with the same content.
func named(r *shaderlift.Result, in shaderlift.Input) *shaderlift.Result {
	to, other := *r, shaderlift.Failure(in, errOther)
	to.Input, to.Name = other.Input, other.Name
	return &to
}

// write writes a program below the output, if one is set.
func (z *optimizer) write(ctx context.Context, name string, data []byte) error {
	if z.Output == "" {
		return nil
	}
	return writeFile(ctx, strings.TrimSuffix(z.Output, "/")+"/"+name, data)
}
