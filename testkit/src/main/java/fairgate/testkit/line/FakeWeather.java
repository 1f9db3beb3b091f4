package fairgate.testkit.line;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// An Open-Meteo API on loopback with a few places. It can hold its replies, and fail.
public final class FakeWeather implements AutoCloseable {
  private record Place(String name, double latitude, double longitude, int code, double degrees) {}

  private static final Map<String, Place> PLACES =
      Map.of(
          "台北", new Place("臺北市", 25.0531, 121.5264, 61, 22.4),
          "taipei", new Place("Taipei", 25.0531, 121.5264, 61, 22.4),
          "高雄", new Place("高雄市", 22.6163, 120.3133, 0, 28.1),
          "东京", new Place("东京", 35.6895, 139.6917, 3, 15.2),
          "tokyo", new Place("Tokyo", 35.6895, 139.6917, 3, 15.2));

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger asked = new AtomicInteger();
  private final Semaphore arrived = new Semaphore(0);
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile int status = 200;

  private FakeWeather(HttpServer server) {
    this.server = server;
  }

  /// Starts on a free loopback port.
  public static FakeWeather start() {
    try {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
      FakeWeather weather = new FakeWeather(server);
      server.createContext("/v1/search", weather::search);
      server.createContext("/v1/forecast", weather::forecast);
      server.setExecutor(weather.threads);
      server.start();
      return weather;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Answers on another server, too.
  void alsoOn(FakeLine line) {
    line.also("/v1/search", this::search);
    line.also("/v1/forecast", this::forecast);
  }

  /// The base address, without a path.
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// From now on answers wait for `release`.
  public void hold() {
    gate = new CountDownLatch(1);
    int _ = arrived.drainPermits();
  }

  /// Lets answers go.
  public void release() {
    gate.countDown();
  }

  /// From now on it answers with this status.
  public void answerWith(int other) {
    status = other;
  }

  /// How many questions it got.
  public int asked() {
    return asked.get();
  }

  /// Waits for the next question that has not been waited for.
  public void awaitQuestion() {
    try {
      if (!arrived.tryAcquire(20, TimeUnit.SECONDS)) {
        throw new AssertionError("nobody asks for the weather");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    threads.shutdownNow();
  }

  private void search(HttpExchange exchange) throws IOException {
    Place place = PLACES.get(query(exchange).getOrDefault("name", "").toLowerCase(Locale.ROOT));
    ObjectNode answer = LineApi.JSON.createObjectNode().put("generationtime_ms", 0.5);
    if (place != null) {
      answer
          .putArray("results")
          .addObject()
          .put("id", 1)
          .put("name", place.name())
          .put("latitude", place.latitude())
          .put("longitude", place.longitude());
    }
    respond(exchange, answer);
  }

  private void forecast(HttpExchange exchange) throws IOException {
    Map<String, String> query = query(exchange);
    double latitude = Double.parseDouble(query.getOrDefault("latitude", "0"));
    Place place =
        PLACES.values().stream()
            .filter(one -> Math.abs(one.latitude() - latitude) < 0.5)
            .findFirst()
            .orElse(new Place("", latitude, 0, 2, 20));
    ObjectNode answer =
        LineApi.JSON.createObjectNode().put("latitude", latitude).put("timezone", "GMT");
    answer
        .putObject("current")
        .put("time", "2026-11-21T12:00")
        .put("temperature_2m", place.degrees())
        .put("apparent_temperature", place.degrees() + 1)
        .put("relative_humidity_2m", 70)
        .put("weather_code", place.code())
        .put("wind_speed_10m", 9.4);
    ObjectNode daily = answer.putObject("daily");
    daily.putArray("time").add("2026-11-21");
    daily.putArray("temperature_2m_max").add(place.degrees() + 3);
    daily.putArray("temperature_2m_min").add(place.degrees() - 4);
    daily.putArray("precipitation_probability_max").add(80);
    respond(exchange, answer);
  }

  private static Map<String, String> query(HttpExchange exchange) {
    Map<String, String> all = new HashMap<>();
    for (String pair : exchange.getRequestURI().getRawQuery().split("&", -1)) {
      int at = pair.indexOf('=');
      all.put(
          pair.substring(0, at), URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8));
    }
    return all;
  }

  private void respond(HttpExchange exchange, ObjectNode answer) throws IOException {
    asked.incrementAndGet();
    arrived.release();
    try (exchange) {
      gate.await();
      byte[] bytes = LineApi.JSON.writeValueAsBytes(answer);
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
