package fairgate.app.command;

import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.http.Loops;
import fairgate.prove.Proof;
import fairgate.prove.ProofPlan;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Limits;
import fairgate.prove.fault.Fault;
import fairgate.prove.report.ProofPage;
import fairgate.prove.report.ProofResult;
import fairgate.prove.report.ProofTable;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Proves on this machine that nothing is oversold, lost or duplicated when processes die.
@Command(
    name = "prove",
    description = {
      "Runs sales under faults and verifies the results.",
      "The sales run on this machine. It kills, cuts and robs servers and engines of its own",
      "meanwhile, and compares every reply with Redis and the ledger. Sales run for at least",
      "--minutes, and until every fault has happened.",
      "Exit codes: 0 everything held; 1 something did not hold; 2 wrong usage; 3 inconclusive:"
          + " every",
      "comparison held, but a fault did not happen or the run did not come to its end, as on a"
          + " machine",
      "that is too busy. The output tells the reason."
    })
public final class ProveCommand implements Callable<Integer> {
  private static final SecureRandom RANDOM = new SecureRandom();

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long sales run at least, 0.1 to 1440. Default: ${DEFAULT-VALUE}.")
  private double minutes = 3;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "The same seed gives the same people and faults. Default: one of chance.")
  private @Nullable Long seed;

  @Option(
      names = "--nodes",
      paramLabel = "1..3",
      description = "How many servers. Default: ${DEFAULT-VALUE}.")
  private int nodes = 2;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "The page with the timeline. Default: ${DEFAULT-VALUE}.")
  private Path report = Path.of("proof.html");

  @Option(
      names = "--only",
      paramLabel = "FAULT",
      split = ",",
      description = "Only these faults; `none` for a run in peace. Default: all.")
  private List<String> only = List.of();

  @Option(
      names = "--redis-cluster",
      description = "On a Redis Cluster of three masters instead of a single Redis.")
  private boolean cluster;

  @Option(
      names = "--redis-replicas",
      description =
          "On a primary Redis with two replicas, with redis.durability replicated: the primary is"
              + " killed and a replica promoted.")
  private boolean replicas;

  @Option(
      names = "--kafka-home",
      paramLabel = "DIR",
      description = "Through a Kafka made of the unpacked one in this folder. Default: without.")
  private @Nullable Path kafkaHome;

  @Override
  public Integer call() throws Exception {
    ProofPlan plan = plan();
    var choice =
        new Engines.Choice(cluster, replicas, Optional.ofNullable(kafkaHome), plan.nodes());
    String command = command(plan);
    err().println("Starting engines and servers. To repeat this run: " + command);
    // Set before the first logger exists: killed processes log many errors, and that is expected.
    System.setProperty("logback.configurationFile", "fairgate/app/logback-prove.xml");
    Path folder = Files.createTempDirectory("fairgate-proof-");
    ProofResult result;
    Vertx vertx = Loops.vertx();
    try {
      result = new ProofRun(plan, choice, folder, this::show).result(vertx, command);
    } catch (IllegalStateException e) {
      err().println("Inconclusive: " + e.getMessage() + " (in " + folder + ")");
      return ProofResult.Conclusion.INCONCLUSIVE.exitCode();
    } finally {
      err().println();
      vertx.close();
    }
    out().print(ProofTable.text(result));
    Files.writeString(
        report, ProofPage.html(result, LocalDate.now(ZoneId.systemDefault()).toString()));
    out().println("\nThe page with the timeline: " + report.toAbsolutePath());
    if (result.verdict() == ProofResult.Conclusion.HELD) {
      delete(folder);
    } else {
      out().println("What servers and engines wrote: " + folder);
    }
    out().flush();
    return result.verdict().exitCode();
  }

  private ProofPlan plan() {
    need(minutes >= 0.1 && minutes <= 1_440, "--minutes: 0.1 to 1440");
    need(nodes >= 1 && nodes <= 3, "--nodes: 1 to 3");
    need(!(cluster && replicas), "--redis-replicas: not with --redis-cluster");
    Path parent = report.toAbsolutePath().getParent();
    need(parent != null && Files.isDirectory(parent), "--report: there is no folder " + parent);
    need(
        kafkaHome == null || Files.isDirectory(kafkaHome.resolve("libs")),
        "--kafka-home: " + kafkaHome + " has no libs; unpack a Kafka of kafka.apache.org there");
    long chosen = seed != null ? seed : RANDOM.nextLong(1, 1_000_000_000);
    return new ProofPlan(
        Duration.ofMillis((long) (minutes * 60_000)), chosen, nodes, on(), faults());
  }

  private List<Fault> faults() {
    if (only.isEmpty()) {
      return Arrays.stream(Fault.values())
          .filter(fault -> fault.nodes() <= nodes && there(fault))
          .toList();
    }
    List<Fault> faults = new ArrayList<>();
    for (String word : only) {
      if (!word.equals("none")) {
        Fault fault = Fault.named(word).orElse(null);
        need(fault != null, "--only: no fault " + word + "; there are none, " + words());
        int takes = Objects.requireNonNull(fault).nodes();
        String needed = replicas && fault.needsOneRedis() ? "no --redis-replicas" : needed(fault);
        need(takes <= nodes, "--only: " + word + " takes --nodes " + takes);
        need(there(fault), "--only: " + word + " takes " + needed);
        faults.add(fault);
      }
    }
    return faults;
  }

  private boolean there(Fault fault) {
    if (replicas && fault.needsOneRedis()) {
      return false;
    }
    return switch (fault.needs()) {
      case NOTHING -> true;
      case PRLIMIT -> Limits.there();
      case CLUSTER -> cluster;
      case REPLICAS -> replicas;
      case KAFKA -> kafkaHome != null;
    };
  }

  private static String needed(Fault fault) {
    return switch (fault.needs()) {
      case NOTHING -> "nothing";
      case PRLIMIT -> "the program prlimit (Linux)";
      case CLUSTER -> "--redis-cluster";
      case REPLICAS -> "--redis-replicas";
      case KAFKA -> "--kafka-home";
    };
  }

  private String on() {
    String redis = cluster ? "a Redis Cluster" : replicas ? "a Redis with replicas" : "one Redis";
    return redis + (kafkaHome == null ? "" : " and Kafka");
  }

  private static String words() {
    return Arrays.stream(Fault.values()).map(Fault::word).collect(Collectors.joining(", "));
  }

  private String command(ProofPlan plan) {
    return String.format(
        Locale.ROOT,
        "./fairgate prove --seed %d --minutes %s --nodes %d%s%s%s%s",
        plan.seed(),
        minutes == (long) minutes ? Long.toString((long) minutes) : Double.toString(minutes),
        plan.nodes(),
        cluster ? " --redis-cluster" : "",
        replicas ? " --redis-replicas" : "",
        kafkaHome == null ? "" : " --kafka-home " + kafkaHome,
        only.isEmpty() ? "" : " --only " + String.join(",", only));
  }

  private static void delete(Path folder) throws IOException {
    EmbeddedEngines.deleteData(folder.resolve("engines"));
    List<Path> all;
    try (Stream<Path> tree = Files.walk(folder)) {
      all = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  private void show(Proof.Progress now) {
    int width = 30;
    int filled = (int) (width * now.seconds() / Math.max(1, now.of()));
    err()
        .print(
            String.format(
                Locale.ROOT,
                "\r[%s%s] %4d of %d s  %d sales  %,d granted  %d faults  %-32s",
                "#".repeat(filled),
                ".".repeat(width - filled),
                now.seconds(),
                now.of(),
                now.sales(),
                now.accepted(),
                now.faults(),
                now.phase()));
    err().flush();
  }

  private void need(boolean holds, String problem) {
    if (!holds) {
      throw new ParameterException(Objects.requireNonNull(spec).commandLine(), problem);
    }
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }

  private PrintWriter err() {
    return Objects.requireNonNull(spec).commandLine().getErr();
  }
}
