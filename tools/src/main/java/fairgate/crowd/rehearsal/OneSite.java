package fairgate.crowd.rehearsal;

import java.time.Duration;
import java.util.Locale;

/// One person with one IPv6 /48, as any hosting company leases it: each place has a /64 of its own,
/// and the places are spread over all of its /56.
final class OneSite implements NamedCrowd {
  /// The /56 in a /48.
  private static final int PREFIXES = 256;

  @Override
  public char letter() {
    return 'b';
  }

  @Override
  public String title() {
    return "one IPv6 /48, no cookies";
  }

  @Override
  public int people() {
    return 500;
  }

  @Override
  public int numbers() {
    return 1;
  }

  @Override
  public String address(int person) {
    return String.format(
        Locale.ROOT, "2001:db8:77:%04x::1", ((person % PREFIXES) << 8) | (person / PREFIXES));
  }

  @Override
  public Device device(int person) {
    return Device.COPY;
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.script(Duration.ofSeconds(16), false, Duration.ZERO);
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(1_000);
  }
}
