package fairgate.crowd.rehearsal;

import java.time.Duration;

/// One person with 50 accounts and 50 telephone numbers behind one address, who tries each account
/// in two browsers.
final class ManyNumbers implements NamedCrowd {

  @Override
  public char letter() {
    return 'd';
  }

  @Override
  public String title() {
    return "50 accounts with 50 numbers";
  }

  @Override
  public int people() {
    return 2 * numbers();
  }

  @Override
  public int numbers() {
    return 50;
  }

  @Override
  public int addresses() {
    return 1;
  }

  @Override
  public String address(int person) {
    return "203.0.113.77";
  }

  /// The person has one place like anybody else, with the two units of a telephone or browser.
  @Override
  public int ownUnits() {
    return 2;
  }

  @Override
  public Device device(int person) {
    return Device.copyOf(person < numbers() ? "first browser" : "second browser");
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.script(Duration.ofSeconds(20), true, VisitorProfile.ONE_ADDRESS);
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(200).longest(Duration.ofSeconds(90));
  }
}
