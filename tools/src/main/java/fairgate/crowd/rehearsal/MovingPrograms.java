package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.SplittableRandom;

/// 50 automated browsers with all headers, a key and an address of their own, which ask at the
/// times of a person. Only their movement on the page is not that of people.
final class MovingPrograms implements NamedCrowd {
  private static final int PEOPLE = 50;
  private static final int RECORDINGS = 5;

  private final boolean replays;

  /// @param replays whether they play back recordings of people, rather than move in straight lines
  MovingPrograms(boolean replays) {
    this.replays = replays;
  }

  @Override
  public char letter() {
    return replays ? 'j' : 'k';
  }

  @Override
  public String title() {
    return replays
        ? "programs that replay recorded movement"
        : "programs that move in straight lines";
  }

  @Override
  public int people() {
    return PEOPLE;
  }

  @Override
  public String address(int person) {
    return "172." + (replays ? 27 : 28) + "." + person + ".9";
  }

  @Override
  public Device device(int person) {
    return new Device(Device.Client.CHROME, Device.OWN);
  }

  @Override
  public ObjectNode behavior(int person, SplittableRandom chance) {
    return replays ? Movement.replayed(person % RECORDINGS, chance) : Movement.straight(chance);
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.honest();
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(100);
  }
}
