package main

import (
	"flag"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("playground: ")
	addr := flag.String("addr", "127.0.0.1:8377", "serve on this `address`")
	out := flag.String("o", "", "write the page into this `folder`, and do not serve it")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unknown argument %q", flag.Arg(0))
	}
	dir := *out
	if dir == "" {
		tmp, err := os.MkdirTemp("", "playground")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	if err := write(dir); err != nil {
		log.Fatal(err)
	}
	if *out != "" {
		return
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("http://%s/", l.Addr())
	log.Fatal(http.Serve(l, http.FileServer(http.Dir(dir))))
}
