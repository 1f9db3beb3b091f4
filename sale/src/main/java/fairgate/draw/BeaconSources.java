package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.platform.http.HttpCalls;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Fetches beacons from drand's HTTP API. Sources are not trusted: the caller verifies signatures.
public final class BeaconSources implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BeaconSources.class);
  private static final Duration TIME_LIMIT = Duration.ofSeconds(3);
  private static final long MAX_REPLY_BYTES = 4_096;
  private static final int OK = 200;

  private final List<String> urls;
  private final HttpCalls http = new HttpCalls("beacon", TIME_LIMIT, MAX_REPLY_BYTES);

  /// @param urls addresses in the order in which they are asked
  BeaconSources(List<String> urls) {
    this.urls = List.copyOf(urls);
  }

  /// A test of a signature.
  @FunctionalInterface
  interface Verifier {
    boolean verifies(byte[] signature);
  }

  /// The first valid signature of a round; empty if no source has one. Blocks, up to three seconds
  /// for each source.
  Optional<byte[]> fetch(BeaconRound round, Verifier verifier) {
    for (String url : urls) {
      Optional<byte[]> signature = fetch(url, round);
      if (signature.isPresent()) {
        if (verifier.verifies(signature.get())) {
          return signature;
        }
        LOG.warn("A beacon source returned a wrong signature; source={} round={}", url, round);
      }
    }
    return Optional.empty();
  }

  /// Starts a pass over many draws.
  Rounds rounds() {
    return new Rounds();
  }

  /// The rounds that draws ask for in one pass. Each is fetched once, whether or not a source has
  /// it, however many draws wait for it. For one thread.
  final class Rounds {
    private final Map<BeaconRound, Optional<byte[]>> fetched = new HashMap<>();

    /// The signature of a round; empty if no source has it. Blocks as `fetch` at the first call.
    Optional<byte[]> signature(BeaconRound round, BeaconChain chain) {
      return fetched.computeIfAbsent(
          round, it -> fetch(it, candidate -> chain.verifies(it.round(), candidate)));
    }
  }

  private Optional<byte[]> fetch(String url, BeaconRound round) {
    String address = url + "/" + round.chain() + "/public/" + round.round();
    try {
      HttpResponse<byte[]> reply = http.send(http.request(address));
      return reply.statusCode() == OK ? signature(reply.body()) : Optional.empty();
    } catch (HttpCalls.NoReply e) {
      LOG.debug("A beacon source did not answer; source={}", url, e);
      return Optional.empty();
    }
  }

  private static Optional<byte[]> signature(byte[] body) {
    try {
      JsonObject json = Json.parseObject(body);
      return json.get("signature") instanceof String hex
          ? Optional.of(HexFormat.of().parseHex(hex))
          : Optional.empty();
    } catch (JsonSyntaxException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
