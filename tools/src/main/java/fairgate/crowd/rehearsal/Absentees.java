package fairgate.crowd.rehearsal;

import java.time.Duration;

/// Fakes that take the first places of a line and never show up.
final class Absentees implements NamedCrowd {

  @Override
  public char letter() {
    return 'f';
  }

  @Override
  public String title() {
    return "fakes that never show up";
  }

  @Override
  public int people() {
    return 24;
  }

  @Override
  public String address(int person) {
    return "172.31." + person + ".9";
  }

  @Override
  public Device device(int person) {
    return Device.COPY;
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.absent(Duration.ofSeconds(9), Duration.ofSeconds(6));
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.shortLine(100);
  }
}
