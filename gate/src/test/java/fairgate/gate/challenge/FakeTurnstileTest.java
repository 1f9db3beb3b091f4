package fairgate.gate.challenge;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.FakeTurnstile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The fake follows the protocol in parts that the server does not use.
class FakeTurnstileTest {
  private final FakeTurnstile cloudflare = FakeTurnstile.start(Clock.systemUTC());
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    client.close();
    cloudflare.close();
  }

  @Test
  void formsAreAcceptedAndTokensAreValidOnce() throws Exception {
    String form = "secret=" + FakeTurnstile.SECRET + "&response=" + cloudflare.issue();
    assertThat(post(form)).contains("\"success\":true").contains("shop.example");
    assertThat(post(form)).contains("timeout-or-duplicate");
  }

  @Test
  void aRetryWithTheSameKeyGetsTheFirstResponse() throws Exception {
    String form =
        "idempotency_key=k&secret=" + FakeTurnstile.SECRET + "&response=" + cloudflare.issue();
    assertThat(post(form)).contains("\"success\":true").isEqualTo(post(form));
  }

  @Test
  void missingAndWrongSecretsAreReported() throws Exception {
    assertThat(post("response=x")).contains("missing-input-secret");
    assertThat(post("secret=x&response=x")).contains("invalid-input-secret");
    assertThat(post("secret=" + FakeTurnstile.SECRET)).contains("missing-input-response");
  }

  private String post(String form) throws Exception {
    return client
        .send(
            HttpRequest.newBuilder(URI.create(cloudflare.url() + "/turnstile/v0/siteverify"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form))
                .build(),
            BodyHandlers.ofString())
        .body();
  }
}
