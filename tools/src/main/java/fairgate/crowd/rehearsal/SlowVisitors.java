package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Honest people with slow telephones, and with screen readers, who go page by page.
final class SlowVisitors implements NamedCrowd {

  @Override
  public char letter() {
    return 'h';
  }

  @Override
  public String title() {
    return "slow telephones and screen readers";
  }

  @Override
  public boolean honest() {
    return true;
  }

  @Override
  public int people() {
    return 40;
  }

  @Override
  public String address(int person) {
    return "172.30." + person + ".9";
  }

  /// Pages without scripts count nothing.
  @Override
  public @Nullable ObjectNode behavior(int person, SplittableRandom chance) {
    return person % 2 == 1 ? null : Movement.ofPerson(chance);
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.slow(person % 2 == 1);
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(200).longest(Duration.ofSeconds(100));
  }
}
