package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.RequestSigner;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Signed calls while Redis is unavailable: replay cannot be ruled out, so none passes, whichever
/// component spends the nonces.
class SignedRequestsOutageIT {
  @ParameterizedTest
  @ValueSource(strings = {"off", "on"})
  void noSignedCallPassesWhileRedisIsAway(String limits) throws IOException {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server =
            TestFairgate.start(engines, engines.freshDatabase(), Map.of("limits", limits));
        HttpClient http = HttpClient.newHttpClient()) {
      JsonNode made =
          new ObjectMapper().readTree(server.admin("POST", "/api-keys", "{\"name\":\"tests\"}"));
      RequestSigner signer =
          new RequestSigner(
              made.get("key_id").asText(), made.get("secret").asText(), Clock.systemUTC());
      var request =
          signer.request(
              RequestSigner.draft("GET", URI.create(server.baseUrl() + "/api/products"), ""));
      engines.pauseRedis();
      HttpResponse<String> answer = http.sendAsync(request, BodyHandlers.ofString()).join();
      engines.resumeRedis();
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      assertThat(answer.body()).contains("SERVICE_UNAVAILABLE");
    }
  }
}
