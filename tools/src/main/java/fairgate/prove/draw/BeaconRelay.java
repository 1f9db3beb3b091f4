package fairgate.prove.draw;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;

/// A drand relay on loopback whose rounds were signed in advance with a test key. The chain begins
/// when the relay starts, with a round every three seconds for fifty minutes.
public final class BeaconRelay implements AutoCloseable {
  private static final int PERIOD_S = 3;

  private final HttpServer server;
  private final ObjectNode info;
  private final List<String> rounds;
  private final Clock clock;

  private BeaconRelay(HttpServer server, ObjectNode info, List<String> rounds, Clock clock) {
    this.clock = clock;
    this.server = server;
    this.info = info;
    this.rounds = rounds;
  }

  /// Starts on a free loopback port.
  public static BeaconRelay start(Clock clock) throws IOException {
    ObjectNode info = (ObjectNode) new ObjectMapper().readTree(resource("chain.json"));
    info.put("genesis_time", clock.instant().getEpochSecond()).put("period", PERIOD_S);
    info.put("hash", hash(info));
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    List<String> rounds =
        new String(resource("rounds.txt"), StandardCharsets.US_ASCII).lines().toList();
    BeaconRelay relay = new BeaconRelay(server, info, rounds, clock);
    server.createContext("/", relay::serve);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    return relay;
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = BeaconRelay.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
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
      digest.update(
          info.path("metadata").path("beaconID").asText().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// Writes the description of the chain, for the setting `draws.chain_file`.
  public Path describe(Path file) throws IOException {
    return Files.writeString(file, info.toString());
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String base = "/" + info.path("hash").asText() + "/public/";
      String path = exchange.getRequestURI().getPath();
      String text = path.startsWith(base) ? path.substring(base.length()) : "";
      int round = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
      long time = info.path("genesis_time").asLong() + (long) (round - 1) * PERIOD_S;
      boolean exists = round >= 1 && round <= rounds.size();
      boolean isTime = clock.instant().getEpochSecond() >= time;
      String body =
          exists && isTime
              ? "{\"round\":%d,\"signature\":\"%s\"}".formatted(round, rounds.get(round - 1))
              : "{}";
      byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
      exchange.sendResponseHeaders(exists && isTime ? 200 : 404, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
