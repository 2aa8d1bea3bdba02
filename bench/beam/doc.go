// Shaderlift-beam is the batch of shaderlift opt as an Apache Beam pipeline, for more shaders than
// one machine can process. It reads folders, archives and lists of shaders, and optimizes each
// distinct content once. It writes the programs that opt would write, and a report with one result
// per line.
//
// It is a separate module, so that building shaderlift does not need Beam.
//
//	go run . -output out -report out/report shaders/ more.zip @list
//
// runs it on Prism, which is part of the program. With -runner, -endpoint and the other flags of
// Beam it runs on Flink, Spark or Dataflow. The workers read folders, so these, the output and the
// report have to be on a file system that all workers share. Output and report may also be on gs://
// or s3://.
//
// The result for a shader depends only on its bytes and the options, and each file is written
// atomically. A runner may therefore retry a bundle, also on another worker, and the bundle writes
// the same bytes. Flink, Spark and Dataflow do so when a worker dies. Prism ends the run; if you
// repeat the command, it overwrites the output and removes partial files.
package main
