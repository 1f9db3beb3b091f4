package fairgate.bench;

import fairgate.gate.risk.BuiltInBundle;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/// The cost of risk: assessments by the built-in bundle, which has more than 40 rules, on random
/// values of all features; their binary form; and joins with rules, without rules and without risk.
///
/// Usage: `RiskSpeed ROOT FOLDER [join [ROUNDS] [SECONDS]]`.
public final class RiskSpeed {
  private static final int SAMPLES = 2_000;
  private static final int CALLS = 200_000;
  private static final int WARM_UP = 5;
  private static final int ADDRESSES = 20_000;
  private static final String PRODUCT = "7";
  private static final String JOIN =
      "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
  private static final String QUEUE =
      "{\"preset\":\"queue\",\"places_per_ip\":null,\"places_per_network\":null}";

  /// Bands like those of the built-in bundle, and no rules.
  private static final String NO_RULES =
      """
      {"format": 1, "schema": 1, "name": "no rules", "bands": {
        "low": {"action": "silent_check"}, "medium": {"from": 20, "action": "silent_check"},
        "high": {"from": 50, "action": "seat_behind"}, "severe": {"from": 80, "action": "hold"},
        "critical": {"from": 100, "action": "refuse"}}, "rules": []}
      """;

  private RiskSpeed() {}

  /// Prints the figures.
  public static void main(String[] args) throws IOException, InterruptedException {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    Random random = new Random(7);
    List<Features> samples = new ArrayList<>(SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
      samples.add(sample(random));
    }
    List<byte[]> encoded = samples.stream().map(Features::encode).toList();
    System.out.printf(
        Locale.ROOT,
        "%d rules, %d features, %.1f bytes a sample%n",
        bundle.bundle().rules().size(),
        FeatureSchema.latest().size(),
        encoded.stream().mapToInt(bytes -> bytes.length).average().orElseThrow());
    measure("assessment", i -> RiskEngine.assess(bundle, samples.get(i % SAMPLES)).score());
    measure("encoding", i -> samples.get(i % SAMPLES).encode().length);
    measure(
        "replay: decoding and assessment",
        i -> RiskEngine.assess(bundle, Features.decode(encoded.get(i % SAMPLES))).score());
    if (args.length > 2) {
      joins(
          Path.of(args[0]).resolve("app/target/fairgate.jar"),
          Path.of(args[1]),
          args.length > 3 ? Integer.parseInt(args[3]) : 5,
          args.length > 4 ? Integer.parseInt(args[4]) : 6);
    }
  }

  private static Features sample(Random random) {
    Features.Builder features = Features.builder();
    for (Feature feature : FeatureSchema.latest().features()) {
      if (random.nextBoolean()) {
        continue;
      }
      switch (feature.type()) {
        case LONG -> features.set(feature, random.nextLong(200));
        case BOOLEAN -> features.set(feature, random.nextInt(4) == 0);
        case DOUBLE -> features.set(feature, random.nextDouble());
        case STRING -> features.set(feature, "b" + random.nextInt(20));
      }
    }
    return features.build();
  }

  /// Prints mean, p50, p99 and p99.9 of single calls, after a warm-up.
  private static void measure(String what, IntUnaryOperator work) {
    long sum = 0;
    for (int i = 0; i < WARM_UP * CALLS; i++) {
      sum += work.applyAsInt(i);
    }
    long[] nanos = new long[CALLS];
    for (int i = 0; i < CALLS; i++) {
      long start = System.nanoTime();
      sum += work.applyAsInt(i);
      nanos[i] = System.nanoTime() - start;
    }
    double mean = Arrays.stream(nanos).average().orElseThrow() / 1_000;
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%s: mean %.1f us, p50 %.1f us, p99 %.1f us, p99.9 %.1f us (sum %d)%n",
        what,
        mean,
        nanos[CALLS / 2] / 1e3,
        nanos[CALLS / 100 * 99] / 1e3,
        nanos[CALLS / 1_000 * 999] / 1e3,
        sum);
  }

  /// Compares joins on three servers, one after the other in each round: without risk, with risk
  /// but without rules, and with the built-in rules.
  private static void joins(Path jar, Path folder, int rounds, int seconds)
      throws IOException, InterruptedException {
    Path noRules = Files.writeString(folder.resolve("no-rules.json"), NO_RULES);
    List<String> addresses = addresses();
    try (Server off = Server.start(jar, folder, "off", Map.of("FAIRGATE_RISK_MODE", "off"));
        Server plain =
            Server.start(jar, folder, "plain", Map.of("FAIRGATE_RISK_BUNDLE", noRules.toString()));
        Server ruled = Server.start(jar, folder, "ruled", Map.of())) {
      List<Server> servers = List.of(off, plain, ruled);
      double[][] speeds = new double[servers.size()][rounds];
      double[][] costs = new double[servers.size()][rounds];
      for (int round = -1; round < rounds; round++) {
        for (int i = 0; i < servers.size(); i++) {
          Joins joins = servers.get(i).joins(addresses, seconds);
          System.out.printf(
              Locale.ROOT,
              "round %d, %s: %.0f/s, %.1f us of a core%n",
              round,
              servers.get(i).name(),
              joins.perSecond(),
              joins.cpuMicros());
          if (round >= 0) {
            speeds[i][round] = joins.perSecond();
            costs[i][round] = joins.cpuMicros();
          }
        }
      }
      print("rules, against risk without rules", speeds, costs, 2, 1);
      print("risk with rules, against none", speeds, costs, 2, 0);
    }
  }

  /// Prints the medians of the ratios of the rounds.
  private static void print(String what, double[][] speeds, double[][] costs, int one, int other) {
    System.out.printf(
        Locale.ROOT,
        "joins with %s: %.3f of the speed, %.3f by processor time%n",
        what,
        median(speeds[one], speeds[other]),
        median(costs[other], costs[one]));
  }

  private static double median(double[] numerators, double[] denominators) {
    double[] ratios = new double[numerators.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = numerators[i] / denominators[i];
    }
    Arrays.sort(ratios);
    return ratios[ratios.length / 2];
  }

  /// A server under test with its product.
  private record Server(String name, Child child, Wrk wrk) implements AutoCloseable {
    static Server start(Path jar, Path folder, String name, Map<String, String> settings)
        throws IOException, InterruptedException {
      Map<String, String> all = new HashMap<>(settings);
      all.put("FAIRGATE_SERVER_TRUSTED_PROXIES", "127.0.0.1");
      Child child = Child.start(jar, folder.resolve(name), all);
      child.create(PRODUCT, 1, QUEUE);
      return new Server(name, child, new Wrk(child.port(), folder));
    }

    Joins joins(List<String> addresses, int seconds) throws IOException, InterruptedException {
      double before = child.processorSeconds();
      Wrk.Run run = wrk.browsers("/api/queue/join", addresses, JOIN, seconds).allGranted();
      double spent = child.processorSeconds() - before;
      return new Joins(run.perSecond(), spent * 1e6 / run.granted());
    }

    @Override
    public void close() {
      child.close();
    }
  }

  /// @param cpuMicros processor time of the server and its Redis for each join
  private record Joins(double perSecond, double cpuMicros) {}

  /// Addresses of a crowd: some share a network, most do not.
  private static List<String> addresses() {
    Random random = new Random(11);
    List<String> all = new ArrayList<>(ADDRESSES);
    for (int i = 0; i < ADDRESSES; i++) {
      all.add("%d.%d.%d.%d".formatted(20 + i % 80, i / 80 % 250, random.nextInt(3), 1 + i % 250));
    }
    return all;
  }
}
