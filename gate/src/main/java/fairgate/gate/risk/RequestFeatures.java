package fairgate.gate.risk;

import io.vertx.core.Future;

/// Features that the request itself has.
final class RequestFeatures implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature ROUTE = SCHEMA.feature("route");
  private static final Feature HAS_COOKIE = SCHEMA.feature("has_cookie");
  private static final Feature HAS_INVITATION = SCHEMA.feature("has_invitation");
  private static final Feature QUANTITY = SCHEMA.feature("quantity");
  private static final Feature SIGNED_IN = SCHEMA.feature("signed_in");
  private static final Feature ADDRESS_FAMILY = SCHEMA.feature("address_family");

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    features
        .set(ROUTE, request.route().word())
        .set(HAS_COOKIE, request.http() != null && request.http().returning() != null)
        .set(HAS_INVITATION, request.invited())
        .set(QUANTITY, request.quantity())
        .set(SIGNED_IN, request.caller().account() != null)
        .set(ADDRESS_FAMILY, request.caller().address().isV4() ? 4L : 6L);
    return DONE;
  }
}
