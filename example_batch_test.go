package shaderlift_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// optimizeFolder optimizes the pixel programs of a folder, each with the vertex program quad.vsh.
func optimizeFolder(ctx context.Context, folder string, o shaderlift.Options) (*shaderlift.Report, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.psh"))
	if err != nil {
		return nil, err
	}
	o.Host.Shared, o.Hooks.Versions = []d3d9.Stage{d3d9.Vertex}, new(shaderlift.Versions)
	results := make([]*shaderlift.Result, len(paths))
	running := make(chan bool, runtime.NumCPU())
	var wait sync.WaitGroup
	for i, path := range paths {
		wait.Add(1)
		go func() {
			running <- true
			defer func() { <-running; wait.Done() }()
			in, err := shaderlift.ReadFiles(filepath.Join(folder, "quad.vsh"), path)
			if err == nil {
				results[i], _ = shaderlift.Optimize(ctx, in, o) // the result has the error
			} else {
				results[i] = shaderlift.Failure(in, err)
			}
		}()
	}
	wait.Wait()
	report := shaderlift.NewReport(o)
	for _, res := range results {
		report.Add(res)
	}
	return report, nil
}

// A batch of pairs that share a vertex program.
func Example_batch() {
	report, err := optimizeFolder(context.Background(), "testdata/library", shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		log.Fatal(err)
	}
	for _, res := range report.Results {
		fmt.Println(res.Name, res.Status, res.Verdict(), res.Costs())
	}
	// Output:
	// quad,fade improved proved [pixel slots 4 -> 3 vertex slots 6 -> 5]
	// quad,glow improved proved-real [pixel slots 4 -> 3 vertex slots 6 -> 5]
}
