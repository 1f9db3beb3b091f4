package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.crowd.rehearsal.Rehearsal;
import fairgate.crowd.rehearsal.RehearsalPage;
import fairgate.crowd.rehearsal.RehearsalPlan;
import fairgate.crowd.rehearsal.RehearsalReport;
import fairgate.crowd.rehearsal.RehearsalResult;
import fairgate.crowd.rehearsal.RehearsalServer;
import fairgate.crowd.rehearsal.Target;
import fairgate.crowd.rehearsal.Zoo;
import fairgate.crowd.rehearsal.ZooPlan;
import fairgate.crowd.rehearsal.ZooReport;
import fairgate.crowd.rehearsal.ZooResult;
import fairgate.crowd.rehearsal.ZooServer;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.http.Loops;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Rehearses a sale: sends simulated buyers to a server and writes a report.
@Command(
    name = "rehearse",
    description = {
      "Sends honest buyers and bots to a server, with a report.",
      "Without --url it starts servers of its own on this machine, with the gate on and off, and",
      "compares them. With --url it makes a sale of its own there and pays for nothing: use a",
      "staging server. Exit code 1 when something was oversold or answered with an internal error.",
      "With --zoo or --crowd it runs the attack zoo instead."
    })
final class RehearseCommand implements Callable<Integer> {
  /// The default cost of a proof of work: 65,536 tries of 16 hashes.
  private static final long PROOF_HASHES = 65_536 * 16;

  private static final long PHONE_HASHES = 1_000_000;
  private static final String OFF = "gate off";
  private static final String ON = "gate on";

  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--url", paramLabel = "URL", description = "The server; default: one of its own.")
  private @Nullable String url;

  @Option(
      names = "--operator-token",
      paramLabel = "TOKEN",
      description = "For --url; default: FAIRGATE_OPERATOR_TOKEN.")
  private @Nullable String operatorToken;

  @Option(
      names = "--forwarded",
      description = {
        "For --url: visitors have addresses of their own, by X-Forwarded-For.",
        "The server has to trust this machine (server.trusted_proxies)."
      })
  private boolean forwarded;

  @Option(names = "--buyers", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  private int buyers = 2_000;

  @Option(names = "--bots", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  private int bots = 500;

  @Option(names = "--units", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  private int units = 200;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description = "Sale policy, flash or queue. Default: ${DEFAULT-VALUE}.")
  private String preset = "flash";

  @Option(
      names = "--arrival",
      paramLabel = "SECONDS",
      description =
          "Over how long people come; the sale opens half way. Default: ${DEFAULT-VALUE}.")
  private int arrival = 20;

  @Option(
      names = "--longest",
      paramLabel = "SECONDS",
      description = "Ends by then. Default: ${DEFAULT-VALUE}.")
  private int longest = 180;

  @Option(
      names = "--farm",
      paramLabel = "HASHES",
      description =
          "Hashes a second the bots' machines make together. Default: ${DEFAULT-VALUE}, some 32"
              + " cores.")
  private long farm = 64_000_000;

  @Option(
      names = "--bot-addresses",
      paramLabel = "N",
      description = "Addresses the bots have. Default: ${DEFAULT-VALUE}.")
  private int botAddresses = 50;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The same seed gives the same people. Default: ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "The page with the charts. Default: ${DEFAULT-VALUE}.")
  private Path report = Path.of("rehearsal.html");

  @Mixin private ZooOptions zoo = new ZooOptions();

  @Override
  public Integer call() throws Exception {
    check();
    Vertx vertx = Loops.vertx();
    try {
      return zoo.wanted() ? zoo(vertx) : rehearsal(vertx);
    } finally {
      vertx.close();
    }
  }

  private int rehearsal(Vertx vertx) throws IOException {
    Map<String, RehearsalResult> results = url == null ? both(vertx) : staging(vertx, url);
    write(RehearsalReport.text(results), RehearsalPage.html(results, today()));
    boolean bad = results.values().stream().anyMatch(r -> r.oversold() || r.serverErrors() > 0);
    return bad ? 1 : 0;
  }

  private int zoo(Vertx vertx) throws IOException {
    ZooPlan plan;
    try {
      plan = zoo.plan();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          Objects.requireNonNull(spec).commandLine(), String.valueOf(e.getMessage()));
    }
    ZooResult result = url == null ? ownZoo(vertx, plan) : zoo(vertx, stagingZoo(url), plan);
    write(ZooReport.text(result), ZooReport.html(result, today()));
    return result.passed() ? 0 : 1;
  }

  private ZooResult ownZoo(Vertx vertx, ZooPlan plan) throws IOException {
    err().println("starting a server ...");
    try (RehearsalServer server = start(true)) {
      return zoo(vertx, server.zoo(), plan);
    } catch (IllegalStateException e) {
      throw new StartFailed(String.valueOf(e.getMessage()));
    }
  }

