#!/bin/sh
# Programs of other runtimes: threads, child processes.
# needs: node java javac
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
node -e 'const {Worker} = require("worker_threads"); const {execSync} = require("child_process");
	new Worker("require(\"worker_threads\").parentPort.postMessage(6 * 7)", {eval: true}).on("message", console.log);
	console.log(execSync("echo child").toString().trim())'
cat >"$place/Pool.java" <<'END'
import java.util.concurrent.*;
public class Pool {
	public static void main(String[] arguments) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(4);
		Future<Integer> future = pool.submit(() -> 6 * 7);
		System.out.println(future.get());
		pool.shutdown();
		System.out.println(new ProcessBuilder("true").start().waitFor());
	}
}
END
javac -d "$place" "$place/Pool.java"
java -cp "$place" Pool
