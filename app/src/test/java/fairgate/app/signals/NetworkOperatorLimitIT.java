package fairgate.app.signals;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.MmdbFile;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `limit.asn` on a running server.
class NetworkOperatorLimitIT {
  @TempDir private Path folder;

  private static int read(TestFairgate server, String address) {
    return server.call("GET", "/api/products", "", "X-Forwarded-For", address).statusCode();
  }

  @Test
  void theAddressesOfOneNetworkOperatorShareItsLimit() {
    Path asns = folder.resolve("asn.mmdb");
    new MmdbFile().asn("203.0.113.0/24", 64_500).asn("198.51.100.0/24", 64_500).write(asns);
    try (TestFairgate server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits", "on",
                "limit.asn", "2/h window closed",
                "limit.budget_ms", "5000",
                "bans.asn_database", asns.toString(),
                "server.trusted_proxies", "127.0.0.1"))) {
      assertThat(read(server, "203.0.113.1")).isEqualTo(200);
      assertThat(read(server, "198.51.100.1")).isEqualTo(200);
      assertThat(read(server, "203.0.113.2")).isEqualTo(429);
      assertThat(read(server, "192.0.2.1")).isEqualTo(200);
    }
  }
}
