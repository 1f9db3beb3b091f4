package fairgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Purchases per second of one sale's script on one Redis, by the number of purchases in one run,
/// alone and with a wait for a replica on the same machine after each run.
final class ReplicaCost {
  private static final int[] PER_RUN = {1, 8, 64};
  private static final int DEPTH = 2;
  private static final int BUYERS = 40_000;

  private final Measures measures;

  ReplicaCost(Measures measures) {
    this.measures = measures;
  }

  void run(Path folder) throws IOException, InterruptedException {
    double[][] alone = new double[PER_RUN.length][measures.rounds()];
    double[][] waiting = new double[PER_RUN.length][measures.rounds()];
    for (int round = 0; round < measures.rounds(); round++) {
      for (int k = 0; k < PER_RUN.length; k++) {
        Crowd crowd = measures.ready(BUYERS, BUYERS);
        alone[k][round] = BUYERS / crowd.buy(BUYERS, PER_RUN[k], DEPTH);
      }
    }
    Process replica = replica(Files.createDirectories(folder.resolve("replica")));
    try {
      for (int round = 0; round < measures.rounds(); round++) {
        for (int k = 0; k < PER_RUN.length; k++) {
          Crowd crowd = measures.ready(BUYERS, BUYERS);
          waiting[k][round] = BUYERS / crowd.buyReplicated(BUYERS, PER_RUN[k], DEPTH);
        }
      }
    } finally {
      replica.destroy();
      boolean _ = replica.waitFor(20, TimeUnit.SECONDS);
    }
    for (int k = 0; k < PER_RUN.length; k++) {
      measures
          .table()
          .ratio(
              "purchases of one sale, %d per script run: waiting for a replica / alone"
                  .formatted(PER_RUN[k]),
              Table.perSecond(waiting[k]) + " against " + Table.perSecond(alone[k]),
              Measures.over(waiting[k], alone[k]),
              0);
    }
  }

  /// Starts a replica of the server's Redis, which gets a port for it.
  private Process replica(Path folder) throws IOException {
    try (RawRedis redis = new RawRedis(measures.server().redisSocket())) {
      String program = redis.infoText("server", "executable");
      String port = "16399";
      String _ = redis.call("CONFIG", "SET", "bind", "127.0.0.1");
      String _ = redis.call("CONFIG", "SET", "port", port);
      String _ = redis.call("CONFIG", "SET", "repl-diskless-sync-delay", "0");
      Process replica =
          new ProcessBuilder(
                  List.of(
                      program,
                      "--port",
                      "0",
                      "--unixsocket",
                      folder.resolve("redis.sock").toString(),
                      "--dir",
                      folder.toString(),
                      "--save",
                      "",
                      "--appendonly",
                      "yes",
                      "--replicaof",
                      "127.0.0.1",
                      port))
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      long end = System.nanoTime() + 60_000_000_000L;
      while (!redis.call("INFO", "replication").contains("state=online")) {
        if (System.nanoTime() > end || !replica.isAlive()) {
          throw new IOException("no replica: " + Files.readString(folder.resolve("log")));
        }
        LockSupport.parkNanos(100_000_000);
      }
      return replica;
    }
  }
}
