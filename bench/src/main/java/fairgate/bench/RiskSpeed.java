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
    try (Child without =
            Child.start(jar, folder.resolve("without"), Map.of("FAIRGATE_RISK_MODE", "off"));
        Child with =
            Child.start(jar, folder.resolve("with"), Map.of("FAIRGATE_RISK_MODE", "enforce"))) {
      without.create(PRODUCT, 1, QUEUE);
      with.create(PRODUCT, 1, QUEUE);
      Wrk plain = new Wrk(without.port(), folder);
      Wrk judged = new Wrk(with.port(), folder);
      double[] shares = new double[rounds];
      for (int i = -1; i < rounds; i++) {
        double base = plain.post("/api/queue/join", JOIN, seconds).allGranted().perSecond();
        double speed = judged.post("/api/queue/join", JOIN, seconds).allGranted().perSecond();
        System.out.printf(
            Locale.ROOT, "round %d: %.0f/s without, %.0f/s with risk%n", i, base, speed);
        if (i >= 0) {
          shares[i] = speed / base;
        }
      }
      Arrays.sort(shares);
      System.out.printf(
          Locale.ROOT, "joins with risk: %.3f of those without%n", shares[rounds / 2]);
    }
  }
}
