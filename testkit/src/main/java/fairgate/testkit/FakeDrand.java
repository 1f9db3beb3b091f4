package fairgate.testkit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// A drand relay on loopback, with a chain whose first rounds were signed in advance with a test
/// key. A signature of an unchained round depends on its number only, so the chain can begin at any
/// time.
public final class FakeDrand implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final ObjectNode info;
  private final List<String> rounds;
  private final Clock clock;
  private final AtomicInteger asked = new AtomicInteger();
  private volatile boolean isSilent;

  private FakeDrand(HttpServer server, ObjectNode info, List<String> rounds, Clock clock) {
    this.server = server;
    this.info = info;
    this.rounds = List.copyOf(rounds);
    this.clock = clock;
  }

  /// Starts on a free loopback port.
  ///
  /// @param template a chain's `/info`, whose key has signed the rounds
  /// @param rounds signatures of the rounds from 1 on, in hexadecimal
  /// @param genesis time of round 1, seconds since 1970
  /// @param period seconds between two rounds
  public static FakeDrand start(
      byte[] template, List<String> rounds, long genesis, int period, Clock clock) {
    try {
      ObjectNode info = (ObjectNode) JSON.readTree(template);
      info.put("genesis_time", genesis).put("period", period);
      info.put("hash", hash(info));
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      FakeDrand drand = new FakeDrand(server, info, rounds, clock);
      server.createContext("/", drand::serve);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return drand;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The hash of a chain's description, as drand computes it.
  private static String hash(ObjectNode info) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(
          ByteBuffer.allocate(12)
              .putInt(info.path("period").asInt())
              .putLong(info.path("genesis_time").asLong())
              .array());
      digest.update(HexFormat.of().parseHex(info.path("public_key").asText()));
      digest.update(HexFormat.of().parseHex(info.path("groupHash").asText()));
      String id = info.path("metadata").path("beaconID").asText("");
      digest.update((id.equals("default") ? "" : id).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// The chain's description, as `/info` serves it.
  public String info() {
    return info.toString();
  }

  /// The hash of the chain.
  public String chainHash() {
    return info.path("hash").asText();
  }

  /// The signature of a round, in hexadecimal, whether or not its time has come.
  public String signature(long round) {
    return rounds.get((int) round - 1);
  }

  /// How often it was asked for a round.
  public int asked() {
    return asked.get();
  }

  /// From now on it has no rounds, or has them again.
  public void silent(boolean silent) {
    isSilent = silent;
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String base = "/" + chainHash();
      if (path.equals(base + "/info")) {
        reply(exchange, 200, info());
      } else if (path.startsWith(base + "/public/")) {
        round(exchange, path.substring((base + "/public/").length()));
      } else {
        reply(exchange, 404, "{}");
      }
    }
  }

  private void round(HttpExchange exchange, String text) throws IOException {
    asked.incrementAndGet();
    long round = text.matches("[0-9]{1,9}") ? Long.parseLong(text) : 0;
    long genesis = info.path("genesis_time").asLong();
    long time = genesis + (round - 1) * info.path("period").asLong();
    boolean exists = round >= 1 && round <= rounds.size() && clock.millis() / 1000 >= time;
    if (isSilent || !exists) {
      reply(exchange, 404, "{}");
      return;
    }
    reply(
        exchange,
        200,
        JSON.createObjectNode().put("round", round).put("signature", signature(round)).toString());
  }

  private static void reply(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("content-type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
