package fairgate.redeem.orders;

import fairgate.kernel.CircuitBreaker;
import fairgate.platform.http.HttpCalls;
import fairgate.platform.observe.Metrics;
import fairgate.redeem.orders.OrderSources.OrderLookup;
import fairgate.redeem.orders.OrderSources.OrderLookup.Unavailable;
import fairgate.redeem.orders.OrderSources.OrderLookup.Unreadable;
import io.micrometer.core.instrument.Counter;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The remote order system: `GET {url}/api/orders/{order number}` with a bearer token.
///
/// Only the configured host is called: the number is percent-encoded, and redirects are not
/// followed. Only status 404 means that the order does not exist. Every other response that is not
/// a valid order (401, 429, 5xx, a timeout, an incomplete body) means that the state of the order
/// is unknown. Failures in a row suspend all calls; an answer that is wrong about one order is
/// none. Concurrent calls for the same number share one request.
public final class OrderSystem implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OrderSystem.class);
  private static final long MAX_RESPONSE_BYTES = 64 * 1024;
  private static final int MAX_CONCURRENT_CALLS = 64;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);
  private static final int MAX_RETRY_AFTER_S = 60;

  private final Config config;
  private final HttpCalls http;
  private final CircuitBreaker breaker;
  private final OrderResponseParser reading;
  private final Semaphore permits = new Semaphore(MAX_CONCURRENT_CALLS);
  private final Map<String, CompletableFuture<OrderLookup>> callsInFlight =
      new ConcurrentHashMap<>();
  private final Counter failures;

  /// @param reading how an answer becomes an order
  OrderSystem(Config config, OrderResponseParser reading, InstantSource clock, Metrics metrics) {
    this.config = config;
    this.reading = reading;
    this.breaker =
        new CircuitBreaker(
            config.failures(), config.pause(), () -> TimeUnit.MILLISECONDS.toNanos(clock.millis()));
    this.failures =
        metrics.counter("fairgate_order_system_failures", "Calls without a usable answer");
    metrics.gauge(
        "fairgate_order_system_away",
        "1 while the order system is left alone after failures",
        () -> breaker.isOpen() ? 1 : 0);
    this.http = new HttpCalls("order-system", config.timeLimit(), MAX_RESPONSE_BYTES);
  }

  /// Connects to the configured system.
  ///
  /// @param shapes the platforms that a response may contain
  public static OrderSystem at(
      Config config, OrderNumberFormats shapes, InstantSource clock, Metrics metrics) {
    return new OrderSystem(config, new OrderResponseParser(shapes, config.zone()), clock, metrics);
  }

  /// Requests an order. Blocks for at most twice the time limit; never throws.
  OrderLookup find(String orderId) {
    CompletableFuture<OrderLookup> mine = new CompletableFuture<>();
    CompletableFuture<OrderLookup> first = callsInFlight.putIfAbsent(orderId, mine);
    if (first != null) {
      return first.join();
    }
    OrderLookup answer = new Unavailable("the call was aborted", RETRY_AFTER);
    try {
      answer = guarded(orderId);
    } finally {
      callsInFlight.remove(orderId);
      mine.complete(answer);
    }
    return answer;
  }

  private OrderLookup guarded(String orderId) {
    if (!breaker.allows()) {
      return new Unavailable("calls are suspended after failures", config.pause());
    }
    try {
      if (!permits.tryAcquire(config.timeLimit().toMillis(), TimeUnit.MILLISECONDS)) {
        return new Unavailable("too many calls in flight", RETRY_AFTER);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unavailable("interrupted", RETRY_AFTER);
    }
    try {
      OrderLookup answer = ask(orderId);
      if (answer instanceof Unavailable away) {
        failures.increment();
        boolean opened = breaker.failed();
        LOG.atLevel(opened ? org.slf4j.event.Level.ERROR : org.slf4j.event.Level.WARN)
            .log(
                opened
                    ? "Order system failed repeatedly; calls are suspended; reason={}"
                    : "Order system call failed; reason={}",
                away.reason());
      } else {
        boolean _ = breaker.succeeded();
      }
      if (answer instanceof Unreadable wrong) {
        failures.increment();
        LOG.warn("The order system's answer about an order is invalid; reason={}", wrong.reason());
      }
      return answer;
    } finally {
      permits.release();
    }
  }

  private OrderLookup ask(String orderId) {
    String encoded = URLEncoder.encode(orderId, StandardCharsets.UTF_8).replace("+", "%20");
    HttpRequest.Builder request =
        http.request(trimmed(config.url()) + "/api/orders/" + encoded)
            .header("accept", "application/json");
    if (!config.token().isEmpty()) {
      request.header("authorization", "Bearer " + config.token());
    }
    try {
      HttpResponse<byte[]> response = http.send(request);
      return switch (response.statusCode()) {
        case 200 -> reading.read(orderId, response.body());
        case 404 -> new OrderLookup.Unknown();
        case 400, 410, 414, 422 -> new Unreadable("it answered " + response.statusCode());
        case 401, 403 ->
            new Unavailable("it refuses order_system.token: " + response.statusCode(), RETRY_AFTER);
        default -> new Unavailable("it answered " + response.statusCode(), retryAfter(response));
      };
    } catch (HttpCalls.NoReply e) {
      return new Unavailable(e.reason(), RETRY_AFTER);
    }
  }

  private static Duration retryAfter(HttpResponse<?> response) {
    return response
        .headers()
        .firstValue("retry-after")
        .filter(text -> text.matches("\\d{1,6}"))
        .map(text -> Duration.ofSeconds(Math.clamp(Integer.parseInt(text), 1, MAX_RETRY_AFTER_S)))
        .orElse(RETRY_AFTER);
  }

  private static String trimmed(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  @Override
  public void close() {
    http.close();
  }

  /// The remote order system.
  ///
  /// @param url its base address; empty = none
  /// @param token sent as a bearer token; empty = none
  /// @param timeLimit of one call, body included
  /// @param failures consecutive failures that open the circuit breaker
  /// @param pause pause of the open circuit breaker
  /// @param zone of times without an offset
  public record Config(
      String url, String token, Duration timeLimit, int failures, Duration pause, ZoneId zone) {
    /// At this address: 3 s a call; 5 failures in a row give it 10 s of rest; local times are in
    /// UTC.
    public static Config at(String url, String token) {
      return new Config(
          url, token, Duration.ofSeconds(3), 5, Duration.ofSeconds(10), ZoneOffset.UTC);
    }

    @Override
    public String toString() {
      return "OrderSystemConfig[" + url + "]";
    }
  }
}
