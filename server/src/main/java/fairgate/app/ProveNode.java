package fairgate.app;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A node that `prove` runs in a process of its own: as `serve`, on the loopback address, with the
/// test challenge and without rate limits, and with a clock that may be wrong. No command leads
/// here.
final class ProveNode {
  /// All people of a proof come from one address.
  private static final List<String> CLAIM_LIMITS =
      List.of(
          "claims_per_minute",
          "claims_per_day",
          "claims_per_order",
          "misses_per_hour",
          "ban_after_misses");

  private ProveNode() {}

  /// Runs until it is ended, or whoever started it is.
  ///
  /// @param args by how many milliseconds the clock is wrong
  public static void main(String[] args) throws Exception {
    Thread.ofPlatform().daemon().name("end-with-parent").start(ProveNode::endWithParent);
    Map<String, String> options = new LinkedHashMap<>();
    options.put("server.host", "127.0.0.1");
    options.put("server.port", "0");
    options.put("challenge.provider", "test");
    options.put("limits", "off");
    options.put("demo", "off");
    for (String limit : CLAIM_LIMITS) {
      options.put("redeem." + limit, "0");
    }
    FairgateConfig settings =
        FairgateConfig.of(ConfigReader.read(Optional.empty(), System.getenv(), options));
    Logs.forMachines();
    Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofMillis(Long.parseLong(args[0])));
    Running running =
        Wiring.start(
            settings, EngineAddresses.external(settings), new Seams(clock, new RandomIds(clock)));
    System.exit(
        Server.run(
            settings,
            running,
            Map.of(),
            () -> {},
            new PrintWriter(System.out, true, StandardCharsets.UTF_8)));
  }

  /// Whoever started it holds the other end of its input.
  private static void endWithParent() {
    try {
      long _ = System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException _) {
      // The same as its end.
    }
    Runtime.getRuntime().halt(1);
  }
}
