package fairgate.bench;

import fairgate.gate.risk.BuiltInBundle;
import fairgate.gate.risk.CelRuleEngine;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskEngine;
import java.io.IOException;
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
/// values of all features; their binary form; and joins with risk against joins without.
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

  private RiskSpeed() {}

  /// Prints the figures.
  public static void main(String[] args) throws IOException, InterruptedException {
    CompiledBundle bundle = new BuiltInBundle(new CelRuleEngine()).bundleFor("anybody");
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

  private static void joins(Path jar, Path folder, int rounds, int seconds)
      throws IOException, InterruptedException {
    Map<String, String> proxy = Map.of("FAIRGATE_SERVER_TRUSTED_PROXIES", "127.0.0.1");
    Map<String, String> off = new HashMap<>(proxy);
    off.put("FAIRGATE_RISK_MODE", "off");
    List<String> addresses = addresses();
    try (Child without = Child.start(jar, folder.resolve("without"), off);
        Child with = Child.start(jar, folder.resolve("with"), proxy)) {
      without.create(PRODUCT, 1, QUEUE);
      with.create(PRODUCT, 1, QUEUE);
      Wrk wrk = new Wrk(without.port(), folder);
      Wrk judged = new Wrk(with.port(), folder);
      double[] speeds = new double[rounds];
      double[] costs = new double[rounds];
      for (int i = -1; i < rounds; i++) {
        Joins base = joins(without, wrk, addresses, seconds);
        Joins risk = joins(with, judged, addresses, seconds);
        System.out.printf(
            Locale.ROOT,
            "round %d: %.0f/s and %.1f us of a core without, %.0f/s and %.1f us with risk%n",
            i,
            base.perSecond(),
            base.cpuMicros(),
            risk.perSecond(),
            risk.cpuMicros());
        if (i >= 0) {
          speeds[i] = risk.perSecond() / base.perSecond();
          costs[i] = base.cpuMicros() / risk.cpuMicros();
        }
      }
      Arrays.sort(speeds);
      Arrays.sort(costs);
      System.out.printf(
          Locale.ROOT,
          "joins with risk: %.3f of the speed without, %.3f by processor time%n",
          speeds[rounds / 2],
          costs[rounds / 2]);
    }
  }

  /// @param cpuMicros processor time of the server and its Redis for each join
  private record Joins(double perSecond, double cpuMicros) {}

  private static Joins joins(Child server, Wrk wrk, List<String> addresses, int seconds)
      throws IOException, InterruptedException {
    double before = server.processorSeconds();
    Wrk.Run run = wrk.browsers("/api/queue/join", addresses, JOIN, seconds).allGranted();
    double spent = server.processorSeconds() - before;
    return new Joins(run.perSecond(), spent * 1e6 / run.granted());
  }

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
