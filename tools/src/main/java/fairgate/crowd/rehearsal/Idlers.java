package fairgate.crowd.rehearsal;

import java.time.Duration;

/// Places of one address that come to their turns and buy nothing. Each keeps its own cookies.
final class Idlers implements NamedCrowd {

  @Override
  public char letter() {
    return 'i';
  }

  @Override
  public String title() {
    return "one address that never buys";
  }

  @Override
  public int people() {
    return 5;
  }

  @Override
  public int addresses() {
    return 1;
  }

  @Override
  public String address(int person) {
    return "203.0.113.77";
  }

  @Override
  public Device device(int person) {
    return Device.COPY;
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.idle(
        Duration.ofSeconds(9), Duration.ofSeconds(6), CrowdSale.SHORT_WINDOW);
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.twoTurns(100);
  }
}
