package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.SplittableRandom;

/// 50 hired people who take a place each with a browser and an address of their own. Then a program
/// on the same machine goes on with their cookies: half of them with copies of all headers of the
/// browser, half as a script that copies its name.
final class HumansAtTheGate implements NamedCrowd {

  @Override
  public char letter() {
    return 'e';
  }

  @Override
  public String title() {
    return "humans at the gate, a bot after it";
  }

  @Override
  public int people() {
    return 50;
  }

  @Override
  public String address(int person) {
    return "172.29." + person + ".9";
  }

  @Override
  public Optional<Device.Client> program(int person) {
    return Optional.of(person % 2 == 0 ? Device.Client.CHROME : Device.Client.SCRIPT);
  }

  @Override
  public ObjectNode behavior(int person, SplittableRandom chance) {
    return Movement.ofPerson(chance);
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.gatekeeper();
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(100);
  }
}
