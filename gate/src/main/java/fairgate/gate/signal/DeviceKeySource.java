package fairgate.gate.signal;

import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.signal.DeviceProof.Result;
import fairgate.kernel.DeviceId;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The device key of the request: whether it is proved, differs from the key of the same browser,
/// and how many accounts or browsers use it.
///
/// False positives: old browsers, private windows of some browsers, pages over http and visitors
/// without JavaScript have no key, which counts nothing. A browser that deletes its storage has a
/// new key: it differs once from the one before. A purchase without a valid proof counts as one
/// with another key if the place has one, so a browser that cannot load the script of the page is
/// hit. Families share a computer and so a key; the first two accounts count little.
public final class DeviceKeySource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature PRESENT = SCHEMA.feature("device_key_present");
  private static final Feature INVALID = SCHEMA.feature("device_key_invalid");
  private static final Feature CHANGED = SCHEMA.feature("device_key_changed");
  private static final Feature ACCOUNTS = SCHEMA.feature("accounts_of_device_key");

  private static final Duration MEMORY = Duration.ofDays(1);
  private static final int MAX_BROWSERS = 65_536;

  private final DeviceKeys keys;
  private final RecentMap<AtomicReference<String>> ofBrowsers;

  DeviceKeySource(DeviceKeys keys, Clock clock) {
    this.keys = keys;
    this.ofBrowsers = new RecentMap<>(clock, MEMORY, MAX_BROWSERS, AtomicReference::new);
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    if (request.http() == null) {
      return DONE;
    }
    return contribute(request, keys.of(request.http()), features);
  }

  FeatureSource ofProof(Result result) {
    return (request, features) -> contribute(request, result, features);
  }

  private Future<Void> contribute(RiskRequest request, Result result, Features.Builder features) {
    boolean isWrong = result instanceof Result.Invalid || result instanceof Result.Used;
    features.set(INVALID, isWrong);
    Optional<String> hash = keys.hash(result);
    if (hash.isEmpty()) {
      return DONE;
    }
    features.set(PRESENT, true);
    // The source of places sets it as well.
    if (differsInBrowser(request.caller().device(), hash.get())) {
      features.set(CHANGED, true);
    }
    return keys.owners(hash.get(), request.caller())
        .onSuccess(owners -> features.set(ACCOUNTS, owners))
        .mapEmpty();
  }

  private boolean differsInBrowser(@Nullable DeviceId device, String hash) {
    if (device == null) {
      return false;
    }
    AtomicReference<String> before = ofBrowsers.latest(device.value());
    String known = before == null ? null : before.get();
    ofBrowsers.touch(device.value(), one -> one.set(hash));
    return known != null && !known.equals(hash);
  }
}
