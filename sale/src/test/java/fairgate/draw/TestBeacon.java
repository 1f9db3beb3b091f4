package fairgate.draw;

import fairgate.draw.tlog.StrictText;
import fairgate.testkit.FakeDrand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A beacon on loopback with the recorded rounds, and the settings of a server that uses it.
public final class TestBeacon {
  private TestBeacon() {}

  /// Starts a beacon with a round each second, since ten seconds ago.
  public static FakeDrand start(Clock clock) {
    return start(clock.millis() / 1000 - 10, 1, clock);
  }

  /// Starts a beacon.
  ///
  /// @param genesis time of its first round, seconds since 1970
  /// @param period seconds between two rounds
  public static FakeDrand start(long genesis, int period, Clock clock) {
    List<String> rounds =
        StrictText.utf8(DrawVectors.resource("test_rounds.txt")).orElseThrow().lines().toList();
    return FakeDrand.start(DrawVectors.resource("test_chain.json"), rounds, genesis, period, clock);
  }

  /// The settings of a server that draws with the beacon.
  ///
  /// @param folder gets the description of the chain
  public static Map<String, String> settings(FakeDrand drand, Path folder) throws IOException {
    Path chain = Files.writeString(folder.resolve("chain.json"), drand.info());
    Map<String, String> settings = new HashMap<>();
    settings.put("draws.chain_file", chain.toString());
    settings.put("draws.beacon_urls", drand.url());
    return settings;
  }
}
