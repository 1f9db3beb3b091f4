package fairgate.gate.signal;

import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.kernel.BanSubject;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Word;
import fairgate.platform.http.Request;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts refused requests by address, by browser and by fingerprint, for metrics, for the list of
/// the hottest, and as a feature of risk.
///
/// Refusals that an honest crowd causes do not count: a sale that is sold out or not open, and
/// faults of the server. Counts cover the current period of ten minutes of the clock and the part
/// of the previous one that is less than ten minutes old, on this node, for at most 32,768 clients
/// of each kind and period. Metrics have no label for a client.
///
/// False positives: many people behind one address share its count, so an alarm asks an operator to
/// look, and bans nobody.
public final class HotClients implements FeatureSource {
  private static final String ADMIN = "/api/admin/";
  private static final Feature FAILURES_OF_ADDRESS =
      FeatureSchema.latest().feature("failures_of_address");
  private static final Duration PERIOD = Duration.ofMinutes(10);
  private static final int MAX_KEYS = 32_768;

  /// So many accounts of one fingerprint collide.
  private static final int MANY = 3;

  private final FingerprintSource fingerprints;
  private final KeyRing keyRing;
  private final Map<By, RecentMap<AtomicInteger>> failures = new EnumMap<>(By.class);

  /// The kind of client that is counted.
  public enum By implements Word {
    /// The IPv4 address, or the /56 of IPv6.
    ADDRESS,
    /// The browser, by the name that bans use.
    DEVICE,
    /// The fingerprint, by its hash within a sale.
    FINGERPRINT
  }

  /// A client with its refused requests.
  ///
  /// @param value an address is personal data; the other kinds are keyed hashes
  /// @param name a keyed hash that stands for the value
  public record Hot(String value, String name, int failures) {}

  HotClients(
      FingerprintSource fingerprints, KeyRing keyRing, Clock clock, Metrics metrics, int alarm) {
    this.fingerprints = fingerprints;
    this.keyRing = keyRing;
    for (By by : By.values()) {
      failures.put(by, new RecentMap<>(clock, PERIOD, MAX_KEYS, AtomicInteger::new));
      metrics.gauge(
          "fairgate_client_failures_highest",
          "The most refused requests of one client in the last ten minutes on this node",
          () -> values(by).stream().mapToInt(Integer::intValue).max().orElse(0),
          "by",
          by.word());
      metrics.gauge(
          "fairgate_clients_over_alarm",
          "Clients with more refused requests than the threshold of the alarm",
          () -> values(by).stream().filter(count -> count > alarm).count(),
          "by",
          by.word());
    }
    metrics.gauge(
        "fairgate_fingerprint_accounts_highest",
        "The most accounts that share a fingerprint in a sale",
        () -> fingerprints.accountsOfRecent().stream().mapToInt(Integer::intValue).max().orElse(0));
    metrics.gauge(
        "fairgate_fingerprints",
        "Fingerprints that joined in the current ten minutes on this node",
        () -> fingerprints.accountsOfRecent().size(),
        "accounts",
        "any");
    metrics.gauge(
        "fairgate_fingerprints",
        "Fingerprints that joined in the current ten minutes on this node",
        () -> fingerprints.accountsOfRecent().stream().filter(count -> count >= MANY).count(),
        "accounts",
        "many");
  }

  private RecentMap<AtomicInteger> table(By by) {
    return Objects.requireNonNull(failures.get(by));
  }

  private List<Integer> values(By by) {
    RecentMap<AtomicInteger> table = table(by);
    return table.keys().stream().map(key -> table.recent(key, AtomicInteger::get)).toList();
  }

  /// A request was refused. Mistakes of operators do not count; wrong tokens do.
  void refused(Request request, ErrorCode code) {
    if (request.path().startsWith(ADMIN) && code != ErrorCode.UNAUTHORIZED) {
      return;
    }
    if (code.kind() != ErrorCode.Kind.CALLER && code != ErrorCode.RATE_LIMIT_EXCEEDED) {
      return;
    }
    count(By.ADDRESS, request.address().key());
    DeviceId device = request.returning();
    if (device != null) {
      count(By.DEVICE, BanSubject.deviceName(device, keyRing));
    }
    fingerprints.failed(request).ifPresent(hash -> count(By.FINGERPRINT, hash));
  }

  private void count(By by, String key) {
    table(by).touch(key, AtomicInteger::incrementAndGet);
  }

  /// The clients with the most refused requests, the worst first.
  public List<Hot> top(By by, int limit) {
    RecentMap<AtomicInteger> table = table(by);
    return table.keys().stream()
        .map(key -> new Hot(key, name(by, key), table.recent(key, AtomicInteger::get)))
        .filter(hot -> hot.failures() > 0)
        .sorted(Comparator.comparingInt(Hot::failures).reversed().thenComparing(Hot::name))
        .limit(limit)
        .toList();
  }

  private String name(By by, String key) {
    return by == By.ADDRESS ? keyRing.fingerprint("hot-address", key) : key;
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    ClientAddress address = request.caller().address();
    if (!CrowdSource.Networks.isUnknown(address)) {
      features.set(
          FAILURES_OF_ADDRESS, table(By.ADDRESS).recent(address.key(), AtomicInteger::get));
    }
    return DONE;
  }
}
