package fairgate.gate.ban;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.kernel.BanSubject;
import java.io.IOException;
import java.io.Serial;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

  CrowdsecClient(BanService.Config.Crowdsec config) {
    String base = config.url().endsWith("/") ? config.url() : config.url() + "/";
    this.address = base + "v1/decisions/stream?startup=";
    this.apiKey = config.apiKey();
  }

  /// @param anew whether to request all decisions, or only those since the last request
  /// @param now ms; durations count from then
  Decisions ask(boolean anew, long now) throws Refused, InterruptedException {
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
      return Decisions.read(reply, now);
    } catch (IOException e) {
      throw new Refused("does not answer: " + e.getClass().getSimpleName());
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /// The decisions of CrowdSec since the last request.
  ///
  /// @param fresh decisions in force
  /// @param gone subjects of ended decisions
  record Decisions(List<Ban> fresh, List<BanSubject> gone) {
    private static final int LONGEST_REASON = 200;

    /// Parses the reply `{"new": [...], "deleted": [...]}`; either list may be null. Malformed
    /// decisions and those that are not bans are skipped.
    static Decisions read(JsonNode reply, long now) {
      List<Ban> fresh = new ArrayList<>();
      for (JsonNode node : reply.path("new")) {
        BanSubject subject = subject(node);
        Duration remaining = GoDuration.parse(node.path("duration").asText());
        if (subject != null && remaining != null && remaining.isPositive()) {
          long until = now + remaining.toMillis();
          fresh.add(new Ban(0, Ban.Effect.BAN, subject, reason(node), "crowdsec", now, until));
        }
      }
      List<BanSubject> gone = new ArrayList<>();
      for (JsonNode node : reply.path("deleted")) {
        BanSubject subject = subject(node);
        if (subject != null) {
          gone.add(subject);
        }
      }
      return new Decisions(fresh, gone);
    }

    private static @Nullable BanSubject subject(JsonNode node) {
      if (!node.path("type").asText().equalsIgnoreCase("ban")) {
        return null;
      }
      String value = node.path("value").asText();
      return switch (node.path("scope").asText().toLowerCase(Locale.ROOT)) {
        case "ip" -> BanSubject.parse(BanSubject.Kind.IP, value);
        case "range" -> BanSubject.parse(BanSubject.Kind.NETWORK, value);
        case "as" -> BanSubject.parse(BanSubject.Kind.ASN, value);
        case "country" -> BanSubject.parse(BanSubject.Kind.COUNTRY, value);
        default -> null;
      };
    }

    private static String reason(JsonNode node) {
      String reason = node.path("scenario").asText();
      return reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) : reason;
    }

    /// Parses durations in Go's format: `3h59m12.5s`, `1.5h`, `300ms`, `-12s`.
    static final class GoDuration {
      private static final Pattern PART =
          Pattern.compile("(\\d{1,9}(?:\\.\\d{1,12})?)(h|ms|m|s|us|µs|ns)");
      private static final Pattern WHOLE =
          Pattern.compile("[-+]?(?:" + PART.pattern() + ")+|[-+]?0");

      private GoDuration() {}

      /// The duration, which may be negative; null when the text is malformed.
      static @Nullable Duration parse(String text) {
        if (text.length() > 100 || !WHOLE.matcher(text).matches()) {
          return null;
        }
        Duration sum = Duration.ZERO;
        for (MatchResult part : PART.matcher(text).results().toList()) {
          BigDecimal nanos = new BigDecimal(part.group(1)).multiply(nanos(part.group(2)));
          sum = sum.plusNanos(nanos.longValue());
        }
        return text.startsWith("-") ? sum.negated() : sum;
      }

      private static BigDecimal nanos(String unit) {
        return BigDecimal.valueOf(
            switch (unit) {
              case "h" -> 3_600_000_000_000L;
              case "m" -> 60_000_000_000L;
              case "s" -> 1_000_000_000L;
              case "ms" -> 1_000_000L;
              case "us", "µs" -> 1_000L;
              default -> 1L;
            });
      }
    }
  }
}
