package fairgate.gate.ban;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Serial;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/// Client of a CrowdSec local API. Blocks.
final class CrowdsecClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
  private static final long LONGEST_REPLY = 128L << 20;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CALL_TIMEOUT)
          .build();
  private final String address;
  private final String apiKey;

  /// No response, or an invalid one; the message says which.
  static final class Refused extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    Refused(String reason) {
      super(reason, null, false, false);
    }
  }

  CrowdsecClient(BanConfig.Crowdsec config) {
    String base = config.url().endsWith("/") ? config.url() : config.url() + "/";
    this.address = base + "v1/decisions/stream?startup=";
    this.apiKey = config.apiKey();
  }

  /// @param anew whether to request all decisions, or only those since the last request
  /// @param now ms; durations count from then
  CrowdsecDecisions ask(boolean anew, long now) throws Refused, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + anew))
            .timeout(CALL_TIMEOUT)
            .header("X-Api-Key", apiKey)
            .header("Accept", "application/json")
            .header("User-Agent", "fairgate")
            .GET()
            .build();
    try {
      HttpResponse<byte[]> response =
          http.send(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LONGEST_REPLY));
      if (response.statusCode() == 403) {
        throw new Refused("the api key is refused");
      }
      if (response.statusCode() != 200) {
        throw new Refused("answers " + response.statusCode());
      }
      JsonNode reply = JSON.readTree(response.body());
      if (reply == null || !(reply.isObject() || reply.isNull())) {
        throw new Refused("answers with something else than decisions");
      }
      return CrowdsecDecisions.read(reply, now);
    } catch (IOException e) {
      throw new Refused("does not answer: " + e.getClass().getSimpleName());
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
