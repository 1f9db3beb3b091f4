package fairgate.gate.signal;

import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The browser's fingerprint, if the operator has switched it on and the browser sent one: how many
/// people and accounts share it in the sale, and how many of its requests failed.
///
/// The page sends a hash of canvas, fonts, screen and user agent (`Browser-Fingerprint:
/// 1.HASH.WEBDRIVER`). The server keeps a keyed hash of it per sale, with the short hashes of at
/// most 64 accounts and browsers that have joined, for a day after the last; so fingerprints of two
/// sales cannot be connected. A fingerprint is never an identity.
///
/// False positives: telephones of one model have the same fingerprint, and every sale has hundreds
/// of them. So its weight falls with the number of people who share it: from 20 people on, the
/// number of accounts is divided by people / 20, and with 64 it no longer counts. Browsers that
/// protect privacy send random values, which nobody shares.
public final class FingerprintSource implements FeatureSource {
  static final String HEADER = "browser-fingerprint";

  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature PRESENT = SCHEMA.feature("fingerprint_present");
  private static final Feature SHARED_BY = SCHEMA.feature("fingerprint_shared_by");
  private static final Feature ACCOUNTS = SCHEMA.feature("fingerprint_accounts");
  private static final Feature FAILURES = SCHEMA.feature("fingerprint_failures");
  private static final Feature WEBDRIVER = SCHEMA.feature("webdriver");

  private static final Pattern FORM = Pattern.compile("1\\.([A-Za-z0-9_-]{43})\\.([01])");
  private static final Duration LIFE = Duration.ofDays(1);
  private static final Duration FAILURE_PERIOD = Duration.ofMinutes(10);
  private static final int MAX_KEYS = 32_768;

  /// Fewer people who share a fingerprint do not lower its weight.
  private static final int FULL_WEIGHT = 20;

  private final SharedByScript script;
  private final SignalKeys keys;
  private final RecentMap<AtomicInteger> failures;
  private final RecentMap<AtomicInteger> accounts;

  FingerprintSource(SharedByScript script, SignalKeys keys, Clock clock) {
    this.script = script;
    this.keys = keys;
    this.failures = new RecentMap<>(clock, FAILURE_PERIOD, MAX_KEYS, AtomicInteger::new);
    this.accounts = new RecentMap<>(clock, FAILURE_PERIOD, MAX_KEYS, AtomicInteger::new);
  }

  private record Sent(String hash, boolean webdriver) {}

  private static Optional<Sent> sent(Request request) {
    String header = request.header(HEADER);
    Matcher form = FORM.matcher(header == null ? "" : header);
    return form.matches()
        ? Optional.of(new Sent(form.group(1), form.group(2).equals("1")))
        : Optional.empty();
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    Optional<Sent> sent = request.http() == null ? Optional.empty() : sent(request.http());
    if (sent.isEmpty()) {
      return DONE;
    }
    String hash = keys.fingerprintHash(request.sale(), sent.get().hash());
    features.set(PRESENT, true);
    features.set(WEBDRIVER, sent.get().webdriver());
    features.set(FAILURES, failures.recent(hash, AtomicInteger::get));
    return script
        .count(keys.fingerprint(request.sale(), hash), DeviceKeys.member(keys, request.caller()))
        .map(
            shared -> {
              int people = Math.max(shared.accounts(), shared.browsers());
              features.set(SHARED_BY, people);
              features.set(ACCOUNTS, weighted(shared.accounts(), people));
              return null;
            });
  }

  /// A join has given or found a place: remembers the caller under its fingerprint.
  Future<Void> joined(Request request, ProductId product) {
    Optional<Sent> sent = sent(request);
    if (sent.isEmpty()) {
      return DONE;
    }
    String hash = keys.fingerprintHash(product.value(), sent.get().hash());
    return script
        .remember(
            keys.fingerprint(product.value(), hash),
            DeviceKeys.member(keys, request.caller()),
            LIFE)
        .onSuccess(
            shared -> {
              if (shared.browsers() < SharedByScript.MOST) {
                accounts.touch(hash, most -> most.accumulateAndGet(shared.accounts(), Math::max));
              }
            })
        .mapEmpty();
  }

  /// The numbers of accounts of the fingerprints that joined in the last ten minutes on this node,
  /// without those that very many people share.
  Collection<Integer> accountsOfRecent() {
    return accounts.now().values().stream().map(AtomicInteger::get).toList();
  }

  /// The accounts, fewer the more people share the fingerprint.
  static int weighted(int accounts, int people) {
    if (people >= SharedByScript.MOST) {
      return 0;
    }
    return people <= FULL_WEIGHT ? accounts : accounts * FULL_WEIGHT / people;
  }

  /// A request was refused.
  ///
  /// @return the hash of its fingerprint within the sale; empty without one
  Optional<String> failed(Request request) {
    Optional<Sent> sent = sent(request);
    String product = sent.isEmpty() ? null : DeviceKeys.text(request, "product_id");
    if (product == null || !ProductId.isValid(product)) {
      return Optional.empty();
    }
    String hash = keys.fingerprintHash(product, sent.get().hash());
    failures.touch(hash, AtomicInteger::incrementAndGet);
    return Optional.of(hash);
  }
}
