package fairgate.crowd.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.http.Loops;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZooAccountsIT {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path data;

  @Test
  void accountsWithVerifiedNumbersAreMadeWithinTheLimitsAndKept() {
    Vertx vertx = Loops.vertx();
    try (TestFairgate server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits", "on",
                "server.trusted_proxies", "127.0.0.1",
                "identity.provider", "console",
                "data_dir", data.toString()))) {
      Path codes = data.resolve("secrets/one-time-codes");
      ZooServer zoo =
          new ZooServer(Target.of(server.baseUrl(), TestFairgate.OPERATOR), Optional.of(codes));
      ZooAccounts accounts = new ZooAccounts(vertx, zoo, codes);
      List<String> tokens = accounts.range(0, 6);
      assertThat(tokens).doesNotHaveDuplicates().hasSize(6);
      assertThat(accounts.range(4, 7)).startsWith(tokens.get(4), tokens.get(5));
      for (int i = 0; i < tokens.size(); i++) {
        String[] headers = {
          "Authorization", "Bearer " + tokens.get(i), "X-Forwarded-For", "10.9.0." + i
        };
        assertThat(server.call("GET", "/api/v1/identity", "", headers).body())
            .contains("\"kind\":\"phone\"");
      }
    } finally {
      vertx.close();
    }
  }
}