  private ZooServer stagingZoo(String address) {
    return new ZooServer(target(address), Optional.empty());
  }

  private ZooResult zoo(Vertx vertx, ZooServer server, ZooPlan plan) {
    try {
      return Zoo.run(vertx, server, plan, err()::println);
    } catch (IllegalStateException e) {
      throw new StartFailed(String.valueOf(e.getMessage()));
    }
  }

  private void write(String text, String page) throws IOException {
    out().print(text);
    Files.writeString(report, page);
    out().println("\nThe page: " + report.toAbsolutePath());
    out().flush();
  }

  private static String today() {
    return LocalDate.now(ZoneId.systemDefault()).toString();
  }

  private void check() {
    need(buyers >= 1 && buyers <= 1_000_000, "--buyers: 1 to 1000000");
    need(bots >= 0 && bots <= 1_000_000, "--bots: 0 to 1000000");
    need(units >= 1 && units <= 1_000_000, "--units: 1 to 1000000");
    need(preset.equals("flash") || preset.equals("queue"), "--preset: flash or queue");
    need(arrival >= 1 && arrival <= 3_600, "--arrival: 1 to 3600 seconds");
    need(longest > arrival && longest <= 14_400, "--longest: more than --arrival, at most 14400");
    need(farm >= 1, "--farm: at least 1");
    need(botAddresses >= 1 && botAddresses <= 65_536, "--bot-addresses: 1 to 65536");
    Path folder = report.toAbsolutePath().getParent();
    need(folder != null && Files.isDirectory(folder), "--report: there is no folder " + folder);
  }

  private void need(boolean holds, String problem) {
    if (!holds) {
      throw new ParameterException(Objects.requireNonNull(spec).commandLine(), problem);
    }
  }

  private Map<String, RehearsalResult> staging(Vertx vertx, String address) {
    return Map.of("as it is", run(vertx, target(address), plan(PROOF_HASHES, forwarded)));
  }

  private Target target(String address) {
    String token = operatorToken != null ? operatorToken : System.getenv("FAIRGATE_OPERATOR_TOKEN");
    need(token != null && !token.isBlank(), "--operator-token: needed with --url");
    try {
      return Target.of(address, Objects.requireNonNull(token));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "--url: " + address);
    }
  }

  private Map<String, RehearsalResult> both(Vertx vertx) throws IOException {
    Map<String, RehearsalResult> results = new LinkedHashMap<>();
    results.put(OFF, own(vertx, plan(0, true), OFF));
    results.put(ON, own(vertx, plan(PROOF_HASHES, true), ON));
    return results;
  }

  private RehearsalResult own(Vertx vertx, RehearsalPlan plan, String gate) throws IOException {
    err().println(gate + ": starting a server ...");
    try (RehearsalServer server = start(gate.equals(ON))) {
      return run(vertx, server.target(), plan);
    } catch (IllegalStateException e) {
      throw new StartFailed(String.valueOf(e.getMessage()));
    }
  }

  private static RehearsalServer start(boolean gate) throws IOException {
    return RehearsalServer.start(program(), gate, EmbeddedEngines::deleteData);
  }

  /// The command that starts this program again.
  private static List<String> program() {
    List<String> program = AotCache.java();
    program.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    return program;
  }

  private RehearsalResult run(Vertx vertx, Target target, RehearsalPlan plan) {
    RehearsalResult result;
    try {
      result = Rehearsal.run(vertx, target, plan, this::show);
    } catch (IllegalStateException e) {
      throw new StartFailed(String.valueOf(e.getMessage()));
    }
    err().println();
    return result;
  }

  private RehearsalPlan plan(long proofHashes, boolean forwarded) {
    return new RehearsalPlan(
        buyers,
        bots,
        units,
        preset,
        Duration.ofSeconds(arrival),
        Duration.ofSeconds(longest),
        proofHashes,
        PHONE_HASHES,
        farm,
        botAddresses,
        forwarded,
        seed);
  }

  private void show(Rehearsal.Progress now) {
    int width = 30;
    int filled = (int) (width * (long) now.left() / Math.max(1, now.visitors()));
    err()
        .print(
            String.format(
                Locale.ROOT,
                "\r[%s%s] %3d s  %,d of %,d gone  %,d waiting  %,d of %,d units ",
                "#".repeat(filled),
                ".".repeat(width - filled),
                now.millis() / 1000,
                now.left(),
                now.visitors(),
                now.waiting(),
                now.sold(),
                units));
    err().flush();
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }

  private PrintWriter err() {
    return Objects.requireNonNull(spec).commandLine().getErr();
  }
}
