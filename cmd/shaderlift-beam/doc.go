// Shaderlift-beam is the batch of shaderlift opt as an Apache Beam pipeline: for more shaders than
// one machine works through. It reads folders, archives and lists of shaders, optimizes what differs
// in content once, writes the programs that opt would, and a report of one result a line.
//
// It is a module of its own, so that nobody who builds shaderlift needs Beam.
//
//	go run . -output out -report out/report shaders/ more.zip @list
//
// runs it on Prism, which is part of the program; -runner, -endpoint and the other flags of Beam
// have it run on Flink, Spark or Dataflow. Folders are read where the pipeline runs, so they, the
// output and the report have to be where all workers find them: a file system that they share, or
// for output and report also gs:// or s3://.
//
// What is made of a shader follows from its bytes and the options alone, and a file appears whole
// or not at all. So a bundle may be tried again, by another worker too, and writes the same bytes.
// Flink, Spark and Dataflow do so when a worker dies. Prism ends the run then: the same command,
// given again, writes what is missing over what is there, and clears away what was half written.
package main
