package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"syscall/js"
)

// main gives its worker the function shaderlift(request, done). It works in a goroutine of its
// own: what waits for a timer must not hold the event loop, which timers need.
func main() {
	debug.SetGCPercent(400) // programs are small, and pages short-lived
	js.Global().Set("shaderlift", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, done := []byte(args[0].String()), args[1]
		go func() {
			done.Invoke(string(run(context.Background(), text)))
			// While the answer is looked at: it takes a third of a small request, and every other one
			// would wait for it.
			runtime.GC()
		}()
		return nil
	}))
	js.Global().Call("shaderliftReady")
	select {}
}
