package fairgate.gate.signal;

import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.risk.RiskRoute;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The place of a purchase: how long the buyer has had it, how soon after its turn the purchase
/// comes, and whether its device key is another one than that of the join, or missing.
///
/// False positives: a purchase within a few hundred milliseconds of its turn is a program's, or of
/// a page that buys by itself; people need a second. A short time in a place is usual in a sale
/// without a crowd. A browser that deletes its storage between the join and the purchase has
/// another key.
public final class PlaceSource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature MINUTES = SCHEMA.feature("minutes_in_place");
  private static final Feature AFTER_READY = SCHEMA.feature("purchase_after_ready_ms");
  private static final Feature KEY_CHANGED = SCHEMA.feature("device_key_changed");

  private final DeviceKeys keys;

  PlaceSource(DeviceKeys keys) {
    this.keys = keys;
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    SessionId session = request.caller().session();
    if (request.route() != RiskRoute.PURCHASE
        || session == null
        || !ProductId.isValid(request.sale())) {
      return DONE;
    }
    return keys.ofPlace(new ProductId(request.sale()), session)
        .onSuccess(place -> set(place, request.http(), features))
        .mapEmpty();
  }

  private void set(Places.Evidence place, @Nullable Request http, Features.Builder features) {
    if (place.sinceJoin() >= 0) {
      features.set(MINUTES, Duration.ofMillis(place.sinceJoin()).toMinutes());
    }
    if (place.sinceTurn() >= 0) {
      features.set(AFTER_READY, Math.max(1, place.sinceTurn()));
    }
    if (http != null && place.keyHash().isPresent()) {
      DeviceProof.Result sent = keys.of(http);
      // Without a valid proof it is another buyer as well, unless a flood kept it unchecked.
      if (!(sent instanceof DeviceProof.Result.Unchecked)
          && !place.keyHash().equals(keys.hash(sent))) {
        features.set(KEY_CHANGED, true);
      }
    }
  }

  /// What places tell about their buyers. Implemented where places are.
  public interface Places {
    /// Stores the device key of a place that has none, by its hash; the first key stays.
    Future<Void> remember(ProductId product, SessionId session, String keyHash);

    Future<Evidence> of(ProductId product, SessionId session);

    /// What a place tells about its buyer.
    ///
    /// @param keyHash of its device key; empty when its join had none, or there is no such place
    /// @param sinceJoin ms; -1 when there is no such place
    /// @param sinceTurn ms since its turn began; -1 before
    record Evidence(Optional<String> keyHash, long sinceJoin, long sinceTurn) {}
  }
}
