package fairgate.app;

import fairgate.app.Server.Running;
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

/// A node in a process of its own for `prove`: like `serve`, on the loopback address, with the test
/// challenge, without limits by address, and with a clock that may be wrong. It is not a command of
/// the program.
final class ProveNode {
  /// All simulated buyers have the same address.
  private static final List<String> CLAIM_LIMITS =
      List.of(
          "claims_per_minute",
          "claims_per_day",
          "claims_per_order",
          "misses_per_hour",
          "ban_after_misses");

  private static final List<String> ADDRESS_LIMITS = List.of("ip", "page", "network", "join_new");
  private static final String NO_END = "100000";

  private ProveNode() {}

  /// Runs until it or its parent process ends.
  ///
  /// @param args error of the clock, milliseconds
  public static void main(String[] args) throws Exception {
    Thread.ofPlatform().daemon().name("end-with-parent").start(ProveNode::endWithParent);
    Map<String, String> options = new LinkedHashMap<>();
    options.put("server.host", "127.0.0.1");
    options.put("server.port", "0");
    options.put("server.drain_seconds", "0");
    options.put("server.warm_up_ms", "0");
    options.put("challenge.provider", "test");
    for (String limit : ADDRESS_LIMITS) {
      options.put("limit." + limit, "off");
    }
    options.put("limit.concurrent", NO_END);
    options.put("limit.streams", NO_END);
    options.put("demo", "off");
    for (String limit : CLAIM_LIMITS) {
      options.put("redeem." + limit, "0");
    }
    FairgateConfig settings =
        FairgateConfig.of(ConfigReader.read(Optional.empty(), System.getenv(), options));
    Logs.forMachines();
    Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofMillis(Long.parseLong(args[0])));
    Running running =
        Wiring.start(settings, EngineAddresses.external(settings), Replaceable.withClock(clock));
    System.exit(
        Server.run(
            settings,
            running,
            Map.of(),
            () -> {},
            new PrintWriter(System.out, true, StandardCharsets.UTF_8)));
  }

  /// The parent process holds the other end of standard input.
  private static void endWithParent() {
    try {
      long _ = System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException _) {
      // Equivalent to the end of the input.
    }
    Runtime.getRuntime().halt(1);
  }
}
