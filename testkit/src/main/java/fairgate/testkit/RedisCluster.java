package fairgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/// A Redis Cluster of three masters without replicas on loopback, each a child process. The masters
/// have the slots 0-5460, 5461-10922 and 10923-16383.
///
/// If a master is down, the others continue (`cluster-require-full-coverage no`); answered writes
/// are on disk (`appendfsync always`).
public final class RedisCluster implements AutoCloseable {
  public static final int MASTERS = 3;

  private static final int SLOTS = 16_384;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final String KEYS_AT_ONCE = "100";

  private final Path program;
  private final Path folder;
  private final List<Integer> ports = new ArrayList<>();
  private final List<Integer> busPorts = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  private RedisCluster(Path program, Path folder) {
    this.program = program;
    this.folder = folder;
  }

  /// Starts the cluster and returns once all masters know all slots.
  ///
  /// @param program `redis-server` 7 or later
  /// @param folder an empty or missing folder for the data, deleted in the end
  public static RedisCluster start(Path program, Path folder) {
    RedisCluster cluster = new RedisCluster(program, folder);
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
    try {
      for (int i = 0; i < MASTERS; i++) {
        cluster.ports.add(KeptPort.free());
        cluster.busPorts.add(KeptPort.free());
        cluster.processes.add(cluster.launch(i));
      }
      cluster.assign();
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e instanceof IOException io ? new UncheckedIOException(io) : (RuntimeException) e;
    }
    return cluster;
  }

