package fairgate.platform.http;

import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.PeriodicJob;
import io.micrometer.core.instrument.Counter;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records a span of each sampled request and sends it to an OpenTelemetry collector (OTLP over
/// HTTP, JSON). Spans wait in a bounded queue; those that find it full, or that the collector does
/// not take, are dropped and counted. Requests never wait for it. Thread-safe.
///
/// The trace of the caller goes on if a trusted proxy sent its `traceparent`. Other callers could
/// ask for a record of every request, so theirs begin traces of their own, of which a share is
/// recorded.
public final class Traces implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Traces.class);
  private static final int MAX_WAITING = 8_192;
  private static final int BATCH = 512;
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(5);
  private static final Map<String, String> HEADERS = Map.of("content-type", "application/json");
  private static final int THOUSAND = 1_000;

  private final URI collector;
  private final int perThousand;
  private final Clock clock;
  private final HttpPost http = new HttpPost("traces", SEND_TIMEOUT);
  private final BlockingQueue<Ended> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Counter sent;
  private final Counter dropped;
  private final PeriodicJob job =
      new PeriodicJob("traces", PAUSE, this::sendAll).withFinalPass(PAUSE);
  private boolean failing;

  /// @param collector such as `http://127.0.0.1:4318/v1/traces`
  /// @param perThousand share of the requests without a trusted `traceparent` that is recorded
  public Traces(URI collector, int perThousand, Clock clock, Metrics metrics) {
    this.collector = collector;
    this.perThousand = perThousand;
    this.clock = clock;
    String help = "Spans of requests by what became of them";
    this.sent = metrics.counter("fairgate_trace_spans_total", help, "result", "sent");
    this.dropped = metrics.counter("fairgate_trace_spans_total", help, "result", "dropped");
  }

  /// Starts to send. May be called once.
  public void start() {
    job.start();
  }

  /// A request that is being recorded.
  public final class Span {
    private final String traceId;
    private final String parentId;
    private final long startMillis = clock.millis();
    private final long begun = System.nanoTime();

    private Span(String traceId, String parentId) {
      this.traceId = traceId;
      this.parentId = parentId;
    }

    /// Ends the span with what is known of the request.
    public void end(Facts facts) {
      long nanos = System.nanoTime() - begun;
      if (!waiting.offer(new Ended(traceId, parentId, startMillis, nanos, facts))) {
        dropped.increment();
      }
    }
  }

  /// The attributes of a span, without personal data.
  ///
  /// @param route the pattern of the route
  /// @param about the order or the product that the path names, with its kind, such as `order`;
  ///   empty for none
  public record Facts(
      String method, String route, int status, String requestId, Map<String, String> about) {}

  private record Ended(
      String traceId, String parentId, long startMillis, long nanos, Facts facts) {}

  /// The span of a request; null when it is not recorded.
  ///
  /// @param header `traceparent` as sent
  /// @param trusted whether a trusted proxy sent the request
  public @Nullable Span begin(@Nullable String header, BooleanSupplier trusted) {
    if (header != null && trusted.getAsBoolean()) {
      TraceParent parent = TraceParent.of(header).orElse(null);
      if (parent != null) {
        return parent.sampled() ? new Span(parent.traceId(), parent.spanId()) : null;
      }
    }
    return ThreadLocalRandom.current().nextInt(THOUSAND) < perThousand
        ? new Span(id(16), "")
        : null;
  }

  private static String id(int bytes) {
    byte[] random = new byte[bytes];
    ThreadLocalRandom.current().nextBytes(random);
    // An id must not be zero.
    random[0] |= 1;
    return HexFormat.of().formatHex(random);
  }

  private void sendAll() {
    List<Ended> batch = new ArrayList<>(BATCH);
    while (waiting.drainTo(batch, BATCH) > 0) {
      send(batch);
      batch.clear();
    }
  }

  private void send(List<Ended> batch) {
    HttpPost.Answer answer = http.send(collector, HEADERS, body(batch).bytes());
    boolean taken = answer instanceof HttpPost.Answer.Reply reply && reply.isSuccess();
    (taken ? sent : dropped).increment(batch.size());
    if (!taken && !failing) {
      LOG.warn("The collector of traces does not take spans; dropping them. answer={}", answer);
    } else if (taken && failing) {
      LOG.info("The collector of traces takes spans again");
    }
    failing = !taken;
  }

  private static JsonText body(List<Ended> batch) {
    JsonText spans = JsonText.array();
    batch.forEach(span -> spans.add(span(span)));
    JsonText scope =
        JsonText.object()
            .put("scope", JsonText.object().put("name", "fairgate"))
            .put("spans", spans);
    JsonText resource =
        JsonText.object()
            .put(
                "resource",
                JsonText.object()
                    .put(
                        "attributes",
                        JsonText.array().add(attribute("service.name", text("fairgate")))))
            .put("scopeSpans", JsonText.array().add(scope));
    return JsonText.object().put("resourceSpans", JsonText.array().add(resource));
  }

  private static JsonText span(Ended ended) {
    Facts facts = ended.facts();
    JsonText attributes =
        JsonText.array()
            .add(attribute("http.request.method", text(facts.method())))
            .add(attribute("http.route", text(facts.route())))
            .add(
                attribute(
                    "http.response.status_code",
                    JsonText.object().put("intValue", Integer.toString(facts.status()))))
            .add(attribute("fairgate.request_id", text(facts.requestId())));
    facts
        .about()
        .forEach((kind, value) -> attributes.add(attribute("fairgate." + kind, text(value))));
    long start = ended.startMillis() * 1_000_000;
    boolean isFailure = facts.status() >= 500;
    JsonText span =
        JsonText.object()
            .put("traceId", ended.traceId())
            .put("spanId", id(8))
            .put("name", facts.method() + " " + facts.route())
            .put("kind", 2)
            .put("startTimeUnixNano", Long.toString(start))
            .put("endTimeUnixNano", Long.toString(start + ended.nanos()))
            .put("attributes", attributes)
            .put("status", JsonText.object().put("code", isFailure ? 2 : 0));
    return ended.parentId().isEmpty() ? span : span.put("parentSpanId", ended.parentId());
  }

  private static JsonText attribute(String key, JsonText value) {
    return JsonText.object().put("key", key).put("value", value);
  }

  private static JsonText text(String value) {
    return JsonText.object().put("stringValue", value);
  }

  /// Sends what waits, for two seconds at most.
  @Override
  public void close() {
    job.close();
    http.close();
  }

  /// The `traceparent` header of W3C Trace Context.
  ///
  /// @param traceId 32 hexadecimal digits, not all zero
  /// @param spanId of the caller, 16 hexadecimal digits, not all zero
  /// @param sampled whether the caller records its span
  record TraceParent(String traceId, String spanId, boolean sampled) {
    /// A later version may have more fields behind the flags.
    private static final Pattern HEADER =
        Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

    private static final int MAX_LENGTH = 256;
    private static final String NO_VERSION = "ff";
    private static final String FIRST_VERSION = "00";

    /// Empty for a header that is missing or malformed, which is ignored as the standard demands.
    static Optional<TraceParent> of(String header) {
      Matcher parts = HEADER.matcher(header);
      if (header.length() > MAX_LENGTH || !parts.matches()) {
        return Optional.empty();
      }
      String version = parts.group(1);
      boolean tooLong = version.equals(FIRST_VERSION) && parts.group(5) != null;
      if (version.equals(NO_VERSION)
          || tooLong
          || isZero(parts.group(2))
          || isZero(parts.group(3))) {
        return Optional.empty();
      }
      boolean sampled = (Integer.parseInt(parts.group(4), 16) & 1) == 1;
      return Optional.of(new TraceParent(parts.group(2), parts.group(3), sampled));
    }

    private static boolean isZero(String digits) {
      return digits.chars().allMatch(digit -> digit == '0');
    }
  }
}
