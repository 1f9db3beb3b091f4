package fairgate.gate.signal;

import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.risk.RiskRoute;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.platform.http.Request;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Asks a source for features without HTTP, by a manual clock.
final class Judge {
  static final DeviceId BROWSER = new DeviceId("AAAAAAAAAAAAAAAAAAAAAA");

  final GateFixture.SteppedClock clock = new GateFixture.SteppedClock();

  /// A guest with a browser.
  Caller guest(String address) {
    return caller(address, BROWSER, null);
  }

  Caller caller(String address, @Nullable DeviceId device, @Nullable String account) {
    return new Caller(
        Objects.requireNonNull(ClientAddress.parse(address)), "", device, null, account);
  }

  /// The features of a join of sale 7.
  Features features(FeatureSource source, Caller caller) {
    return features(source, request(RiskRoute.JOIN, "7", null, caller));
  }

  static RiskRequest request(RiskRoute route, String sale, @Nullable Request http, Caller caller) {
    return new RiskRequest(route, sale, http, caller, false, 0);
  }

  Features features(FeatureSource source, RiskRequest request) {
    Features.Builder features = Features.builder();
    try {
      Void _ = source.contribute(request, features).await(60, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no features", e);
    }
    return features.build();
  }
}