  private Process launch(int master) throws IOException {
    Path home = Files.createDirectories(folder.resolve("master-" + master)).toAbsolutePath();
    Path settings = home.resolve("redis.conf");
    Files.writeString(
        settings,
        """
        bind 127.0.0.1
        port %d
        cluster-enabled yes
        cluster-port %d
        cluster-config-file nodes.conf
        cluster-node-timeout 2000
        cluster-require-full-coverage no
        dir "%s"
        save ""
        appendonly yes
        appendfsync always
        maxmemory-policy noeviction
        always-show-logo no
        """
            .formatted(ports.get(master), busPorts.get(master), home));
    return new ProcessBuilder(program.toString(), settings.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("log").toFile()))
        .start();
  }

  private void assign() {
    for (int i = 0; i < MASTERS; i++) {
      int master = i;
      await(() -> answers(master));
      String first = Integer.toString(first(i));
      ok(call(i, "CLUSTER", "ADDSLOTSRANGE", first, Integer.toString(first(i + 1) - 1)));
      ok(call(i, "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1)));
    }
    for (int i = 1; i < MASTERS; i++) {
      String port = Integer.toString(ports.get(i));
      ok(call(0, "CLUSTER", "MEET", "127.0.0.1", port, Integer.toString(busPorts.get(i))));
    }
    for (int i = 0; i < MASTERS; i++) {
      int master = i;
      await(() -> knowsAll(master));
    }
  }

  private static int first(int master) {
    return (SLOTS * master + MASTERS - 1) / MASTERS;
  }

  private boolean knowsAll(int master) {
    String info = call(master, "CLUSTER", "INFO");
    return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + SLOTS);
  }

  /// `redis://127.0.0.1:port` of one of them.
  public String uri(int master) {
    return "redis://" + node(master);
  }

  /// `127.0.0.1:port` of one of them.
  public String node(int master) {
    return "127.0.0.1:" + ports.get(master);
  }

  public int port(int master) {
    return ports.get(master);
  }

  /// One command to one of them, the reply as `redis-cli --raw` shows it.
  public String call(int master, String... command) {
    return RespConnection.call(ports.get(master), command);
  }

  /// The slot of a key.
  public int slot(String key) {
    return Integer.parseInt(call(alive(), "CLUSTER", "KEYSLOT", key));
  }

  /// The owner of a slot, as far as a living master knows.
  public int owner(int slot) {
    String[] nodes = call(alive(), "CLUSTER", "SLOTS").split("\n", -1);
    // Per range: first slot, last slot, host, port, id, and an empty list of metadata.
    for (int i = 0; i + 3 < nodes.length; i++) {
      if (nodes[i + 2].equals("127.0.0.1")
          && Integer.parseInt(nodes[i]) <= slot
          && slot <= Integer.parseInt(nodes[i + 1])) {
        return ports.indexOf(Integer.parseInt(nodes[i + 3]));
      }
    }
    throw new IllegalStateException("nobody owns slot " + slot);
  }

  /// Begins to move a slot to another master. No key has moved yet.
  public void beginMove(int slot, int from, int to) {
    ok(call(to, "CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", id(from)));
    ok(call(from, "CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", id(to)));
  }

  /// Moves keys of a slot under way; how many.
  public int moveKeys(int slot, int from, int to, int max) {
    String count = Integer.toString(max);
    String found = call(from, "CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), count);
    if (found.isEmpty()) {
      return 0;
    }
    String[] keys = found.split("\n", -1);
    List<String> command =
        new ArrayList<>(
            List.of("MIGRATE", "127.0.0.1", Integer.toString(ports.get(to)), "", "0", "5000"));
    command.add("KEYS");
    command.addAll(List.of(keys));
    ok(call(from, command.toArray(String[]::new)));
    return keys.length;
  }

  /// Moves the rest of the keys and gives the slot its new owner.
  public void endMove(int slot, int from, int to) {
    while (moveKeys(slot, from, to, Integer.parseInt(KEYS_AT_ONCE)) > 0) {
      // Until none is left.
    }
    for (int master : new int[] {to, from}) {
      ok(call(master, "CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id(to)));
    }
  }

  private String id(int master) {
    return call(master, "CLUSTER", "MYID");
  }

  /// A master dies at once and stays dead until `restart`.
  public void kill(int master) {
    Process process = processes.get(master);
    process.destroyForcibly();
    ended(process);
  }

  /// A master stops answering, though connections to it are taken, until `thaw`.
  public void freeze(int master) {
    signal(master, "-STOP");
  }

  /// Continues a frozen master.
  public void thaw(int master) {
    signal(master, "-CONT");
  }

  private void signal(int master, String signal) {
    String pid = Long.toString(processes.get(master).pid());
    try {
      ended(new ProcessBuilder("kill", signal, pid).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A dead master's data is lost; it still knows which slots are its own.
  public void loseData(int master) {
    try (Stream<Path> files =
        Files.walk(folder.resolve("master-" + master).resolve("appendonlydir"))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Lets a dead master come back with its data; returns once it serves its slots.
  public void restart(int master) {
    try {
      processes.set(master, launch(master));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    await(() -> answers(master) && knowsAll(master));
  }

  private int alive() {
    for (int i = 0; i < processes.size(); i++) {
      if (processes.get(i).isAlive()) {
        return i;
      }
    }
    throw new IllegalStateException("no master is alive");
  }

  private boolean answers(int master) {
    try {
      return call(master, "PING").equals("PONG");
    } catch (UncheckedIOException _) {
      return false;
    }
  }

  private static void ok(String reply) {
    if (!reply.equals("OK")) {
      throw new IllegalStateException(reply);
    }
  }

  private void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the cluster does not come up:\n" + logs());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(60));
    }
  }

  private String logs() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < processes.size(); i++) {
      try {
        Path log = folder.resolve("master-" + i).resolve("log");
        all.append(Files.readString(log, StandardCharsets.UTF_8));
      } catch (IOException e) {
        all.append(e);
      }
    }
    return all.toString();
  }

  private static void ended(Process process) {
    try {
      if (!process.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException("process " + process.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the processes and deletes their data. Repeating does nothing.
  @Override
  public synchronized void close() {
    for (Process process : processes) {
      process.destroyForcibly();
      ended(process);
    }
    try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
