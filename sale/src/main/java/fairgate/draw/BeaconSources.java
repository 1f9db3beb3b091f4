package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.run.BlockingWork;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Fetches beacons from drand's HTTP API. Sources are not trusted: the caller verifies signatures.
public final class BeaconSources implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BeaconSources.class);
  private static final Duration TIME_LIMIT = Duration.ofSeconds(3);
  private static final long MAX_REPLY_BYTES = 4_096;
  private static final int OK = 200;

  private final List<String> urls;
  private final HttpClient http;

  /// @param urls addresses in the order in which they are asked
  BeaconSources(List<String> urls) {
    this.urls = List.copyOf(urls);
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(TIME_LIMIT)
            .executor(BlockingWork.executor("beacon"))
            .build();
  }

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
    URI address = URI.create(url + "/" + round.chain() + "/public/" + round.round());
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(TIME_LIMIT)
            .header("user-agent", "Fairgate")
            .build();
    CompletableFuture<HttpResponse<byte[]>> sent =
        http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_REPLY_BYTES));
    try {
      // The time limit of the request ends with the head of the reply.
      HttpResponse<byte[]> reply = sent.get(TIME_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      return reply.statusCode() == OK ? signature(reply.body()) : Optional.empty();
    } catch (ExecutionException | TimeoutException e) {
      boolean _ = sent.cancel(true);
      LOG.debug("A beacon source did not answer; source={}", url, e);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
    http.shutdownNow();
  }
}
