package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("beam: ")
	var s Settings
	var shards int
	flag.StringVar(&s.Output, "output", "", "write programs below this `folder`; none are written without it")
	report := flag.String("report", "report", "write the report into files with this name `prefix`")
	flag.IntVar(&shards, "shards", 1, "write the report into this `number` of files")
	flag.StringVar(&s.Pipeline, "passes", "", "run these `passes`, or a level, as opt -p does")
	flag.StringVar(&s.Numerics, "numerics", "", "the `class` of equality that results keep")
	flag.StringVar(&s.Target, "target", "", "a `list` of the targets whose costs count")
	flag.StringVar(&s.HostConstants, "host-constants", "", "separate or mirrored")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: beam [flags] FOLDER|ZIP|@LIST|FILE[,FILE]...\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	beam.Init()
	if flag.NArg() == 0 || shards < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if _, err := s.options(); err != nil {
		log.Fatal(err)
	}
	counts, err := run(context.Background(), s, flag.Args(), *report, shards)
	if err != nil {
		log.Fatal(err)
	}
	log.Print(counts)
	if counts["failed"] > 0 {
		os.Exit(1)
	}
}

// counts are the numbers of inputs by status, as far as the runner reports them.
type counts map[string]int64

func (c counts) String() string {
	var list []string
	for _, name := range []string{"improved", "changed", "unchanged", "failed", "contents"} {
		list = append(list, fmt.Sprintf("%d %s", c[name], name))
	}
	return strings.Join(list, ", ")
}

// run builds the pipeline, and waits for its end.
func run(ctx context.Context, s Settings, args []string, report string, shards int) (counts, error) {
	from, err := roots(args)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(sweep(s.Output, report), removeLines(ctx, report)); err != nil {
		return nil, err
	}
	p, root := beam.NewPipelineWithRoot()
	found := beam.ParDo(root, &expander{report}, beam.Reshuffle(root, beam.CreateList(root, from)))
	lines := beam.ParDo(root, &optimizer{Settings: s, Report: report, Shards: shards}, beam.GroupByKey(root, found))
	written := beam.ParDo(root, &writer{Report: report, Shards: shards}, beam.GroupByKey(root, lines))
	beam.ParDo0(root, &cleaner{Report: report}, beam.GroupByKey(root, written))
	res, err := beamx.RunWithMetrics(ctx, p)
	if err != nil || res == nil {
		return nil, err
	}
	c := counts{}
	for _, m := range res.Metrics().AllMetrics().Counters() {
		if m.Key.Namespace == namespace {
			c[m.Key.Name] += m.Result()
		}
	}
	return c, nil
}
