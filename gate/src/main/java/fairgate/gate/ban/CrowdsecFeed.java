package fairgate.gate.ban;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.kernel.BanSubject;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.PeriodicJob;
import io.micrometer.core.instrument.Counter;
import java.io.IOException;
import java.io.Serial;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Polls the decisions of a CrowdSec local API on a virtual thread. Only decisions of type `ban` on
/// an address, a range or an autonomous system count. Ranges that are too wide for operators to ban
/// do not.
///
/// It starts with all decisions and then polls for changes. It restarts regularly and after an
/// outage, because the API forgets what it has sent to whom. During an outage, the decisions stay
/// in force until they expire.
final class CrowdsecFeed implements AutoCloseable {
  static final int MAX_DECISIONS = 300_000;

  private static final Logger LOG = LoggerFactory.getLogger(CrowdsecFeed.class);
  private static final int POLLS_BETWEEN_RESTARTS = 60;

  private final CrowdsecClient client;
  private final BanLists lists;
  private final Clock clock;
  private final Counter failures;
  private final PeriodicJob job;
  private volatile String trouble = "not asked yet";
  private int pollsSinceRestart = POLLS_BETWEEN_RESTARTS;

  CrowdsecFeed(BanService.Config.Crowdsec config, BanLists lists, Clock clock, Metrics metrics) {
    this.client = new CrowdsecClient(config);
    this.lists = lists;
    this.clock = clock;
    this.failures =
        metrics.counter("fairgate_crowdsec_failures_total", "Questions CrowdSec did not answer");
    this.job = new PeriodicJob("crowdsec", config.every(), this::poll).withFirstPassAtOnce();
  }

  void start() {
    job.start();
  }

  Health.Status status() {
    return trouble.isEmpty() ? Health.Status.good() : Health.Status.worse(trouble);
  }

  private void poll() {
    boolean anew = pollsSinceRestart >= POLLS_BETWEEN_RESTARTS;
    try {
      CrowdsecClient.Decisions decisions = client.ask(anew, clock.millis());
      apply(decisions, anew);
      pollsSinceRestart = anew ? 0 : pollsSinceRestart + 1;
      if (!trouble.isEmpty()) {
        LOG.info("Following CrowdSec; decisions={}", lists.feed().size());
      }
      trouble = "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (CrowdsecClient.Refused e) {
      if (job.isStopping()) {
        return;
      }
      failures.increment();
      pollsSinceRestart = POLLS_BETWEEN_RESTARTS;
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(trouble)) {
        LOG.warn("CrowdSec request failed: {}", reason);
      }
      trouble = reason;
    }
  }

  private void apply(CrowdsecClient.Decisions decisions, boolean anew) {
    BanTable table = anew ? new BanTable() : lists.feed();
    decisions.gone().forEach(table::remove);
    int left = 0;
    int wide = 0;
    for (Ban ban : decisions.fresh()) {
      if (ban.subject().isTooWide()) {
        wide++;
      } else if (table.size() < MAX_DECISIONS || table.get(ban.subject()) != null) {
        Ban held = table.get(ban.subject());
        // Of two decisions on one subject, the later end counts.
        if (held == null || held.until() < ban.until()) {
          table.put(ban);
        }
      } else {
        left++;
      }
    }
    if (left > 0) {
      LOG.warn("CrowdSec sent too many decisions; skipped={}, limit={}", left, MAX_DECISIONS);
    }
    if (wide > 0) {
      LOG.warn("CrowdSec sent bans of networks that are too wide; skipped={}", wide);
    }
    lists.feed(table);
  }

  @Override
  public void close() {
    job.close();
    client.close();
  }

  /// Client of a CrowdSec local API. Blocks.
  static final class CrowdsecClient implements AutoCloseable {
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
}
