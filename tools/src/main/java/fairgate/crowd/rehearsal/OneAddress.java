package fairgate.crowd.rehearsal;

import java.time.Duration;

/// One person with one address and one number who keeps no cookies, so that each place is a new
/// browser. Takes its places before the opening.
final class OneAddress implements NamedCrowd {

  @Override
  public char letter() {
    return 'a';
  }

  @Override
  public String title() {
    return "one address, no cookies";
  }

  @Override
  public int people() {
    return 60;
  }

  @Override
  public int numbers() {
    return 1;
  }

  @Override
  public int addresses() {
    return 1;
  }

  @Override
  public String address(int person) {
    return "203.0.113.9";
  }

  @Override
  public Device device(int person) {
    return Device.COPY;
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.script(Duration.ofSeconds(22), false, VisitorProfile.ONE_ADDRESS);
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(100);
  }
}
