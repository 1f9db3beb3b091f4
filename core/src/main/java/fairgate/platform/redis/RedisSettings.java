package fairgate.platform.redis;

import fairgate.platform.tls.TlsFiles;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.redis.client.RedisOptions;
import java.time.Duration;
import java.util.List;

/// The address of Redis and the time limit of calls.
///
/// @param uri `redis://[:password@]host:port[/db]`, `rediss://` with TLS, or `unix:///path`; for a
///   cluster, any node
/// @param callBudget the time after which a call fails with an unknown outcome
/// @param cluster whether the URI is a node of a Redis Cluster
/// @param others further nodes of the cluster, `host:port`, from which the slots may be read
/// @param tls the files for `rediss://`
/// @param replicated whether a script that writes to an outbox is answered only after a replica has
///   its writes
public record RedisSettings(
    String uri,
    Duration callBudget,
    boolean cluster,
    List<String> others,
    TlsFiles tls,
    boolean replicated) {
  public RedisSettings {
    others = List.copyOf(others);
  }

  public RedisSettings(String uri, Duration callBudget) {
    this(uri, callBudget, false, List.of(), TlsFiles.NONE, false);
  }

  /// The URI without the password.
  @Override
  public String toString() {
    return uri.replaceFirst("//[^/]*@", "//");
  }

  /// Settings with a call budget of two seconds: long enough for a slow disk, short enough for a
  /// waiting buyer.
  public static RedisSettings of(String uri) {
    return new RedisSettings(uri, Duration.ofSeconds(2));
  }

  /// Settings for a Redis Cluster, with a call budget of two seconds.
  public static RedisSettings cluster(String uri, List<String> others) {
    return new RedisSettings(uri, Duration.ofSeconds(2), true, others, TlsFiles.NONE, false);
  }

  /// These settings with another time limit of calls, for commands that no buyer waits for.
  public RedisSettings withCallBudget(Duration budget) {
    return new RedisSettings(uri, budget, cluster, others, tls, replicated);
  }

  public RedisSettings with(TlsFiles files) {
    return new RedisSettings(uri, callBudget, cluster, others, files, replicated);
  }

  /// These settings, with answers that wait for a replica or not.
  public RedisSettings replicated(boolean waits) {
    return new RedisSettings(uri, callBudget, cluster, others, tls, waits);
  }

  RedisSettings node(String nodeUri) {
    return new RedisSettings(nodeUri, callBudget, false, List.of(), tls, replicated);
  }

  public boolean isEncrypted() {
    return uri.startsWith("rediss://");
  }

  /// The options of a client of `uri`, with one connection. With TLS it checks the certificate and
  /// its name.
  RedisOptions options(NetClientOptions net) {
    if (isEncrypted()) {
      net.setSsl(true).setHostnameVerificationAlgorithm(TlsFiles.NAMES);
      TrustOptions trust = tls.trust();
      if (trust != null) {
        net.setTrustOptions(trust);
      }
      KeyCertOptions identity = tls.identity();
      if (identity != null) {
        net.setKeyCertOptions(identity);
      }
    }
    return new RedisOptions().setConnectionString(uri).setMaxPoolSize(1).setNetClientOptions(net);
  }
}
