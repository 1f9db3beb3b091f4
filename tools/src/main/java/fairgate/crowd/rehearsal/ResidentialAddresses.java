package fairgate.crowd.rehearsal;

import java.time.Duration;

/// 500 residential addresses of a proxy service, each in a network of its own, with a headless
/// browser that keeps its cookies: one device and one number each.
final class ResidentialAddresses implements NamedCrowd {

  @Override
  public char letter() {
    return 'c';
  }

  @Override
  public String title() {
    return "500 residential addresses";
  }

  @Override
  public int people() {
    return 500;
  }

  @Override
  public String address(int person) {
    return "172." + (16 + person / 250) + "." + person % 250 + ".9";
  }

  @Override
  public Device device(int person) {
    return switch (person % 3) {
      case 0 -> Device.HEADLESS;
      case 1 -> Device.SCRIPT;
      default -> Device.copyOf("profile");
    };
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.script(Duration.ofSeconds(10), true, Duration.ZERO);
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(300);
  }
}
